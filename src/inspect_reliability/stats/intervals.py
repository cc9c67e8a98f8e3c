"""Intervals over questions: what would other questions of the same kind have shown?

Never over pairs of replications, which are not independent, and never from an F distribution,
which one-hot verdicts do not follow. Ends that cannot be computed are NaN.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .estimate import Estimate, IntervalMethod
from .sums import FloatArray

RESAMPLES = 10_000

FEWEST_QUESTIONS = 3
"""Fewer show no spread between questions that an interval could rest on."""

TOO_FEW = f"an interval needs at least {FEWEST_QUESTIONS} questions"

NO_WIDTH = 1e-12
"""What rounding leaves of an interval without width, which would promise certainty."""


def add_interval(estimate: Estimate, ends: tuple[float, float], method: IntervalMethod) -> Estimate:
    """The estimate with its interval, or with the reason why it has none."""
    low, high = ends
    if np.isnan(low):
        reason = "no interval: it rests on one question or two, the others have the same verdict"
        return replace(estimate, reason=reason)
    if high - low < NO_WIDTH:
        reason = "no interval: the value is the same whichever questions are asked"
        return replace(estimate, reason=reason)
    return replace(estimate, low=low, high=high, reason=None, method=method)


def leave_one_out(clusters: NDArray[np.int64]) -> FloatArray:
    """Weights that leave out one cluster each, G x N; a row of its own is a cluster (Counts)."""
    return 1.0 - _members(clusters)


def bootstrap_weights(clusters: NDArray[np.int64], seed: int) -> FloatArray:
    """How often each row is drawn in resamples of clusters with replacement, 10,000 x N."""
    generator = np.random.default_rng(seed)
    members = _members(clusters)
    g = len(members)
    drawn = generator.multinomial(g, np.full(g, 1 / g), RESAMPLES)
    return np.asarray(drawn @ members, dtype=np.float64)


def _members(clusters: NDArray[np.int64]) -> FloatArray:
    """1 where a row belongs to a cluster, G x N."""
    return np.asarray(np.unique(clusters)[:, None] == clusters, dtype=np.float64)


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
    t = stats.t.ppf((1 + level) / 2, len(left_one_out) - 1)
    gap = 1 - value
    with np.errstate(over="ignore"):
        factor = np.exp(t * jackknife_error(left_one_out) / gap)
    low, high = value - gap * (factor - 1), value + gap * (1 - 1 / factor)
    return _possible(low, high, min(value, least))


def percentiles(resampled: FloatArray, level: float, least: float) -> tuple[float, float]:
    """The percentile interval of a bootstrap.

    A resample without a value could have had any: it counts as too low and as too high.

    Args:
        resampled: The coefficient of each resample.
        level: Confidence level.
        least: The least that the coefficient, or its estimate, can be.
    """
    missing, tail = np.isnan(resampled), (1 - level) / 2
    low = float(np.quantile(np.where(missing, -np.inf, resampled), tail, method="lower"))
    high = float(np.quantile(np.where(missing, np.inf, resampled), 1 - tail, method="higher"))
    if not np.isfinite([low, high]).all():
        return np.nan, np.nan
    return _possible(low, high, least)


def constant_share_bound(n_questions: int, level: float) -> float:
    """Exact lower bound of the share of questions that never vary, if none of N did.

    A share c shows N such questions with probability c^N (Clopper & Pearson 1934). Agreement is
    at least that share.
    """
    return float(((1 - level) / 2) ** (1 / n_questions))


def _possible(low: float, high: float, least: float) -> tuple[float, float]:
    """The ends cut at the least and at 1, the upper one at 0 too: no truth lies beyond.

    Replications are exchangeable, so no coefficient is truly below that of chance, though an
    estimate of nothing but noise is below it half of the time.
    """
    low, high = np.clip([low, high], least, 1.0).tolist()
    # An interval without width is none, and must not be given one here.
    return low, max(high, 0.0) if high - low > NO_WIDTH else high
