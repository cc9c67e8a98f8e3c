"""Intervals over questions: what would other questions of the same kind have shown?

Never over pairs of replications, which are not independent, and never from an F distribution,
which one-hot verdicts do not follow. Ends that cannot be computed are NaN.
"""

import numpy as np
from scipy import stats

from .sums import FloatArray

RESAMPLES = 10_000


def leave_one_out(n_questions: int) -> FloatArray:
    """Weights that leave out one question each, N x N."""
    return 1.0 - np.eye(n_questions)


def bootstrap_weights(n_questions: int, seed: int) -> FloatArray:
    """How often each question is drawn in resamples with replacement, 10,000 x N."""
    generator = np.random.default_rng(seed)
    chances = np.full(n_questions, 1 / n_questions)
    return generator.multinomial(n_questions, chances, RESAMPLES).astype(np.float64)


def jackknife_error(left_one_out: FloatArray) -> float:
    """Standard error over questions, from the N values without one question each."""
    n = len(left_one_out)
    return float(np.sqrt((n - 1) / n * ((left_one_out - left_one_out.mean()) ** 2).sum()))


def jackknife(value: float, left_one_out: FloatArray, level: float) -> tuple[float, float]:
    """Jackknife-t on the log scale: 1 - (1 - x) exp(+-t SE / (1 - x)).

    The log scale follows the skewness of a coefficient that cannot exceed 1.

    Args:
        value: The coefficient x.
        left_one_out: The coefficient without one question each, N values.
        level: Confidence level.
    """
    t = stats.t.ppf((1 + level) / 2, len(left_one_out) - 1)
    gap = 1 - value
    with np.errstate(over="ignore"):
        factor = np.exp(t * jackknife_error(left_one_out) / gap)
    low, high = value - gap * (factor - 1), value + gap * (1 - 1 / factor)
    return (float(low), float(high)) if np.isfinite(low) else (np.nan, np.nan)


def percentiles(resampled: FloatArray, level: float) -> tuple[float, float]:
    """The percentile interval of a bootstrap.

    A resample without a value could have had any: it counts as too low and as too high.
    """
    missing, tail = np.isnan(resampled), (1 - level) / 2
    low = float(np.quantile(np.where(missing, -np.inf, resampled), tail, method="lower"))
    high = float(np.quantile(np.where(missing, np.inf, resampled), 1 - tail, method="higher"))
    return (low, high) if np.isfinite([low, high]).all() else (np.nan, np.nan)


def constant_share_bound(n_questions: int, level: float) -> float:
    """Exact lower bound of the share of questions that never vary, if none of N did.

    A share c shows N such questions with probability c^N (Clopper & Pearson 1934). Agreement is
    at least that share.
    """
    return float(((1 - level) / 2) ** (1 / n_questions))
