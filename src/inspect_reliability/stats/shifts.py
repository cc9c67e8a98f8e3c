"""How the share of a verdict moves with a facet."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .cells import Cells, FloatArray
from .errors import check_level
from .estimate import Estimate, LeftOut
from .intervals import FEWEST_QUESTIONS, NO_WIDTH, TOO_FEW, t_quantile
from .rates import mean_share


class Shift(NamedTuple):
    """How often a verdict is given at one level of a facet.

    Attributes:
        level: The level.
        category: The verdict.
        share: Its share there, mean over questions.
        change: Its share there less that at the other levels, mean over questions with several.
    """

    level: int
    category: str
    share: Estimate
    change: Estimate


def shifts(cells: Cells, facet: str, level: float = 0.95) -> Iterator[Shift]:
    """The share of each category at each level of a facet, and how far it is from elsewhere.

    Questions (clusters) weigh alike, and so do the cells of one at a level. Changes are paired:
    the levels of a question are compared with each other, with an interval of t over questions.

    Args:
        cells: Verdicts that are names; cells without any are left out.
        facet: Name of the facet.
        level: Confidence level of the intervals.

    Raises:
        ReliabilityError: The level is not between 0 and 1.
    """
    check_level(level)
    given = cells.rows(cells.replications > 0)
    _, cluster = np.unique(given.clusters, return_inverse=True)
    levels, at = np.unique(given.facets[facet], return_inverse=True)
    shape = cluster.max() + 1, len(levels)
    place, verdicts = cluster * len(levels) + at, given.replications

    def summed(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(place, values, shape[0] * shape[1]).reshape(shape), float)

    number, of_cells = summed(np.ones(len(place))), summed(verdicts)
    left = LeftOut(int(cells.missing.sum()))
    for k, category in enumerate(given.categories):
        with np.errstate(invalid="ignore"):
            shares = summed(given.shares[:, k]) / number
        known = number > 0
        shares = np.where(known, shares, 0.0)
        others = known.sum(axis=1) - 1
        for j, one in enumerate(levels.tolist()):
            here = known[:, j]
            each = float(of_cells[here, j].mean())
            paired = here & (others > 0)
            elsewhere = (shares[paired].sum(axis=1) - shares[paired, j]) / others[paired]
            change = mean_difference(shares[paired, j] - elsewhere, level, each, left)
            yield Shift(one, category, mean_share(shares[here, j], level, each, left), change)


def mean_difference(
    values: FloatArray, level: float, n_replications: float, left: LeftOut
) -> Estimate:
    """The mean over questions of differences, with its interval of t."""
    n = len(values)
    found = Estimate(None, None, None, n, n_replications, left, level=level)
    if n == 0:
        return replace(found, reason="no question has two levels")
    mean = float(values.mean())
    found = replace(found, value=mean, reason=TOO_FEW)
    if n < FEWEST_QUESTIONS:
        return found
    reach = float(t_quantile(level, n - 1) * values.std(ddof=1) / np.sqrt(n))
    if reach < NO_WIDTH:
        return replace(found, reason="no interval: it is the same on every question")
    return replace(found, low=mean - reach, high=mean + reach, reason=None, method="t")
