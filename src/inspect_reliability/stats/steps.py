"""Numbers beside labels that are numbers: how near they are, and whether their order is the same.

Of a scale, an exact match says little: a 7 beside an 8 is no error as a 1 is.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from .ends import t_quantile
from .estimate import LEVEL, Estimate
from .intervals import FEWEST_QUESTIONS, TOO_FEW, with_ends
from .long import Flags, FloatArray, IntArray

SAME_LABEL = "all labels are the same"
SAME_VERDICT = "the mean verdict is the same on every question"
SAME_ORDER = "no interval: verdicts and labels have one order throughout"

_FARTHER = 1.75
"""Times the largest number of one scale that the largest of another one is, at least."""

_BEYOND = 0.1
"""Share of the numbers above the other's largest: a few may be odd ones of the same scale."""

_ROUNDING = 1e-9
_DIGITS = 12
"""Means of equal numbers differ in the last digits, and a rank may not depend on these."""


def other_scale(
    values: FloatArray, verdicts: FloatArray, labels: FloatArray, could: Flags
) -> str | None:
    """Why verdicts and labels are numbers of two scales; None if they may be of one.

    They are of two if one of them goes far beyond the largest of the other, and often, though the
    other is a scale by itself: three numbers, or 0 and 1.

    Args:
        values: The K categories as numbers, NaN for those that are none.
        verdicts: Mean share of each category among verdicts, K.
        labels: The same among labels.
        could: Which categories the judge gave, or could have given.
    """
    used = [np.unique(values[one & ~np.isnan(values)]) for one in (could, labels > 0)]
    if not all(map(len, used)):
        return None
    for lower, higher, share in ((used[1], used[0], verdicts), (used[0], used[1], labels)):
        largest = np.abs(lower).max()
        beyond = share[np.abs(values) > largest].sum() / share[~np.isnan(values)].sum()
        is_scale = len(lower) > 2 or set(lower) == {0.0, 1.0}
        if is_scale and np.abs(higher).max() >= _FARTHER * largest and beyond > _BEYOND:
            (a, b), (c, d) = ((f"{one.min():g}", f"{one.max():g}") for one in used)
            return f"verdicts go from {a} to {b} and labels from {c} to {d}: two scales"
    return None


def step_of(values: FloatArray, labels: FloatArray) -> float:
    """The smallest distance between two labels; between any numbers where all labels are one."""
    known = np.unique(values[(labels > 0) & ~np.isnan(values)])
    apart = np.diff(known if len(known) > 1 else np.unique(values[~np.isnan(values)]))
    return float(apart.min(initial=np.inf))


def nearest_grades(values: FloatArray, could: Flags, labels: FloatArray) -> FloatArray | None:
    """The grade that each label is nearest to, where labels lie between whole grades of a judge.

    Args:
        values: The K categories as numbers, NaN for those that are none.
        could: Which categories the judge gave.
        labels: Mean share of each category among labels, K.

    Returns:
        Label x grade, K x K, with halves for a label midway; None if no label lies between.
    """
    known = ~np.isnan(values)
    whole = known & (values == np.round(np.where(known, values, 0)))
    grades, between = could & known, known & ~whole & (labels > 0) & ~could
    if not between.any() or (grades & ~whole).any() or np.count_nonzero(grades) < 2:
        return None
    found = np.eye(len(values))
    for place in np.flatnonzero(between):
        near = np.floor(values[place]), np.ceil(values[place])
        apart = np.abs(values[place] - np.array(near))
        at = [n for n, far in zip(near, apart, strict=True) if far <= apart.min() + _ROUNDING]
        columns = np.flatnonzero(np.isin(values, at))
        if not len(columns):  # the judge never gave that grade
            continue
        found[place] = 0
        found[place, columns] = 1 / len(at)
    return found


def near(values: FloatArray, verdicts: FloatArray, labels: FloatArray, step: float) -> FloatArray:
    """How often a verdict and a label are at most a step apart, N; from shares, N x K."""
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    at, reach = values[order], step * (1 + 1e-9)
    upto = np.pad(labels[:, order].cumsum(axis=1), ((0, 0), (1, 0)))
    first, last = np.searchsorted(at, at - reach), np.searchsorted(at, at + reach, "right")
    return np.asarray((verdicts[:, order] * (upto[:, last] - upto[:, first])).sum(axis=1))


def spearman(x: FloatArray, y: FloatArray, clusters: IntArray, seen: float) -> Estimate:
    """Spearman's rank correlation; rows of one question (cluster) share its weight.

    It is the correlation of the mid-distributions of both, so ties have mean ranks. Its standard
    error is that of the infinitesimal jackknife over questions (Efron & Tibshirani 1993, ch. 21),
    and the interval is on the scale of Fisher's z.
    """
    _, of, n = np.unique(clusters, return_inverse=True, return_counts=True)
    weight = 1 / n[of] / len(n)
    a, b = _Ranked(x, weight), _Ranked(y, weight)
    if not (a.varies and b.varies):
        why = SAME_VERDICT if b.varies else SAME_LABEL
        return Estimate(n_questions=len(n), reason=why)
    root = np.sqrt(a.variance * b.variance)
    both = float(weight @ (a.at * b.at))
    value = both / root
    found = Estimate(float(value), n_questions=len(n), n_replications=seen)
    if len(n) < FEWEST_QUESTIONS:
        return replace(found, reason=TOO_FEW)
    if 1 - abs(value) < 10.0**-_DIGITS:
        return replace(found, reason=SAME_ORDER)
    moved = a.at * b.at + a.above(b.at) + b.above(a.at) - 3 * both
    slopes = moved / root - value / 2 * (a.moved / a.variance + b.moved / b.variance)
    error = np.sqrt((np.bincount(of, weight * slopes) ** 2).sum() * len(n) / (len(n) - 1))
    reach = t_quantile(LEVEL, len(n) - 1) * error / (1 - value**2)
    ends = np.tanh(np.arctanh(value) + reach * np.array([-1, 1]))
    return with_ends(found, (float(ends[0]), float(ends[1])), "Fisher's z")


class _Ranked:
    """Numbers by their mid-distribution: the share below, and half of that of equal ones.

    Attributes:
        varies: Whether there are two; the variance of equal ones is a rounding error.
        at: Less its mean, which is a half.
        variance: Of `at`.
        moved: Influence of each row on the variance.
    """

    def __init__(self, values: FloatArray, weight: FloatArray) -> None:
        scaled = np.round(values / (np.abs(values).max() or 1.0), _DIGITS)
        different, self._of = np.unique(scaled, return_inverse=True)
        self.varies = len(different) > 1
        self._weight = weight
        self.at: Any = 0.5 - self.above(np.ones(len(values)))
        self.variance = float(weight @ self.at**2)
        self.moved: Any = self.at**2 + 2 * self.above(self.at) - 3 * self.variance

    def above(self, other: FloatArray) -> FloatArray:
        """Sum of other numbers, by weight, over the rows above each, and half of the equal ones."""
        each = np.bincount(self._of, self._weight * other)
        return np.asarray((each[::-1].cumsum()[::-1] - each / 2)[self._of])
