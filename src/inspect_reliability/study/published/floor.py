"""The published procedure on permuted verdicts."""

import numpy as np

from ...stats import Floor
from ...stats.long import FloatArray

_ROUNDING = 1e-9
"""Values that differ by less are the same."""


def floor_of(values: FloatArray) -> Floor | None:
    """Mean and 95% range of permuted values, ignoring NaN; None without any."""
    known = values[~np.isnan(values)]
    if not known.size:
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    mean = known.mean()
    within = np.clip(mean, low, high)
    mean = within if abs(mean - within) < _ROUNDING else mean
    return Floor(float(mean), float(low), float(high))


def permuted_correlations(standardised: FloatArray, permutations: int, seed: int) -> FloatArray:
    """Absolute correlations after permuting each column on its own, [permutations, k, k]."""
    generator = np.random.default_rng(seed)
    k = standardised.shape[1]
    correlations = np.empty((permutations, k, k))
    for one in correlations:
        shuffled = generator.permuted(standardised, axis=0)
        one[:] = np.abs(shuffled.T @ shuffled) / len(standardised)
    return correlations
