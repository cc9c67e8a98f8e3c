"""The coefficients: a table of formulas, with titles, meanings and sources.

With unequal replications, omega, agreement, AC1 and the shares weight questions equally; Fleiss'
kappa takes chance from all verdicts, and Krippendorff's alpha weights each question by its
verdicts, as they are defined. A single declared category leaves nothing to chance.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .cells import Cells, FloatArray
from .coefficient import Coefficient, estimates
from .errors import UnknownCoefficientError
from .estimate import Estimate
from .intervals import (
    FAR_OR_NOISE,
    NOISE_OR_SETTLED,
    PLUS_A_QUESTION,
    RANKS,
    Ends,
    Formula,
    Method,
    Study,
)
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
    return estimates(given, [COEFFICIENTS[name] for name in names], level)


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
    interval=PLUS_A_QUESTION,
    compact=True,
)
def omega(s: Sums) -> FloatArray:
    """1 - W / D, by pairs of verdicts: a U-statistic, unbiased in W and D for any replications.

    With equal replications this is the one-way analysis of variance of one-hot verdicts (Light &
    Margolin 1971) in the form of ICC(1) (Shrout & Fleiss 1979), and McDonald's omega of one
    replication in the parallel one-factor model.
    """
    return 1 - ratio(s.within, s.any_two)


def _composite(omega: FloatArray, replications: FloatArray) -> FloatArray:
    """R w / (1 + (R - 1) w) of omega w (Spearman-Brown)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(replications * omega / (1 + (replications - 1) * omega))


def _like(row: Coefficient, *, composite: bool = False) -> Method:
    """The interval of another coefficient with the same population value, or of its composite."""

    def ends(formula: Formula, study: Study, level: float) -> Ends:
        low, high = row.interval.ends(row.formula, study, level)
        if not composite:
            return low, high
        r, least = study.total.replications, float(row.least(study.total))
        # The composite falls without bound towards the least omega; no true one is below 0.
        low, high = (
            float(_composite(np.asarray(x), r)) if x > least else -np.inf for x in (low, high)
        )
        return low, high

    return Method(f"as {row.name}", ends, row.interval.constant)


@_row(
    "Omega of all replications",
    "Reliability of all replications together: near 1 for many replications of any judge.",
    "McDonald 1999",
    depends_on_replications=True,
    of_all_replications=True,
    interval=_like(omega, composite=True),
)
def omega_composite(s: Sums) -> FloatArray:
    """R w / (1 + (R - 1) w) of omega w, R the harmonic mean (Spearman-Brown).

    Unequal replications can make the denominator negative; the composite is then undefined.
    """
    between = s.any_two - s.within
    mean = between + s.within / s.replications
    return ratio(between, np.where(mean > 1e-12 * s.any_two, mean, 0.0))


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
    interval=_like(omega),
)
def fleiss_kappa(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e from the shares of all verdicts."""
    return 1 - ratio(s.within, s.total / s.verdicts)


@_row(
    "Krippendorff's alpha",
    "Agreement beyond that of the pooled verdict shares, corrected for few verdicts.",
    "Krippendorff 2019",
    least=_least_over_replications,
    interval=_like(omega),
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
)
def brennan_prediger(s: Sums) -> FloatArray:
    """(P_o - 1/K) / (1 - 1/K)."""
    return 1 - s.within * s.categories / max(s.categories - 1, 1)


@_row(
    "Modal share",
    "How often one replication gives the most frequent verdict of its question; biased upwards.",
    "",
    interval=NOISE_OR_SETTLED,
    depends_on_replications=True,
)
def modal_share(s: Sums) -> FloatArray:
    """Mean over questions."""
    return s.modal / s.questions


@_row(
    "Modal share, leave-one-out",
    "How often one replication gives the majority verdict of the others; biased downwards.",
    "",
    interval=NOISE_OR_SETTLED,
    depends_on_replications=True,
)
def modal_share_loo(s: Sums) -> FloatArray:
    """Mean over questions."""
    return s.modal_loo / s.questions


@_row(
    "Entropy / log K",
    "Spread of the verdicts on a question: 0 if they never differ, 1 if all K are as frequent.",
    "Zhang 2012",
    best=0.0,
    interval=NOISE_OR_SETTLED,
    needs_categories=True,
    depends_on_replications=True,
)
def normalised_entropy(s: Sums) -> FloatArray:
    """Mean over questions, over log K."""
    most: float = np.log(max(s.categories, 2))
    return s.entropy / s.questions / most


krippendorff_alpha_ordinal = _add(
    replace(
        krippendorff_alpha,
        name="krippendorff_alpha_ordinal",
        title="Krippendorff's alpha, ordinal",
        about="Krippendorff's alpha where a disagreement weighs the ranks it spans, squared.",
        scale="ordinal",
        interval=RANKS,
    )
)
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
icc_composite = _add(
    replace(
        omega_composite,
        name="icc_composite",
        title="ICC of all replications",
        about="ICC(1) of the mean of all replications.",
        source="Shrout & Fleiss 1979",
        scale="interval",
        interval=_like(icc, composite=True),
    )
)


@_row(
    "Cronbach's alpha",
    "Reliability of the mean of the replications in which every question has a verdict.",
    "Cronbach 1951",
    scale="interval",
    depends_on_replications=True,
    of_all_replications=True,
    needs_complete=True,
)
def cronbach_alpha(s: Sums) -> FloatArray:
    """R / (R - 1) (1 - sum of the replications' variances / variance of the questions' sums)."""
    r, n = s.items.shape[-1], s.questions
    if r < 2:
        return np.full_like(n, np.nan)
    parts = (s.item_squares - s.items**2 / n[..., None]).sum(axis=-1)
    whole = s.total_squares - s.items.sum(axis=-1) ** 2 / n
    whole = np.where(whole > 1e-12 * s.total_squares, whole, 0.0)
    return np.asarray((1 - ratio(parts, whole)) * r / (r - 1))


krippendorff_alpha_numeric = _add(
    replace(
        krippendorff_alpha,
        name="krippendorff_alpha_numeric",
        title="Krippendorff's alpha, numbers",
        about="Krippendorff's alpha where a disagreement weighs its squared difference.",
        scale="interval",
        interval=_like(icc),
    )
)
