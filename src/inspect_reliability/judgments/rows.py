"""The rows of a file of any form, as they are written there."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UserError, reason
from ..files import kind_of, not_a_pipe, objects, read_json, read_json_lines
from .other_tools import read_other_tool, reader_of
from .saved import Saved, read_parquet
from .table import Note
from .workbook import read_workbook

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = (".csv", ".tsv", ".txt")
_WORKBOOKS = (".xlsx", ".xlsm")
ENDINGS = (*_TEXTS, *_WORKBOOKS, ".jsonl", ".parquet")
"""Endings of files with one row per judgment, in any case."""

_OTHER_SHEETS = (".xls", ".xlsb", ".ods", ".numbers")
"""Endings of spreadsheets that are not read."""

_MISSING = ["", "NA", "NaN", "nan", "<NA>"]
"""Marks of missing values in CSV files of pandas and R."""

_SEEN_NUL = "\N{SYMBOL FOR NULL}"
"""What a NUL is read as: pandas would end the cell there."""


def has_judgments(location: str) -> bool:
    """Whether a file has judgments, by the ending of its name or, for JSON, its content."""
    known = (*ENDINGS, *_OTHER_SHEETS, ".json")
    if not location.lower().endswith(known) or kind_of(location) != "file":
        return False
    if not location.lower().endswith(".json"):
        return True
    try:
        content = json.loads(_here(location).read_bytes())
        return (isinstance(content, list) and content != []) or reader_of(content) is not None
    except RecursionError:
        return True  # no log is nested so deeply
    except (OSError, ValueError):  # inspect reads logs elsewhere, and says what is wrong with one
        return False


def read_frame(location: str | Path) -> tuple[pd.DataFrame, Saved | None, list[Note]]:
    """The rows of a text, workbook, JSON, JSONL or parquet file, texts as they are written.

    Result files of promptfoo and DeepEval are recognised by their content.

    Returns:
        The rows, what a file that `save` wrote says of itself, and notes.

    Raises:
        UserError: It cannot be read.
    """
    import pandas as pd

    path = not_a_pipe(_here(str(location)))
    form = path.suffix.lower()
    if form in (".json", ".jsonl"):
        lines = form == ".jsonl"
        content = [one for _, one in read_json_lines(path)] if lines else read_json(path)
        if other := read_other_tool(content, path):
            return other[0], None, other[1]
        return pd.DataFrame([record for _, record in objects(content, str(path))]), None, []
    if form in _OTHER_SHEETS:
        raise UserError(f"{path} is no form that can be read. Save it as .xlsx or CSV.")
    try:
        if form == ".parquet":
            return (*read_parquet(path), [])
        cells, notes = _sheet(path) if form in _WORKBOOKS else _csv(path)
        return _under_header(cells, path), None, notes
    except UserError:
        raise
    except Exception as error:  # each reader has its own
        why = " ".join(reason(error).split()).rstrip(".")
        raise UserError(f"{path} cannot be read as {form[1:]}: {why}. Check the file.") from None


def _here(location: str) -> Path:
    """A file on this machine; one from elsewhere is brought here."""
    if "://" not in location:
        return Path(location)
    import fsspec

    try:
        files, path = fsspec.core.url_to_fs(location)
        if "file" in files.protocol:
            return Path(path)
        # By its own name, whose ending tells its form.
        copy = fsspec.open_local(f"simplecache::{location}", simplecache={"same_names": True})
    except Exception as error:  # each kind of place has its own
        raise UserError(f"{location} cannot be read: {reason(error)}. Check the address.") from None
    return Path(str(copy))


_GUARDED = re.compile(r"'[=+\-@\t\r]")
_RAGGED = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_CP1252 = "file that is not UTF-8 read as Windows-1252, as in {!r:.40}"


def _csv(path: Path) -> tuple[pd.DataFrame, list[Note]]:
    import pandas as pd

    text, notes = _decoded(path)
    text, sep = _separated(text)
    try:
        # Without a header, pandas neither renames a duplicate nor takes a column for an index.
        rows = pd.read_csv(
            BytesIO(text.encode()),
            sep=sep,
            header=None,
            dtype=str,
            keep_default_na=False,
            na_values=_MISSING,
        )
    except pd.errors.EmptyDataError:
        rows = pd.DataFrame()
    except pd.errors.ParserError as error:
        if found := _RAGGED.search(str(error)):
            raise UserError(
                f"{path}, line {found[2]}: {found[3]} cells where the first line has {found[1]}. "
                "If that is a title, delete it; else put texts that contain a separator in quotes."
            ) from None
        raise
    return (rows.apply(_unguarded) if _GUARDED.search(text) else rows), notes


def _sheet(path: Path) -> tuple[pd.DataFrame, list[Note]]:
    import pandas as pd

    rows, notes = read_workbook(path)
    frame = pd.DataFrame(rows, dtype=object)
    return frame.mask(frame.isin(_MISSING)), notes


def _under_header(cells: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Rows under the names in the first of them, without rows and columns that are blank.

    Raises:
        UserError: There is none, or the first is a title.
    """
    known = cells.notna()
    cells = cells.loc[known.any(axis="columns"), known.any()]  # spreadsheets add others
    if cells.empty:
        raise UserError(f"{path} is empty.")
    filled = known.sum(axis="columns")[cells.index].to_numpy()
    if filled[0] == 1 < filled.max():
        title, names = (cells.iloc[row].dropna().map(str) for row in (0, filled.argmax()))
        raise UserError(
            f"{path}: the first row is a single cell, {title.iloc[0]!r:.40}. If it is a title, "
            "delete what is above the names of the columns, perhaps the row that begins with "
            f"{', '.join(map(repr, names[:2])):.80}."
        )
    return (
        cells.iloc[1:]
        .set_axis(cells.iloc[0].fillna("").tolist(), axis="columns")
        .reset_index(drop=True)
    )


def _decoded(path: Path) -> tuple[str, list[Note]]:
    """A text in UTF-8, UTF-16 with its mark, or Windows-1252, with a note on the last."""
    raw = path.read_bytes()
    marked = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = raw.decode(encoding)
            if text.count("\0") > len(text) // 4:  # another encoding, of two bytes or more
                continue
            found = re.search(r"\w{0,20}[^\0-\x7f]\w{0,20}", text) if encoding == "cp1252" else None
            notes = [Note(_CP1252.format(found[0]), 1, str(path))] if found else []
            return text.replace("\0", _SEEN_NUL), notes
    raise UserError(f"{path} is no text in UTF-8 or Windows-1252. Save it as CSV in UTF-8.")


def _separated(text: str) -> tuple[str, str]:
    """The text of a CSV and its separator: as its first line says, else as its header has it."""
    first, _, rest = text.partition("\n")
    if told := re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE):
        return rest, told[1]
    names = re.sub(r'"[^"]*"', "", first)  # a quoted name may have commas
    return text, max(",;\t", key=names.count)


def _unguarded(column: pd.Series[Any]) -> pd.Series[Any]:
    """A CSV column without the mark that keeps spreadsheets from calculating: "'=x" is =x."""
    guarded = column.str.match(_GUARDED).eq(True)
    return column.mask(guarded, column.str[1:])
