"""In what order are questions? Spearman's rank correlation of verdicts with labels."""

from dataclasses import replace
from typing import Any

import numpy as np

from .cells import FloatArray, IntArray
from .estimate import LEVEL, Estimate
from .interval_scales import t_quantile
from .intervals import FEWEST_QUESTIONS, TOO_FEW, with_ends

SAME_LABEL = "all labels are the same"

SAME_VERDICT = "the mean verdict is the same on every question"

SAME_ORDER = "no interval: verdicts and labels have one order throughout"

_DIGITS_OF_GRADES = 12
"""Means of equal numbers differ in the last digits, and a rank may not depend on these."""


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
    if 1 - abs(value) < 10.0**-_DIGITS_OF_GRADES:
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
        scaled = np.round(values / (np.abs(values).max() or 1.0), _DIGITS_OF_GRADES)
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
