"""Questions and judges that a sheet names once, in the first row of each block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .column_names import blank, is_called
from .count import NUMBER
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

_BLOCKS = "empty cells of column {!r} read as the name above them, which begins a block of rows"


def named_in_each_row(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose questions and judges are named in each row, where blocks are of like sizes."""
    names = [*map(str, frame)]
    made, notes = {}, []
    for at, name in enumerate(names):
        ours = reading.columns.get(name, name)
        if names.count(name) > 1 or not any(
            ours == one or (ours == name and is_called(name, one)) for one in ("question", "judge")
        ):
            continue
        values = frame.iloc[:, at]
        empty = values.isna().to_numpy()
        if not empty.any() or empty[0]:
            continue
        empty = values.map(blank).to_numpy(dtype=bool)
        starts = np.flatnonzero(~empty)
        sizes = np.diff([*starts, len(values)])
        like = len(starts) > 1 and sizes.min() > 1 and sizes.max() <= 2 * sizes.min()
        grades = is_called(name, "judge") and all(
            NUMBER.fullmatch(str(one)) for one in values[~empty]
        )
        if like and not grades:
            made[frame.columns[at]] = values.mask(empty).ffill()
            note = Note(_BLOCKS.format(name), int(empty.sum()), reading.where, Code.COLUMN)
            notes.append(note)
    return frame.assign(**made) if made else frame, notes
