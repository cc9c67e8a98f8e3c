"""Numbers with decimals in an output."""

import re

from ...verdicts import INVALID, NON_RESPONSE
from ..reading import ParserName, Reading, one_verdict
from . import make_parser
from .plain_text import without_thoughts

_NUMBER = re.compile(r"(?:(?<![\w.])[-+])?(?:\d+(?:[.,]\d+)*|(?<!\w)\.\d+)")
_STAND_INS = tuple(map(str, range(100, 1000)))
_OFF = "9999"
"""Stands for what is not on the scale."""


class DecimalsParser:
    """Reads a number from one end of a scale to the other.

    Each number of a text that is on the scale is written as a whole number of three digits, the
    highest as 999, and the parser of whole numbers reads that text.
    """

    def __init__(
        self,
        low: float,
        high: float,
        name: ParserName,
        labels: tuple[str, ...] = (),
        pattern: str | None = None,
        json: str | None = None,
    ) -> None:
        self._low, self._high = low, high
        self._pattern = None if pattern is None else re.compile(pattern)
        self._inner = make_parser("scale", _STAND_INS, name, labels, json=json)

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        if self._pattern is not None:
            groups = map(re.Match.groups, self._pattern.finditer(without_thoughts(text)))
            named = (self._number(next(filter(None, found), "")) for found in groups)
            return one_verdict((_spelled(one) for one in named if one is not None), "pattern")
        whole, numbers = self._whole(text)
        verdict, how = self._inner.read(whole)
        if verdict in (NON_RESPONSE, INVALID):
            return Reading(verdict, how)
        return Reading(numbers[verdict], how) if verdict in numbers else Reading(NON_RESPONSE)

    def completed(self, text: str) -> str | None:
        """Read an output that is still being written; None before it names its verdict."""
        if self._pattern is not None:
            return None
        whole, numbers = self._whole(text)
        verdict = self._inner.completed(whole)
        return None if verdict is None else numbers.get(verdict)

    def _whole(self, text: str) -> tuple[str, dict[str, str]]:
        """A text with whole numbers, and what each stands for."""
        unused = iter(_STAND_INS[:-1])
        places = {self._high: _STAND_INS[-1]}

        def place(found: re.Match[str]) -> str:
            number = self._number(found[0])
            if number is not None and number not in places:
                places[number] = next(unused, _OFF)
            return _OFF if number is None else places[number]

        whole = _NUMBER.sub(place, text)
        return whole, {name: _spelled(one) for one, name in places.items() if name != _OFF}

    def _number(self, written: str) -> float | None:
        try:
            number = float(written)
        except ValueError:  # "1,5" may be a number or two
            return None
        return number if self._low <= number <= self._high else None


def _spelled(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)
