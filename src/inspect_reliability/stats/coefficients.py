"""The coefficients: one table, of which each row is a formula and what to know about it.

Unequal replications: agreement is the mean over questions, shares are those of all verdicts
(AC1: the mean of the questions' shares, as Gwet defines it), omega is the one-way analysis of
variance with its average number of replications n0, and Krippendorff's alpha weights each
question by its verdicts, as he defines it. A single declared category leaves nothing to chance.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .coefficient import Coefficient, Formula, estimates
from .counts import Counts
from .errors import UnknownCoefficientError
from .estimate import Estimate
from .numbers import Numbers
from .sums import FloatArray, Scale, Sums


class _Table(dict[str, Coefficient]):
    def __missing__(self, name: str) -> Coefficient:
        raise UnknownCoefficientError(name, self)


COEFFICIENTS: dict[str, Coefficient] = _Table()
"""Name -> coefficient, in the order of tables. Add a row, and everything that lists has it."""


def of_scale(scale: Scale) -> tuple[str, ...]:
    """Names of the coefficients of one scale."""
    return tuple(name for name, row in COEFFICIENTS.items() if row.scale == scale)


def panel(
    given: Counts | Numbers, names: Iterable[str] | None = None, level: float = 0.95
) -> dict[str, Estimate]:
    """Estimate coefficients with their intervals.

    The interval is the jackknife over questions on the log scale. Where no question varies the
    exact bound takes its place: exact for agreement, Brennan-Prediger, modal shares and entropy;
    the other coefficients are carried over from it with the shares of the categories as observed.

    Args:
        given: Verdicts per question; questions with fewer than two are left out and named. Of
            clusters, the number of questions and the intervals are those of clusters.
        names: Coefficients to estimate; by default all nominal ones of counts, and all of numbers.
        level: Confidence level of the intervals.

    Returns:
        Name of the coefficient -> estimate. One question is enough for the agreement, all others
        need two; an interval needs three, unless none varies. Its ends are values that the
        coefficient can have.

    Raises:
        UnknownCoefficientError: A coefficient does not exist.
        ReliabilityError: The level is not between 0 and 1, or a coefficient takes verdicts of
            another scale.
    """
    if names is None:
        names = of_scale("interval" if isinstance(given, Numbers) else "nominal")
    return estimates(given, [COEFFICIENTS[name] for name in names], level)


def markdown_table() -> str:
    """The table of coefficients for the documentation."""
    lines = ["| name | scale | what it says | depends on | source |", "|---|---|---|---|---|"]
    for name, row in COEFFICIENTS.items():
        depends = {"K": row.needs_categories, "R": row.depends_on_replications}
        on = ", ".join(letter for letter, does in depends.items() if does)
        lines.append(f"| `{name}` | {row.scale} | {row.about} | {on} | {row.source} |")
    return "\n".join(lines)


def _least_over_replications(s: Sums) -> FloatArray:
    """-1 / (n0 - 1): omega, kappa and alpha of questions that do not differ at all."""
    return -1 / (_n0(s) - 1)


def _least_over_categories(s: Sums) -> FloatArray:
    """-1 / (K - 1): AC1 and Brennan-Prediger of verdicts that never agree."""
    return np.full_like(s.questions, -1 / max(s.categories - 1, 1))


def _row(title: str, about: str, source: str, **known: Any) -> Callable[[Formula], Coefficient]:
    """Make a formula a row of the table, under its own name."""

    def add(formula: Formula) -> Coefficient:
        return _add(Coefficient(formula.__name__, title, about, source, formula, **known))

    return add


def _add(row: Coefficient) -> Coefficient:
    COEFFICIENTS[row.name] = row
    return row


@_row(
    "Omega",
    "How far a single verdict can be trusted to be the judge's own.",
    "Janson & Olsson 2001; McDonald 1999",
    least=_least_over_replications,
    compact=True,
)
def omega(s: Sums) -> FloatArray:
    """(MSB - MSW) / (MSB + (n0 - 1) MSW) = 1 - W / T.

    Traces of the one-way analysis of variance of one-hot verdicts (Light & Margolin 1971), in the
    form of ICC(1) (Shrout & Fleiss 1979). With parallel replications this is McDonald's omega of
    one replication.
    """
    between, within = _mean_squares(s)
    return _ratio(between - within, between + (_n0(s) - 1) * within)


@_row(
    "Omega of all replications",
    "Reliability of all replications together: near 1 for many replications of any judge.",
    "McDonald 1999",
    depends_on_replications=True,
)
def omega_composite(s: Sums) -> FloatArray:
    """1 - MSW / MSB, which is n0 w / (1 + (n0 - 1) w) of omega w (Spearman-Brown)."""
    between, within = _mean_squares(s)
    return 1 - _ratio(within, between)


@_row(
    "Agreement",
    "Share of pairs of replications that agree: high for any judge that nearly always says the "
    "same, whatever the question.",
    "Fleiss 1971",
    fewest_questions=1,
    compact=True,
)
def agreement(s: Sums) -> FloatArray:
    """P_o: mean over questions of the share of agreeing pairs."""
    return 1 - s.disagreement / s.questions


@_row(
    "Fleiss' kappa",
    "Agreement beyond that of the pooled verdict shares.",
    "Fleiss 1971",
    least=_least_over_replications,
)
def fleiss_kappa(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e from the shares of all verdicts."""
    return 1 - _ratio(s.disagreement / s.questions, s.total / s.verdicts)


