"""Which rows of a source are copies of others?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .columns import COLUMNS, UNUSED, WORDS, numbers_of, words_of
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

_OF_A_CALL = {
    *("id", "ids", "uuid", "guid", "uid", "key", "hash", "created", "timestamp", "started"),
    *WORDS["time"],
}
"""Words in the names of what each call has of its own: an id, or a time."""

_MOST = 0.5
"""Share of the questions that may have copies; with more, each was judged so often."""

_MOST_ROWS = 0.25
"""Share of the rows that may be copies; more are those of two runs."""

_CHANCE = 1e-6
"""Chance that new draws all repeat a verdict, below which rows are none."""

_OF_CALLS = (
    "rows left out as copies: the same in every column as another, and so the same {!r} "
    "({} counts each as a try)"
)
_OF_TRIES = (
    "rows left out as copies: the same in every column as another, and so the same try "
    "({} counts each as a try)"
)
_OF_SEEDS = (
    "rows left out that repeat a seed of their question, with its verdict and all else but ids and "
    "times: copies, or a seed that always gives one answer ({} counts each as a try)"
)
_OF_SHEETS = "rows left out as copies: the same in every column as another, with the same tries"
_AS_TRIES = (
    "rows are the same in every column as another, of questions with more rows than the others: "
    "each counts as a try. Delete those that are copies"
)
_AS_A_TRY = (
    "row is the same in every column as another, of a question with more rows than the others: it "
    "counts as a try. If it is a copy, delete it"
)


def without_copied_calls(table: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """The rows without copies, where each call has an id or a time of its own.

    No two rows that differ may have the same one, and most questions must have several rows: the
    date of a question tells its tries from no copies.
    """
    for name in map(str, table):
        role = COLUMNS[name].role if name in COLUMNS else "fact"
        free = (role in ("fact", "facet") or name == "uuid") and reading.columns.get(name) != UNUSED
        of_call = free and name != "question" and {*words_of(name)} & _OF_A_CALL
        if not of_call or table[name].isna().any() or not table[name].duplicated().any():
            continue
        again = table.astype(str).duplicated()
        once = table[~again]
        if again.any() and not once[name].duplicated().any() and _several(once) > _MOST:
            yours = reading.yours(name)
            undone = reading.column_call(UNUSED, yours)
            what = _OF_CALLS.format(yours, undone)
            return once.reset_index(drop=True), [Note(what, int(again.sum()), reading.where)]
    return table, []


def _several(table: pd.DataFrame) -> float:
    """Share of the rows whose question has several."""
    return float(table["question"].map(str).duplicated(keep=False).mean())


def without_copied_tries(
    table: pd.DataFrame, known: Sequence[str], reading: Reading
) -> tuple[pd.DataFrame, list[Note]]:
    """The rows without copies, where each names its try, and what repeats one is the same in all.

    Args:
        table: Judgments.
        known: Columns that identify a judgment, the replication among them.
        reading: What is known of the source.
    """
    number = numbers_of(*(table[name] for name in known))
    again = number.duplicated()
    if "place" in table or not again.any() or again.mean() > _MOST_ROWS:
        return table, []
    of = number.duplicated(keep=False)
    if int(table[of].astype(str).duplicated().sum()) < int(again.sum()):
        return table, []
    undone = reading.column_call(UNUSED, reading.yours("replication"))
    note = Note(_OF_TRIES.format(undone), int(again.sum()), reading.where)
    return table[~again].reset_index(drop=True), [note]


def without_copied_seeds(
    table: pd.DataFrame, known: Sequence[str], reading: Reading
) -> tuple[pd.DataFrame, list[Note]]:
    """The rows without those that repeat a seed, where all are the same but for ids and times.

    Draws that differ would not: tries under other seeds must differ often enough to show it.

    Args:
        table: Judgments.
        known: Columns that identify a judgment, the seed among them.
        reading: What is known of the source.
    """
    import numpy as np

    if "seed" not in known or "place" in table or table["seed"].isna().any():
        return table, []
    asked = [name for name in known if name not in ("replication", "seed")]
    seed = numbers_of(*(table[name] for name in (*asked, "seed")))
    again = seed.duplicated()
    if not again.any():
        return table, []
    of_calls = [one for one in map(str, table) if {*words_of(one)} & _OF_A_CALL]
    own = [one for one in of_calls if one not in known and table[one].nunique() > seed.nunique()]
    rows = table.drop(columns=[*own, *({"replication"} & {*table})]).astype(str)
    if int(rows.duplicated().sum()) < int(again.sum()):
        return table, []
    cell = numbers_of(*(table[name] for name in asked))
    once = table[~again]
    tries = once.groupby(cell[once.index]).size()
    each = once["verdict"].groupby([cell[once.index], once["verdict"]]).size()
    alike = (each * (each - 1)).groupby(level=0).sum()
    chance = (alike + 1) / (tries * (tries - 1) + 1)  # of one more, so that none is zero
    if np.log(cell[again].map(chance.to_dict())).sum() > np.log(_CHANCE):
        return table, []
    undone = reading.column_call(UNUSED, reading.yours("seed"))
    note = Note(_OF_SEEDS.format(undone), int(again.sum()), reading.where)
    return once.reset_index(drop=True), [note]


def without_copied_sheet_rows(
    frame: pd.DataFrame, reading: Reading
) -> tuple[pd.DataFrame, list[Note]]:
    """The rows of a sheet without copies, where each has all tries of a question."""
    again = frame.astype(str).duplicated()
    if not again.any() or again.mean() > _MOST_ROWS:
        return frame, []
    return frame[~again], [Note(_OF_SHEETS, int(again.sum()), reading.where)]


def copies_or_tries(table: pd.DataFrame, known: Sequence[str], reading: Reading) -> list[Note]:
    """What is said of rows that may be copies, where a few questions have more than the others.

    Args:
        table: Judgments.
        known: Columns that identify a question under its condition.
        reading: What is known of the source.
    """
    cell = numbers_of(*(table[name] for name in known))
    sizes = cell.value_counts()
    usual = int(sizes.mode().max())
    more = sizes[sizes > usual]
    if not 0 < len(more) < _MOST * len(sizes):
        return []
    rows = table[cell.isin(more.index)].drop(columns="replication", errors="ignore")
    again = rows.astype(str).duplicated().groupby(cell[rows.index]).sum()
    n = int(again.clip(upper=more.reindex(again.index) - usual).sum())
    what = _AS_A_TRY if n == 1 else _AS_TRIES
    return [Note(what, n, reading.where, Code.TRIES)] if n else []
