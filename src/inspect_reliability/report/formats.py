"""Rows as JSON, CSV or Markdown; the terminal's table is in `terminal`."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .printable import one_line
from .rows import Row, flat

Format = Literal["table", "json", "csv", "markdown"]
FORMATS: tuple[Format, ...] = ("table", "json", "csv", "markdown")


def to_json(content: Any) -> str:
    """Strict JSON: every value is a number, text, list or null."""
    return json.dumps(content, indent=2, allow_nan=False)


def to_csv(rows: Sequence[Row]) -> str:
    """Comma-separated values with a header; a missing value is empty."""
    plain = [flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in plain for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in plain)
    return out.getvalue()


def to_markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A pipe table."""
    first, *rest = ([markdown_text(cell) for cell in line] for line in (columns, *rows))
    lines = [first, ["---"] * len(columns), *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(value: Any) -> Any:
    """A text that a spreadsheet will not take for a formula."""
    if isinstance(value, Mapping | list | tuple):
        value = json.dumps(value)
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def markdown_text(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    for character in "\\`*_[]<>|#":
        text = text.replace(character, f"\\{character}")
    return one_line(text)
