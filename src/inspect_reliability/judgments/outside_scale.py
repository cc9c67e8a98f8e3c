"""Which numbers are outside the scale of the grades beside them?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import UserError
from ..verdicts import NO_VERDICTS
from .count import NUMBER
from .reading import Reading

if TYPE_CHECKING:
    import pandas as pd

_HIGHEST = (5, 7, 10, 100)
"""Where scales end. Of a judge that gives at most 4, nobody knows where its scale does."""

_LOWEST = (0, 1)

_ENDS = (1, 10, 100)
"""Where grades end at the latest that reach no higher."""

_FAR = 5
"""A number given once is far from the others where they fit so often between it and them."""

_RARER = 5
"""How many times as rare as the grade beside it a 0 is that may be no grade."""

_RARE = 0.05
"""Share of the grades up to which a 0 is rare."""

_UP_TO = 10
"""The highest grade beside which a rare 0 is asked about."""

FEWEST_GRADES = 3
"""Different numbers that make a scale."""

_MANY = 10
"""Labels for each one outside, from which that is a slip; more often it is a grade."""

_SHOWN = 3
"""Most rows that a message names."""


def scale_of(verdicts: Collection[str]) -> tuple[float, float] | None:
    """The ends of the scale of a judge's grades; None if these do not show them."""
    said = {one for one in verdicts if one not in NO_VERDICTS}
    if not said or not all(map(NUMBER.fullmatch, said)):
        return None
    grades = {*map(float, said)}
    low, high = min(grades), max(grades)
    known = low in _LOWEST and high in _HIGHEST and len(grades) >= FEWEST_GRADES
    return (low, high) if known else None


def is_outside(value: float, others: Sequence[float], once: bool) -> bool:
    """Whether a whole number may be no grade: it is far from the others, or alone below 0.

    What was given once is, where the others are grades to 1, 10 or 100 and this is far beyond
    these: a judge may once give 0 or 100 far from its other grades, and counts have no end.
    """
    spread = others[-1] - others[0]
    gap = min(abs(value - one) for one in others)
    between = max(b - a for a, b in pairwise(others))
    negative = value < 0 <= others[0] and gap > max(between, 1)
    if once:
        most = max(map(abs, others))
        end = next((one for one in _ENDS if most <= one), math.inf)
        negative = negative and end < math.inf and all(one.is_integer() for one in others)
        far = abs(value) > end and gap > _FAR * spread
    else:
        far = gap > max(spread, between)
    return value.is_integer() and (negative or far)


def numbers_outside(
    times: Mapping[float, float], zero_is_grade: bool = False
) -> Iterator[tuple[float, float, float]]:
    """The numbers of a judge that may be no grades, each with the ends of the others.

    Args:
        times: How often the judge gave each number.
        zero_is_grade: Whether 0 is one, where it may be none.
    """
    known = sorted(times)
    while len(known) > FEWEST_GRADES:
        ends = ((known[0], known[1:]), (known[-1], known[:-1]))
        found = [one for one in ends if is_outside(*one, once=times[one[0]] < 2)]
        if not found and not known[0] and not zero_is_grade:
            found = [ends[0]]
        if not found:
            return
        value, known = found[0]
        yield value, known[0], known[-1]


def is_zero_grade(rows: pd.DataFrame) -> bool:
    """Whether 0 is a grade, as of a scale from 0 to 5, or may say that no grade was given.

    It may where it is rare among whole grades up to 10, and other grades of its questions are not
    low: nearer to the mean of all than to the lowest. Without such, where the lowest of the others
    is far more frequent: the ends of a scale become rarer step by step.

    Args:
        rows: A judge's grades, or those of several: `question`, `grade`, and `n`, how many
            judgments a row counts for.
    """
    times = rows.groupby("grade")["n"].sum()
    zero, others = times.get(0.0, 0.0), times[times.index != 0]
    grades = [*map(float, others.index)]
    whole = all(one.is_integer() and 0 < one <= _UP_TO for one in grades)
    if not whole or len(grades) < FEWEST_GRADES or not 0 < zero <= _RARE * times.sum():
        return True
    given = rows[rows["grade"] > 0]
    asked = rows["question"][rows["grade"] == 0]
    beside = given[given["question"].isin(asked)].groupby("question")["grade"].mean()
    if len(beside):
        return bool(2 * beside.mean() < grades[0] + given["grade"].mean())
    low, second = others.iloc[0], others.iloc[1]
    return bool(low < _RARER * zero * max(1, second / low))


def allowed_in(cells: Iterable[object]) -> tuple[float, float] | None:
    """The ends of the grades that a sheet of `label` allows, as `1 | 2 | 3`; None of names."""
    known = {name.strip() for one in cells if isinstance(one, str) for name in one.split("|")}
    if len(known) < FEWEST_GRADES or not all(map(NUMBER.fullmatch, known)):
        return None
    return min(map(float, known)), max(map(float, known))


def refuse_slips(
    where: str,
    written: Sequence[tuple[str, str | None]],
    ends: tuple[float, float],
    reading: Reading,
    declared: bool,
    column: str = "",
) -> None:
    """Refuse numbers outside a scale, unless their user says that they are grades.

    Args:
        where: What the message names: a file, or a data frame.
        written: What was written, and where: a row, a question.
        ends: The lowest and the highest grade.
        reading: How to say that a number is a grade; those of its `map` are.
        declared: Whether the scale was said, so that any number outside is refused, not only those
            of a few labels.
        column: Where it is to be corrected, if that has a name.

    Raises:
        UserError: One of them is.
    """
    low, high = ends
    numbers = [(place, number) for place, one in written if (number := _number(one)) is not None]
    found = [
        (place, f"{one:g}")
        for place, one in numbers
        if not low <= one <= high and not _is_said(one, reading.map)
    ]
    if not found or not (declared or len(found) * _MANY <= len(numbers)):
        return
    first = ", ".join(f"{place}: {one}" for place, one in found[:_SHOWN])
    more = f", and {len(found) - _SHOWN:,} more" if found[_SHOWN:] else ""
    yes = reading.call({"map": {one: one for _, one in found}})
    no, it, is_ = ("are no grades", "them", "they are grades") if found[1:] else _ONE
    raise UserError(
        f"{where}, {first}{more} {no} from {low:g} to {high:g}. Correct {it}"
        f"{f' in the column {column!r}' * bool(column)}, or say that {is_}: {yes}"
    )


_ONE = ("is no grade", "it", "it is a grade")


def _number(written: str | None) -> float | None:
    text = str(written).strip().replace(",", ".")
    return float(text) if NUMBER.fullmatch(text) else None


def _is_said(number: float, names: Mapping[str, str]) -> bool:
    return number in (_number(one) for one in names)
