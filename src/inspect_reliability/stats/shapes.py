"""Whether the parts of a table fit each other."""

from collections.abc import Hashable, Sequence, Sized
from typing import Any

from numpy.typing import NDArray

from .estimate import ShapeError


def one_each(noun: str, given: Sized, of: str, things: Sized) -> None:
    """Raise ShapeError for other numbers of these than of those."""
    if len(given) != len(things):
        raise ShapeError(f"Got {len(given)} {noun} for {len(things)} {of}: give one each.")


def refuse_twice(noun: str, names: Sequence[Hashable]) -> None:
    """Raise ShapeError for a name that occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"Duplicate {noun} {twice!r}: give every {noun} a name of its own.")


def check_shape(noun: str, given: NDArray[Any], n: int, k: int) -> None:
    """Raise ShapeError if a table does not have these rows and columns."""
    if given.shape != (n, k):
        raise ShapeError(
            f"The table of {noun} has shape {given.shape}, which does not fit {n} questions and "
            f"{k} categories."
        )
