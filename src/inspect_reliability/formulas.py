r"""Texts in CSV that a spreadsheet would take for a formula: marked when written, and read back.

A spreadsheet may separate cells by a semicolon, a tab or "|" where the file has commas, and then
knows nothing of our quotation marks. So the mark, an apostrophe, is before whatever could begin a
cell: at the start of a text, and after each separator and line break in it.
"""

import re

_BLANK = (
    r"""["' \x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*+"""
)
"""What may come before a formula: quotation marks, apostrophes, spaces and a byte order mark."""

_SIGN = "[=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}" + (
    "\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}]"
)
_NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?:[;|\t\r\n]|\Z)"

_POSSIBLE = re.compile(rf"{_SIGN}|[\t\r]")

_FIRST = rf"(?={_BLANK}(?:{_SIGN}|[\t\r]))"  # Excel passes over a tab
_LATER = rf"([;|\t\r\n])(?={_BLANK}{_SIGN})"
"""Where a cell could begin that is a formula, marked or not: at the start, and further on."""

_TO_MARK = [re.compile(rf"{one}(?!{_NUMBER})") for one in (_FIRST, _LATER)]
_MARKED = [re.compile(f"{one}'") for one in (_FIRST, _LATER)]
_UNMARKED = [re.compile(rf"{one}(?!'|{_NUMBER})") for one in (_FIRST, _LATER)]


def marked(text: str) -> str:
    """A text of which no part is a formula to a spreadsheet; numbers stay as they are."""
    if not _POSSIBLE.search(text):
        return text
    first, later = _TO_MARK
    found = later.sub(r"\1'", text)
    return f"'{found}" if first.match(text) else found


def without_marks(text: str) -> str:
    """The text that `marked` was given."""
    first, later = _MARKED
    found = later.sub(r"\1", text)
    return found[1:] if first.match(text) else found


def has_formula(text: str) -> bool:
    """Whether a part of a text is a formula to a spreadsheet, as in no file of ours."""
    first, later = _UNMARKED
    return bool(first.match(text) or later.search(text))
