"""Columns of a workbook that is made of a source: numbers where that has numbers, else texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from numbers import Number
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .rows import TEXTS, dialect_of, read_frame

if TYPE_CHECKING:
    import pandas as pd

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
"""A number that a spreadsheet keeps as it is written: 007 is none, nor is one of 16 digits."""


def with_own_numbers(
    table: pd.DataFrame, files: Iterable[str], names: Mapping[str, str]
) -> pd.DataFrame:
    """A table with numbers for the texts of each column that has nothing but numbers in its source.

    A workbook says what is a number: an id may be a text of digits. In a text file, and in a data
    frame that was read, what is written like numbers is.

    Args:
        table: The table.
        files: The files of the source, which may be gone; none of a data frame.
        names: Column of the table -> its name in the source.
    """
    files = [*files]
    known = {yours: {*map(_is_number, table[ours].dropna())} for ours, yours in names.items()}
    if files:
        known = {yours: set() for yours in known}
        for file in files:
            for yours, of in _kinds(file, {*known}).items():
                known[yours] |= of
    numeric = [ours for ours, yours in names.items() if known[yours] == {True}]
    return table.assign(**{ours: table[ours].map(_as_number) for ours in numeric})


def _kinds(file: str, names: set[str]) -> dict[str, set[bool]]:
    """Whether cells of each of these columns are numbers, of the sheet that has most of them."""
    with suppress(OSError, UserError):
        frame, *_ = read_frame(file, wanted=lambda one: len(names & {*map(str, one)}))
        columns = {name: frame[name].dropna() for name in names & {*frame}}
        if not file.lower().endswith(TEXTS):
            return {name: {_is_of_numbers(one) for one in of} for name, of in columns.items()}
        point = dialect_of([file]).decimal
        return {name: {_is_number(one, point) for one in of} for name, of in columns.items()}
    return {}


def _is_of_numbers(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _is_number(text: Any, point: str = ".") -> bool:
    return bool(_NUMBER.fullmatch(str(text).strip().replace(point, ".")))


def _as_number(text: Any) -> Any:
    """A text as the number that it is, with a point or a comma."""
    if not isinstance(text, str):
        return text
    number = float(text.replace(",", "."))
    return int(number) if text.lstrip("-").isdigit() else number
