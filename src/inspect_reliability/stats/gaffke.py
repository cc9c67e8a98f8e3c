"""The interval of a mean of shares from 0 to 1, however they are distributed.

Give each question a random weight, as the Bayesian bootstrap does (Rubin 1981), and add one more
question: of share 0 for the lower end, of share 1 for the upper. The ends are quantiles of the
weighted mean (Gaffke 2005; Learned-Miller & Thomas 2019). If every share is 0 or 1, they are those
of Clopper & Pearson (1934). That they cover any other population at least as often is conjectured,
and no exception is known (Phan, Thomas & Learned-Miller 2021).
"""

from math import exp, expm1, log, sqrt

import numpy as np

from .ends import Ends
from .long import FloatArray

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
    """Both ends of the interval of the mean.

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
    from scipy.optimize import brentq
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
        lacks = float(weight @ short) / float(weight.sum())
        cumulant = every * log(lacks * z + rest) - float(n @ np.log(left))
        r = sqrt(max(-2 * cumulant, 0.0))
        if r < _MIDDLE:
            return lacks, -wanted
        v = z * sqrt(float(n @ ((short - lacks) / left) ** 2))
        return lacks, r + log(v / r) / r - wanted

    return 1 - mean_at(brentq(lambda y: mean_at(y)[1], 0.0, _FARTHEST, xtol=1e-9))[0]
