"""Reads outputs in the one form that a design names: a pattern, or a JSON field."""

import json
import re
from collections.abc import Callable, Iterable
from logging import getLogger

import regex
from inspect_ai.util import warn_once

from ...verdicts import NON_RESPONSE, NOT_READ
from ..reading import Parser, Reading, one_verdict
from .default import DefaultParser
from .plain_text import without_thoughts

logger = getLogger(__name__)

_SECONDS = 1.0
"""Processor time of this process in which a pattern reads an output."""

Spelled = Callable[[str], str | None]
"""The verdict that a text spells; None if none."""


def spelled_as(verdicts: Iterable[str]) -> Spelled:
    """Verdicts in capitals or not."""
    names = {name.casefold(): name for name in verdicts}
    return lambda written: names.get(written.casefold())


class PatternParser(Parser):
    """Reads, in every match of a regular expression, the first group that took part.

    Some patterns would look at some outputs for years: `regex` stops them, in any thread.
    """

    def __init__(self, spelled: Spelled, pattern: str) -> None:
        self._spelled, self._pattern = spelled, regex.compile(pattern)

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        said = without_thoughts(text)
        try:
            found = [
                self._spelled(next(filter(None, one.groups()), ""))
                for one in self._pattern.finditer(said, timeout=_SECONDS, concurrent=True)
            ]
        except TimeoutError:
            warn_once(
                logger,
                f"The parser's pattern takes more than {_SECONDS:g} s to read some outputs. They "
                "count as non-responses. A pattern must not repeat what it repeats, as (a+)+ does.",
            )
            return Reading(NON_RESPONSE, NOT_READ)
        return one_verdict(filter(None, found), "pattern")


class JsonParser(Parser):
    """Reads one field of the JSON objects in an output, even if they are cut off."""

    def __init__(self, kind: str, verdicts: tuple[str, ...], field: str) -> None:
        name = re.escape(json.dumps(field, ensure_ascii=False))
        self._field = re.compile(rf'{name}\s*:\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s,}}\]"]++))')
        self._value = DefaultParser(kind, verdicts)

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        values = self._field.finditer(without_thoughts(text))
        read = (self._value.read(found[1] or found[2] or "") for found in values)
        return one_verdict((value.verdict for value in read if value.how), "json")
