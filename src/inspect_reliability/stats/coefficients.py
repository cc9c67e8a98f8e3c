"""The coefficients: a table of formulas, with titles, meanings and sources.

With unequal replications, omega, agreement, AC1 and the shares weight questions equally; Fleiss'
kappa takes chance from all verdicts, and Krippendorff's alpha weights each question by its
verdicts, as they are defined. A single declared category leaves nothing to chance.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .cells import Cells
from .coefficient import Coefficient, panel_of
from .errors import UnknownCoefficientError
from .estimate import Estimate
from .intervals import FAR_OR_NOISE, NOISE_OR_SETTLED
from .long import FloatArray
from .study import Formula
from .sums import Scale, Sums, ratio


class _Table(dict[str, Coefficient]):
    def __missing__(self, name: str) -> Coefficient:
        raise UnknownCoefficientError(name, self)


COEFFICIENTS: dict[str, Coefficient] = _Table()
"""Name -> coefficient, in the order of tables. Every list is made from this table."""


def of_scale(scale: Scale) -> tuple[str, ...]:
    """Names of the coefficients of one scale."""
    return tuple(name for name, row in COEFFICIENTS.items() if row.scale == scale)


def panel(
    given: Cells, names: Iterable[str] | None = None, level: float = 0.95
) -> dict[str, Estimate]:
    """Estimate coefficients with their intervals.

    Each coefficient names its method (`Coefficient.interval`). If no question varies, the exact
    bound replaces it, with category shares as observed. Agreement needs one question, all others
    two; an interval needs three, unless none varies.

    Args:
        given: Verdicts per question; questions with fewer than two are left out and named.
            Intervals are over clusters. Exact distributions are infinitely many replications.
        names: Coefficients to estimate; by default all nominal ones for counts, and all for
            numbers.
        level: Confidence level of the intervals.

    Raises:
        UnknownCoefficientError: A coefficient does not exist.
        ReliabilityError: The level is not between 0 and 1, or a coefficient needs another scale.
    """
    if names is None:
        names = of_scale("interval" if given.numeric else "nominal")
    return panel_of(given, [COEFFICIENTS[name] for name in names], level)


def _least_over_replications(s: Sums) -> FloatArray:
    """-1 / (R - 1): omega, kappa and alpha of questions that do not differ at all."""
    return np.asarray(-1 / (s.replications - 1))


def _least_over_categories(s: Sums) -> FloatArray:
    """-1 / (K - 1): AC1 and Brennan-Prediger of verdicts that never agree."""
    return np.full_like(s.questions, -1 / max(s.categories - 1, 1))


def _row(title: str, about: str, source: str, **known: Any) -> Callable[[Formula], Coefficient]:
    """Add a formula to the table, under its own name."""

    def add(formula: Formula) -> Coefficient:
        return _add(Coefficient(formula.__name__, title, about, source, formula, **known))

    return add


def _add(row: Coefficient) -> Coefficient:
    COEFFICIENTS[row.name] = row
    return row


@_row(
    "Omega",
    "Consistency over seeds: 1 minus how often two verdicts on the same question differ, over how "
    "often verdicts on two different questions differ.",
    "Janson & Olsson 2001; McDonald 1999",
    least=_least_over_replications,
    compact=True,
)
def omega(s: Sums) -> FloatArray:
    """1 - W / D, by pairs of verdicts: a U-statistic, unbiased in W and D for any replications.

    With equal replications this is the one-way analysis of variance of one-hot verdicts (Light &
    Margolin 1971) in the form of ICC(1) (Shrout & Fleiss 1979). In the parallel one-factor model it
    is McDonald's omega of one replication.
    """
    return 1 - ratio(s.within, s.any_two)


@_row(
    "Agreement",
    "Share of pairs of replications that agree: high for any judge that nearly always says the "
    "same, whatever the question.",
    "Fleiss 1971",
    interval=NOISE_OR_SETTLED,
    fewest_questions=1,
    compact=True,
)
def agreement(s: Sums) -> FloatArray:
    """P_o: mean over questions of the share of agreeing pairs."""
    return 1 - s.within


@_row(
    "Fleiss' kappa",
    "Agreement beyond that of the pooled verdict shares.",
    "Fleiss 1971",
    least=_least_over_replications,
    like=omega,
    by_chance=True,
)
def fleiss_kappa(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e from the shares of all verdicts."""
    return 1 - ratio(s.within, s.total / s.verdicts)


@_row(
    "Krippendorff's alpha",
    "Agreement beyond that of the pooled verdict shares, corrected for few verdicts.",
    "Krippendorff 2019",
    least=_least_over_replications,
    like=omega,
    by_chance=True,
)
def krippendorff_alpha(s: Sums) -> FloatArray:
    """1 - D_o / D_e over all pairable verdicts."""
    few = np.sign(s.inverse)  # 1, or 0 of exact distributions
    return 1 - ratio(s.weighted_disagreement / s.verdicts, s.total / (s.verdicts - few))


@_row(
    "Gwet's AC1",
    "Agreement beyond chance, where chance is small if one verdict dominates.",
    "Gwet 2008",
    least=_least_over_categories,
    interval=NOISE_OR_SETTLED,
    needs_categories=True,
    by_chance=True,
)
def gwet_ac1(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e = sum p(1 - p) / (K - 1)."""
    shares = s.means / s.questions[..., None]
    by_chance = (shares * (1 - shares)).sum(axis=-1) / max(s.categories - 1, 1)
    return 1 - ratio(s.within, 1 - by_chance)


@_row(
    "Brennan-Prediger",
    "Agreement beyond chance, where chance is 1/K.",
    "Brennan & Prediger 1981",
    least=_least_over_categories,
    interval=NOISE_OR_SETTLED,
    needs_categories=True,
    by_chance=True,
)
def brennan_prediger(s: Sums) -> FloatArray:
    """(P_o - 1/K) / (1 - 1/K)."""
    return 1 - s.within * s.categories / max(s.categories - 1, 1)


icc = _add(
    replace(
        omega,
        name="icc",
        title="ICC",
        about="Omega of numbers, ICC(1): how far a single number can be trusted.",
        source="Shrout & Fleiss 1979",
        scale="interval",
        interval=FAR_OR_NOISE,
    )
)
krippendorff_alpha_numeric = _add(
    replace(
        krippendorff_alpha,
        name="krippendorff_alpha_numeric",
        by_chance=False,  # numbers are the same on every question
        title="Krippendorff's alpha, numbers",
        about="Krippendorff's alpha where a disagreement weighs its squared difference.",
        scale="interval",
        like=icc,
    )
)
krippendorff_alpha_ordinal = _add(
    replace(
        krippendorff_alpha_numeric,
        name="krippendorff_alpha_ordinal",
        title="Krippendorff's alpha, ordinal",
        about="Krippendorff's alpha where a disagreement weighs the ranks it spans, squared.",
        scale="ordinal",
    )
)
