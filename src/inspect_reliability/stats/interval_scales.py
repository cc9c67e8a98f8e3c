"""The ends of an interval, from a value, its error and a scale.

scipy is imported where it is called: importing it takes twice as long as numpy, and a metric alone
does not need it.
"""

from collections.abc import Callable
from math import exp, expm1, log, sqrt
from typing import Any

import numpy as np

from .cells import FloatArray

NO_WIDTH = 1e-12
"""A narrower interval is rounding, and would promise certainty."""

Ends = tuple[float, float]


def linear_error(slopes: FloatArray, weights: FloatArray) -> float:
    """Standard error over questions from slopes; the weights may differ."""
    v = weights.sum()
    return float(np.sqrt(weights @ slopes**2 / (v * (v - 1))))


def weighted_error(moved: FloatArray, weight: float) -> float:
    """Standard error over questions from the change without each, where the last weighs less.

    Args:
        moved: Change of the value without each question, N.
        weight: Weight of the last question; the others weigh 1.
    """
    weights = np.append(np.ones(len(moved) - 1), weight)
    return linear_error((weights.sum() - weights) / weights * moved, weights)


def on_log_scale(x: float, error: float, t: float) -> Ends:
    """The ends 1 - (1 - x) exp(+-t SE / (1 - x))."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        factor = np.exp(t * np.float64(error) / (1 - x))
        return float(1 - (1 - x) * factor), float(1 - (1 - x) / factor)


def on_f_scale(x: float, error: float, t: float, r: float) -> Ends:
    """The ends of log F +- t SE dlog F / dx, F = (1 + (R - 1) x) / (1 - x), carried back to x.

    With infinitely many replications that is the scale log(x / (1 - x)). An error that is not known
    has no bound below: without one question nothing would be left to estimate.
    """
    if np.isnan(error):
        return -np.inf, np.nan
    if np.isinf(r):
        return _on_odds_scale(x, t * error)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        above = np.float64(1 + (r - 1) * x)
        if above <= 0:
            return np.nan, np.nan
        slope = r / ((1 - x) * above)
        f = above / (1 - x) * np.exp(np.array([-1, 1]) * t * error * slope)
        low, high = np.where(np.isinf(f), 1.0, (f - 1) / (f + r - 1))
    return float(low), float(high)


def _on_odds_scale(x: float, reach: float) -> Ends:
    """The ends on the scale of odds; at 0, of the smallest value that could not be 0."""
    if reach >= 1:
        return 0.0, 1.0
    at = max(x, reach)
    if at <= 0:  # no agreement beyond chance, and no error
        return 0.0, 0.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        odds = np.float64((1 - at) / at) * np.exp(np.array([1, -1]) * reach / (at * (1 - at)))
        low, high = 1 / (1 + odds)
    return float(low) if x > reach else 0.0, float(high)


def on_root_scale(x: float, reach: float, most: float) -> Ends:
    """The ends x +- reach, or those on the scale of square roots where these are farther.

    A variance component is the square of an effect, so its error grows with it, and a small
    estimate comes with an error that is too small. So does one near its maximum. There the root is
    no scale, and an end is at most a quarter of the reach farther out.
    """
    below, above = (min(0.25, reach / (4 * max(room, 1e-9))) for room in (most - x, x))
    return x - reach * (1 + below), x + reach * (1 + above)


def t_quantile(level: float, degrees_of_freedom: float) -> float:
    """The value that |t| exceeds with probability 1 - level."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def level_of(t: float, degrees_of_freedom: float) -> float:
    """The level with this t quantile, above 0 and below 1."""
    from scipy.special import stdtr

    return float(np.clip(2 * stdtr(max(degrees_of_freedom, 1), t) - 1, NO_WIDTH, 1 - NO_WIDTH))


def clopper_pearson(successes: float, trials: float, level: float) -> Ends:
    """The exact binomial interval of a share (Clopper & Pearson 1934)."""
    from scipy.special import betaincinv

    tail, failures = (1 - level) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes > 0 else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures > 0 else 1.0
    return float(low), float(high)


def one_sided(successes: float, trials: float, confidence: float) -> Ends:
    """The least and the most of a share, each alone with this confidence: `clopper_pearson`."""
    return clopper_pearson(successes, trials, 2 * confidence - 1)


def jackknifed(left_one_out: FloatArray) -> FloatArray:
    """Deviations of N values without each question, [N, ...].

    Their squares, or products, sum to the jackknife's (co)variances.
    """
    n = len(left_one_out)
    return np.asarray(np.sqrt((n - 1) / n) * (left_one_out - left_one_out.mean(axis=0)))


def jackknife_error(left_one_out: FloatArray) -> float:
    """Standard error over questions, from the N values without each question."""
    return float(np.sqrt((jackknifed(left_one_out) ** 2).sum()))


def constant_share_bound(n_questions: Any, level: float) -> Any:
    """Exact lower bound of the agreement, if no question varies; of each number of questions.

    If a share c of all questions shows R verdicts that are alike, N of N do with probability c^N
    (Clopper & Pearson 1934). Agreement is at least that share.
    """
    return ((1 - level) / 2) ** (1 / n_questions)


