"""Many small problems minimised side by side, by L-BFGS (Nocedal & Wright 2006, algorithm 7.4)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..stats.sums import FloatArray

Descent = Callable[..., tuple[FloatArray, FloatArray, FloatArray]]
"""Points [B, n, f] and what is given of each -> values [B], slopes [B, n, f], metrics [B, f, f]."""

_PAIRS = 5
_STEPS = 1000
_FLAT = 1e-5


def minimised(function: Descent, start: FloatArray, *given: FloatArray) -> FloatArray:
    """The minimum that each start leads to.

    Args:
        function: The value and slope of each problem at its point. Its metric, by which slopes are
            multiplied from the right, approximates the inverse of the second derivatives.
        start: One point a problem, [B, n, f].
        given: What the function takes beside the points, each [B, ...].

    Returns:
        The minima, [B, n, f].
    """
    found, live, known = start.copy(), np.arange(len(start)), list(given)
    at = [start, *function(start, *known)]
    pairs: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    downhill, step, taken = start, np.ones(len(start)), np.ones(len(start), dtype=bool)
    for _ in range(_STEPS):
        x, value, slope, metric = at
        moving = (np.abs(slope @ metric) > _FLAT).any(axis=(1, 2))
        # Minima stay in the batch, where they cost less than taking them out, until they are half.
        if 2 * moving.sum() <= len(live):
            found[live] = x
            if not moving.any():
                return found
            live, downhill, step, taken, x, value, slope, metric, *known = (
                a[moving] for a in (live, downhill, step, taken, *at, *known)
            )
            pairs = [(s[moving], y[moving], r[moving]) for s, y, r in pairs]
        # Where the last step led too little down, half of it is tried while the others go on.
        downhill = _chosen(taken, _quasi_newton(slope, metric, pairs), downhill)
        step = np.where(taken, 1.0, step / 2)
        after = x - step[:, None, None] * downhill
        new, new_slope, new_metric = function(after, *known)
        rounding = 1e-12 * np.abs(value)
        taken = new <= value - 1e-4 * step * _dot(downhill, slope) + rounding
        pairs = [*pairs[1 - _PAIRS :], _pair(after - x, new_slope - slope, taken)]
        now, then = (after, new, new_slope, new_metric), (x, value, slope, metric)
        at = [_chosen(taken, a, b) for a, b in zip(now, then, strict=True)]
    found[live] = at[0]
    return found


def _chosen(taken: NDArray[np.bool_], one: FloatArray, other: FloatArray) -> FloatArray:
    """One for problems whose step was taken, the other for the rest."""
    return one if taken.all() else np.where(taken.reshape(-1, *[1] * (one.ndim - 1)), one, other)


def _pair(
    s: FloatArray, y: FloatArray, taken: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Move, change of slope, and 1 / their product; 0 leaves out what was no step downhill."""
    product = _dot(s, y)
    curved = taken & (product > 1e-10 * _dot(y, y))
    return s, y, np.where(curved, 1 / np.where(curved, product, 1.0), 0.0)


def _quasi_newton(
    slope: FloatArray,
    metric: FloatArray,
    pairs: list[tuple[FloatArray, FloatArray, FloatArray]],
) -> FloatArray:
    """The slope times the inverse second derivatives, as far as the last pairs tell them."""
    q, taken = slope.copy(), []
    for s, y, r in reversed(pairs):
        a = r * _dot(s, q)
        q -= a[:, None, None] * y
        taken.append(a)
    q = q @ metric
    if pairs:
        s, y, r = pairs[-1]
        scale = np.where(r > 0, 1 / np.where(r > 0, r * _dot(y, y @ metric), 1.0), 1.0)
        q *= scale[:, None, None]
    for (s, y, r), a in zip(pairs, reversed(taken), strict=True):
        q += (a - r * _dot(y, q))[:, None, None] * s
    return q


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("bij,bij->b", a, b))
