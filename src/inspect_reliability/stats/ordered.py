"""Krippendorff's alpha where categories have an order, or stand for numbers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .counts import Counts
from .errors import ShapeError
from .estimate import Estimate, LeftOut
from .formulas import least_over_replications
from .intervals import FEWEST_QUESTIONS, TOO_FEW, add_interval, jackknife, leave_one_out
from .sums import FloatArray, sums


def krippendorff_alpha_ordinal(counts: Counts, level: float = 0.95) -> Estimate:
    """Krippendorff's alpha for ordinal data.

    A disagreement weighs as much as the square of the verdicts between the two categories.

    Args:
        counts: Verdicts, with the categories in their order from lowest to highest.
        level: Confidence level of the interval, jackknife over questions on the log scale.

    Source: Krippendorff (2019), section 12.3.4, where the difference of two categories is the sum
    of the verdicts from one to the other less half of those in the two: the difference of their
    mid-ranks.
    """
    return _estimate(counts, None, level)


def krippendorff_alpha_interval(
    counts: Counts, values: Sequence[float], level: float = 0.95
) -> Estimate:
    """Krippendorff's alpha for interval data: a disagreement weighs its squared difference.

    Args:
        counts: Verdicts per question.
        values: The number that each category stands for.
        level: Confidence level of the interval, jackknife over questions on the log scale.

    Raises:
        ShapeError: There is not one number per category.

    Source: Krippendorff (2019), section 12.3.4.
    """
    if len(values) != len(counts.categories):
        raise ShapeError(
            f"There are {len(values)} numbers for {len(counts.categories)} categories."
        )
    return _estimate(counts, np.asarray(values, dtype=np.float64), level)


def _estimate(counts: Counts, values: FloatArray | None, level: float) -> Estimate:
    used = counts.replications >= 2
    table, clusters = counts.table[used], counts.clusters[used]
    n = len(np.unique(clusters))
    estimate = Estimate(
        value=None,
        low=None,
        high=None,
        n_questions=n,
        n_replications=float(table.sum() / len(table)) if n else 0.0,
        left_out=LeftOut(int(counts.missing.sum()), counts.unreplicated),
        reason="needs at least 2 replications" if n == 0 else "needs at least 2 questions",
        level=level,
    )
    if n < 2:
        return estimate
    value = float(_alpha(table, values, np.ones((1, len(table))))[0])
    if np.isnan(value):
        return replace(estimate, reason="no variance between questions")
    if value == 1:
        return replace(estimate, value=value, reason="no interval: no question varies")
    if n < FEWEST_QUESTIONS:
        return replace(estimate, value=value, reason=TOO_FEW)
    least = float(least_over_replications(sums(table)))
    ends = jackknife(value, _alpha(table, values, leave_one_out(clusters)), level, least)
    return add_interval(replace(estimate, value=value), ends, "jackknife")


def _alpha(table: NDArray[np.int64], values: FloatArray | None, weights: FloatArray) -> FloatArray:
    """1 - D_o / D_e for questions weighted [W, N].

    Both are variances, within questions and of all verdicts: the mean squared difference of pairs
    is twice the variance, so no table of pairs of categories is needed.
    """
    pooled = weights @ table
    total = pooled.sum(axis=1)
    worth = np.cumsum(pooled, axis=1) - pooled / 2 if values is None else values
    worth = worth - ((pooled * worth).sum(axis=1) / total)[:, None]
    expected = (pooled * worth**2).sum(axis=1) / (total - 1)
    n = table.sum(axis=1)
    within = worth**2 @ table.T - (worth @ table.T) ** 2 / n
    # Where a question does not vary only rounding is left of it.
    within[:, (table > 0).sum(axis=1) == 1] = 0.0
    observed = (weights * within) @ (n / (n - 1)) / total
    varies = (pooled > 0).sum(axis=1) > 1
    return np.where(varies, 1 - observed / np.where(varies, expected, 1.0), np.nan)
