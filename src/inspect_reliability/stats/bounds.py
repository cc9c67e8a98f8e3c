"""Bounds of omega and agreement, given the open mass of exact distributions."""

import numpy as np

from .cells import Cells, FloatArray
from .intervals import Ends


def bounds(given: Cells) -> dict[str, Ends]:
    """The least and the largest omega and agreement, over all ways to distribute the open mass.

    Draws from the open mass, and clusters, are not used. Omega's bounds are not sharp: numerator
    and denominator are bounded separately. "omega" needs two questions or more.
    """
    known, free = given.table, given.open_mass
    n, largest = len(known), known.max(axis=1, initial=0.0)
    least = np.array([_evened(row, mass) for row, mass in zip(known, free, strict=True)])
    most = (known**2).sum(axis=1) + 2 * free * largest + free**2
    within = 1 - most.mean(), 1 - least.mean()
    found = {"agreement": (float(1 - within[1]), float(1 - within[0]))}
    if n < 2:
        return found
    apart = known @ known.T
    near = apart + np.outer(largest, free) + np.outer(free, largest) + np.outer(free, free)
    any_two = 1 - np.minimum(_others(near), 1), 1 - _others(apart)
    if any_two[0] > 0:
        low, high = 1 - within[1] / any_two[0], 1 - within[0] / any_two[1]
        found["omega"] = float(max(low, 0.0)), float(min(high, 1.0))
    return found


def _others(overlap: FloatArray) -> float:
    """Mean overlap of two different questions."""
    n = len(overlap)
    return float((overlap.sum() - np.trace(overlap)) / (n * (n - 1)))


def _evened(shares: FloatArray, free: float) -> float:
    """The least squared length of shares plus a mass, which fills up the smallest shares."""
    ordered = np.sort(shares)
    filled = ordered
    for number in range(1, len(ordered) + 1):
        level = (ordered[:number].sum() + free) / number
        if number == len(ordered) or level <= ordered[number]:
            filled = np.maximum(ordered, level)
            break
    return float((filled**2).sum())
