"""The rows of a file of any form, as they are written there."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UserError, reason
from ..files import kind_of, not_a_pipe, objects, read_json, read_json_lines
from .other_tools import read_other_tool, reader_of
from .saved import Saved, read_parquet
from .table import Note

if TYPE_CHECKING:
    import pandas as pd

ENDINGS = (".csv", ".jsonl", ".parquet")
"""Endings of files with one row per judgment, in any case."""

_MISSING = ["", "NA", "NaN", "nan", "<NA>"]
"""Marks of missing values in CSV files of pandas and R."""

_SEEN_NUL = "\N{SYMBOL FOR NULL}"
"""What a NUL is read as: pandas would end the cell there."""


def has_judgments(location: str) -> bool:
    """Whether a file has judgments, by the ending of its name or, for JSON, its content."""
    if not location.lower().endswith((*ENDINGS, ".json")) or kind_of(location) != "file":
        return False
    if location.lower().endswith(ENDINGS):
        return True
    try:
        content = json.loads(_here(location).read_bytes())
        return (isinstance(content, list) and content != []) or reader_of(content) is not None
    except RecursionError:
        return True  # no log is nested so deeply
    except (OSError, ValueError):  # inspect reads logs elsewhere, and says what is wrong with one
        return False


def read_frame(location: str | Path) -> tuple[pd.DataFrame, Saved | None, list[Note]]:
    """The rows of a CSV, JSON, JSONL or parquet file, texts of a CSV as they are written.

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
    try:
        return (*(read_parquet(path) if form == ".parquet" else (_csv(path), None)), [])
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


def _csv(path: Path) -> pd.DataFrame:
    import pandas as pd

    text, sep = _separated(_decoded(path))
    # Without a header of its own, pandas neither renames a duplicate nor takes one for an index.
    rows = pd.read_csv(
        BytesIO(text.encode()),
        sep=sep,
        header=None,
        dtype=str,
        keep_default_na=False,
        na_values=_MISSING,
    )
    frame = rows.iloc[1:].set_axis(rows.iloc[0].fillna("").tolist(), axis="columns")
    blank = (frame.columns == "") & frame.isna().all().to_numpy()  # spreadsheets add such columns
    frame = frame.loc[:, ~blank].reset_index(drop=True)
    return frame.apply(_unguarded) if _GUARDED.search(text) else frame


def _decoded(path: Path) -> str:
    raw = path.read_bytes()
    encoding = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
        if text.count("\0") > len(text) // 4:  # another encoding, which takes two bytes or more
            raise UnicodeDecodeError(encoding, raw, raw.index(0), raw.index(0) + 1, "")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise UserError(
            f"{path} is not UTF-8: byte {error.start} is {byte:#04x}. Save it as UTF-8."
        ) from None
    return text.replace("\0", _SEEN_NUL)


def _separated(text: str) -> tuple[str, str]:
    """The text of a CSV and its separator: as its first line says, else as its header has it."""
    first, _, rest = text.partition("\n")
    if told := re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE):
        return rest, told[1]
    return text, max(",;\t", key=first.count)


def _unguarded(column: pd.Series[Any]) -> pd.Series[Any]:
    """A CSV column without the mark that keeps spreadsheets from calculating: "'=x" is =x."""
    guarded = column.str.match(_GUARDED).eq(True)
    return column.mask(guarded, column.str[1:])
