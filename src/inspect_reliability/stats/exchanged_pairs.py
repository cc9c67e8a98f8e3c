"""Pairs of responses whose first is arbitrary: each question counts both ways."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import Cells, codes


def both_ways(given: Cells) -> Cells:
    """Every cell twice in its cluster: as it is, and with the names of its pair exchanged.

    What was verdict A in one order is then B in the other.
    """
    mirror = given.mirror

    def twice(own: NDArray[Any], exchanged: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([own, exchanged])

    same: dict[str, Any] = {
        one: twice(x := getattr(given, one), x) for one in ("missing", "clusters", "weights")
    }
    named = ("table", "tails", "samples")
    turned: dict[str, Any] = {one: twice(x := getattr(given, one), x[..., mirror]) for one in named}
    levels = {
        name: twice(one, given.turned[name][one] if name in given.turned else one)
        for name, one in given.facets.items()
    }
    ways = given.variants
    return replace(
        given,
        questions=(*given.questions, *(f"{one}\0" for one in given.questions)),
        facets=levels,
        variants=None if ways is None else both_ways(replace(ways, mirrored=given.mirrored)),
        mirrored={},
        turned={},
        **same,
        **turned,
    )


def in_several(given: Cells, facet: str) -> Cells | None:
    """The cells of what was judged at several levels of a facet; None if nothing was."""
    of = codes(given.questions)
    asked, _ = np.unique(np.array([of, given.facets[facet]]), axis=1)
    several = np.bincount(asked)[of] > 1
    return given.rows(several) if several.any() else None
