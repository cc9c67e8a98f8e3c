"""The rows of a file of any form, as they are written there."""

from __future__ import annotations

import json
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UserError, reason
from ..files import kind_of, local_path, not_a_pipe, objects, read_json, read_json_lines
from ..spreadsheet_cells import has_formula, without_marks
from .column_names import as_texts, few_values
from .columns import each_once
from .dialects import BLOCK, OF_PROGRAMS, Dialect, decoded, dialect_in, rows_in_quotes, separator_of
from .exports import rows_in
from .headers import under_header
from .reading import Note
from .table import Saved, n_rows_of, read_parquet
from .workbooks import Rows, read_workbook

if TYPE_CHECKING:
    import pandas as pd


TEXTS = (".csv", ".tsv", ".txt")
"""Endings of texts of cells."""

_WORKBOOKS = (".xlsx", ".xlsm")

_LINES = (".jsonl", ".ndjson")

ENDINGS = (*TEXTS, *_WORKBOOKS, *_LINES, ".parquet")
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


def files_to_name(folder: str) -> str:
    """How to name the files of a folder that may have judgments; empty where it has none."""
    here = local_path(folder)
    own = Counter(one.suffix for one in Path(here).iterdir()) if here else Counter[str]()
    found = {end: n for end, n in own.items() if end.lower() in ENDINGS}
    if not found:
        return ""
    named = " ".join(f"{folder.rstrip('/')}/*{end}" for end in sorted(found))
    n = sum(found.values())
    return f" It has {n:,} file{'s' * (n > 1)} of rows: name {'them' if n > 1 else 'it'}, {named}."


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
        sheets: The sheets of a workbook that are as likely wanted, where these are several; the
            first was read.
        numbers: The numbers of the rows of each frame in a text or a workbook, as spreadsheets
            show them, once there is the frame.
    """

    frames: Iterator[pd.DataFrame]
    saved: Saved | None = None
    notes: list[Note] = field(default_factory=list)
    sheets: tuple[str, ...] = ()
    numbers: list[Any] = field(default_factory=list)

    def number_of(self, row: int) -> int:
        """What their user calls a row, which is numbered from 0."""
        for numbers in self.numbers:
            if row < len(numbers):
                return int(numbers[row])
            row -= len(numbers)
        return row + 1

    def together(self) -> pd.DataFrame:
        """All rows as one frame."""
        import pandas as pd

        first, *others = self.frames
        return pd.concat([first, *others], ignore_index=True) if others else first

    def numbered(self) -> pd.DataFrame:
        """All rows, numbered as in their file from 0: what is in row 2 there, below a header."""
        frame = self.together()
        return frame.set_axis([self.number_of(n) - 2 for n in range(len(frame))])


Wanted = Callable[["pd.DataFrame"], float]
"""How likely a table is what is wanted of a workbook: 0 if it is not, the highest is read."""


def read_rows(
    location: str | Path,
    batch: int | None = None,
    sheet: str | None = None,
    of_all: bool = True,
    wanted: Wanted | None = None,
) -> FileRows:
    """The rows of a text, workbook, JSON, JSONL or parquet file, texts as they are written.

    Args:
        location: The file.
        batch: Most rows in a frame; by default all are in one.
        sheet: The sheet of a workbook; by default that which is wanted, or else the first with
            values that come back. "A+B" are two as one table, with their names in `SHEET`.
        of_all: Whether every workbook has that sheet; else the default is read where it has not.
        wanted: Which sheet is wanted.

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
        if form in _WORKBOOKS:
            if several := _several(path, sheet):
                return _in_sheets(path, several)
            rows = _sheet(path, sheet, of_all, wanted)
        else:
            cells, notes = _csv(path, batch)
            rows = FileRows(cells, notes=notes)
        below = under_header(rows.frames, path, rows.notes, rows.numbers)
        return replace(rows, frames=_in_words(below, path))


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
    location: str | Path,
    sheet: str | None = None,
    of_all: bool = True,
    wanted: Wanted | None = None,
) -> tuple[pd.DataFrame, Saved | None, list[Note]]:
    """All rows of a file at once, with what it says of itself and notes; see `read_rows`."""
    rows = read_rows(location, None, sheet, of_all, wanted)
    return rows.together(), rows.saved, rows.notes


def n_rows(location: str) -> int:
    """About how many rows a file has: exact for parquet, lines for texts, else 0."""
    path = _here(location)
    with suppress(Exception):  # whoever reads it says what is wrong with it
        if path.suffix.lower() == ".parquet":
            return n_rows_of(path)
        if path.suffix.lower() in (*TEXTS, *_LINES):
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


_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


