"""Workbooks (.xlsx): the sheet with the table that is wanted, and tables as workbooks."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from xml.etree.ElementTree import iterparse

from ..errors import UserError, needs
from .reading import Note

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

_LOCAL_DAY = "mm-dd-yy"
"""The format of days that a spreadsheet shows as its country writes them."""

_WIDEST = 60
"""Most characters on a line of a column."""

_MOST_CELLS = 20_000_000
"""Most cells of all sheets, with empty ones between others; an empty row counts as one."""

_MERGED = "merged cells read as one value for each of their rows"

_HIDDEN = "hidden rows, as behind a filter, read like the others"

_Cells = dict[int, dict[int, Any]]
"""Values by row and column, from 1."""


class _Merged(NamedTuple):
    """Cells that are merged: columns and rows of the first and the last, from 1."""

    left: int
    top: int
    right: int
    bottom: int


_LOOKED_AT = 5_000
"""Rows of a sheet that show what it has."""

Rows = list[list[Any]]
"""Rows of cells, each as long as the others."""


class Read(NamedTuple):
    """What was read of a workbook: rows of a sheet, notes, sheets that fit alike, row numbers."""

    rows: Rows
    notes: list[Note]
    alike: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


def read_workbook(
    path: Path,
    sheet: str | None = None,
    of_all: bool = True,
    fits: Callable[[Rows], float] = lambda _: 0,
) -> Read:
    """The rows of a sheet: that one, or of the visible ones what fits best.

    Rows and columns without a value are left out, as far as formats and merged cells may reach.

    Args:
        path: The workbook.
        sheet: The sheet.
        of_all: Whether every workbook has that sheet; else the best is read where it has not.
        fits: How well rows fit, by the first of them; 0 or less if not at all, and below 1 if that
            is not sure. Of equal ones the first is read, and one with two columns before others. Of
            those that are not sure, only those with more than half of the columns of the widest.

    Raises:
        UserError: It is locked, broken or too large, lacks the sheet, or openpyxl is not installed.
    """
    needs("excel", "openpyxl")
    with path.open("rb") as file:
        begins = file.read(len(_OF_OLE))
    if begins == _OF_OLE:
        raise UserError(
            f"{path} has a password, or is an old .xls file. Save it as .xlsx without a password."
        )
    try:
        with warnings.catch_warnings():  # of what has no values, such as rules for colours
            warnings.simplefilter("ignore")
            tables, said = _tables_of(path, sheet, of_all)
    except UserError:
        raise
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{path} is truncated, or no .xlsx file. Save it again as .xlsx or CSV."
        ) from None
    if not tables:
        return Read([], [])
    alike = [*tables]
    if len(tables) > 1:
        found = {name: fits(_dense(of, _LOOKED_AT)) for name, of in tables.items()}
        best = max(found.values())
        alike = [name for name, of in found.items() if of == best]
        widths = {name: max(map(len, tables[name].values())) for name in alike}
        if best < 1:  # a scale beside grades can look like these
            alike = [name for name in alike if 2 * widths[name] > max(widths.values())]
        alike.sort(key=lambda name: widths[name] < 2)
    read = alike[0]
    notes = []
    if others := [repr(name) for name in tables if name != read]:
        what = f"sheet {read!r} read, not {', '.join(others)}: --sheet NAME reads another"
        notes.append(Note(what, 1, str(path)))
    elif sheet is not None and of_all and sheet != read:
        notes.append(Note(f"sheet {read!r} read, as there is no {sheet!r}", 1, str(path)))
    notes += said[read]
    if len(tables[read]) * len(_columns(tables[read])) > _MOST_CELLS:
        raise _too_large(path, read)
    several = alike[1:] and best > 0
    fit = tuple(alike) if several else ()
    return Read(_dense(tables[read]), notes, fit, tuple(tables[read]))


def _columns(cells: _Cells) -> list[int]:
    return sorted({*chain.from_iterable(cells.values())})


def _dense(cells: _Cells, most: int | None = None) -> Rows:
    """The first rows; none of a sheet whose values are too far apart."""
    columns = _columns(cells)
    if most and min(len(cells), most) * len(columns) > _MOST_CELLS:
        return []
    return [[row.get(column) for column in columns] for row in islice(cells.values(), most)]


_MOST_CHOICES = 255
"""Characters of a drop-down list in a workbook."""


def _can_be_offered(choices: Sequence[str]) -> bool:
    """Whether a workbook can have these in a list, which commas part."""
    plain = not any({*name} & {*',"'} for name in choices)
    return plain and len(",".join(choices)) <= _MOST_CHOICES


def write_workbook(
    path: Path,
    table: pd.DataFrame,
    keywords: str = "",
    formats: Mapping[str, str] | None = None,
    offered: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write a table as a workbook whose texts are texts, wrapped in wide columns.

    Args:
        path: The file.
        table: The table.
        keywords: What its properties have, by which it is known again.
        formats: How the numbers of a column are shown, as in `{"share": "0%"}`.
        offered: What the cells of a column offer in a drop-down list; others can be typed.

    Raises:
        UserError: openpyxl is not installed, or a text is too long for a cell.
    """
    needs("excel", "openpyxl")
    import pandas as pd
    from openpyxl.styles import Alignment
    from openpyxl.worksheet.datavalidation import DataValidation

    written = table.rename(columns=_escaped).map(_escaped)
    file = BytesIO()  # on a full disk, openpyxl would leave its own open
    with pd.ExcelWriter(file, engine="openpyxl") as writer:
        written.to_excel(writer, index=False, freeze_panes=(1, 0))
        writer.book.properties.keywords = keywords or None
        sheet = writer.book.active
        sheet.auto_filter.ref = sheet.dimensions
        for column, name in zip(sheet.columns, table, strict=True):
            longest = int(table[name].map(str).str.len().max())
            width = min(max(longest, 12), _WIDEST)
            letter = column[0].column_letter
            sheet.column_dimensions[letter].width = width
            choices = (offered or {}).get(str(name), ())
            if choices and _can_be_offered(choices):
                words = f'"{",".join(choices)}"'
                rule = DataValidation("list", words, allow_blank=True, errorStyle="warning")
                rule.add(f"{letter}2:{letter}{len(table) + 1}")
                sheet.add_data_validation(rule)
            for cell in column:
                cell.alignment = Alignment(wrap_text=True, vertical="top")
                if isinstance(cell.value, str):
                    cell.data_type = "s"  # never a formula
                elif cell.is_date:
                    cell.number_format = _LOCAL_DAY
                elif shown := (formats or {}).get(str(name)):
                    cell.number_format = shown
    path.write_bytes(file.getvalue())


