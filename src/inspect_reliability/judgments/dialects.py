"""How a text of cells is written: its encoding, its separator, and its decimals."""

import csv
import re
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from ..errors import UserError
from .reading import Note

BLOCK = 1 << 24
"""Bytes of a text that are looked at in one step."""

_SEEN_NUL = "\N{SYMBOL FOR NULL}"
"""What a NUL is read as: pandas would end the cell there."""

_CP1252 = "file that is not UTF-8 read as Windows-1252, as in {!r:.40}"

_IN_QUOTES = "lines that look like rows are one text: the quote in line {} is open until line {}{}"

_CLOSE = "delete that quote, or close it in its line"


@dataclass(frozen=True)
class Dialect:
    """How a text of cells is written, as by a spreadsheet of some country.

    Attributes:
        separator: What is between cells.
        decimal: The point of numbers.
        mark: Whether it says that it is UTF-8 by a byte order mark, without which Excel takes it
            for the encoding of its country.
    """

    separator: str = ","
    decimal: str = "."
    mark: bool = False


OF_PROGRAMS = Dialect()
"""How programs write, and spreadsheets where decimals have a point."""


def dialect_in(path: Path) -> Dialect:
    """How a file is written, which may be in another encoding than UTF-8: a list has the mark then.

    Raises:
        UserError: It is no text.
    """
    text, _ = decoded(path)
    with text as file:
        separator = separator_of(file)
        inside = rf'[^{re.escape(separator)}"\r\n]'
        number = re.compile(rf"(?<!{inside})-?\d+,\d+(?!{inside})")
        commas = separator != "," and any(number.search(line.decode()) for line in file)
    return Dialect(separator, "," if commas else ".", mark=isinstance(file, BytesIO))


def decoded(path: Path) -> tuple[BinaryIO, list[Note]]:
    """A text as UTF-8, from UTF-16 with its mark or Windows-1252, with a note on the last."""
    if _is_plain(path):
        return path.open("rb"), []
    raw = path.read_bytes()
    marked = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = raw.decode(encoding)
            if text.count("\0") > len(text) // 4:  # another encoding, of two bytes or more
                continue
            found = re.search(r"\w{0,20}[^\0-\x7f]\w{0,20}", text) if encoding == "cp1252" else None
            notes = [Note(_CP1252.format(found[0]), 1, str(path))] if found else []
            return BytesIO(text.replace("\0", _SEEN_NUL).encode()), notes
    raise UserError(f"{path} is no text in UTF-8 or Windows-1252. Save it as CSV in UTF-8.")


def _is_plain(path: Path) -> bool:
    """Whether a text is UTF-8 without a mark or a NUL, which can be read without a copy."""
    decoder = getincrementaldecoder("utf-8")()
    with path.open("rb") as file, suppress(UnicodeDecodeError):
        if (block := file.read(BLOCK)).startswith(BOM_UTF8):
            return False
        while block and b"\0" not in block:
            decoder.decode(block)
            block = file.read(BLOCK)
        decoder.decode(b"", final=not block)
        return not block
    return False


def separator_of(file: BinaryIO) -> str:
    """The separator of a CSV: as its first line says, which is passed, else as its header has."""
    first = file.readline().decode()
    if told := re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE):
        return told[1]
    file.seek(0)
    names = re.sub(r'"[^"]*"', "", first)  # a quoted name may have commas
    return max(",;\t|", key=names.count)


def rows_in_quotes(file: BinaryIO, separator: str, where: str) -> list[Note]:
    """Say where a quote that was not closed in its line has made a text of the rows below it.

    Inside such a text, the separators of every line are those of a row, with no space after them.
    A text of several lines is seldom of that form, and is read as it is either way.

    Raises:
        UserError: A quote is never closed, or the row that it makes is too long.
    """
    start, most = file.tell(), csv.field_size_limit(sys.maxsize)
    text = TextIOWrapper(file, "utf-8", newline="")
    found: list[tuple[int, int]] = []
    try:
        reader = csv.reader(chain(text, [_END]), delimiter=separator)
        above = before = int(start > 0)  # the line that says the separator
        width = 0
        for row in reader:
            width, line = width or len(row), above + reader.line_num
            if line > before + 1:
                if row[-1].endswith(_END):
                    what = f"a quote is opened in line {before + 1:,} and never closed"
                    raise UserError(f"{where}: {what}. {_CLOSE.capitalize()}.")
                if _has_rows(row, separator, width):
                    found.append((before + 1, line))
                    if len(row) > width:
                        break
            before = line
    finally:
        csv.field_size_limit(most)
        text.detach()
        file.seek(start)
    if not found:
        return []
    more = f", and {len(found) - 1:,} more" if found[1:] else ""
    what = _IN_QUOTES.format(*(f"{line:,}" for line in found[0]), more)
    lost = sum(last - first for first, last in found)
    if len(row) > width:
        raise UserError(f"{where}: {lost:,} {what}. {_CLOSE.capitalize()}.")
    return [Note(f"{what}. If they are rows, {_CLOSE}", lost, where)]


_END = "\0end"
"""What is read after the last line: no text has a NUL."""


def _has_rows(row: list[str], separator: str, width: int) -> bool:
    """Whether a cell has the end of its row, whole rows, and the beginning of the last."""
    for place, cell in enumerate(row if width >= _FEWEST_CELLS else ()):
        first, *below = cell.splitlines() or [""]
        if not below or any(f"{separator} " in line for line in below):
            continue
        *whole, last = (line.count(separator) for line in below)
        begun = last if len(row) > width else width - len(row) + place
        ends = first.count(separator) >= width - 1 - place and last == begun
        if ends and all(one == width - 1 for one in whole):
            return True
    return False


_FEWEST_CELLS = 3
"""Cells of a row from which separators tell rows from a text."""
