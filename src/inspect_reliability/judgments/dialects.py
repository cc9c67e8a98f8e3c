"""How a text of cells is written: its encoding, its separator, and its decimals."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ..errors import UserError
from .reading import Note

BLOCK = 1 << 24
"""Bytes of a text that are looked at in one step."""

_SEEN_NUL = "\N{SYMBOL FOR NULL}"
"""What a NUL is read as: pandas would end the cell there."""

_CP1252 = "file that is not UTF-8 read as Windows-1252, as in {!r:.40}"


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
