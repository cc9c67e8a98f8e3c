"""A document's main records as comma-separated values, safe for spreadsheets."""

import json
import re
from collections.abc import Iterable, Mapping
from csv import QUOTE_ALL
from typing import Any

import pandas as pd

from ..formulas import marked
from .document import Document
from .formats import Record, flat, one_line

_UNQUOTED = re.compile(r"[;|\t]|\r(?!\n)")
"""What pandas puts in no quotes, though a reader may end a cell there."""

_CELL = re.compile(r'"([^",;|\t\r\n]*+)"(?=[,\r\n])|("(?:[^"]++|"")*+")')
"""A quoted cell that needs no quotes, or one that does."""


def render(document: Document) -> str:
    """A header and one line a record; control characters are written out."""
    found = frame_of(document.results["rows"] if document.sheet is None else document.sheet)
    shown = found.map(lambda value: one_line(value) if isinstance(value, str) else value)
    return to_csv(shown.rename(columns=one_line))


def frame_of(records: Iterable[Record]) -> pd.DataFrame:
    """Records as a table, with whole numbers as they are."""
    return pd.DataFrame([flat(record) for record in records], dtype=object)


def to_csv(table: pd.DataFrame, line_end: str = "\n") -> str:
    """CSV with a header; a missing value is empty, lists and mappings become JSON.

    What a spreadsheet would take for a formula has an apostrophe before it (`formulas`). Quoted
    texts may contain line breaks.
    """
    safe = table.rename(columns=_cell).map(_cell)
    written = str(safe.to_csv(index=False, lineterminator=line_end))
    if not _UNQUOTED.search(written):
        return written
    written = str(safe.to_csv(index=False, lineterminator=line_end, quoting=QUOTE_ALL))
    # A blank line would be no row.
    return written if len(safe.columns) == 1 else _CELL.sub(r"\1\2", written)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return marked(value)
    listed = isinstance(value, list | tuple | Mapping)
    return marked(json.dumps(value, default=str)) if listed else value
