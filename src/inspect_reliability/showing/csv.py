"""A document's main records as comma-separated values, safe for spreadsheets."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from .document import Document
from .printable import one_line
from .values import Record, flat

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(document: Document) -> str:
    """A header and one line a record; control characters are written out."""
    found = frame_of(document.results["rows"] if document.sheet is None else document.sheet)
    shown = found.map(lambda value: one_line(value) if isinstance(value, str) else value)
    return to_csv(shown.rename(columns=one_line))


def frame_of(records: Iterable[Record]) -> pd.DataFrame:
    """Records as a table, with whole numbers as they are."""
    return pd.DataFrame([flat(record) for record in records], dtype=object)


def to_csv(table: pd.DataFrame, line_end: str = "\n") -> str:
    r"""CSV with a header; a missing value is empty, lists and mappings become JSON.

    Texts that a spreadsheet would take for a formula begin with an apostrophe. Quoted texts may
    contain line breaks. Texts with lone carriage returns need `line_end="\r\n"` (RFC 4180), since
    "\n" leaves them unquoted.
    """
    safe = table.rename(columns=_cell).map(_cell)
    return str(safe.to_csv(index=False, lineterminator=line_end))


def _cell(value: Any) -> Any:
    if isinstance(value, Mapping | list | tuple):
        value = json.dumps(value, default=str)
    if not isinstance(value, str):
        return value
    formula = value.startswith(_FORMULA) and not _NUMBER.fullmatch(value)
    return f"'{value}" if formula else value
