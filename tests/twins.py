"""The intervals once more, from their descriptions, by loops and numerical derivatives."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize, stats

Array = np.ndarray
Value = Callable[[Array, Array, Array], float]
"""A coefficient of weights [N], agreements [N] and shares [N, K]."""


def questions(table: Array) -> tuple[Array, Array, float]:
    """Agreement and shares of each question, and the harmonic mean of the replications."""
    agreement = np.array(
        [sum(c * (c - 1) for c in row) / (sum(row) * (sum(row) - 1)) for row in table]
    )
    shares = np.array([[c / sum(row) for c in row] for row in table])
    return agreement, shares, float(stats.hmean(table.sum(axis=1)))


def omega(w: Array, agreement: Array, shares: Array) -> float:
    """1 - W / D with D as statistics textbooks have U-statistics of weighted questions."""
    v = w.sum()
    within = (w * (1 - agreement)).sum() / v
    mean = (w[:, None] * shares).sum(axis=0) / v
    own = (w * (1 - (shares**2).sum(axis=1))).sum() / v
    return float(1 - within / ((v * (1 - (mean**2).sum()) - own) / (v - 1)))


def agreement_of(w: Array, agreement: Array, shares: Array) -> float:
    return float((w * agreement).sum() / w.sum())


def ac1(w: Array, agreement: Array, shares: Array) -> float:
    mean = (w[:, None] * shares).sum(axis=0) / w.sum()
    chance = (mean * (1 - mean)).sum() / (shares.shape[1] - 1)
    return float((agreement_of(w, agreement, shares) - chance) / (1 - chance))


def brennan_prediger(w: Array, agreement: Array, shares: Array) -> float:
    k = shares.shape[1]
    return float((agreement_of(w, agreement, shares) - 1 / k) / (1 - 1 / k))


def t(level: float, n: int) -> float:
    return float(stats.t(n - 1).ppf((1 + level) / 2))


def log_ends(x: float, error: float, t: float) -> tuple[float, float]:
    """x +- t SE on the scale y = log(1 - x), carried back."""
    moved = t * error / (1 - x)
    return 1 - (1 - x) * np.exp(moved), 1 - (1 - x) * np.exp(-moved)


def f_ends(x: float, error: float, t: float, r: float) -> tuple[float, float]:
    """x +- t SE on the scale y = log F, carried back by solving for x."""

    def y(x: float) -> float:
        return float(np.log((1 + (r - 1) * x) / (1 - x)))

    step = 1e-6 * min(1 - x, x + 1 / (r - 1))
    slope = (y(x + step) - y(x - step)) / (2 * step)
    ends = []
    for sign in (-1, 1):
        target = y(x) + sign * t * error * slope
        low, high = -1 / (r - 1) + 1e-15, 1 - 1e-15
        if not y(low) < target < y(high):
            return np.nan, np.nan
        ends.append(optimize.brentq(lambda x, target=target: y(x) - target, low, high, xtol=1e-15))
    return ends[0], ends[1]


def jackknife_error(left_out: Sequence[float]) -> float:
    return float(np.sqrt((len(left_out) - 1) * np.var(left_out)))


def left_out(value: Value, agreement: Array, shares: Array) -> list[float]:
    n = len(agreement)
    keep = [np.arange(n) != i for i in range(n)]
    return [value(np.ones(n - 1), agreement[k], shares[k]) for k in keep]


def linear_error(value: Value, w: Array, agreement: Array, shares: Array) -> float:
    """From numerical derivatives in the weights, whose total is kept."""
    v, step, slopes = w.sum(), 1e-5, []
    for i in range(len(w)):
        more, less = w.copy(), w.copy()
        more[i] += step
        less[i] -= step
        up, down = (value(one * v / one.sum(), agreement, shares) for one in (more, less))
        slopes.append(v * (up - down) / (2 * step))
    return float(np.sqrt((w * np.array(slopes) ** 2).sum() / (v * (v - 1))))


def weighted_jackknife_error(value: Value, w: Array, agreement: Array, shares: Array) -> float:
    """Each weighted question left out at once, pseudo-values in proportion to the weights."""
    v, whole, total = w.sum(), value(w, agreement, shares), 0.0
    for i in range(len(w)):
        keep = np.arange(len(w)) != i
        pseudo = (v - w[i]) / w[i] * (whole - value(w[keep], agreement[keep], shares[keep]))
        total += w[i] * pseudo**2
    return float(np.sqrt(total / (v * (v - 1))))


def plus_a_question(table: Array, level: float = 0.95) -> tuple[float, float]:
    """The default interval of omega, before it is cut at what omega can be."""
    agreement, shares, r = questions(table)
    n = len(table)
    quantile, x = t(level, n), omega(np.ones(n), agreement, shares)
    low, high = f_ends(x, jackknife_error(left_out(omega, agreement, shares)), quantile, r)
    mean = shares.mean(axis=0)

    def plus(p: float, s: Array, weight: float) -> tuple[float, float]:
        w, a = np.append(np.ones(n), weight), np.append(agreement, p)
        b = np.vstack([shares, s])
        return omega(w, a, b), linear_error(omega, w, a, b)

    x_low, error_low = plus((mean**2).sum(), mean, 0.5)
    second = np.sort(mean)[-2]
    ups = [
        log_ends(*plus(1.0, np.eye(len(mean))[k], 0.4), quantile)[1]
        for k in np.flatnonzero(np.abs(mean - second) < 1e-12)
    ]
    return float(np.fmin(low, f_ends(x_low, error_low, quantile, r)[0])), float(
        np.fmax(high, max(ups))
    )


def noise_or_settled(value: Value, table: Array, level: float = 0.95) -> tuple[float, float]:
    """The interval of agreement and its kind, before it is cut at what it can be."""
    agreement, shares, _ = questions(table)
    n = len(table)
    x = value(np.ones(n), agreement, shares)
    low, high = log_ends(x, jackknife_error(left_out(value, agreement, shares)), t(level, n))
    mean = shares.mean(axis=0)
    b = np.vstack([shares, mean])

    def plus(own: float, weight: float) -> tuple[float, float]:
        w, a = np.append(np.ones(n), weight), np.append(agreement, own)
        error = weighted_jackknife_error(value, w, a, b)
        return log_ends(value(w, a, b), error, t(level, n))

    return min(low, plus(min((mean**2).sum(), 0.5), 0.5)[0]), max(high, plus(1.0, 0.75)[1])


def far_or_noise(values: Array, level: float = 0.95) -> tuple[float, float]:
    """The interval of ICC, of numbers [N, R], before it is cut at what ICC can be."""
    n, r = values.shape

    def icc(w: Array, within: Array, means: Array) -> float:
        v = w.sum()
        mean, error = (w * means).sum() / v, (w * within).sum() / v
        between = (w * (means - mean) ** 2).sum() / (v - 1) - error / r
        return float(between / (between + error))

    within, means = values.var(axis=1, ddof=1), values.mean(axis=1)
    quantile, x = t(level, n), icc(np.ones(n), within, means)
    error = jackknife_error(left_out(icc, within, means))
    low, high = f_ends(x, error, quantile, r)
    farthest = means[np.argmax(np.abs(means - means.mean()))]

    def plus(mean: float, own: float, weight: float) -> tuple[float, float]:
        w, a = np.append(np.ones(n), weight), np.append(within, own)
        b = np.append(means, mean)
        return icc(w, a, b), linear_error(icc, w, a, b)

    # The slope of each question's weight by a small change of it.
    step = 1e-6
    slopes = np.array([icc(np.ones(n) + step * one, within, means) - x for one in np.eye(n)]) / step
    slopes = slopes - slopes.mean()
    freedom = np.clip(4 * n / (stats.kurtosis(slopes, fisher=False) - 1), 2, n - 1)
    few = float(stats.t.ppf((1 + level) / 2, freedom))
    noise, own = plus(means.mean(), within.mean() / (1 - x), 2.0)
    # Its variance is that of chi squared on R - 1 degrees of freedom, over their square.
    own = np.sqrt(own**2 + 2.0 * (2 / (r - 1)) / ((n + 2) * (n + 1)))
    lower = f_ends(noise, own, few, r)[0]
    lower = max(lower, low * ((1 - level) / 2) ** (r / (r - 1) / n)) if low > 0 else lower
    far = plus(2 * farthest - means.mean(), within.mean(), 0.25)
    return min(low, lower), max(high, f_ends(*far, quantile, r)[1])
