"""Files of labels, as rows under our names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UserError
from .frame import named_once
from .names import LABELS, OF_LABELS, Told, lacking, named
from .rows import read_frame
from .score import by_key, verdict_name
from .table import Note
from .values import name_of, plain

if TYPE_CHECKING:
    import pandas as pd

_OF_PART = "target_"
"""How inspect_scout names the column of each part."""

_WEIGHTS = {"weight", "weights", "sampling_weight", "probability_of_selection"}


class Row(NamedTuple):
    """A label as a file has it: what it is of, its text, and who gave it, where that is known."""

    id: str
    label: str | None
    rater: str | None
    part: str | None
    epoch: str | None


def read_labels(
    paths: Sequence[str], columns: Mapping[str, str]
) -> dict[str, tuple[list[Row], list[Note]]]:
    """The rows of files of labels, by path, with notes on what was taken for what.

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
        raise UserError(lacking(absent, frame, Told(path, words=OF_LABELS)))
    own |= {yours: "id" for yours, ours in columns.items() if ours == "question"}
    return {path: _read(path, frame, notes, own) for path, (frame, notes) in frames.items()}


def how_drawn(frame: pd.DataFrame, where: str = "their file") -> str | None:
    """Why labels are no simple random draw, as their table says; None if it does not."""
    for name in frame:
        if str(name).casefold() in _WEIGHTS and frame[name].nunique(dropna=False) > 1:
            return f"{where} gives them different weights ({name})"
    return None


def draws(paths: Sequence[str]) -> str | None:
    """The same of files of labels: what the first of them says that does."""
    return next(filter(None, (how_drawn(read_frame(path)[0], path) for path in paths)), None)


def _read(
    path: str, frame: pd.DataFrame, notes: Sequence[Note], columns: Mapping[str, str]
) -> tuple[list[Row], list[Note]]:
    told = {yours: ours for yours, ours in columns.items() if {*yours.split("+")} <= {*frame}}
    about = Told(path, told, words=OF_LABELS)
    table, taken, _ = named(frame, about)
    if absent := [name for name in ("id", "label") if name not in table]:
        raise UserError(lacking(absent, frame, about))
    return list(_rows(table)), [*notes, *taken]


def _by_part(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each part, where parts have columns of their own."""
    parts = [name for name in map(str, frame) if name.startswith(_OF_PART)]
    if not parts:
        return frame
    rows = frame.drop(columns=["part", "label", "target"], errors="ignore")
    rows = rows.melt([n for n in rows if n not in parts], parts, "part", "label")
    return rows.assign(part=rows["part"].str.removeprefix(_OF_PART))


def _rows(table: pd.DataFrame) -> Iterator[Row]:
    for row in table.to_dict("records"):
        of = {name: _text(row.get(name)) for name in LABELS if name != "label"}
        name = of.pop("id") or "(no id)"
        for key, value in by_key(row["label"]):  # a mapping where a score has parts
            yield Row(name, _text(value), **of | ({"part": key} if key else {}))


def _text(value: Any) -> str | None:
    value = value.tolist() if hasattr(value, "tolist") else value  # of parquet
    if isinstance(value, str | datetime):
        return name_of(plain(value))
    return None if value is None or value != value else verdict_name(value)
