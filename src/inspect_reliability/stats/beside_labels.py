"""What a judge is compared with: one verdict for all, one grade for its tries, people's level."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from .cells import ROUNDING, Flags, FloatArray
from .comparison import Comparison
from .estimate import LEVEL, Estimate
from .grade_steps import close
from .labelled import NO_SCALE, WITHIN_ONE, Labelled
from .majority import places_of
from .rates import by_question, mean_difference

_DIGITS = 12
"""Of shares that are equal."""


def best_constant(known: Labelled, kind: str) -> tuple[str, float] | None:
    """The one verdict that would be right most often, if every question got it, and how often.

    Args:
        known: Labels of the questions.
        kind: "accuracy" for right, "within_one" for at most a step from the label.

    Returns:
        Its name, and its share of these labels, as a mean over questions; of equal ones the most
        frequent label. None of verdicts that cannot be of this kind, where labels are all alike,
        and for a response whose name in its pair is arbitrary.
    """
    if known.other_scale or known.one_label:
        return None
    labels = known.weight @ known.matched
    share = labels * known.decides
    if kind == WITHIN_ONE:
        if known.values is None or known.step is None:
            return None
        share = known.weight @ close(known.values, known.truth, known.step)
    share = np.where(known.grades, share, 0.0)
    mirror = known.given.mirror
    labels, share = ((one + one[mirror]) / 2 for one in (labels, share))
    best = np.lexsort((labels, share.round(_DIGITS)))[-1]
    if mirror[best] != best:
        return None
    return known.given.categories[best], float(share[best])


def of_given(known: Labelled, kind: str, silent: Collection[str]) -> float | None:
    """How often a try is of a kind, of the tries that have a verdict; None if none has.

    Args:
        known: Verdicts and labels.
        kind: One of `Labelled.kinds`.
        silent: Names of outputs without a verdict.
    """
    said = np.array([name not in silent for name in known.given.categories], dtype=float)
    given = float(known.weight @ (known.given.shares @ said))
    found = float(known.weight @ known.kinds[kind])
    return found / given if given > 0 and found == found else None


def mean_error(known: Labelled) -> Estimate:
    """How far the mean grade of a question lies above its mean label, mean over questions.

    Verdicts that are no numbers have no part in it. The interval is that of t.
    """
    if known.values is None or known.step is None:
        return Estimate(reason=known.other_scale or NO_SCALE)
    if (means := known.mean_grades()) is None:
        return Estimate(reason=NO_SCALE)
    said, label, both = means
    apart = by_question(said - label, known.given.clusters[both])
    return mean_difference(apart, LEVEL, float(known.given.replications[both].mean()))


def compare_mean_error(judges: Mapping[str, Labelled], level: float = LEVEL) -> Comparison | None:
    """The difference of `mean_error` between two judges, over the labelled questions of both.

    Its interval is that of t, over the differences of the questions. None where one has no grades.
    """
    each = []
    for known in judges.values():
        means = known.mean_grades() if known.step is not None else None
        if means is None or known.other_scale:
            return None
        said, label, both = means
        asked = [q for q, there in zip(known.given.questions, both, strict=True) if there]
        each.append(dict(zip(asked, said - label, strict=True)))
    (name, one), (its, other) = judges.items()
    shared = np.array([q in each[0] and q in each[1] for q in one.given.questions])
    values = np.array([[of[q] for q in each[0] if q in each[1]] for of in each])
    if not values.size:
        return None
    first, second = (by_question(own, one.given.clusters[shared]) for own in values)
    found = mean_difference(first - second, level, 1)
    return Comparison(
        names=(name, its),
        coefficient="mean_error",
        first=float(first.mean()),
        second=float(second.mean()),
        difference=found.value,
        low=found.low,
        high=found.high,
        n_questions=found.n_questions,
        n_replications=(
            float(one.given.replications.mean()),
            float(other.given.replications.mean()),
        ),
        left_out={},
        reason=found.reason,
    )


class OneGrade(NamedTuple):
    """How often one grade of all tries of a question is right, mean over labelled questions.

    Attributes:
        of: What it is of the tries: "mean", "median" or "majority".
        accuracy: How often it is the label.
        within_one: How often it is at most a step from the label.
        n_questions: Labelled questions with several grades.
    """

    of: str
    accuracy: float
    within_one: float
    n_questions: int


def one_grade(known: Labelled, silent: Collection[str] = ()) -> list[OneGrade]:
    """How often the mean, the median and the most frequent grade of all tries are right.

    Mean and median are rounded to the nearest grade of the labels' scale; midway between two, each
    counts half. Of grades that are equally frequent each counts the same. Tries without a grade
    have no part.

    Args:
        known: Verdicts and labels; questions with one grade have no part.
        silent: Names of outputs without a verdict.

    Returns:
        A record of each; none of exact verdicts, or where a mean has no nearest grade.
    """
    values, step = known.values, known.step
    if values is None or step is None or known.given.exact or not known.has_means:
        return []
    used = np.flatnonzero(known.numbers)
    used = used[np.argsort(values[used])]
    used = used[[known.given.categories[n] not in silent for n in used]]
    counts, grades = known.given.table[:, used], values[used]
    several = counts.sum(axis=1) > 1
    places = places_of(grades, known.grid)
    if places is None or not several.any():
        return []
    n = len(np.unique(known.given.clusters[several]))
    counts, weight = counts[several], known.weight[several] / known.weight[several].sum()
    scale = np.interp(np.arange(places.max() + 1), places, grades)
    grid = known.of_grid(scale)
    of_grade = np.zeros((len(counts), len(scale)))
    of_grade[:, places] = known.matched[several][:, used]
    labels = ~np.isnan(values)  # one may lie between two grades
    near = np.abs(scale[:, None] - values[labels]) <= step * (1 + ROUNDING)
    nearby = known.truth[several][:, labels] @ near.T
    most = np.zeros_like(of_grade)
    most[:, places] = counts == counts.max(axis=1, keepdims=True)
    found = {
        "mean": _nearest(counts @ grades / counts.sum(axis=1), scale, grid),
        "median": _nearest(_medians(counts, grades), scale, grid),
        "majority": most / most.sum(axis=1, keepdims=True),
    }

    def weighed(right: FloatArray) -> float:
        return float(weight @ right.sum(axis=1))

    return [
        OneGrade(name, weighed(one * of_grade), weighed(one * nearby), n)
        for name, one in found.items()
    ]


def _medians(counts: FloatArray, grades: FloatArray) -> FloatArray:
    """The median of each row of counts; of an even number, the mean of the two in the middle."""
    upto, n = counts.cumsum(axis=1), counts.sum(axis=1, keepdims=True)
    low = grades[(upto >= n / 2 - ROUNDING).argmax(axis=1)]
    high = grades[(upto > n / 2 + ROUNDING).argmax(axis=1)]
    return np.asarray((low + high) / 2)


def _nearest(numbers: FloatArray, scale: FloatArray, grid: Flags) -> FloatArray:
    """Which number of a scale is the nearest grade, N x G; halves where two are."""
    apart = np.where(grid, np.abs(numbers[:, None] - scale), np.inf)
    found = (apart <= apart.min(axis=1, keepdims=True) + ROUNDING).astype(float)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
