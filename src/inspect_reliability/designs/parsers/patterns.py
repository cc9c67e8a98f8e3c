"""Reads outputs in the one form that a design names: a pattern, or a JSON field."""

import json
import re

from ..reading import Parser, Reading, one_verdict
from .plain_text import without_thoughts
from .spelling import Spelled


class PatternParser(Parser):
    """Reads, in every match of a regular expression, the first group that took part."""

    def __init__(self, pattern: str, spelled: Spelled) -> None:
        self._pattern, self._spelled = re.compile(pattern), spelled

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        found = self._pattern.finditer(without_thoughts(text))
        named = (self._spelled(next(filter(None, one.groups()), "")) for one in found)
        return one_verdict(filter(None, named), "pattern")


class JsonParser(Parser):
    """Reads one field of the JSON objects in an output, even if they are cut off."""

    def __init__(self, field: str, value: Parser) -> None:
        name = re.escape(json.dumps(field, ensure_ascii=False))
        self._field = re.compile(rf'{name}\s*:\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s,}}\]"]++))')
        self._value = value

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        values = self._field.finditer(without_thoughts(text))
        read = (self._value.read(found[1] or found[2] or "") for found in values)
        return one_verdict((value.verdict for value in read if value.how), "json")
