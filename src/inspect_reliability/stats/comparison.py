"""Differences in reliability between judges, or temperatures, over the same questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations

import numpy as np

from .cells import ROUNDING, Cells, FloatArray
from .coefficients import COEFFICIENTS, NO_VARIANCE, Coefficient
from .estimate import LEVEL, Estimate, ReliabilityError, check_level
from .interval_scales import NO_WIDTH, level_of, t_quantile
from .intervals import FEWEST_QUESTIONS, NOISE_OR_SETTLED, TOO_FEW, Formula, JackknifeSample
from .labelled import Labelled
from .moments import Sums, ratio, terms, terms_of_shares
from .rates import by_question, mean_share

# Questions that several judges share: do they agree, and what is a panel worth?


class NothingSharedError(ReliabilityError):
    """The judges have no question in common."""


def shared_questions(
    judges: Mapping[str, Cells], replications: int = 2
) -> tuple[dict[str, Cells], dict[str, tuple[str, ...]]]:
    """Keep the questions with enough verdicts of all judges, and name the others.

    Categories are matched by name; a judge never chose one that it does not declare.

    Returns:
        Name -> verdicts on the same questions, in the same categories and order; and reason -> the
        questions left out because of it.

    Raises:
        NothingSharedError: No question is shared.
    """
    categories = tuple(dict.fromkeys(c for given in judges.values() for c in given.categories))
    asked = dict.fromkeys(name for given in judges.values() for name in given.questions)
    left_out = {}
    for judge, given in judges.items():
        judged = set(given.questions)
        left_out[f"not judged by {judge}"] = tuple(q for q in asked if q not in judged)
        few = given.fewer_than(replications)
        left_out[f"fewer than {replications} replications by {judge}"] = few
    left_out = {reason: absent for reason, absent in left_out.items() if absent}
    gone = {question for absent in left_out.values() for question in absent}
    shared = tuple(question for question in asked if question not in gone)
    if not shared:
        why = "; ".join(f"{len(absent)} {reason}" for reason, absent in left_out.items())
        raise NothingSharedError(
            f"{' and '.join(judges)} share no question with at least {replications} replications "
            f"each ({why}). Questions are matched by name, such as {next(iter(asked))!r}."
        )
    alike = {}
    for judge, given in judges.items():
        row = {name: i for i, name in enumerate(given.questions)}
        chosen = given.rows([row[name] for name in shared])
        alike[judge] = chosen if given.numeric else chosen.columns(categories)
    return alike, left_out


def agreement_between(judges: Mapping[str, Cells]) -> Estimate:
    """How often two judges give the same verdict on a question (the paper's Table 1).

    The mean over questions of the mean over pairs of judges; all verdicts of one are compared with
    all of the other. Questions that some judge did not judge are left out and named.

    Raises:
        NothingSharedError: No question is shared.
        ReliabilityError: Fewer than two judges, or verdicts as numbers.
    """
    if len(judges) < 2:
        raise ReliabilityError(
            f"Agreement between judges needs at least 2 judges, not {len(judges)}. For one judge "
            "read omega."
        )
    if any(counts.numeric for counts in judges.values()):
        raise ReliabilityError("Agreement between judges needs verdicts taken for names.")
    shared, absent = shared_questions(judges, replications=1)
    counts = list(shared.values())
    left_out = tuple(dict.fromkeys(chain.from_iterable(absent.values())))
    each = float(np.mean([one.replications.mean() for one in counts]))
    shares = np.array([one.shares for one in counts])
    # Of the pairs of any two, those of a judge with itself are none.
    alike = shares.sum(axis=0) ** 2 - (shares**2).sum(axis=0)
    agree = by_question(alike.sum(axis=1), counts[0].clusters) / (len(counts) * (len(counts) - 1))
    return mean_share(agree, LEVEL, each, left_out)


def effective_number(judges: int, correlation: Estimate) -> Estimate:
    """The number of judges without common errors that a panel is worth: k / (1 + (k - 1) rho).

    The variance of one judge's error over that of their mean (Kish 1965, eq. 5.4.1), given the mean
    correlation rho of two judges' errors. A correlation of verdicts also counts what is right as
    common, and gives a lower bound. Where rho is negative, no more judges than there are is a
    number to quote: there is none, and the reason has the least that it is.
    """

    def number(rho: float | None) -> float | None:
        worth = 0.0 if rho is None else 1 + (judges - 1) * rho
        return judges / worth if worth > 0 else None

    value, low, high = map(number, (correlation.value, correlation.high, correlation.low))
    if correlation.value is not None and correlation.value < 0:
        least = f", so it is at least {low:.1f}" if low is not None and low < judges else ""
        why = f"two judges' errors show nothing in common (correlation {correlation.value:.2f})"
        return replace(correlation, value=None, low=None, high=None, reason=f"{why}{least}")
    return replace(correlation, value=value, low=low, high=high)


FEWEST_SHUFFLES, SHUFFLES = 500, 2_000
"""Shuffles of judges within questions, for differences between equal judges."""

_SHUFFLED = 200_000
"""Questions shuffled in all, if these are not too few shuffles."""

_AT_ONCE = 25_000
"""Questions shuffled at once."""

_DIGITS = 10
"""Of deviations that are equal."""


def shuffles(questions: int) -> int:
    """How many shuffles of several judges an interval of a difference is made of."""
    return min(max(_SHUFFLED // max(questions, 1), FEWEST_SHUFFLES), SHUFFLES)


_ALONE = "the only shared question of its benchmark"


@dataclass(frozen=True)
class Comparison:
    """The difference of a coefficient between two judges over the same questions.

    Attributes:
        first: The coefficient of the first judge over the shared questions, and `second` that of
            the second; None if not estimable.
        difference: First minus second, with the ends of its interval, `low` and `high`.
        n_replications: Replications per question of the two judges, means.
        left_out: Reason -> questions that did not enter because of it.
        reason: Why there is no difference or no interval; else None.
        each: What each has by itself, where they share no question; else None.
    """

    names: tuple[str, str]
    coefficient: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    n_questions: int
    n_replications: tuple[float, float]
    left_out: dict[str, tuple[str, ...]]
    reason: str | None
    each: tuple[Estimate, Estimate] | None = None


def compare_all(
    judges: Mapping[str, Mapping[str, Cells]], coefficient: str = "omega", *, level: float = 0.95
) -> tuple[Comparison, ...]:
    """Compare every two of several judges by the paired jackknife, with simultaneous intervals.

    The interval of a difference is +- c SE of the jackknife over questions (Efron & Tibshirani
    1993, ch. 11); pairing removes the effect of questions on both judges. For two judges, c is the
    t quantile on N - 1 degrees of freedom. For more, it is that of the largest |t| of all pairs
    when the judges are shuffled within questions (max-t by permutation; Westfall & Young 1993), 500
    to 2,000 times with a fixed seed, whatever the names of judges and their order.

    Some coefficients of names are no mean over questions. The jackknife misses part of their
    uncertainty, so the interval reaches at least as far as those of both judges imply
    (`_together`).

    Several benchmarks count equally. The coefficient is then that of `pooled_omega`, 1 - mean W /
    mean D of the benchmarks, or the mean agreement. Questions are left out within one benchmark at
    a time (the stratified jackknife). The t quantile has as many degrees of freedom as questions
    minus benchmarks. Benchmarks with fewer than two shared questions are left out.

    Args:
        judges: Name -> benchmark -> verdicts; every judge has the same benchmarks.
        coefficient: Its name; of several benchmarks "omega" or "agreement".
        level: Confidence level of all intervals together.

    Returns:
        One comparison per pair, over the questions that all judges judged at least twice.

    Raises:
        NothingSharedError: No question of a benchmark was judged at least twice by all.
        UnknownCoefficientError: The coefficient does not exist.
        ReliabilityError: It needs another scale or cannot be pooled, fewer than two judges, a level
            outside (0, 1), or no usable benchmark.
    """
    row = COEFFICIENTS[coefficient]
    for of in judges.values():
        for verdicts in of.values():
            row.check(verdicts)
        if len(of) > 1 and coefficient not in ("omega", "agreement"):
            raise ReliabilityError(f"Pool omega or agreement over benchmarks, not {coefficient!r}.")
    strata, left_out = _strata(judges, level, 2)
    each = [[terms(one, row.scale) for one in own] for own in strata.values()]
    alone = partial(_alone, row, strata)
    return _pairs(list(judges), row, strata, each, left_out, level, alone)


def compare_accuracy(
    judges: Mapping[str, Mapping[str, Labelled]], kind: str = "accuracy", *, level: float = 0.95
) -> tuple[Comparison, ...]:
    """Compare how often every two of several judges are right, by the same labels.

    See `compare_all`; one verdict per question is enough. `kind` is one of `Labelled.kinds`;
    "within_one" needs labels and verdicts on a scale: a step is that of each judge's scale, or of
    the coarsest where these differ.
    """
    given = {name: {of: one.given for of, one in known.items()} for name, known in judges.items()}
    strata, left_out = _strata(given, level, 1)
    row = replace(COEFFICIENTS["agreement"], name=kind)

    together = {of: [known[of] for known in judges.values()] for of in strata}
    each = [
        [
            terms_of_shares(known.beside(together[of]).on(one).by_question(kind))
            for one, known in zip(own, together[of], strict=True)
        ]
        for of, own in strata.items()
    ]

    def alone(level: float) -> list[Estimate] | None:
        """Each judge's share with an interval that holds near 0 and 1, of one benchmark."""
        (given, *more) = each
        if more or len(given[0].questions) < FEWEST_QUESTIONS:
            return None
        return [mean_share(one.means[:, 0], level, float(one.verdicts.mean())) for one in given]

    return _pairs(list(judges), row, strata, each, left_out, level, alone)


def compare_independent(
    names: tuple[str, str], coefficient: str, first: Estimate, second: Estimate
) -> Comparison:
    """The difference of a coefficient between two samples of questions that have none in common.

    Its interval comes from those of both, at their level: each end is as far from the difference as
    the root of the sum of the squares of the ends that move it there (Zou & Donner 2008; of two
    shares Newcombe 1998, method 10). So it keeps what each interval knows of its own sample, such
    as that a share is at most 1.
    """
    x, y, own, its = first.value, second.value, first.ends, second.ends
    difference = low = high = None
    if x is not None and y is not None:
        difference = x - y
        if own is not None and its is not None:
            low = difference - float(np.hypot(x - own[0], its[1] - y))
            high = difference + float(np.hypot(own[1] - x, y - its[0]))
    return Comparison(
        names=names,
        coefficient=coefficient,
        first=x,
        second=y,
        difference=difference,
        low=low,
        high=high,
        n_questions=first.n_questions + second.n_questions,
        n_replications=(first.n_replications, second.n_replications),
        left_out={},
        reason=first.reason or second.reason,
        each=(first, second),
    )


def _strata(
    judges: Mapping[str, Mapping[str, Cells]], level: float, fewest: int
) -> tuple[dict[str, list[Cells]], dict[str, tuple[str, ...]]]:
    """Shared questions of each benchmark, one table per judge; and reason -> those left out."""
    check_level(level)
    if len(judges) < 2:
        raise ReliabilityError(f"A comparison needs at least 2 judges, not {len(judges)}.")
    strata: dict[str, list[Cells]] = {}
    left_out: dict[str, tuple[str, ...]] = {}
    benchmarks = list(next(iter(judges.values())))
    for name in benchmarks:
        given = {judge: of[name] for judge, of in judges.items()}
        shared, absent = shared_questions(given, fewest)
        stratum = list(shared.values())
        if stratum[0].n_clusters > 1 or len(benchmarks) == 1:
            strata[name] = stratum
        else:
            absent[_ALONE] = stratum[0].questions
        for reason, questions in absent.items():
            left_out[reason] = left_out.get(reason, ()) + questions
    if not strata:
        raise ReliabilityError("No benchmark has 2 questions that all judges share.")
    return strata, left_out


def _pairs(
    names: list[str],
    row: Coefficient,
    strata: Mapping[str, list[Cells]],
    each: Sequence[Sequence[Sums]],
    absent: dict[str, tuple[str, ...]],
    level: float,
    alone: Callable[[float], list[Estimate] | None],
) -> tuple[Comparison, ...]:
    """Compare every two judges over one or several strata of shared questions.

    `each` has the terms of every judge in each stratum, and `alone` makes each judge by itself at a
    level, where the jackknife of a difference misses part of its uncertainty.
    """
    given = list(zip(*strata.values(), strict=True))
    stacked = [_stacked(own) for own in each]
    with np.errstate(divide="ignore", invalid="ignore"):
        study = JackknifeSample(stacked)
        whole, deviations = row.formula(study.total), study.deviations(row.formula)
        critical = _critical(deviations, stacked, row.formula, level)
        lowest = np.min([row.least(one) for one in study.parts], axis=0)
    undefined = NO_VARIANCE
    n = sum(len(np.unique(one.clusters)) for one, *_ in strata.values())
    if n < row.fewest_questions:
        whole = np.full(len(names), np.nan)
        undefined = f"needs at least {row.fewest_questions} questions"
    least = np.minimum(whole, lowest)
    replications = [float(np.mean([one.replications.mean() for one in own])) for own in given]
    own = alone(level_of(critical, n - 1))

    def compared(i: int, j: int) -> Comparison:
        difference, both = float(whole[i] - whole[j]), (deviations[:, i], deviations[:, j])
        low, high, reason = _interval(
            difference, *both, critical, (own[i], own[j]) if own else None
        )
        if low is not None and high is not None:
            # Either judge can be at its least, or at 1, and the other where it is.
            low, high = max(low, float(least[i]) - 1), min(high, 1 - float(least[j]))
        return Comparison(
            names=(names[i], names[j]),
            coefficient=row.name,
            first=_known(whole[i]),
            second=_known(whole[j]),
            difference=_known(difference),
            low=low,
            high=high,
            n_questions=n,
            n_replications=(replications[i], replications[j]),
            left_out=absent,
            reason=undefined if np.isnan(difference) else reason,
        )

    return tuple(compared(i, j) for i, j in combinations(range(len(names)), 2))


def _alone(
    row: Coefficient, strata: Mapping[str, list[Cells]], level: float
) -> list[Estimate] | None:
    """Each judge by itself, of one benchmark and a coefficient that is no mean over questions."""
    (given, *more) = strata.values()
    enough = given[0].n_clusters >= FEWEST_QUESTIONS
    if row.scale != "nominal" or row.interval is NOISE_OR_SETTLED or more or not enough:
        return None
    return [row(one, level) for one in given]


def _critical(
    deviations: FloatArray, strata: Sequence[Sums], formula: Formula, level: float
) -> float:
    """How many standard errors all intervals of differences reach.

    The quantile of the largest |t| of all pairs when the judges are shuffled within questions. It
    is never below the t quantile of one pair: of few questions that are no ties, few shuffles are.
    Judges are shuffled from an order that their verdicts give, so their names change nothing.
    """
    n, freedom = len(deviations), len(deviations) - len(strata)
    known = np.flatnonzero(~np.isnan(deviations).any(axis=0))
    alone = t_quantile(level, freedom) if freedom else np.nan
    if len(known) < 3 or n < FEWEST_QUESTIONS:
        return alone
    known = known[np.lexsort(deviations[:, known].round(_DIGITS))]
    generator, largest, left = np.random.default_rng(0), list[FloatArray](), shuffles(n)

    def mixed(_: str, x: FloatArray) -> FloatArray:
        return np.asarray(x[np.arange(len(x))[:, None, None], order])

    while left:
        number = min(max(_AT_ONCE // n, 25), left)
        drawn = []
        for one in strata:
            order = np.tile(known, (len(one.questions), number, 1))
            order = generator.permuted(order, axis=-1)
            drawn.append(one.each(mixed))
        largest.append(_largest(JackknifeSample(drawn), formula))
        left -= number
    return max(alone, float(np.quantile(np.concatenate(largest), level, method="higher")))


def _largest(study: JackknifeSample, formula: Formula) -> FloatArray:
    """The largest |t| of all pairs of judges; infinite if one is not estimable."""
    whole, moved = formula(study.total), study.deviations(formula)
    difference = np.abs(whole[..., :, None] - whole[..., None, :])
    judges = np.moveaxis(moved, 0, -1)
    products = judges @ np.swapaxes(judges, -1, -2)
    squares = np.diagonal(products, axis1=-2, axis2=-1)
    both = squares[..., :, None] + squares[..., None, :]
    error = both - 2 * products
    # What rounding leaves of judges that move alike is no error.
    error = np.sqrt(np.where(error > ROUNDING * both, error, 0.0))
    t = np.where(difference < NO_WIDTH, 0.0, difference / error)
    return np.asarray(np.nan_to_num(t, nan=np.inf).max(axis=(-2, -1)))


def _stacked(terms: Sequence[Sums]) -> Sums:
    """The terms of J judges, [N, J]."""
    return terms[0].each(lambda name, _: np.stack([getattr(one, name) for one in terms], axis=1))


def _interval(
    difference: float,
    moved: FloatArray,
    other: FloatArray,
    critical: float,
    own: tuple[Estimate, Estimate] | None,
) -> tuple[float | None, float | None, str | None]:
    if len(moved) < FEWEST_QUESTIONS:
        return None, None, TOO_FEW
    error = float(np.sqrt(((moved - other) ** 2).sum()))
    if np.isnan(error):
        return None, None, "no interval: without one of the questions no difference is estimable"
    if error < NO_WIDTH:
        return None, None, "no interval: the difference is the same whichever question is left out"
    below, above = _together(*own, moved, other) if own else (0.0, 0.0)
    reach = critical * error
    low, high = difference - max(reach, below), difference + max(reach, above)
    return _end(low), _end(high), None


def _end(end: float) -> float:
    """An end that only rounding parts from 0 is 0, so that a tie decides nothing."""
    return 0.0 if abs(end) < NO_WIDTH else end


def _together(
    first: Estimate, second: Estimate, moved: FloatArray, other: FloatArray
) -> tuple[float, float]:
    """How far below and above a difference the intervals of both judges reach.

    sqrt(a^2 + b^2 - 2 r a b), where a and b are the reaches of the intervals and r is the
    correlation of the two jackknives (Zou 2007). Shared effects move both to one side: if r > 0, 2
    a b is its value for equal reaches on that side.
    """
    if first.ends is None or second.ends is None:
        return 0.0, 0.0
    (low, high), (least, most) = first.ends, second.ends
    x, y = float(first.value or 0.0), float(second.value or 0.0)
    r = float(ratio(moved @ other, np.sqrt((moved @ moved) * (other @ other))))
    apart = max(abs((x - low) - (y - least)), abs((high - x) - (most - y))) ** 2

    def reach(a: float, b: float) -> float:
        squares = a**2 + b**2
        both = squares - apart if r > 0 else 2 * a * b
        return float(np.sqrt(squares - np.nan_to_num(r) * both))

    return reach(x - low, most - y), reach(high - x, y - least)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