def dialect_of(files: Iterable[str]) -> Dialect:
    """How files are written, so that the spreadsheet that wrote them opens what is written alike.

    As programs write, where there are none or they differ. Texts in a workbook with a decimal comma
    are of a country whose spreadsheets separate cells by semicolons. A file may be gone since it
    was read.
    """
    found = set()
    for file in files:
        with suppress(OSError, UserError):
            if file.lower().endswith(TEXTS):
                found.add(dialect_in(_here(file)))
            elif file.lower().endswith(_WORKBOOKS):
                texts = read_frame(file)[0].stack()
                comma = any(isinstance(one, str) and _DECIMAL_COMMA.fullmatch(one) for one in texts)
                found.add(Dialect(";", ",", mark=True) if comma else Dialect(mark=True))
    return found.pop() if len(found) == 1 else OF_PROGRAMS


def sheets_of(location: str) -> list[str]:
    """The names of the sheets of a workbook; none of another file."""
    if not location.lower().endswith(_WORKBOOKS):
        return []
    path = _here(location)
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True)
    try:
        return [str(one) for one in book.sheetnames]
    finally:
        book.close()


def _sheet(path: Path, sheet: str | None, of_all: bool, wanted: Wanted | None) -> FileRows:
    import pandas as pd

    def frames(rows: Rows) -> Iterator[pd.DataFrame]:
        frame = pd.DataFrame(rows, dtype=object)
        return iter([frame.mask(frame.isin(_MISSING))])

    def fits(rows: Rows) -> float:
        try:
            [frame] = under_header(frames(rows), path, [])
        except UserError:  # no names of columns
            [frame] = frames(rows)
            return UNSURE if wanted and _come_back(frame) >= _FEWEST_GRADES else -2
        if frame.columns.has_duplicates and wanted and _come_back(frame) >= _FEWEST_GRADES:
            return UNSURE
        comes_back = _come_back(frame.loc[:, frame.columns != ""]) > 0
        return (len(frame) and wanted and wanted(frame)) or comes_back - 1

    read = read_workbook(path, sheet, of_all, fits)
    numbered = (one.set_axis([n - 1 for n in read.numbers]) for one in frames(read.rows))
    return FileRows(numbered, None, read.notes, read.alike)


UNSURE = 0.9
"""How well a table fits whose columns are asked about, or whose names have to be mended first."""

_FEWEST_GRADES = 2
"""Columns of grades that a table has whose names have to be mended."""


def _come_back(frame: pd.DataFrame) -> int:
    """How many columns have values that come back, as grades do."""
    texts = as_texts(frame)
    return sum(few_values(texts.iloc[:, n]) for n in range(texts.shape[1]))


SHEET = "sheet"
"""Column that has the name of each row's sheet, where several are read as one table."""


def _several(path: Path, sheet: str | None) -> list[str]:
    """The sheets that a name such as "May+June" is of; empty if it is that of one, or of none.

    Raises:
        UserError: It names one twice.
    """
    names = sheet.split("+") if sheet else []
    known = sheets_of(str(path)) if names[1:] else []
    if sheet in known or not {*names} <= {*known}:
        return []
    if again := next((one for one in names if names.count(one) > 1), None):
        raise UserError(
            f"--sheet {sheet} names sheet {again!r} twice, so its rows would count twice. Name it "
            "once."
        )
    return names


def _in_sheets(path: Path, sheets: Sequence[str]) -> FileRows:
    """The rows of several sheets as one table, with the name of the sheet in a column.

    Raises:
        UserError: Their columns differ, or have such a column already.
    """
    import pandas as pd

    frames, notes, numbers = list[pd.DataFrame](), list[Note](), list[Any]()
    for one in sheets:
        read, where = _sheet(path, one, True, None), f"{path}, sheet {one!r}"
        [frame] = under_header(read.frames, path, read.notes, numbers)
        first = frames[0] if frames else frame
        if [*frame] != [*first]:
            names = ", ".join(repr(name) for name in map(str, frame) if name not in {*first})
            raise UserError(
                f"{where} has other columns than sheet {sheets[0]!r}{names and f': {names}'}. Give "
                "both the same names in the same order, or save each as a file of its own."
            )
        if SHEET in frame:
            raise UserError(
                f"{where} has a column {SHEET!r}. Save each sheet as a file of its own."
            )
        frames.append(frame)
        notes += [replace(note, where=where) for note in read.notes]
    table = pd.concat([one.assign(**{SHEET: of}) for one, of in zip(frames, sheets, strict=True)])
    notes.append(Note(_SHEETS.format(SHEET), len(sheets), str(path)))
    return FileRows(iter([table.reset_index(drop=True)]), None, notes, numbers=numbers)


_SHEETS = "sheets read as one table, with their names in the column {!r}"


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
