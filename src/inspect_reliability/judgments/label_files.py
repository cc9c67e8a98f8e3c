"""Files of labels, as rows under our names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UserError
from .columns import LABELS, OF_LABELS
from .names import lacking, named
from .reading import Reading
from .rows import read_frame
from .steps import named_once
from .table import Note
from .values import converted_all

if TYPE_CHECKING:
    import pandas as pd

_OF_PART = "target_"
"""How inspect_scout names the column of each part."""

_BY_STRATUM = "random, by "
"""How the column `split` begins where each stratum has its own share of labels."""

_WEIGHTS = {"weight", "weights", "sampling_weight", "probability_of_selection"}


class LabelFile(NamedTuple):
    """A file of labels.

    Attributes:
        table: A row a label, with the columns `names.LABELS`.
        notes: What was taken for what.
        drawn: Why its labels are no simple random draw; None if it does not say so.
    """

    table: pd.DataFrame
    notes: list[Note]
    drawn: str | None


def read_labels(paths: Sequence[str], columns: Mapping[str, str]) -> dict[str, LabelFile]:
    """Files of labels, by path.

    Args:
        paths: The files.
        columns: Name in any of the files -> one of ours (`names.LABELS`). What is a question in
            files of judgments is an id here; their other columns are none of these.

    Raises:
        UserError: A file cannot be read, or has no column of ids or labels; or none has a column
            that the user names.
    """
    frames: dict[str, tuple[pd.DataFrame, list[Note]]] = {}
    for path in paths:
        frame, _, notes = read_frame(path)
        frames[path] = _by_part(named_once(frame, path)), notes
    known = {name for frame, _ in frames.values() for name in frame}
    own = {yours: ours for yours, ours in columns.items() if ours in LABELS}
    absent = [name for name in own if not {*name.split("+")} <= known]
    if paths and absent:
        path, (frame, _) = next(iter(frames.items()))
        raise UserError(lacking(absent, frame, Reading(where=path, words=OF_LABELS)))
    own |= {yours: "id" for yours, ours in columns.items() if ours == "question"}
    return {path: _read(path, frame, notes, own) for path, (frame, notes) in frames.items()}


def how_drawn(frame: pd.DataFrame, where: str = "their file") -> str | None:
    """Why labels are no simple random draw, as their table says; None if it does not.

    Of judgments, their file of labels decides, where there was one.
    """
    if "labels_drawn" in frame:
        return next(iter(frame["labels_drawn"].dropna()), None)
    for name in frame:
        if str(name).casefold() in _WEIGHTS and frame[name].nunique(dropna=False) > 1:
            return f"{where} gives them different weights ({name})"
    splits = map(str, frame["split"].dropna().unique()) if "split" in frame else ()
    drawn = next((one for one in splits if one.startswith(_BY_STRATUM)), None)
    return drawn and f"{where} was drawn {drawn.removeprefix('random, ')}"


def _read(
    path: str, frame: pd.DataFrame, notes: Sequence[Note], columns: Mapping[str, str]
) -> LabelFile:
    reading = {yours: ours for yours, ours in columns.items() if {*yours.split("+")} <= {*frame}}
    about = Reading(columns=reading, where=path, words=OF_LABELS)
    table, taken, _ = named(frame, about)
    if absent := [name for name in ("id", "label") if name not in table]:
        raise UserError(lacking(absent, frame, about))
    table = converted_all(table[[name for name in LABELS if name in table]], path)
    return LabelFile(table.reindex(columns=[*LABELS]), [*notes, *taken], how_drawn(frame, path))


def _by_part(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each part, where parts have columns of their own."""
    parts = [name for name in map(str, frame) if name.startswith(_OF_PART)]
    if not parts:
        return frame
    rows = frame.drop(columns=["part", "label", "target"], errors="ignore")
    rows = rows.melt([n for n in rows if n not in parts], parts, "part", "label")
    return rows.assign(part=rows["part"].str.removeprefix(_OF_PART))
