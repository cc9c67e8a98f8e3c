"""Reads outputs in the one form that a design names: a pattern, or a JSON field."""

import json
import re
from logging import getLogger

import regex
from inspect_ai.util import warn_once

from ...verdicts import NON_RESPONSE
from ..parsed import Parsed, Parser, one_verdict
from .output import without_thoughts
from .spelling import Spelled

logger = getLogger(__name__)

_SECONDS = 1.0
"""Processor time of this process in which a pattern reads an output."""


class PatternParser(Parser):
    """Reads, in every match of a regular expression, the first group that took part.

    Some patterns would look at some outputs for years: `regex` stops them, in any thread.
    """

    def __init__(self, pattern: str, spelled: Spelled) -> None:
        self._pattern, self._spelled = regex.compile(pattern), spelled

    def read(self, text: str) -> Parsed:
        """Read a whole output."""
        try:
            found = list(
                self._pattern.finditer(without_thoughts(text), timeout=_SECONDS, concurrent=True)
            )
        except TimeoutError:
            warn_once(
                logger,
                f"The parser's pattern takes more than {_SECONDS:g} s to read some outputs. They "
                "count as non-responses. A pattern must not repeat what it repeats, as (a+)+ does.",
            )
            return Parsed(NON_RESPONSE, "not read")
        named = (self._spelled(next(filter(None, one.groups()), "")) for one in found)
        return one_verdict(filter(None, named), "pattern")


class JsonParser(Parser):
    """Reads one field of the JSON objects in an output, even if they are cut off."""

    def __init__(self, field: str, value: Parser) -> None:
        name = re.escape(json.dumps(field, ensure_ascii=False))
        self._field = re.compile(rf'{name}\s*:\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s,}}\]"]++))')
        self._value = value

    def read(self, text: str) -> Parsed:
        """Read a whole output."""
        values = self._field.finditer(without_thoughts(text))
        read = (self._value.read(found[1] or found[2] or "") for found in values)
        return one_verdict((value.verdict for value in read if value.how), "json")
