"""Tables with several verdicts in a row, as tables with one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from string import digits
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .column_names import could_be, lacking
from .duplicates import MOST_COLUMNS
from .outcomes import pairs_shown
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd


_TAKEN = "columns of verdicts taken for {}"

_MEANS = {"replication": "replications", "scorer": "parts of a score", "judge": "judges"}

_TRY = re.compile(
    r"(?:first|second|third|fourth|again|once|twice|run|try|trial|attempt|round|epoch|repeat|rep)"
    r"(?:[\s_-]?\w{1,2})?",
    re.IGNORECASE,
)
"""Names of tries."""

_LISTS = "lists of verdicts taken for the replications of their row"

_ROWS = 1000
"""Rows that show which columns have the same values."""


def melted(
    frames: Iterator[pd.DataFrame], reading: Reading
) -> tuple[Iterator[pd.DataFrame], Reading, list[Note]]:
    """Frames with one row a verdict, where the user says that several columns are verdicts.

    They are replications if their names are numbered from 0 or 1 and name no judge, or say so;
    beside a column of judges, parts of a score; and else judges.

    Raises:
        UserError: A column is not there, or there are such replications or judges already.
    """
    import pandas as pd

    wide = [yours for yours, ours in reading.columns.items() if ours == "verdict"]
    if len(wide) < 2:
        return frames, reading, []
    others = {yours: ours for yours, ours in reading.columns.items() if yours not in wide}
    first = next(frames)
    if absent := [name for name in wide if name not in first]:
        raise UserError(lacking(absent, first, reading))
    named = {*first, *others.values()}.difference(others)
    stem = wide[0].rstrip(digits)
    ends = [int(end) for name in wide if (end := name.removeprefix(stem)).isdecimal()]
    numbered = sorted(ends) in ([*range(len(wide))], [*range(1, len(wide) + 1)])
    tries = (numbered and not could_be(stem, "judge")) or all(map(_TRY.fullmatch, wide))
    kind = "replication" if tries else "scorer" if "judge" in named else "judge"
    if kind in named:
        raise UserError(
            f"{reading.where}: two columns were given one name, '{kind}'. {reading.hint}"
        )
    numbers = ends if numbered else range(1, len(wide) + 1)
    levels: dict[str, Any] = dict(zip(wide, numbers if tries else wide, strict=True))

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        kept = frame.drop(columns=wide)
        each = [kept.assign(**{"verdict": frame[name], kind: of}) for name, of in levels.items()]
        return pd.concat(each).sort_index(kind="stable", ignore_index=True)

    note = Note(_TAKEN.format(_MEANS[kind]), len(wide), reading.where, Code.COLUMN)
    return map(rows, chain([first], frames)), replace(reading, columns=others), [note]


def tries_in_cells(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose cells are lists of verdicts, as in [5, 4, 4], with a row for each of these.

    A list of different texts is one verdict: the labels of an output that has several.
    """
    cells = frame["verdict"]
    first = cells.dropna().head(_ROWS)
    if not any(isinstance(one, list | tuple) or str(one)[:1] == "[" for one in first[:1]):
        return frame, []
    lists = cells.map(_as_list)
    found = lists.dropna()
    if len(found) < len(cells.dropna()) or not any(map(_are_tries, found)):
        return frame, []
    rows = frame.assign(verdict=lists.where(lists.notna(), None)).explode("verdict")
    number = rows.groupby(level=0).cumcount() + 1
    taken = {} if "replication" in frame else {"replication": number}
    note = Note(_LISTS, len(found), reading.where, Code.TRIES)
    return rows.assign(**taken).reset_index(drop=True), [note]


def _as_list(value: Any) -> list[Any] | None:
    if isinstance(value, list | tuple):
        return [*value]
    with suppress(ValueError, RecursionError):
        found = json.loads(str(value).replace("'", '"'))
        return found if isinstance(found, list) and value[:2] != "[[" else None
    return None


def _are_tries(values: list[Any]) -> bool:
    """Whether these are no set of labels: numbers, or a text twice."""
    texts = all(isinstance(one, str) for one in values)
    return len(values) > 1 and (not texts or len({*values}) < len(values))


def hint_of_several(frame: pd.DataFrame, reading: Reading) -> str:
    """How to say that several columns are verdicts, where their values are much the same."""
    shown = {name for pair in pairs_shown(frame) for name in pair}
    free = [name for name in map(str, frame) if name not in shown and not could_be(name, "label")]
    free = [name for name in free if not any(could_be(name, one) for one in _NAMED)]
    values = {name: {*frame[name].head(_ROWS).dropna().map(str)} for name in free[:MOST_COLUMNS]}
    few = {name: of for name, of in values.items() if 0 < 2 * len(of) < max(len(frame), 3)}
    for own in few.values():
        same = [name for name, of in few.items() if 2 * len(own & of) > len(own | of)]
        same = same if len(same) > 1 else [name for name, of in few.items() if _grades(of)]
        if len(same) > 1:
            calls = reading.column_call("verdict", *same)
            judge = any(could_be(name, "judge") for name in map(str, frame))
            kinds = "tries or parts of a score" if judge else "verdicts of one judge each, or tries"
            return f" If several are {kinds}, say so of each: {calls}."
    return ""


_NAMED = ("question", "judge", "replication", "temperature", "rater")


def _grades(values: set[str]) -> bool:
    """Whether all are small whole numbers, as grades are."""
    return all(one.isdecimal() and len(one) < 3 for one in values)
