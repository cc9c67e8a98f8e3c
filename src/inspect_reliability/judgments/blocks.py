"""Questions and judges that a sheet names once, in the first row of each block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .column_names import blank, is_called
from .count import NUMBER
from .reading import Code, Note, Reading
from .totals import is_total

if TYPE_CHECKING:
    import pandas as pd

_BLOCKS = "empty cells of column {!r} read as the name above them, which begins a block of rows"

_MOSTLY = 0.5
"""Share of the rows without a name from which a column is filled in."""

_TOTALS = "rows that sum up others left out, below the blocks of rows of a question or a judge"


def named_in_each_row(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose questions and judges are named in each row, where rows are in blocks.

    Blocks have one size, or most have the largest and others lack rows, or another column, such as
    the judge, tells the rows of each apart. Rows that sum up others belong to no block, and go. So
    may a row that lacks what others have in another column: it gets no name. Each block of a judge
    has another name than the one before: a judge that is named in every other row may be one of
    two.
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
        bare = _bare(frame, at, reading) & empty & ~totals
        inside = ~totals & ~bare
        named = values[~totals & ~empty].map(str).to_numpy()
        block = np.cumsum(~empty[inside])
        again = bool((named[1:] == named[:-1]).any())
        like = _in_blocks(block) or (not again and _uneven(frame[inside], at, block, reading))
        if ours == "judge":
            like &= not again and not all(map(NUMBER.fullmatch, named))
        if like:
            made[frame.columns[at]] = values.mask(empty).ffill().mask(bare)
            n = int((empty & inside).sum())
            notes.append(Note(_BLOCKS.format(name), n, reading.where, Code.COLUMN))
            gone |= totals
    if gone.any():
        notes.append(Note(_TOTALS, int(gone.sum()), reading.where))
    return frame.assign(**made)[~gone] if made else frame, notes


def _in_blocks(block: np.ndarray[Any, Any]) -> bool:
    """Whether all blocks have one size, given the number of the block of each row."""
    sizes = np.bincount(block)[1:]
    return len(sizes) > 1 and sizes[0] > 1 and bool((sizes == sizes[0]).all())


def _uneven(frame: pd.DataFrame, at: int, block: np.ndarray[Any, Any], reading: Reading) -> bool:
    """Whether blocks of several sizes are blocks: most are of the largest, or rows are told apart.

    Each value of the column that tells the rows of a block apart is in half of the blocks.
    """
    sizes = np.bincount(block)[1:]
    if len(sizes) < 2 or np.median(sizes) < 2:
        return False
    if 2 * np.count_nonzero(sizes == sizes.max()) > len(sizes):
        return True
    for values in _others(frame, at, reading):
        told = values.map(str)
        once = not told.groupby([block, told.to_numpy()]).size().gt(1).any()
        if once and values.notna().all() and (2 * told.value_counts() >= len(sizes)).all():
            return True
    return False


def _bare(frame: pd.DataFrame, at: int, reading: Reading) -> np.ndarray[Any, Any]:
    """Rows that lack what named rows and most others have in another column, as a mean may do."""
    named = frame.iloc[:, at].notna().to_numpy()
    found: np.ndarray[Any, Any] = np.zeros(len(frame), dtype=bool)
    for values in _others(frame, at, reading):
        known = values.notna().to_numpy()
        if known[named].all() and known[~named].mean() > _MOSTLY:
            found |= ~known
    return found


def _others(frame: pd.DataFrame, at: int, reading: Reading) -> Iterator[pd.Series[Any]]:
    """The other columns, but those of verdicts."""
    for other, name in enumerate(map(str, frame)):
        if other != at and _ours(name, reading) != "verdict":
            yield frame.iloc[:, other]


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
    for values in _others(frame, at, reading):
        cells = _totals(values).where(empty, "")
        times = cells.map(cells.value_counts())
        found |= ((cells != "") & (times < blocks)).to_numpy(dtype=bool)
    return found


def _totals(cells: pd.Series[Any]) -> pd.Series[str]:
    """Cells that are words for totals; others are empty."""
    return cells.map(lambda one: one if isinstance(one, str) and is_total(one) else "")
