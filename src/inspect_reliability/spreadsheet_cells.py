r"""Texts in CSV that a spreadsheet would take for a formula: marked when written, and read back.

A spreadsheet may separate cells by a semicolon, tab or "|" where the file has commas, or by commas
where it has none, and then knows nothing of our quotation marks. So the mark, an apostrophe, is
before whatever could begin a cell: at the start of a text, and after each separator and line break
in it.
"""

import re
from functools import cache
from typing import NamedTuple

_BLANK = (
    r"""["' \x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*+"""
)
"""What may come before a formula: quotation marks, apostrophes, spaces and a byte order mark."""

_SIGN = "[=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}" + (
    "\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}]"
)
_POSSIBLE = re.compile(rf"{_SIGN}|[\t\r]")


class _Patterns(NamedTuple):
    """Where a cell could begin that is a formula: at the start of a text, and further on in it."""

    to_mark: list[re.Pattern[str]]
    marked: list[re.Pattern[str]]
    unmarked: list[re.Pattern[str]]


@cache
def _patterns(separator: str) -> _Patterns:
    """Those for a file: its own separator is known to be no cell's end within quotation marks."""
    others, point = (r";|\t", r"\.") if separator == "," else (r",;|\t", "[.,]")
    number = rf"[+-]?\d+(?:{point}\d*)?(?:[eE][+-]?\d+)?(?:[{others}\r\n]|\Z)"
    first = rf"(?={_BLANK}(?:{_SIGN}|[\t\r]))"  # Excel passes over a tab
    later = rf"([{others}\r\n])(?={_BLANK}{_SIGN})"
    after = (rf"(?!{number})", "'", rf"(?!'|{number})")
    return _Patterns(*([re.compile(one + rest) for one in (first, later)] for rest in after))


def marked(text: str, separator: str = ",") -> str:
    """A text of which no part is a formula to a spreadsheet; numbers stay as they are."""
    if not _POSSIBLE.search(text):
        return text
    first, later = _patterns(separator).to_mark
    found = later.sub(r"\1'", text)
    return f"'{found}" if first.match(text) else found


def without_marks(text: str, separator: str = ",") -> str:
    """The text that `marked` was given."""
    first, later = _patterns(separator).marked
    found = later.sub(r"\1", text)
    return found[1:] if first.match(text) else found


def has_formula(text: str, separator: str = ",") -> bool:
    """Whether a part of a text is a formula to a spreadsheet, as in no file of ours."""
    first, later = _patterns(separator).unmarked
    return bool(first.match(text) or later.search(text))
