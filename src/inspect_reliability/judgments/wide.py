"""Tables with several verdicts in a row, as tables with one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from string import digits
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .names import Told, could_be, lacking
from .places import pairs_shown
from .repeats import MOST_COLUMNS
from .table import Note

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 1000
"""Rows that show which columns have the same values."""


def long(
    frames: Iterator[pd.DataFrame], told: Told
) -> tuple[Iterator[pd.DataFrame], Told, list[Note]]:
    """Frames with one row a verdict, where the user says that several columns are verdicts.

    They are replications if their names are numbered from 0 or 1 and name no judge, or beside a
    column of judges, and else judges.

    Raises:
        UserError: A column is not there, or there are such replications or judges already.
    """
    import pandas as pd

    wide = [yours for yours, ours in told.columns.items() if ours == "verdict"]
    if len(wide) < 2:
        return frames, told, []
    others = {yours: ours for yours, ours in told.columns.items() if yours not in wide}
    first = next(frames)
    if absent := [name for name in wide if name not in first]:
        raise UserError(lacking(absent, first, told))
    named = {*first, *others.values()}.difference(others)
    stem = wide[0].rstrip(digits)
    ends = [int(end) for name in wide if (end := name.removeprefix(stem)).isdecimal()]
    numbered = sorted(ends) in ([*range(len(wide))], [*range(1, len(wide) + 1)])
    tries = numbered and not could_be(stem, "judge")
    kind = "replication" if tries or "judge" in named else "judge"
    if kind in named:
        raise UserError(f"{told.where}: two columns were given one name, '{kind}'. {told.hint}")
    numbers = ends if numbered else range(1, len(wide) + 1)
    levels: dict[str, Any] = dict(zip(wide, wide if kind == "judge" else numbers, strict=True))

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        kept = frame.drop(columns=wide)
        each = [kept.assign(**{"verdict": frame[name], kind: of}) for name, of in levels.items()]
        return pd.concat(each).sort_index(kind="stable", ignore_index=True)

    note = Note(f"columns of verdicts taken for {kind}s", len(wide), told.where)
    return map(rows, chain([first], frames)), replace(told, columns=others), [note]


def hint_of_several(frame: pd.DataFrame, told: Told) -> str:
    """How to say that several columns are verdicts, where their values are much the same."""
    shown = {name for pair in pairs_shown(frame) for name in pair}
    free = [name for name in map(str, frame) if name not in shown and not could_be(name, "label")]
    values = {name: {*frame[name].head(_ROWS).dropna().map(str)} for name in free[:MOST_COLUMNS]}
    for own in values.values():
        same = [name for name, of in values.items() if 2 * len(own & of) > len(own | of) > 0]
        if len(same) > 1 and 2 * len(own) < len(frame):
            calls = told.call("verdict", *same)
            return f" If several are verdicts of one judge each, or tries, say so of each: {calls}."
    return ""
