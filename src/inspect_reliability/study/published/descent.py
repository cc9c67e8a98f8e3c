"""Many small problems minimised side by side, by L-BFGS (Nocedal & Wright 2006, algorithm 7.4)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...stats.cells import FloatArray

Descent = Callable[..., tuple[FloatArray, FloatArray]]
"""Points [B, n, m] and what is given of each -> values [B] and slopes [B, n, m]."""

_Pair = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""A move, the change of slope along it, 1 / their product, and the length of the next step."""

_PAIRS = 4
_STEPS = 1000
_FLAT = 3e-5


def minimised(function: Descent, start: FloatArray, *given: FloatArray) -> FloatArray:
    """The minimum that each start leads to, [B, n, m].

    Starts are so scaled that all directions are about as steep. `given` is what the function takes
    beside the points, each [B, ...].
    """
    found, live, known = start.copy(), np.arange(len(start)), list(given)
    at = [start, *function(start, *known)]
    pairs: list[_Pair] = []
    downhill, step, taken = start, np.ones(len(start)), np.ones(len(start), dtype=bool)
    moving = taken.copy()
    for _ in range(_STEPS):
        x, value, slope = at
        ended = moving & ~(np.abs(slope) > _FLAT).any(axis=(1, 2))
        if ended.any():
            found[live[ended]] = x[ended]
            moving &= ~ended
        # Minima stay in the batch, where they cost less than taking them out, until they are half.
        if 2 * moving.sum() <= len(live):
            if not moving.any():
                return found
            live, downhill, step, taken, x, value, slope, *known = (
                a[moving] for a in (live, downhill, step, taken, *at, *known)
            )
            pairs = [(s[moving], y[moving], r[moving], c[moving]) for s, y, r, c in pairs]
            moving = moving[moving]
        # Where the last step led too little down, half of it is tried while the others go on.
        downhill = _chosen(taken, _quasi_newton(slope, pairs), downhill)
        step = np.where(taken, 1.0, step / 2)
        after = x - step[:, None, None] * downhill
        new, new_slope = function(after, *known)
        rounding = 1e-12 * np.abs(value)
        taken = new <= value - 1e-4 * step * _dot(downhill, slope) + rounding
        pairs = [*pairs[1 - _PAIRS :], _pair(after - x, new_slope - slope, taken)]
        now, then = (after, new, new_slope), (x, value, slope)
        at = [_chosen(taken, a, b) for a, b in zip(now, then, strict=True)]
    found[live[moving]] = at[0][moving]
    return found


def _chosen(taken: NDArray[np.bool_], one: FloatArray, other: FloatArray) -> FloatArray:
    """One for problems whose step was taken, the other for the rest."""
    return one if taken.all() else np.where(taken.reshape(-1, *[1] * (one.ndim - 1)), one, other)


def _pair(s: FloatArray, y: FloatArray, taken: NDArray[np.bool_]) -> _Pair:
    """What a move tells of the second derivatives; 1 / 0 leaves out what was no step downhill."""
    product, squares = _dot(s, y), _dot(y, y)
    curved = taken & (product > 1e-10 * squares)
    inverse = np.where(curved, 1 / np.where(curved, product, 1.0), 0.0)
    return s, y, inverse, np.where(curved, product / np.where(curved, squares, 1.0), 1.0)


def _quasi_newton(slope: FloatArray, pairs: list[_Pair]) -> FloatArray:
    """The slope times the inverse second derivatives, as far as the last pairs tell them."""
    q, taken = slope.copy(), []
    for s, y, r, _ in reversed(pairs):
        a = r * _dot(s, q)
        q -= a[:, None, None] * y
        taken.append(a)
    if pairs:
        q *= pairs[-1][3][:, None, None]
    for (s, y, r, _), a in zip(pairs, reversed(taken), strict=True):
        q += (a - r * _dot(y, q))[:, None, None] * s
    return q


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("bij,bij->b", a, b))
