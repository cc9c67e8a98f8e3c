"""Questions and judges that a sheet names once, in the first row of each block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .column_names import blank, is_called
from .count import NUMBER
from .reading import Code, Note, Reading
from .totals import is_total

if TYPE_CHECKING:
    import pandas as pd

_BLOCKS = "empty cells of column {!r} read as the name above them, which begins a block of rows"

_TOTALS = "rows that sum up others left out, below the blocks of rows of a question or a judge"


def named_in_each_row(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose questions and judges are named in each row, where blocks have one size.

    Rows that sum up others belong to no block, and go. Each block of a judge has another name than
    the one before: a judge that is named in every other row may be one of two.
    """
    names = [*map(str, frame)]
    made, notes = {}, list[Note]()
    gone = np.zeros(len(frame), dtype=bool)
    for at, name in enumerate(names):
        ours = _ours(name, reading)
        if names.count(name) > 1 or ours not in ("question", "judge"):
            continue
        values = frame.iloc[:, at]
        empty = values.isna().to_numpy()
        if not empty.any() or empty[0]:
            continue
        empty = values.map(blank).to_numpy(dtype=bool)
        totals = _sum_up(frame, at, empty, reading)
        starts = np.flatnonzero(~empty[~totals])
        named = values[~totals & ~empty].map(str).to_numpy()
        sizes = {*np.diff([*starts, np.count_nonzero(~totals)]).tolist()}
        like = len(starts) > 1 and len(sizes) == 1 and sizes.isdisjoint({1})
        if ours == "judge":
            like &= not (named[1:] == named[:-1]).any() and not all(map(NUMBER.fullmatch, named))
        if like:
            made[frame.columns[at]] = values.mask(empty).ffill()
            n = int((empty & ~totals).sum())
            notes.append(Note(_BLOCKS.format(name), n, reading.where, Code.COLUMN))
            gone |= totals
    if gone.any():
        notes.append(Note(_TOTALS, int(gone.sum()), reading.where))
    return frame.assign(**made)[~gone] if made else frame, notes


def _ours(name: str, reading: Reading) -> str | None:
    """Our name of a column of questions, judges or verdicts, or what the user calls it."""
    if name in reading.columns:
        return reading.columns[name]
    kinds = ("question", "judge", "verdict")
    return next((one for one in kinds if name == one or is_called(name, one)), None)


def _sum_up(
    frame: pd.DataFrame, at: int, empty: np.ndarray[Any, Any], reading: Reading
) -> np.ndarray[Any, Any]:
    """Which rows sum up others: a word for it is in fewer rows than there are blocks.

    What is in every block may be a part of it that is judged like others.
    """
    alone = ~empty & ~np.append(empty[1:], False)
    found: np.ndarray[Any, Any] = alone & (_totals(frame.iloc[:, at]) != "").to_numpy(dtype=bool)
    blocks = np.count_nonzero(~empty & ~found)
    for other, name in enumerate(map(str, frame)):
        if other != at and _ours(name, reading) != "verdict":
            cells = _totals(frame.iloc[:, other]).where(empty, "")
            times = cells.map(cells.value_counts())
            found |= ((cells != "") & (times < blocks)).to_numpy(dtype=bool)
    return found


def _totals(cells: pd.Series[Any]) -> pd.Series[str]:
    """Cells that are words for totals; others are empty."""
    return cells.map(lambda one: one if isinstance(one, str) and is_total(one) else "")
