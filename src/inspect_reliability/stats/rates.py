"""Shares that vary between questions, above all non-response, which affects every coefficient."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import EllipsisType
from typing import NamedTuple

import numpy as np

from .cells import Cells
from .ends import t_quantile
from .errors import check_level
from .estimate import LEVEL, Estimate
from .gaffke import share_ends
from .intervals import FEWEST_QUESTIONS, TOO_FEW, with_ends
from .long import Flags, FloatArray, IntArray


def rate(counts: Cells, category: str = "non-response", level: float = 0.95) -> Estimate:
    """Share of the verdicts in one category, mean over questions.

    One verdict per question is enough, and the category need not be declared. The interval is that
    of `mean_share`, also of fewer than three questions.

    Raises:
        ReliabilityError: The level is not between 0 and 1.
    """
    shares, estimate = question_rates(counts, category, level)
    if estimate.value is None:
        return estimate
    return mean_share(shares, level, estimate.n_replications, estimate.left_out, fewest=1)


def mean_share(
    values: FloatArray,
    level: float,
    n_replications: float,
    left_out: tuple[str, ...] = (),
    fewest: int = FEWEST_QUESTIONS,
    most: float = 1.0,
) -> Estimate:
    """The mean over questions of shares from 0 to `most`, with its interval; see `share_ends`."""
    n = len(values)
    found = Estimate(float(values.mean()), None, None, n, n_replications, left_out, level=level)
    if n < fewest:
        return replace(found, reason=TOO_FEW)
    low, high = share_ends(values / most, level)
    return replace(found, low=low * most, high=high * most, method="Gaffke")


def standard_error(values: FloatArray) -> float | None:
    """SD over replications / sqrt(R) of the mean over questions; None with fewer than two.

    Args:
        values: [N, R], NaN if missing; or means, [R].
    """
    values = np.atleast_2d(values)
    means = np.ma.masked_invalid(values).mean(axis=0).compressed()
    return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else None


def gini_mean_difference(counts: Cells, values: Mapping[str, float]) -> Estimate:
    """How far two replications of a question differ, mean over questions, in units of the verdicts.

    Twice the sum of F (1 - F) over the gaps between values, F being the share of verdicts up to a
    value (Gini 1912; unbiased for every question). The interval is that of `mean_share`, for the
    difference as a share of the whole range. Verdicts without a value are left out.

    Raises:
        NoJudgmentsError: Nothing was replicated.
    """
    names = sorted(set(values).intersection(counts.categories), key=values.__getitem__)
    given = counts.only(names).replicated
    gaps = np.diff([values[name] for name in names])
    below = given.shares.cumsum(axis=1)[:, :-1]
    apart = below * (1 - below)
    if given.exact:
        apart += given.excess(np.triu(np.ones((len(names), len(names))))[:, :-1])
    else:
        apart *= (given.replications / (given.replications - 1))[:, None]
    reach = float(gaps.sum()) or 1.0
    shares = by_question(2 * apart @ gaps / reach, given.clusters)
    found = mean_share(shares.clip(0, 1), LEVEL, float(given.replications.mean()))
    value, low, high = (x if x is None else x * reach for x in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def by_question(
    values: FloatArray, clusters: IntArray, known: Flags | EllipsisType = ...
) -> FloatArray:
    """The mean of values, [N, ...], over the known rows of each question (cluster)."""
    _, of = np.unique(clusters[known], return_inverse=True)
    n = np.bincount(of)
    sums = np.zeros((len(n), *values.shape[1:]))
    np.add.at(sums, of, values[known])
    return np.asarray(sums / n.reshape(-1, *[1] * (values.ndim - 1)))


def question_rates(
    counts: Cells, category: str, level: float = 0.95
) -> tuple[FloatArray, Estimate]:
    """The share of a category on each question, and its mean."""
    check_level(level)
    given = counts.replications
    shares = by_question(counts.share_of(category), counts.clusters, given > 0)
    none = Estimate(left_out=counts.fewer_than(1), reason="there are no verdicts", level=level)
    if not len(shares):
        return shares, none
    value, each = float(shares.mean()), float(given[given > 0].mean())
    return shares, replace(
        none, value=value, n_questions=len(shares), n_replications=each, reason=None
    )


class Shift(NamedTuple):
    """How often a verdict is given at one level of a facet.

    `share` is the mean over questions; `change`, over questions with several levels, is the share
    there minus that at the other levels.
    """

    level: int
    category: str
    share: Estimate
    change: Estimate


def shifts(cells: Cells, facet: str, level: float = 0.95) -> Iterator[Shift]:
    """The share of each category at each level of a facet, and its difference from other levels.

    Verdicts are names. Questions (clusters) weigh the same, and so do the cells of one at a level.
    Changes are paired: the levels of a question are compared with each other, with a t interval
    over questions.

    Raises:
        ReliabilityError: The confidence level is not between 0 and 1.
    """
    check_level(level)
    given = cells.rows(cells.replications > 0)
    levels, at = np.unique(given.facets[facet], return_inverse=True)
    place = given.clusters * len(levels) + at
    shares = np.full((given.n_clusters, len(levels), len(given.categories)), np.nan)
    shares.reshape(-1, shares.shape[2])[np.unique(place)] = by_question(given.shares, place)
    known = ~np.isnan(shares[..., 0])
    several = known.sum(axis=1) > 1
    for k, category in enumerate(given.categories):
        for j, one in enumerate(levels.tolist()):
            here, own = known[:, j], shares[:, j, k]
            each = float(given.replications[at == j].sum() / here.sum())
            paired = here & several
            elsewhere = np.nanmean(np.delete(shares[paired, :, k], j, axis=1), axis=1)
            change = mean_difference(own[paired] - elsewhere, level, each)
            yield Shift(one, category, mean_share(own[here], level, each), change)


def mean_difference(values: FloatArray, level: float, n_replications: float) -> Estimate:
    """The mean over questions of differences, with its t interval."""
    n = len(values)
    mean = float(values.mean()) if n else None
    reason = TOO_FEW if n else "no question has two levels"
    found = Estimate(mean, None, None, n, n_replications, reason=reason, level=level)
    if mean is None or n < FEWEST_QUESTIONS:
        return found
    reach = float(t_quantile(level, n - 1) * values.std(ddof=1) / np.sqrt(n))
    return with_ends(found, (mean - reach, mean + reach), "t")
