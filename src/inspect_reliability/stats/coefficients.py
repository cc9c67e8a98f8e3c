"""The coefficients: a table of formulas, with titles, meanings and sources.

With unequal replications, omega, agreement, AC1 and the shares weight questions equally; Fleiss'
kappa takes chance from all verdicts, and Krippendorff's alpha weights each question by its
verdicts, as they are defined. A single declared category leaves nothing to chance.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .cells import Cells, FloatArray
from .estimate import Estimate, ReliabilityError, UnknownCoefficientError, check_level
from .interval_scales import Ends
from .intervals import (
    FAR_OR_NOISE,
    FEWEST_QUESTIONS,
    NOISE_OR_SETTLED,
    PLUS_A_QUESTION,
    TOO_FEW,
    Formula,
    JackknifeSample,
    Method,
    interval,
    with_ends,
    within_bounds,
)
from .moments import Scale, Sums, ratio, terms

# A coefficient: a formula, what to know about it, and its estimate with an interval.


_Known = dict[str, tuple[Ends, str]]

NO_VARIANCE = "no variance between questions"


@dataclass(frozen=True)
class Coefficient:
    """One coefficient. Call it with counts (or numbers) to estimate it.

    Attributes:
        name: Its key, and its name in metrics, JSON and data frames; people read its title.
        formula: The coefficient as a function of sums over questions: 1 where none ever varies,
            less the more they do, NaN if undefined.
        scale: Scale of the verdicts: names, ranks or numbers.
        least: Its minimum, from the same sums, by default 0; no interval goes below this and the
            value.
        interval: Method of its interval.
        like: Another coefficient with the same population value, whose interval it takes over.
        needs_categories: Whether it depends on the number of declared categories, K.
        compact: Whether a short panel includes it.
        by_chance: Whether it takes off what chance gives, by the names of all questions together.
    """

    name: str
    title: str
    about: str
    source: str
    formula: Formula
    scale: Scale = "nominal"
    least: Formula = lambda s: np.zeros_like(s.questions)
    interval: Method = PLUS_A_QUESTION
    like: "Coefficient | None" = None
    needs_categories: bool = False
    fewest_questions: int = 2
    compact: bool = False
    by_chance: bool = False

    def __post_init__(self) -> None:
        """Give `help(omega)` and `omega?` the coefficient's own text."""
        said = f"{self.title}. {self.about} ({self.source})\n\n{self.__call__.__doc__}"
        object.__setattr__(self, "__doc__", said)

    def __call__(self, given: Cells, level: float = 0.95) -> Estimate:
        """Estimate this coefficient alone; see `panel`."""
        return panel_of(given, [self], level)[self.name]

    def check(self, given: Cells) -> None:
        """Check that these are counts of verdicts of the coefficient's scale.

        Raises:
            ReliabilityError: They are a table of another kind, or of another scale.
        """
        _refuse_uncounted(given, self.name)
        if given.numeric != (self.scale == "interval"):
            wanted, other = ("names", "numbers") if given.numeric else ("numbers", "names")
            raise ReliabilityError(
                f"{self.name} is of {self.scale} scale: give it verdicts taken for {wanted}, not "
                f"for {other}."
            )


def _refuse_uncounted(given: object, name: str) -> None:
    if not isinstance(given, Cells):
        raise ReliabilityError(
            f"{name} takes counts of verdicts, not a {type(given).__name__}. Count them first: "
            "Cells.from_long(frame['question'], frame['verdict']) of names, or Cells.of_numbers("
            "table) of numbers, a row a question."
        )


def panel_of(given: Cells, rows: list[Coefficient], level: float) -> dict[str, Estimate]:
    """Estimate coefficients; see `panel`."""
    check_level(level)
    for row in rows:
        row.check(given)
    blank = Estimate(left_out=given.fewer_than(2), level=level)
    most = given.replications.max()
    if most < 2:
        why = "needs at least 2 replications" if most else "there are no verdicts"
        return {row.name: replace(blank, reason=why) for row in rows}
    used = given.replicated
    each = float(used.replications.mean())
    blank = replace(blank, n_questions=used.n_clusters, n_replications=each)
    # One pass over the questions a scale, whatever the number of coefficients.
    studies = {
        scale: JackknifeSample([terms(used, scale)]) for scale in {row.scale for row in rows}
    }
    found, known = dict[str, Estimate](), _Known()
    for row in rows:
        found[row.name] = estimated(row, studies[row.scale], blank, known)
    return found


def estimated(
    row: Coefficient, study: JackknifeSample, blank: Estimate, known: dict[str, tuple[Ends, str]]
) -> Estimate:
    """Fill a blank estimate; `known` are the ends of coefficients that others take over."""
    if study.n < row.fewest_questions:
        return replace(blank, reason=f"needs at least {row.fewest_questions} questions")
    value = float(row.formula(study.total))
    if np.isnan(value):
        return replace(blank, reason=NO_VARIANCE)
    steady = study.steady(row.formula)
    found = replace(blank, value=value, reason=TOO_FEW)
    if steady and row.scale != "nominal":
        return replace(found, reason="no interval: no question varies")
    if not steady and study.n < FEWEST_QUESTIONS:
        return found
    source = row.like or row
    if source.name not in known:
        known[source.name] = interval(source.formula, source.interval, study, blank.level)
    ends, name = known[source.name]
    found = with_ends(found, ends, f"as {source.name}" if row.like and not steady else name)
    # Replications are exchangeable, so the true value cannot be below chance, although about half
    # of the estimates from pure noise are.
    return within_bounds(found, float(row.least(study.total)), 0.0)


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
        ReliabilityError: The level is not between 0 and 1, a coefficient needs another scale, or
            verdicts are not counted.
    """
    _refuse_uncounted(given, "panel")
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


# One estimate of a judge over several benchmarks.


def stratified_omega(benchmarks: Mapping[str, Cells]) -> Estimate:
    """Omega over several benchmarks, which count equally.

    Verdicts are compared only within a benchmark: omega is 1 minus the mean W over the mean D of
    the benchmarks (the benchmark as a fixed facet; Brennan 2001). Each benchmark's questions are a
    stratum, with Satterthwaite's degrees of freedom. Benchmarks with fewer than two questions that
    have two verdicts are left out.

    Raises:
        ReliabilityError: There are fewer than two benchmarks.
    """
    if len(benchmarks) < 2:
        raise ReliabilityError(f"Pooling needs at least 2 benchmarks, not {len(benchmarks)}.")
    for counts in benchmarks.values():
        omega.check(counts)
    given = [one.replicated for one in benchmarks.values() if one.replications.max() >= 2]
    used = [one for one in given if one.n_clusters > 1]
    enough = len(used) > 1
    entered, number = (used, len(used)) if enough else (given, len(benchmarks))
    blank = Estimate(
        n_questions=sum(one.n_clusters for one in entered),
        n_replications=float(sum(one.replications.mean() for one in entered) / number),
        left_out=tuple(name for one in benchmarks.values() for name in one.fewer_than(2)),
        reason="needs 2 benchmarks with 2 questions each",
    )
    if not enough:
        return blank
    study = JackknifeSample([terms(one) for one in used])
    with np.errstate(divide="ignore", invalid="ignore"):
        return estimated(omega, study, blank, {})