@_row(
    "Krippendorff's alpha",
    "Agreement beyond that of the pooled verdict shares, corrected for few verdicts.",
    "Krippendorff 2019",
    least=_least_over_replications,
)
def krippendorff_alpha(s: Sums) -> FloatArray:
    """1 - D_o / D_e over all pairable verdicts."""
    return 1 - _ratio(s.weighted_disagreement / s.verdicts, s.total / (s.verdicts - 1))


@_row(
    "Gwet's AC1",
    "Agreement beyond chance, where chance is small if one verdict dominates.",
    "Gwet 2008",
    least=_least_over_categories,
    needs_categories=True,
)
def gwet_ac1(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e = sum p(1 - p) / (K - 1)."""
    shares = s.shares / s.questions[..., None]
    by_chance = (shares * (1 - shares)).sum(axis=-1) / max(s.categories - 1, 1)
    return 1 - _ratio(s.disagreement / s.questions, 1 - by_chance)


@_row(
    "Brennan-Prediger",
    "Agreement beyond chance, where chance is 1/K.",
    "Brennan & Prediger 1981",
    least=_least_over_categories,
    needs_categories=True,
)
def brennan_prediger(s: Sums) -> FloatArray:
    """(P_o - 1/K) / (1 - 1/K)."""
    return 1 - s.disagreement / s.questions * s.categories / max(s.categories - 1, 1)


@_row(
    "Modal share",
    "How often one replication gives the most frequent verdict of its question; biased upwards.",
    "",
    depends_on_replications=True,
)
def modal_share(s: Sums) -> FloatArray:
    """Mean over questions."""
    return s.modal / s.questions


@_row(
    "Modal share, leave-one-out",
    "How often one replication gives the majority verdict of the others; biased downwards.",
    "",
    depends_on_replications=True,
)
def modal_share_loo(s: Sums) -> FloatArray:
    """Mean over questions."""
    return s.modal_loo / s.questions


@_row(
    "Entropy / log K",
    "Spread of the verdicts on a question: 0 if they never differ, 1 if all K are as frequent.",
    "",
    best=0.0,
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
    )
)


@_row(
    "Cronbach's alpha",
    "Reliability of the mean of the replications in which every question has a verdict.",
    "Cronbach 1951",
    scale="interval",
    depends_on_replications=True,
)
def cronbach_alpha(s: Sums) -> FloatArray:
    """R / (R - 1) (1 - sum of the replications' variances / variance of the questions' sums)."""
    if s.items < 2:
        return np.full_like(s.questions, np.nan)
    return (1 - _ratio(s.item_squares, s.total_squares)) * s.items / (s.items - 1)


krippendorff_alpha_numeric = _add(
    replace(
        krippendorff_alpha,
        name="krippendorff_alpha_numeric",
        title="Krippendorff's alpha, numbers",
        about="Krippendorff's alpha where a disagreement weighs its squared difference.",
        scale="interval",
    )
)


def _mean_squares(s: Sums) -> tuple[FloatArray, FloatArray]:
    """Traces of the mean squares between and within questions (Brennan 2001)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return s.between / (s.questions - 1), s.within / (s.verdicts - s.questions)


def _n0(s: Sums) -> FloatArray:
    """The average number of replications of an analysis of variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (s.verdicts - s.squared_verdicts / s.verdicts) / (s.questions - 1)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Their quotient, NaN where the denominator is not positive."""
    positive = denominator > 0
    return np.where(positive, numerator / np.where(positive, denominator, 1.0), np.nan)
