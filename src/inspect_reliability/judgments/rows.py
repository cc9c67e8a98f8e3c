"""The rows of a file of any form, as they are written there."""

from __future__ import annotations

import json
import re
import sys
import warnings
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from xml.etree.ElementTree import iterparse

from ..errors import UserError, needs, reason
from ..files import kind_of, local_path, not_a_pipe, objects, read_json, read_json_lines
from ..spreadsheet_cells import has_formula, without_marks
from .columns import each_once
from .dialects import BLOCK, OF_PROGRAMS, Dialect, decoded, dialect_in, rows_in_quotes, separator_of
from .exports import rows_in
from .headers import under_header
from .reading import Note
from .table import Saved, n_rows_of, read_parquet

if TYPE_CHECKING:
    import pandas as pd
    from openpyxl.reader.excel import ExcelReader


_TEXTS = (".csv", ".tsv", ".txt")

_WORKBOOKS = (".xlsx", ".xlsm")

_LINES = (".jsonl", ".ndjson")

ENDINGS = (*_TEXTS, *_WORKBOOKS, *_LINES, ".parquet")
"""Endings of files with one row per judgment, in any case."""

_UNREAD = (
    *(".xls", ".xlsb", ".ods", ".numbers", ".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".tar"),
    *(".tab", ".dat", ".xml", ".html", ".feather", ".arrow", ".pkl", ".pickle", ".rds", ".sav"),
)
"""Endings of tables and packed files that are not read."""

_MISSING = ["", "NA", "NaN", "nan", "<NA>"]
"""Marks of missing values in CSV files of pandas and R."""

_LOG = re.compile(rb'(?!\[|\{\s*")|\{\s*"(version":\s*\d+,\s*"status|eval)"')
"""How a JSON file begins that inspect wrote, or that is nothing of its kind."""


def has_judgments(location: str) -> bool:
    """Whether a file has judgments, by the ending of its name; a JSON one if it is no log."""
    known = (*ENDINGS, *_UNREAD, ".json")
    if not location.lower().endswith(known) or kind_of(location) != "file":
        return False
    if not location.lower().endswith(".json"):
        return True
    with suppress(OSError), _here(location).open("rb") as file:
        return not _LOG.match(file.read(1_000).lstrip(BOM_UTF8 + b" \t\r\n"))
    return False  # inspect reads logs elsewhere, and says what is wrong with one


@dataclass
class FileRows:
    """The rows of a file.

    Attributes:
        frames: They, a batch at a time, all with the same columns.
        saved: What a file that `save` wrote says of itself.
        notes: How the file was read, complete once there is a frame.
    """

    frames: Iterator[pd.DataFrame]
    saved: Saved | None = None
    notes: list[Note] = field(default_factory=list)

    def together(self) -> pd.DataFrame:
        """All rows as one frame."""
        import pandas as pd

        first, *others = self.frames
        return pd.concat([first, *others], ignore_index=True) if others else first


def read_rows(
    location: str | Path, batch: int | None = None, sheet: str | None = None, of_all: bool = True
) -> FileRows:
    """The rows of a text, workbook, JSON, JSONL or parquet file, texts as they are written.

    Args:
        location: The file.
        batch: Most rows in a frame; by default all are in one.
        sheet: The sheet of a workbook; by default the first with a table.
        of_all: Whether every workbook has that sheet; else the first is read where it has not.

    Raises:
        UserError: It cannot be read.
    """
    import pandas as pd

    path = not_a_pipe(_here(str(location)))
    form = path.suffix.lower()
    if form == ".json":
        if _is_lines(path):
            lines = (record for _, record in read_json_lines(path))
            return FileRows(iter([pd.json_normalize(list(lines))]))
        listed, notes = _listed(read_json(path), str(path))
        if not (records := [record for _, record in objects(listed, str(path))]):
            raise UserError(f"{path} is empty.")
        return FileRows(iter([pd.json_normalize(records)]), notes=notes)
    if form in _LINES:
        lines = (record for _, record in read_json_lines(path))
        first = list(islice(lines, batch))
        more = iter(lambda: list(islice(lines, batch)), [])
        return FileRows(map(pd.json_normalize, chain([first], more)))  # {"a": {"b": 1}} has a.b
    if form in _UNREAD:
        raise UserError(
            f"{path} is in no form that can be read. Save it as .xlsx or CSV. Unpack it if it is "
            "packed."
        )
    with _readable(path):
        if form == ".parquet":
            frames, saved = read_parquet(path, batch)
            return FileRows(_in_words(frames, path), saved)
        cells, notes = _sheet(path, sheet, of_all) if form in _WORKBOOKS else _csv(path, batch)
        return FileRows(_in_words(under_header(cells, path, notes), path), notes=notes)


def _is_lines(path: Path) -> bool:
    """Whether a JSON file has an object a line, as only .jsonl files should."""
    with suppress(OSError, ValueError, RecursionError), path.open("rb") as file:
        first, second = file.readline(BLOCK), file.readline(BLOCK)
        return isinstance(json.loads(first), dict) and second.lstrip()[:1] == b"{"
    return False


def _listed(found: Any, where: str) -> tuple[Any, list[Note]]:
    """The list of rows in a JSON file: all of it, its one list of objects, or pandas' columns."""
    if not isinstance(found, dict):
        return found, []
    if {"columns", "data"} <= found.keys() <= {"columns", "data", "index"}:  # pandas' "split"
        names = found["columns"]
        return [dict(zip(names, row, strict=False)) for row in found["data"]], []
    if known := rows_in(found):
        rows, name = known
        return rows, [Note(f"rows of its list {name!r} read", len(rows), where)]
    lists = {name: of for name, of in found.items() if isinstance(of, list) and of}
    lists = {name: of for name, of in lists.items() if all(isinstance(one, dict) for one in of)}
    if len(lists) == 1:
        [(name, rows)] = lists.items()
        return rows, [Note(f"rows of its list {name!r} read", len(rows), where)]
    columns = [tuple(of) for of in found.values() if isinstance(of, dict) and of]
    if len(columns) == len(found) > 0 and len({*columns}) == 1:
        return [{name: of[row] for name, of in found.items()} for row in columns[0]], []
    raise UserError(
        f'{where} has no list of rows, such as [{{"question": ..., "verdict": ...}}, ...]. '
        "Write one object a verdict, or save it as CSV."
    )


def _in_words(frames: Iterator[pd.DataFrame], path: Path) -> Iterator[pd.DataFrame]:
    """Yield frames; say in words what goes wrong as they are read."""
    with _readable(path):
        yield from frames


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # each reader has its own
        if found := _RAGGED.search(str(error)):
            raise UserError(
                f"{path}, line {found[2]}: {found[3]} cells where the first line has {found[1]}. "
                "If that is a title, delete it; else put texts that contain a separator in quotes."
            ) from None
        why = " ".join(reason(error).split()).rstrip(".")
        form = path.suffix.lower()[1:]
        raise UserError(f"{path} cannot be read as {form}: {why}. Check the file.") from None


def read_frame(
    location: str | Path, sheet: str | None = None, of_all: bool = True
) -> tuple[pd.DataFrame, Saved | None, list[Note]]:
    """All rows of a file at once, with what it says of itself and notes; see `read_rows`."""
    rows = read_rows(location, None, sheet, of_all)
    return rows.together(), rows.saved, rows.notes


def n_rows(location: str) -> int:
    """About how many rows a file has: exact for parquet, lines for texts, else 0."""
    path = _here(location)
    with suppress(Exception):  # whoever reads it says what is wrong with it
        if path.suffix.lower() == ".parquet":
            return n_rows_of(path)
        if path.suffix.lower() in (*_TEXTS, *_LINES):
            with path.open("rb") as file:
                return sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK), b""))
    return 0


