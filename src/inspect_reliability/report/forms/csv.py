"""A document's main records as comma-separated values, safe for spreadsheets."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from ..document import Document
from ..printable import one_line
from ..values import Record, flat

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(document: Document) -> str:
    """A header and one line a record; control characters are written out."""
    records = document.results["rows"] if document.sheet is None else document.sheet
    names, lines = columns(records)
    shown = ([one_line(v) if isinstance(v, str) else v for v in line] for line in lines)
    return to_csv(list(map(one_line, names)), shown)


def columns(records: Iterable[Record]) -> tuple[list[str], list[list[Any]]]:
    """Names of the columns of records, and one line per record with all of them."""
    plain = [flat(record) for record in records]
    names = list(dict.fromkeys(name for record in plain for name in record))
    return names, [[record.get(name) for name in names] for record in plain]


def to_csv(names: Sequence[str], lines: Iterable[Iterable[Any]], line_end: str = "\n") -> str:
    r"""CSV with a header; a missing value is empty, lists and mappings become JSON.

    Texts that a spreadsheet would take for a formula begin with an apostrophe. Quoted texts may
    contain line breaks. Texts with lone carriage returns need `line_end="\r\n"` (RFC 4180), since
    "\n" leaves them unquoted.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator=line_end)
    writer.writerow(map(_cell, names))
    writer.writerows(map(_cell, line) for line in lines)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, Mapping | list | tuple):
        value = json.dumps(value, default=str)
    if not isinstance(value, str):
        return None if pd.isna(value) else value
    formula = value.startswith(_FORMULA) and not _NUMBER.fullmatch(value)
    return f"'{value}" if formula else value
