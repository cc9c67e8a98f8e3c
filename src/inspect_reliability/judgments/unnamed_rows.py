"""Rows with verdicts and without a question: they sum up others, or their ids are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..verdicts import FAILED_CALL, NO_VERDICTS
from .columns import GROUP_BY
from .count import NUMBER
from .reading import Code, Note, Reading
from .totals import is_total

if TYPE_CHECKING:
    import pandas as pd

_NO_QUESTION = "no-question"
"""What `map` calls such a row."""

_OWN = "question"
"""What `map` says of them where each is a question of its own."""

_WHAT = (
    "verdicts of rows without a question, such as {}, sum up others, or are judgments whose ids "
    "are missing (better fill these in)"
)

_SHOWN = 4


def with_unnamed_rows(
    table: pd.DataFrame, in_a_row: int, reading: Reading
) -> tuple[pd.DataFrame, list[Note]]:
    """A table in which rows without a question are questions of their own, where its user says so.

    Asked where such a row can be a judgment: all its verdicts are verdicts of other rows, and they
    are not the means or medians of several judges.

    Args:
        table: Judgments.
        in_a_row: Verdicts in each row of the source.
        reading: How they are read.
    """
    open_ = table["question"].isna() & table["verdict"].notna()
    if not open_.any():
        return table, []
    by = [name for name in ("scorer", *GROUP_BY, "replication") if name in table]
    keys = [table[name] for name in by] or [open_]
    place = open_.groupby(keys, dropna=False).cumsum()
    row = place if in_a_row > 1 else open_.cumsum()
    meant = reading.map.get(_NO_QUESTION)
    if meant == _OWN:
        names = row[open_].map("row without a question {}".format)
        return table.assign(question=table["question"].where(~open_, names)), []
    if meant == FAILED_CALL:
        return table, []
    known = {*table["verdict"][table["question"].notna()].dropna()}.difference(NO_VERDICTS)
    groups = table.groupby(keys, dropna=False).ngroup()
    asked: list[str] = []
    for _, own in table[open_].groupby(row[open_]):
        told = own.drop(columns="verdict").stack()
        judged = {*own["verdict"]} <= known and not any(map(is_total, map(str, told)))
        if judged and not (len(own) > 1 and all(_sums_up(table, groups, at) for at in own.index)):
            asked += [*own["verdict"]]
    if not asked:
        return table, []
    shown = ", ".join(f"{one!r:.40}" for one in asked[:_SHOWN])
    ways = (
        reading.choice("sums or remarks: left out", {"map": {_NO_QUESTION: FAILED_CALL}}),
        reading.choice("judgments, a question each row", {"map": {_NO_QUESTION: _OWN}}),
    )
    return table, [Note(_WHAT.format(shown), len(asked), reading.where, Code.COLUMN_OPEN, ways)]


def _sums_up(table: pd.DataFrame, groups: pd.Series[int], at: int) -> bool:
    """Whether a row has the mean or the median of its judge's rows, of all or of those since."""
    text = table["verdict"][at]
    if not NUMBER.fullmatch(text):
        return False
    rows = table[(groups == groups[at]) & table["verdict"].map(_is_number)]
    open_ = rows["question"].isna()
    block = open_.cumsum().where(~open_)
    last = block[rows.index < at].max()
    decimals = len(text.partition(".")[2])
    for known in (rows[~open_], rows[block == last]):
        values = known["verdict"].astype(float)
        for sum_ in (values.mean(), values.median()):
            if abs((round(sum_, decimals) if decimals else sum_) - float(text)) < _ROUNDING:
                return True
    return False


_ROUNDING = 1e-9


def _is_number(verdict: object) -> bool:
    return isinstance(verdict, str) and bool(NUMBER.fullmatch(verdict))