def _here(location: str) -> Path:
    """A file on this machine; one from elsewhere is brought here."""
    if (here := local_path(location)) is not None:
        return Path(here)
    import fsspec

    try:
        # By its own name, whose ending tells its form.
        copy = fsspec.open_local(f"simplecache::{location}", simplecache={"same_names": True})
    except Exception as error:  # each kind of place has its own
        raise UserError(f"{location} cannot be read: {reason(error)}. Check the address.") from None
    return Path(str(copy))


_RAGGED = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


def _csv(path: Path, batch: int | None) -> tuple[Iterator[pd.DataFrame], list[Note]]:
    import pandas as pd

    file, notes = decoded(path)
    sep = separator_of(file)
    begins = file.tell()
    marked = quoted = False
    for block in iter(lambda: file.read(BLOCK), b""):
        marked, quoted = marked or b"'" in block, quoted or b'"' in block
        if marked and quoted:
            break
    file.seek(begins)
    if quoted:
        notes += rows_in_quotes(file, sep, str(path))
    # Without a header, pandas neither renames a duplicate nor takes a column for an index.
    how: dict[str, Any] = {"sep": sep, "header": None, "dtype": str, "keep_default_na": False}
    try:
        chunks = pd.read_csv(file, na_values=_MISSING, chunksize=batch or sys.maxsize, **how)
    except pd.errors.EmptyDataError:
        file.close()
        return iter([pd.DataFrame()]), notes

    def rows() -> Iterator[pd.DataFrame]:
        with file:
            for chunk in chunks:
                yield chunk.apply(_as_meant, separator=sep) if marked else chunk

    return rows(), notes


