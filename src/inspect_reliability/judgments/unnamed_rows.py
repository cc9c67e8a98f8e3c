"""Rows with verdicts and without a question: they sum up others, or their ids are missing."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

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
    nameless = table["question"].isna()
    if not (nameless.any() and (open_ := nameless & table["verdict"].notna()).any()):
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
    rows, of = table[open_], row[open_]
    told = rows.drop(columns="verdict").apply(lambda cells: cells.dropna().map(str).map(is_total))
    judged = rows["verdict"].isin(known) & ~told.eq(True).any(axis=1)
    sums = _sums_up(table, table.groupby(keys, dropna=False).ngroup())[open_]
    several = of.groupby(of).transform("size") > 1
    means = several & sums.groupby(of).transform("all")
    open_to = judged.groupby(of).transform("all") & ~means
    asked = [*rows["verdict"][open_to].iloc[of[open_to].argsort(kind="stable")]]
    if not asked:
        return table, []
    shown = ", ".join(f"{one!r:.40}" for one in asked[:_SHOWN])
    ways = (
        reading.choice("sums or remarks: left out", {"map": {_NO_QUESTION: FAILED_CALL}}),
        reading.choice("judgments, a question each row", {"map": {_NO_QUESTION: _OWN}}),
    )
    return table, [Note(_WHAT.format(shown), len(asked), reading.where, Code.COLUMN_OPEN, ways)]


def _sums_up(table: pd.DataFrame, groups: pd.Series[int]) -> pd.Series[bool]:
    """Which rows have the mean or the median of their judge's rows, of all or of those since.

    Those since begin after the last row before it that has no question, either.
    """
    import pandas as pd

    texts = table["verdict"][table["verdict"].map(_is_number)]
    of, open_ = groups[texts.index], table["question"][texts.index].isna()
    since = open_.groupby(of).cumsum().where(~open_).groupby(of).ffill()
    values, places = texts.astype(float), [len(one.partition(".")[2]) for one in texts]
    found = pd.Series(False, table.index)
    judges: tuple[list[Any], ...] = ([of], [of, since])
    for by, sum_ in product(judges, ("mean", "median")):
        sums = values.where(~open_).groupby(by).transform(sum_).to_numpy()
        shown = [round(one, n) if n else one for one, n in zip(sums, places, strict=True)]
        found[texts.index] |= (values - shown).abs() < _ROUNDING
    return found


_ROUNDING = 1e-9


def _is_number(verdict: object) -> bool:
    return isinstance(verdict, str) and bool(NUMBER.fullmatch(verdict))
