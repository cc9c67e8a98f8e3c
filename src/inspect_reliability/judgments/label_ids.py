"""Which of the outputs that were judged the id in a file of labels names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from .text import names_with_texts

if TYPE_CHECKING:
    import pandas as pd

UUIDS = ("output_uuid", "uuid")
"""Ids of samples in logs; the first of those whose outputs were judged again."""

_SHOWN = 3
"""How many ids a message shows."""


def units_by_id(
    table: pd.DataFrame, number: Sequence[int]
) -> Sequence[Mapping[str, Collection[int]]]:
    """The number of each row's unit by its id, for each kind of id, the nearest first."""
    found = []
    columns = [table.get(one, ()) for one in ("question", "output", "sample", *UUIDS)]
    for column in (*columns, *names_with_texts(table)):
        named: dict[str, dict[int, None]] = defaultdict(dict)
        for unit, value in zip(number, column, strict=False):
            named[str(value)][unit] = None
        found.append(named)
    return found


def units_by_plain_id(table: pd.DataFrame, number: Sequence[int]) -> Mapping[str, Collection[int]]:
    """The number of each row's unit by the plain id of its question, where no two share it.

    A spreadsheet makes 7 of 007, and people write Q7 for q7.
    """
    found: dict[str, dict[int, None]] = defaultdict(dict)
    spelled: dict[str, set[str]] = defaultdict(set)
    for unit, id in zip(number, map(str, table["question"]), strict=True):
        plain = plain_id(id)
        found[plain][unit] = None
        spelled[plain].add(id)
    return {plain: units for plain, units in found.items() if len(spelled[plain]) == 1}


_ZEROS = re.compile(r"(?<![\d.,])0+(?=\d)")


@cache
def plain_id(id: str) -> str:
    """An id without capitals, spaces around it and zeros in front of its numbers."""
    return _ZEROS.sub("", id.strip().casefold())


def ids_known(table: pd.DataFrame) -> str:
    """A few ids that labels may have, in words: of questions, and a uuid where there is one."""
    names = table["question"].drop_duplicates().head(_SHOWN)
    uuids = [table[one].dropna() for one in UUIDS if one in table]
    known = next((one.iloc[0] for one in uuids if len(one)), None)
    shown = ", ".join(f"{name!r:.60}" for name in map(str, names))
    return shown if known is None else f"{shown}; or the uuid of its sample, as {known!r:.60}"
