"""Tables in workbooks (.xlsx)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UserError, needs
from .table import Note

if TYPE_CHECKING:
    import pandas as pd
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

_OF_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
"""How files begin that are encrypted, or of Excel before 2007."""

_WIDEST = 60
"""Most characters on a line of a column."""

_MERGED = "merged cells read as one value for each of their rows"


def read_workbook(path: Path) -> tuple[list[list[Any]], list[Note]]:
    """The rows of its first table: the first visible sheet with two columns, else with any.

    Raises:
        UserError: It is locked or broken, or openpyxl is not installed.
    """
    needs("excel", "openpyxl")
    if path.open("rb").read(len(_OF_OLE)) == _OF_OLE:
        raise UserError(
            f"{path} has a password, or is an old .xls file. Save it as .xlsx without a password."
        )
    sheets = {one.title: one for one in _opened(path).worksheets if one.sheet_state == "visible"}
    tables = {name: [[*map(_value, row)] for row in one] for name, one in sheets.items()}
    width = {name: max(map(_filled, rows), default=0) for name, rows in tables.items()}
    known = [name for name in tables if width[name]]
    if not known:
        return [], []
    read = next((name for name in known if width[name] > 1), known[0])
    notes = []
    if others := [repr(name) for name in known if name != read]:
        what = f"sheet {read!r} read, not {', '.join(others)}: save one of these alone to read it"
        notes.append(Note(what, 1, str(path)))
    rows = tables[read]
    if merged := _fill(sheets[read], rows):
        notes.append(Note(_MERGED, merged, str(path)))
    return rows, notes


def write_workbook(path: str, table: pd.DataFrame) -> None:
    """Write a table as a workbook whose texts are texts, wrapped in wide columns.

    Raises:
        UserError: openpyxl is not installed.
    """
    needs("excel", "openpyxl")
    import fsspec
    import pandas as pd
    from openpyxl.styles import Alignment

    # pandas takes no name that ends otherwise, as that of an unfinished file.
    with fsspec.open(path, "wb") as file, pd.ExcelWriter(file, engine="openpyxl") as writer:
        table.to_excel(writer, index=False, freeze_panes=(1, 0))
        for column, name in zip(writer.book.active.columns, table, strict=True):
            longest = int(table[name].map(str).str.len().max())
            width = min(max(longest, 12), _WIDEST)
            writer.book.active.column_dimensions[column[0].column_letter].width = width
            for cell in column:
                cell.alignment = Alignment(wrap_text=True, vertical="top")
                if isinstance(cell.value, str):
                    cell.data_type = "s"  # never a formula


def _opened(path: Path) -> Workbook:
    from openpyxl import load_workbook

    try:
        with warnings.catch_warnings():  # of what has no values, such as rules for colours
            warnings.simplefilter("ignore")
            return load_workbook(path, data_only=True)
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{path} is truncated, or no .xlsx file. Save it again as .xlsx or CSV."
        ) from None


def _value(cell: Any) -> Any:
    return None if cell.data_type == "e" else cell.value  # "#DIV/0!" and the like


def _filled(row: list[Any]) -> int:
    return sum(value is not None for value in row)


def _fill(sheet: Worksheet, rows: list[list[Any]]) -> int:
    """Give every row of cells that are merged down a column their value; how many such cells."""
    down = [one for one in sheet.merged_cells.ranges if one.min_row < one.max_row]
    for one in down:
        for row in range(one.min_row, one.max_row):
            rows[row][one.min_col - 1] = rows[one.min_row - 1][one.min_col - 1]
    return len(down)