def dialect_of(files: Iterable[str]) -> Dialect:
    """How files are written, so that the spreadsheet that wrote them opens what is written alike.

    As programs write, where there are none or they differ. Texts in a workbook with a decimal comma
    are of a country whose spreadsheets separate cells by semicolons. A file may be gone since it
    was read.
    """
    found = set()
    for file in files:
        with suppress(OSError, UserError):
            if file.lower().endswith(_TEXTS):
                found.add(dialect_in(_here(file)))
            elif file.lower().endswith(_WORKBOOKS):
                texts = read_frame(file)[0].stack()
                comma = any(isinstance(one, str) and _DECIMAL_COMMA.fullmatch(one) for one in texts)
                found.add(Dialect(";", ",", mark=True) if comma else Dialect(mark=True))
    return found.pop() if len(found) == 1 else OF_PROGRAMS


def _sheet(
    path: Path, sheet: str | None, of_all: bool
) -> tuple[Iterator[pd.DataFrame], list[Note]]:
    import pandas as pd

    rows, notes = read_workbook(path, sheet, of_all)
    frame = pd.DataFrame(rows, dtype=object)
    return iter([frame.mask(frame.isin(_MISSING))]), notes


def _as_meant(column: pd.Series[Any], separator: str) -> pd.Series[Any]:
    """Texts without the marks that keep spreadsheets from computing: "'=x" is =x.

    A column with a formula that has no mark was written without marks, so "'=x" is "'=x" there.
    """
    texts = column.dropna().unique()
    read = ((text, without_marks(text, separator)) for text in texts if "'" in text)
    meant = {text: own for text, own in read if own != text}
    if not meant or any(has_formula(text, separator) for text in texts):
        return column
    return each_once(column, lambda text: meant.get(text, text))


# Tables in workbooks (.xlsx).


_OF_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
"""How files begin that are encrypted, or of Excel before 2007."""

_LONGEST = 32_767
"""Most characters of a cell."""

_TO_ESCAPE = re.compile("[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")

_ESCAPED = re.compile("_x((?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})_")
"""What a workbook has in place of a character that XML cannot have (ECMA-376, ST_Xstring)."""

_LOCAL_DAY = "mm-dd-yy"
"""The format of days that a spreadsheet shows as its country writes them."""

_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")

_WIDEST = 60
"""Most characters on a line of a column."""

_MOST_CELLS = 20_000_000
"""Most cells of all sheets, with empty ones between others; an empty row counts as one."""

_MERGED = "merged cells read as one value for each of their rows"

_Cells = dict[int, dict[int, Any]]
"""Values by row and column, from 1."""


def read_workbook(
    path: Path, sheet: str | None = None, of_all: bool = True
) -> tuple[list[list[Any]], list[Note]]:
    """The rows of a sheet, or its first table: the first visible one with two columns, else any.

    Rows and columns without a value are left out, as far as formats and merged cells may reach.

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
            return _table(path, sheet, of_all)
    except UserError:
        raise
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{path} is truncated, or no .xlsx file. Save it again as .xlsx or CSV."
        ) from None


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


def sheets_of(location: str) -> list[str]:
    """The names of the sheets of a workbook; none of another file."""
    path = _here(location)
    if path.suffix.lower() not in _WORKBOOKS:
        return []
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True)
    try:
        return [str(one) for one in book.sheetnames]
    finally:
        book.close()


def _table(path: Path, sheet: str | None, of_all: bool) -> tuple[list[list[Any]], list[Note]]:
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
        known = [name for name, cells in tables.items() if cells]
        if not known:
            return [], []
        read = next((name for name in known if max(map(len, tables[name].values())) > 1), known[0])
        notes = []
        if others := [repr(name) for name in known if name != read]:
            said = f"sheet {read!r} read, not {', '.join(others)}: --sheet NAME reads another"
            notes.append(Note(said, 1, str(path)))
        elif sheet is not None and of_all and sheet != read:
            notes.append(Note(f"sheet {read!r} read, as there is no {sheet!r}", 1, str(path)))
        cells = tables[read]
        if merged := _fill(cells, list(_merged_down(book, read))):
            notes.append(Note(_MERGED, merged, str(path)))
    columns = sorted({*chain.from_iterable(cells.values())})
    if len(cells) * len(columns) > _MOST_CELLS:
        raise _too_large(path, read)
    return [[row.get(column) for column in columns] for row in cells.values()], notes


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
