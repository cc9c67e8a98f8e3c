"""The published procedure on permuted verdicts, for all permutations side by side.

One fit of the procedure (`minres`) takes milliseconds, and a report needs thousands. Here each
permutation is fitted to the minimum near which the procedure stops, as a problem in the loadings
themselves, which needs only matrix products.
"""

import numpy as np

from ...stats import Floor
from ...stats.cells import FloatArray
from .descent import minimised
from .minres import FACTORS, LEAST, explained, loadings, quartimin, singular, uniquenesses

_DETERMINED = 7
"""With fewer variables, three factors can fit all correlations in many ways."""

_AT_ONCE = 500_000
"""Correlations fitted at a time, few enough to stay in a processor's cache."""

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


def omega_totals(correlations: FloatArray) -> FloatArray:
    """omega_total of many correlation matrices, [B, k, k], k >= 2; NaN where one is singular.

    With fewer than 7 variables the minimum is not unique and the value depends on where the
    procedure stops, so factors are fitted as it fits them.
    """
    determined = correlations.shape[1] >= _DETERMINED
    found = np.full(len(correlations), np.nan)
    regular = np.flatnonzero(~singular(correlations))
    for part in np.array_split(regular, 1 + correlations.size // _AT_ONCE) if regular.size else ():
        some = correlations[part]
        fitted = _fitted(some) if determined else np.array([loadings(one) for one in some])
        oblique = np.tile(np.eye(fitted.shape[2]), (len(part), 1, 1))
        found[part] = explained(some, _rotated(fitted, minimised(_obliqueness, oblique, fitted)))
    return found


def _fitted(correlations: FloatArray) -> FloatArray:
    """Loadings that leave the least of correlations, [B, k, 3], from principal factors on."""
    reduced = correlations.copy()
    np.einsum("bii->bi", reduced)[:] = 1 - np.clip(uniquenesses(correlations), LEAST, 1)
    values, vectors = np.linalg.eigh(reduced)
    lengths = np.sqrt(np.maximum(values[:, -FACTORS:, None], LEAST))
    # A loading counts with the squared length of its factor: scaled by it, all count alike.
    start = np.ascontiguousarray(np.swapaxes(vectors[..., -FACTORS:], 1, 2))
    found = minimised(_misfit, start * lengths**2, correlations, lengths) / lengths
    return np.swapaxes(found, 1, 2)


def _misfit(
    scaled: FloatArray, correlations: FloatArray, lengths: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A quarter of the squares that loadings leave of correlations, but for a constant.

    The procedure minimises over uniquenesses. The best of a variable is 1 minus its squared
    loadings, or the least allowed, and then what it leaves counts too. Loadings [B, 3, k] come
    times the lengths of their factors, [B, 3, 1].
    """
    fitted = scaled / lengths
    common = np.einsum("bfi,bfi->bi", fitted, fitted)
    allowed = np.minimum(common, 1 - LEAST)
    within = fitted @ np.swapaxes(fitted, 1, 2)
    seen = fitted @ correlations - fitted
    squares = (
        np.einsum("bfg,bfg->b", within, within)
        - 2 * np.einsum("bfi,bfi->b", seen, fitted)
        + np.einsum("bi,bi->b", allowed - 2 * common, allowed)
    )
    slope = within @ fitted - seen - allowed[:, None] * fitted
    return squares / 4, slope / lengths


def _obliqueness(turns: FloatArray, fitted: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The quartimin criterion of loadings rotated by turns, whose columns may have any length."""
    lengths = np.sqrt((turns**2).sum(axis=1, keepdims=True))
    _, criterion, slope = quartimin(fitted, turns / lengths)
    return criterion, slope / lengths


def _rotated(fitted: FloatArray, turns: FloatArray) -> FloatArray:
    return quartimin(fitted, turns / np.sqrt((turns**2).sum(axis=1, keepdims=True)))[0]
