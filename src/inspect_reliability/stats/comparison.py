"""Is one judge, or one temperature, more reliable than another over the same questions?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .coefficients import COEFFICIENTS
from .counts import Counts
from .errors import ReliabilityError, check_level
from .intervals import FEWEST_QUESTIONS, TOO_FEW, jackknife_error, leave_one_out, t_quantile
from .numbers import Numbers
from .shared import shared_questions
from .sums import FloatArray, sums


@dataclass(frozen=True)
class Driver:
    """What one question does to a difference.

    Attributes:
        question: Its name.
        without: The difference without this question; None if it is not estimable then.
        influence: The difference with it minus the difference without it.
    """

    question: str
    without: float | None
    influence: float | None


@dataclass(frozen=True)
class Comparison:
    """The difference of a coefficient between two judges over the same questions.

    Attributes:
        coefficient: Name of the coefficient. Say it with the difference: one judge can be ahead
            by omega and behind by agreement.
        first: The coefficient of the first judge over the shared questions; None if not estimable.
        second: The coefficient of the second judge, likewise.
        difference: First minus second; None if either is not estimable.
        low: Lower end of the difference's interval; None without an interval.
        high: Upper end of the difference's interval; None without an interval.
        n_questions: Shared questions.
        n_replications: Replications per question of the first and of the second judge, means.
        drivers: The shared questions, those that move the difference most first.
        left_out: Reason -> questions that did not enter because of it.
        reason: Why there is no difference or no interval; else None.
        level: Confidence level of the interval.
    """

    coefficient: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    n_questions: int
    n_replications: tuple[float, float]
    drivers: tuple[Driver, ...]
    left_out: dict[str, tuple[str, ...]]
    reason: str | None
    level: float


def compare(
    first: Counts | Numbers,
    second: Counts | Numbers,
    coefficient: str = "omega",
    *,
    names: tuple[str, str] = ("the first judge", "the second judge"),
    level: float = 0.95,
) -> Comparison:
    """Compare two judges, or a judge at two temperatures, by the paired jackknife.

    Both coefficients are computed anew without one question at a time; the difference gets the
    interval difference +- t(N-1) SE of the jackknife (Efron & Tibshirani 1993, ch. 11). Pairing
    removes what the questions do to both judges alike, which two separate intervals keep.

    Args:
        first: Verdicts of the first judge.
        second: Verdicts of the second judge.
        coefficient: A name in `COEFFICIENTS`.
        names: What to call the two in messages.
        level: Confidence level.

    Raises:
        NothingSharedError: No question was judged at least twice by both.
        UnknownCoefficientError: The coefficient does not exist.
        ReliabilityError: It takes verdicts of another scale, the level is not between 0 and 1, or
            the non-responses of the two are handled differently.
    """
    row = COEFFICIENTS[coefficient]
    for counts in (first, second):
        row.check(counts)
    check_level(level)
    if names[0] == names[1]:
        raise ReliabilityError(f"Both judges are called {names[0]!r}; give them different names.")
    shared = shared_questions(dict(zip(names, (first, second), strict=True)))
    judges = tuple(shared.judges.values())
    questions, n_clusters = judges[0].questions, judges[0].n_clusters
    n = len(questions)
    totals = [sums(counts, row.scale) for counts in judges]
    whole = np.array([row.formula(total) for total in totals])
    undefined = row.undefined(first)
    if n < row.fewest_questions:
        whole, undefined = np.full(2, np.nan), f"needs at least {row.fewest_questions} questions"
    difference = float(whole[0] - whole[1])

    def without(clusters: NDArray[np.int64]) -> FloatArray:
        if n == 1:
            return np.full(1, np.nan)
        weights = leave_one_out(clusters)
        one, other = (row.formula(sums(counts, row.scale, weights)) for counts in judges)
        return np.asarray(one - other)

    rest = without(np.arange(n))
    by_cluster = rest if n_clusters == n else without(judges[0].clusters)
    low, high, reason = _interval(difference, by_cluster, level)
    if low is not None and high is not None:
        # Either judge can be at its least, or at 1, and the other where it is.
        least = [
            min(value, float(row.least(total))) for value, total in zip(whole, totals, strict=True)
        ]
        low, high = max(low, least[0] - 1), min(high, 1 - least[1])
    moved = difference - rest
    order = sorted(range(n), key=lambda i: -abs(np.nan_to_num(moved[i], nan=np.inf)))
    return Comparison(
        coefficient=coefficient,
        first=_known(whole[0]),
        second=_known(whole[1]),
        difference=_known(difference),
        low=low,
        high=high,
        n_questions=n_clusters,
        n_replications=(_mean_replications(judges[0]), _mean_replications(judges[1])),
        drivers=tuple(Driver(questions[i], _known(rest[i]), _known(moved[i])) for i in order),
        left_out=shared.left_out,
        reason=undefined if np.isnan(difference) else reason,
        level=level,
    )


def _interval(
    difference: float, without: FloatArray, level: float
) -> tuple[float | None, float | None, str | None]:
    """The ends of the paired jackknife-t interval, or why there is none."""
    n = len(without)
    if n < FEWEST_QUESTIONS:
        return None, None, TOO_FEW
    error = jackknife_error(without)
    if np.isnan(error):
        return None, None, "no interval: without one of the questions there is no difference"
    if error < 1e-12:
        return None, None, "no interval: the difference is the same whichever question is left out"
    half_width = t_quantile(level, n - 1) * error
    return difference - half_width, difference + half_width, None


def _mean_replications(given: Counts | Numbers) -> float:
    return float(given.replications.mean())


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
