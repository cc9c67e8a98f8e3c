"""A document's main records as comma-separated values, safe for spreadsheets."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from csv import QUOTE_ALL
from typing import Any

import pandas as pd

from ..judgments.dialects import OF_PROGRAMS, Dialect
from ..spreadsheet_cells import marked
from .document import Document
from .formats import Record, flat, one_line

_UNQUOTED = re.compile(r"[;|\t]|\r(?!\n)")
"""What pandas puts in no quotes, though a reader may end a cell there."""

_CELL = re.compile(r'"([^",;|\t\r\n]*+)"(?=[,;|\t\r\n])|("(?:[^"]++|"")*+")')
"""A quoted cell that needs no quotes, or one that does."""


_GRADES = frozenset({"verdict", "final", "label"})
"""Columns whose numbers are texts."""

_DECIMAL = re.compile(r"-?\d+\.\d+")


def render(document: Document) -> str:
    """A header and one line a record; control characters are written out."""
    found = frame_of(document.results["rows"] if document.sheet is None else document.sheet)
    shown = found.map(lambda value: one_line(value) if isinstance(value, str) else value)
    return to_csv(shown.rename(columns=one_line))


def frame_of(records: Iterable[Record]) -> pd.DataFrame:
    """Records as a table, with whole numbers as they are."""
    return pd.DataFrame([flat(record) for record in records], dtype=object)


def to_csv(table: pd.DataFrame, line_end: str = "\n", dialect: Dialect = OF_PROGRAMS) -> str:
    """CSV with a header; a missing value is empty, lists and mappings become JSON.

    What a spreadsheet would take for a formula has an apostrophe before it (`formulas`). Quoted
    texts may contain line breaks. A list has the `dialect` of the file that it is from: the
    spreadsheet that opens one then opens the other.
    """
    sep, point = dialect.separator, dialect.decimal

    def cell(value: Any) -> Any:
        if isinstance(value, str):
            return marked(value, sep)
        if isinstance(value, float) and point != "." and not math.isnan(value):
            return str(float(value)).replace(".", point)
        listed = isinstance(value, list | tuple | Mapping)
        return marked(json.dumps(value, default=str), sep) if listed else value

    safe = table.rename(columns=cell).map(cell)
    for name in _GRADES & {*safe}:
        safe[name] = safe[name].map(
            lambda one: str(one).replace(".", point) if _DECIMAL.fullmatch(str(one)) else one
        )
    written = str(safe.to_csv(sep=sep, index=False, lineterminator=line_end))
    if sep != "," or _UNQUOTED.search(written):
        written = str(safe.to_csv(sep=sep, index=False, lineterminator=line_end, quoting=QUOTE_ALL))
        if len(safe.columns) > 1:  # a blank line would be no row
            written = _CELL.sub(r"\1\2", written)
    return "\N{BYTE ORDER MARK}" * dialect.mark + written