# The interval of a mean of shares from 0 to 1, however they are distributed.
#
# Give each question a random weight, as the Bayesian bootstrap does (Rubin 1981), and add one more
# question: of share 0 for the lower end, of share 1 for the upper. The ends are quantiles of the
# weighted mean (Gaffke 2005; Learned-Miller & Thomas 2019). If every share is 0 or 1, they are
# those of Clopper & Pearson (1934). That they cover any other population at least as often is
# conjectured, and no exception is known (Phan, Thomas & Learned-Miller 2021).


_MANY = 1_000
"""Questions from which shares are counted on a grid."""

_GRID = 1_024

_DIGITS = 12
"""Equal shares differ in the last digits."""

_FARTHEST = 36.0
"""A mean at exp(-36) of what is left to the share of the added question is rounding."""

_MIDDLE = 0.01
"""Below this r, where a quantile lies near the median, the approximation is 0 / 0."""


def share_ends(values: FloatArray, level: float, weights: FloatArray | None = None) -> Ends:
    """Both ends of the interval of a mean of shares, whatever their distribution (Gaffke 2005).

    An end is exact where, with the question added, shares have two different values. Else it is
    that of the saddlepoint approximation, off by one percent of its distance from the mean at most.

    Args:
        values: Shares of N questions; at least one.
        level: Confidence level.
        weights: How many questions each counts for, N; 1 by default.
    """
    shares, counts = _counted(values, np.ones(len(values)) if weights is None else weights)
    tail = (1 + level) / 2
    return 1 - _upper(1 - shares, counts, tail), _upper(shares, counts, tail)


def _counted(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Different shares, and how many questions have each.

    Many are split between the neighbouring points of a grid, which leaves the mean as it is.
    """
    if len(values) <= _MANY:
        shares, of = np.unique(values.round(_DIGITS), return_inverse=True)
        return shares, np.bincount(of, weights).astype(np.float64)
    at = (values * _GRID).round(_DIGITS - 3)
    below = np.minimum(at.astype(np.int64), _GRID - 1)
    beyond = at - below
    counts = np.zeros(_GRID + 1)
    np.add.at(counts, below, weights * (1 - beyond))
    np.add.at(counts, below + 1, weights * beyond)
    used = np.flatnonzero(counts)
    return used / _GRID, counts[used]


def _upper(shares: FloatArray, counts: FloatArray, probability: float) -> float:
    """This quantile of the weighted mean, with a question of share 1 added."""
    from scipy.special import betaincinv, ndtri

    other = shares[shares < 1]
    if not len(other):
        return 1.0
    if len(other) == 1:  # the weight of a part of all questions is beta distributed
        others = float(counts[shares < 1].sum())
        part = betaincinv(float(counts.sum()) - others + 1, others, probability)
        return float(other[0] + (1 - other[0]) * part)
    short, n = np.append(1 - shares, 0.0), np.append(counts, 1.0)
    every, wanted = float(n.sum()), float(ndtri(probability))

    def mean_at(y: float) -> tuple[float, float]:
        """How far the mean of this saddlepoint lies below 1, and how far it is too far out.

        The mean is t where the sum of exponential variables times (share - t) is 0. Its saddlepoint
        is s = z / (1 - z t), z = 1 - exp(-y), so that t follows from z. The probability is that of
        Lugannani & Rice (1980) in the form of Barndorff-Nielsen (1986).
        """
        z, rest = -expm1(-y), exp(-y)
        left = short * z + rest  # 1 - z share
        weight = n / left
        lacks = float(weight.dot(short)) / float(np.add.reduce(weight))
        cumulant = every * log(lacks * z + rest) - float(n.dot(np.log(left)))
        r = sqrt(max(-2 * cumulant, 0.0))
        if r < _MIDDLE:
            return lacks, -wanted
        v = z * sqrt(float(n.dot(((short - lacks) / left) ** 2)))
        return lacks, r + log(v / r) / r - wanted

    # At 0 it is the mean itself, which is as far out as the median.
    return 1 - mean_at(_root(lambda y: mean_at(y)[1], (0.0, -wanted), _FARTHEST))[0]


_NEAR = 1e-9
"""A step that small ends the search for a root."""


def _root(of: Callable[[float], float], below: tuple[float, float], high: float) -> float:
    """Where a function is 0 that is below it at one end, where it is known, and above at the other.

    By false position, where an end that stays counts for less (Anderson & Bjorck 1973).
    `scipy.optimize` takes longer to import than a report to compute.
    """
    (low, there), here = below, of(high)
    step = high - low
    while abs(step) > _NEAR and here:
        step = here * (low - high) / (here - there)
        at = high + step
        value = of(at)
        if (value < 0) != (here < 0):
            low, there = high, here
        else:
            there *= 1 - value / here if abs(value) < abs(here) else 0.5
        high, here = at, value
    return high
