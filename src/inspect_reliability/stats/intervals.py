"""Intervals over questions: what would other questions of the same kind have shown?

Ends that cannot be computed are NaN. scipy is imported where it is called: that takes twice as long
as numpy, and whoever only imports a metric does not need it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .estimate import Estimate, IntervalMethod
from .sums import FloatArray

FEWEST_QUESTIONS = 3
"""Fewer do not show how much questions differ."""

TOO_FEW = f"an interval needs at least {FEWEST_QUESTIONS} questions"

NO_WIDTH = 1e-12
"""An interval this narrow is rounding: it would promise certainty."""


def add_interval(estimate: Estimate, ends: tuple[float, float], method: IntervalMethod) -> Estimate:
    """The estimate with its interval, or with the reason why it has none."""
    low, high = ends
    if np.isnan(low):
        reason = "no interval: only one or two questions vary"
        return replace(estimate, reason=reason)
    if high - low < NO_WIDTH:
        reason = "no interval: the value is the same whichever questions are asked"
        return replace(estimate, reason=reason)
    return replace(estimate, low=low, high=high, reason=None, method=method)


def leave_one_out(clusters: NDArray[np.int64]) -> FloatArray:
    """Weights that leave out one cluster each, G x N."""
    return np.asarray(np.unique(clusters)[:, None] != clusters, dtype=np.float64)


def t_quantile(level: float, degrees_of_freedom: float) -> float:
    """What a t variable exceeds, on either side, with probability 1 - level."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def clopper_pearson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """The exact binomial interval of a share (Clopper & Pearson 1934)."""
    from scipy.special import betaincinv

    tail, failures = (1 - level) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes > 0 else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures > 0 else 1.0
    return float(low), float(high)


def jackknife_error(left_one_out: FloatArray) -> float:
    """Standard error over questions, from the N values without one question each."""
    n = len(left_one_out)
    return float(np.sqrt((n - 1) / n * ((left_one_out - left_one_out.mean()) ** 2).sum()))


def jackknife(
    value: float, left_one_out: FloatArray, level: float, least: float
) -> tuple[float, float]:
    """Jackknife-t on the log scale: 1 - (1 - x) exp(+-t SE / (1 - x)).

    The log scale follows the skewness of a coefficient that cannot exceed 1.

    Args:
        value: The coefficient x.
        left_one_out: The coefficient without one question (or cluster) each.
        level: Confidence level.
        least: The least that the coefficient can be; the interval goes no lower, unless the
            value itself does.
    """
    t = t_quantile(level, len(left_one_out) - 1)
    gap = 1 - value
    with np.errstate(over="ignore"):
        factor = np.exp(t * jackknife_error(left_one_out) / gap)
    low, high = value - gap * (factor - 1), value + gap * (1 - 1 / factor)
    return _possible(low, high, min(value, least))


def constant_share_bound(n_questions: int, level: float) -> float:
    """Exact lower bound of the share of questions that never vary, if none of N did.

    If a share c of all questions never varies, N questions show it with probability c^N (Clopper &
    Pearson 1934). Agreement is at least that share.
    """
    return float(((1 - level) / 2) ** (1 / n_questions))


def _possible(low: float, high: float, least: float) -> tuple[float, float]:
    """The ends cut at the least and at 1, the upper one at 0 too: no truth lies beyond.

    Replications are exchangeable, so the true value cannot be below chance, although about half
    of the estimates from pure noise are.
    """
    low, high = np.clip([low, high], least, 1.0).tolist()
    # An interval without width is none, and must not be given one here.
    return low, max(high, 0.0) if high - low > NO_WIDTH else high
