"""Numbers with decimals in an output."""

import re
from typing import Any

from ...verdicts import INVALID, NON_RESPONSE
from ..reading import Parser, Reading
from . import make_parser
from .patterns import PatternParser, Spelled

_NUMBER = re.compile(r"(?:(?<![\w.])[-+])?(?:\d+(?:[.,]\d+)*|(?<!\w)\.\d+)")
_STAND_INS = tuple(map(str, range(100, 1000)))
_OFF = "9999"
"""Stands for a number off the scale."""


def decimals_parser(low: float, high: float, pattern: str | None = None, **own: Any) -> Parser:
    """Reads a number from one end of a scale to the other, as `make_parser` reads verdicts."""

    def spelled(written: str) -> str | None:
        try:
            number = float(written)
        except ValueError:  # "1,5" may be a number or two
            return None
        if not low <= number <= high:
            return None
        return str(int(number)) if number.is_integer() else repr(number)

    if pattern is not None:
        return PatternParser(spelled, pattern)
    whole = make_parser("scale", _STAND_INS, **own)
    return _DecimalsParser(spelled, spelled(str(high)) or "", whole)


class _DecimalsParser(Parser):
    """Writes each number on the scale as a whole number of three digits, the highest as 999.

    The parser of whole numbers then reads that text.
    """

    def __init__(self, spelled: Spelled, highest: str, inner: Parser) -> None:
        self._spelled, self._highest, self._inner = spelled, highest, inner

    def read(self, text: str) -> Reading:
        whole, numbers = self._whole(text)
        verdict, how = self._inner.read(whole)
        if verdict in (NON_RESPONSE, INVALID):
            return Reading(verdict, how)
        return Reading(numbers[verdict], how) if verdict in numbers else Reading(NON_RESPONSE)

    def completed(self, text: str) -> str | None:
        whole, numbers = self._whole(text)
        return numbers.get(self._inner.completed(whole) or "")

    def _whole(self, text: str) -> tuple[str, dict[str, str]]:
        unused = iter(_STAND_INS[:-1])
        places = {self._highest: _STAND_INS[-1]}

        def place(found: re.Match[str]) -> str:
            number = self._spelled(found[0])
            if number is not None and number not in places:
                places[number] = next(unused, _OFF)
            return _OFF if number is None else places[number]

        whole = _NUMBER.sub(place, text)
        return whole, {name: number for number, name in places.items() if name != _OFF}
