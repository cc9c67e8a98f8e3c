"""Tables in workbooks (.xlsx)."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from xml.etree.ElementTree import iterparse

from ..errors import UserError, needs
from .table import Note

if TYPE_CHECKING:
    import pandas as pd
    from openpyxl.reader.excel import ExcelReader

_OF_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
"""How files begin that are encrypted, or of Excel before 2007."""

_LONGEST = 32_767
"""Most characters of a cell."""

_TO_ESCAPE = re.compile("[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile("_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")
"""What a workbook has in place of a character that XML cannot have (ECMA-376, ST_Xstring)."""

_WIDEST = 60
"""Most characters on a line of a column."""

_MOST_CELLS = 20_000_000
"""Most cells of all sheets, with empty ones between others; an empty row counts as one."""

_MERGED = "merged cells read as one value for each of their rows"

_Cells = dict[int, dict[int, Any]]
"""Values by row and column, from 1."""


def read_workbook(path: Path) -> tuple[list[list[Any]], list[Note]]:
    """The rows of its first table: the first visible sheet with two columns, else with any.

    Rows and columns without a value are left out, as far as formats and merged cells may reach.

    Raises:
        UserError: It is locked, broken or too large, or openpyxl is not installed.
    """
    needs("excel", "openpyxl")
    if path.open("rb").read(len(_OF_OLE)) == _OF_OLE:
        raise UserError(
            f"{path} has a password, or is an old .xls file. Save it as .xlsx without a password."
        )
    try:
        with warnings.catch_warnings():  # of what has no values, such as rules for colours
            warnings.simplefilter("ignore")
            return _first_table(path)
    except UserError:
        raise
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{path} is truncated, or no .xlsx file. Save it again as .xlsx or CSV."
        ) from None


def write_workbook(path: Path, table: pd.DataFrame) -> None:
    """Write a table as a workbook whose texts are texts, wrapped in wide columns.

    Raises:
        UserError: openpyxl is not installed, or a text is too long for a cell.
    """
    needs("excel", "openpyxl")
    import pandas as pd
    from openpyxl.styles import Alignment

    written = table.rename(columns=_escaped).map(_escaped)
    file = BytesIO()  # on a full disk, openpyxl would leave its own open
    with pd.ExcelWriter(file, engine="openpyxl") as writer:
        written.to_excel(writer, index=False, freeze_panes=(1, 0))
        for column, name in zip(writer.book.active.columns, table, strict=True):
            longest = int(table[name].map(str).str.len().max())
            width = min(max(longest, 12), _WIDEST)
            writer.book.active.column_dimensions[column[0].column_letter].width = width
            for cell in column:
                cell.alignment = Alignment(wrap_text=True, vertical="top")
                if isinstance(cell.value, str):
                    cell.data_type = "s"  # never a formula
    path.write_bytes(file.getvalue())


def _escaped(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _TO_ESCAPE.sub(lambda one: f"_x{ord(one[0]):04X}_", value)
    if len(text.encode("utf-16-le")) > 2 * _LONGEST:
        raise UserError(
            f"A text has {len(text):,} characters ({text[:40]!r}...), and a cell of a workbook "
            f"takes {_LONGEST:,}. Write CSV."
        )
    return text


def _first_table(path: Path) -> tuple[list[list[Any]], list[Note]]:
    from openpyxl.reader.excel import ExcelReader

    # Read-only: otherwise a format in the last row, or a merged cell, makes cells up to it.
    book = ExcelReader(path, read_only=True, data_only=True)
    with book.archive:
        book.read()
        tables = _tables(book, path)
        known = [name for name, cells in tables.items() if cells]
        if not known:
            return [], []
        read = next((name for name in known if max(map(len, tables[name].values())) > 1), known[0])
        notes = []
        if others := [repr(name) for name in known if name != read]:
            said = f"sheet {read!r} read, not {', '.join(others)}: save one of these alone to read"
            notes.append(Note(f"{said} it", 1, str(path)))
        cells = tables[read]
        if merged := _fill(cells, list(_merged_down(book, read))):
            notes.append(Note(_MERGED, merged, str(path)))
    columns = sorted({*chain.from_iterable(cells.values())})
    if len(cells) * len(columns) > _MOST_CELLS:
        raise _too_large(path, read)
    return [[row.get(column) for column in columns] for row in cells.values()], notes


def _tables(book: ExcelReader, path: Path) -> dict[str, _Cells]:
    """The cells with a value of each visible sheet; rows without one are left out."""
    found: dict[str, _Cells] = {}
    left = _MOST_CELLS
    for sheet in book.wb.worksheets:
        if sheet.sheet_state != "visible":
            continue
        sheet.reset_dimensions()  # which a file can claim without any cell there
        cells = found[sheet.title] = {}
        for number, row in enumerate(sheet, 1):
            left -= 1 + len(row)
            if left < 0:
                raise _too_large(path, sheet.title)
            values = ((column, _value(cell)) for column, cell in enumerate(row, 1))
            if row and (own := {column: value for column, value in values if value is not None}):
                cells[number] = own
    return found


def _value(cell: Any) -> Any:
    if cell.data_type == "e":  # "#DIV/0!" and the like
        return None
    if not isinstance(cell.value, str):
        return cell.value
    return _ESCAPED.sub(lambda one: chr(int(one[1], 16)), cell.value)


def _too_large(path: Path, sheet: str) -> UserError:
    return UserError(
        f"{path}, sheet {sheet!r}: values are spread over more than {_MOST_CELLS:,} cells. Delete "
        "those far from the table, or save it as CSV."
    )


def _merged_down(book: ExcelReader, sheet: str) -> Iterator[tuple[int, int, int]]:
    """Column, first row and last row of cells that are merged down a column."""
    from openpyxl.utils import range_boundaries

    [place] = (at.target for one, at in book.parser.find_sheets() if one.name == sheet)
    with book.archive.open(place) as file:
        for ref in _attributes(file, "mergeCell", "ref"):
            left, top, _, bottom = range_boundaries(ref)
            if top < bottom:
                yield left, top, bottom


def _attributes(file: IO[bytes], tag: str, name: str) -> Iterator[str]:
    """An attribute of every element of a kind, whatever else is in the file."""
    for _, element in iterparse(file):
        if element.tag.rpartition("}")[2] == tag:
            yield element.attrib[name]
        element.clear()


def _fill(cells: _Cells, merged: list[tuple[int, int, int]]) -> int:
    """Give the rows of merged cells their value, if they have one of their own; how many cells."""
    numbers = sorted(cells)
    for column, top, bottom in merged:
        value = cells.get(top, {}).get(column)
        below = slice(bisect_right(numbers, top), bisect_right(numbers, bottom))
        for number in numbers[below] if value is not None else ():
            cells[number][column] = value
    return len(merged)