def keywords_of(file: Path) -> str | None:
    """The keywords of a workbook, as `write_workbook` gives them."""
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True)
    known: str | None = book.properties.keywords
    book.close()
    return known


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


def _tables_of(
    path: Path, sheet: str | None, of_all: bool
) -> tuple[dict[str, _Cells], dict[str, list[Note]]]:
    """The cells of each sheet that has some, and notes on those that are merged or hidden."""
    from openpyxl.reader.excel import ExcelReader

    # Read-only: otherwise a format in the last row, or a merged cell, makes cells up to it.
    book = ExcelReader(path, read_only=True, data_only=True)
    with book.archive:
        book.read()
        names = [one.title for one in book.wb.worksheets]
        if sheet is not None and of_all and sheet not in names and names[1:]:
            named = ", ".join(map(repr, names))
            raise UserError(f"{path} has no sheet {sheet!r}. Name one of: {named}.")
        tables = _tables(book, path, sheet if sheet in names else None)
        known = {name: cells for name, cells in tables.items() if cells}
        notes = {}
        for name, cells in known.items():
            merged, hidden = _merged_and_hidden(book, name)
            _fill_headings(cells, merged)
            counts = {_MERGED: _fill(cells, merged), _HIDDEN: len(hidden & cells.keys())}
            notes[name] = [Note(what, n, str(path)) for what, n in counts.items() if n]
        return known, notes


def _tables(book: ExcelReader, path: Path, only: str | None) -> dict[str, _Cells]:
    """The cells with a value of one sheet, or each visible one; rows without one are left out."""
    found: dict[str, _Cells] = {}
    left = _MOST_CELLS
    for sheet in book.wb.worksheets:
        if sheet.title != only if only else sheet.sheet_state != "visible":
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


def _merged_and_hidden(book: ExcelReader, sheet: str) -> tuple[list[_Merged], set[int]]:
    """Cells that are merged; and rows that are hidden."""
    from openpyxl.utils import range_boundaries

    [place] = (at.target for one, at in book.parser.find_sheets() if one.name == sheet)
    merged, hidden = list[_Merged](), set[int]()
    with book.archive.open(place) as file:
        for number, (tag, given) in _numbered_rows(file):
            if tag == "row" and given.get("hidden") in ("1", "true"):
                hidden.add(number)
            elif tag == "mergeCell":
                left, top, right, bottom = range_boundaries(given["ref"])
                merged.append(_Merged(left, top, right, bottom))
    return merged, hidden


def _numbered_rows(file: IO[bytes]) -> Iterator[tuple[int, tuple[str, dict[str, str]]]]:
    """Rows and merged cells of a sheet, with the number of the last row; a row may say its own."""
    number = 0
    for _, element in iterparse(file):
        tag = element.tag.rpartition("}")[2]
        if tag in ("row", "mergeCell"):
            number = int(element.attrib.get("r", number + 1)) if tag == "row" else number
            yield number, (tag, dict(element.attrib))
        element.clear()


def _fill_headings(cells: _Cells, merged: list[_Merged]) -> None:
    """Give the columns of a merged heading its value, where the next row names each of them.

    Only of the first row with several values: a title is merged as well.
    """
    heading = next((number for number, row in cells.items() if len(row) > 1), None)
    for left, top, right, bottom in merged if heading is not None else ():
        names = [cells.get(bottom + 1, {}).get(column) for column in range(left, right + 1)]
        if top == heading and left < right and all(isinstance(one, str) for one in names):
            value = cells[top].get(left)
            cells[top] |= dict.fromkeys(range(left, right + 1) if value is not None else (), value)


def _fill(cells: _Cells, merged: list[_Merged]) -> int:
    """Give the rows of merged cells their value, if they have one of their own; how many cells."""
    numbers = sorted(cells)
    merged = [one for one in merged if one.top < one.bottom]
    for column, top, _, bottom in merged:
        value = cells.get(top, {}).get(column)
        below = slice(bisect_right(numbers, top), bisect_right(numbers, bottom))
        for number in numbers[below] if value is not None else ():
            cells[number][column] = value
    return len(merged)
