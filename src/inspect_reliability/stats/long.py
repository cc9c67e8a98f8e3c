"""Long tables and arrays of judgments: numbered, checked and counted."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .estimate import NoJudgmentsError, ShapeError, UnknownCategoryError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Flags = NDArray[np.bool_]

ROUNDING = 1e-9
"""Numbers that differ by less are equal."""

_SAME = 1e-6
"""Distributions with smaller differences are the same one, recomputed."""


def plain_list(values: Iterable[Any]) -> list[Any]:
    """A list of Python's own values."""
    return list(np.asarray(values).tolist() if hasattr(values, "__array__") else values)


def arranged(
    questions: Sequence[str], facets: Mapping[str, Iterable[Hashable]]
) -> tuple[tuple[str, ...], list[int], dict[str, IntArray]]:
    """The question of each cell, the cell of each judgment, and the levels of each cell."""
    levels = {name: codes(plain_list(given)) for name, given in facets.items()}
    for name, each in levels.items():
        one_each(f"levels of {name!r}", each, "verdicts", questions)
    if not levels:
        row = {name: i for i, name in enumerate(dict.fromkeys(questions))}
        return tuple(row), list(map(row.__getitem__, questions)), {}
    cells = list(zip(questions, *(each.tolist() for each in levels.values()), strict=True))
    at = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    found = {name: np.array([cell[k] for cell in at]) for k, name in enumerate(levels, 1)}
    return tuple(cell[0] for cell in at), list(map(at.__getitem__, cells)), found


def codes(values: Iterable[Hashable]) -> IntArray:
    """The number of each value, in order of first appearance."""
    given = list(values)
    number = {value: n for n, value in enumerate(dict.fromkeys(given))}
    return np.array(list(map(number.__getitem__, given)), np.int64)


def category_name(verdict: object) -> str | None:
    """The name of a verdict's category; None if the verdict is missing."""
    # NaN does not equal itself; whether pandas' NA does has no truth value.
    if verdict is None or str(verdict == verdict) != "True":
        return None
    if isinstance(verdict, float) and verdict.is_integer():
        return str(int(verdict))
    return str(verdict)


def table_of_numbers(values: ArrayLike) -> FloatArray:
    """A read-only copy as a table of numbers.

    Raises:
        ShapeError: It is no such table, or a value is infinite.
    """
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.ndim != 2 or np.isinf(numbers).any():
        raise ShapeError(
            "Expected a table of finite numbers, questions x replications, NaN where missing."
        )
    numbers.setflags(write=False)
    return numbers


def whole_numbers(values: Any) -> IntArray:
    """A read-only copy as integers; ShapeError if a value is not a whole number from 0."""
    try:
        numbers = np.array(values, dtype=np.int64)
        whole = (numbers >= 0).all() and (numbers == np.asarray(values)).all()
    except (OverflowError, TypeError, ValueError):
        whole = False
    if not whole:
        raise ShapeError("Counts of verdicts must be whole numbers from 0.")
    numbers.setflags(write=False)
    return numbers


def one_each(noun: str, given: Sized, of: str, things: Sized) -> None:
    """Raise ShapeError for other numbers of these than of those."""
    if len(given) != len(things):
        raise ShapeError(f"Got {len(given)} {noun} for {len(things)} {of}: give one each.")


def refuse_twice(noun: str, names: Sequence[Hashable]) -> None:
    """Raise ShapeError for a name that occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"Duplicate {noun} {twice!r}: give every {noun} a name of its own.")


def counted(
    n: int,
    rows: Sequence[int],
    verdicts: Sequence[Any],
    categories: Sequence[str] | None,
    times: ArrayLike = 1,
) -> tuple[IntArray, tuple[str, ...]]:
    """Counts of each verdict in each of n rows, missing ones last, and the categories.

    Each verdict counts `times` (one number each, or one for all).

    Raises:
        ShapeError: A verdict is a list.
        UnknownCategoryError: A verdict is not among the declared categories.
        NoJudgmentsError: There is none.
    """
    # Thousands of verdicts share a handful of values: each value is named once.
    try:
        label = {value: category_name(value) for value in set(verdicts)}
    except TypeError:
        raise ShapeError("Each verdict must be a name or a number, not a list.") from None
    found = {name for name in label.values() if name is not None}
    names = tuple(sorted(found)) if categories is None else tuple(categories)
    if unknown := sorted(found.difference(names)):
        raise UnknownCategoryError(unknown, names)
    if not found:
        raise NoJudgmentsError
    position = {name: k for k, name in enumerate(names)}
    column = {
        value: len(names) if name is None else position[name] for value, name in label.items()
    }
    cells = np.zeros((n, len(names) + 1), dtype=np.int64)
    np.add.at(cells, (rows, [column[verdict] for verdict in verdicts]), times)
    return cells, names


def check_shape(noun: str, given: NDArray[Any], n: int, k: int) -> None:
    """Raise ShapeError if a table does not have these rows and columns."""
    if given.shape != (n, k):
        raise ShapeError(
            f"The table of {noun} has shape {given.shape}, which does not fit {n} questions and "
            f"{k} categories."
        )


def weighted(
    n: int,
    given: Iterable[tuple[int, str | None, float, bool | None, bool]],
    categories: Sequence[str],
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Mean known shares, samples and draws of n rows; see `Cells.of_distributions`.

    `given` has the row, verdict, weight, whether it is a draw, and whether it starts a
    distribution.
    """
    given = list(given)
    column = {name: k for k, name in enumerate(categories)}
    number, drawn = [0] * n, np.zeros((n, len(categories)), np.int64)
    most = max(Counter(i for i, *_, start in given if start).values(), default=1)
    known, samples = np.zeros((2, n, most, len(categories)))
    for i, verdict, weight, tail, start in given:
        number[i] += start
        if verdict is not None:
            k = column[verdict]
            one = i, max(number[i] - 1, 0), k
            samples[one] += weight
            if tail:
                drawn[i, k] += 1
            else:
                known[one] += weight
    each = np.maximum(number, 1)[:, None]  # a question may lack the first row of one
    table = known.sum(axis=1) / each
    known[np.arange(most) >= each] = samples[np.arange(most) >= each] = np.nan
    alike = np.nanmax(known, axis=1) - np.nanmin(known, axis=1) < _SAME
    return table, samples[:, :0] if alike.all() else samples, drawn
