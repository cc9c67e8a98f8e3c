"""Reads outputs in one form only: that of the design, or that of the published study."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...errors import UserError
from ...verdicts import CORRECT, INCORRECT
from ..reading import Parser, Reading, one_verdict
from .default import DefaultParser
from .english import loosely
from .plain_text import without_thoughts

Spelled = Callable[[str], str | None]
"""The verdict that a text spells; None if none."""


def spelled_as(verdicts: Iterable[str]) -> Spelled:
    """Verdicts in capitals or not."""
    names = {name.casefold(): name for name in verdicts}
    return lambda written: names.get(written.casefold())


class PatternParser(Parser):
    """Reads, in every match of a regular expression, the first group that took part."""

    def __init__(self, spelled: Spelled, pattern: str, how: str = "pattern") -> None:
        self._spelled, self._pattern, self._how = spelled, re.compile(pattern), how

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        found = map(re.Match.groups, self._pattern.finditer(without_thoughts(text)))
        named = (self._spelled(next(filter(None, groups), "")) for groups in found)
        return one_verdict((name for name in named if name), self._how)


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


def strict_parser(kind: str, verdicts: Sequence[str], labels: Sequence[str]) -> PatternParser:
    """Reads the verdict after one of the labels; without labels, the verdict and nothing else.

    Between label and verdict may be brackets, quotes, emphasis and white space. A verdict that is
    a letter is a capital, or in brackets, since "Best Response: a clear one" names none.
    """
    spelled = spelled_as(verdicts)
    names = "|".join(re.escape(name) for name in sorted(verdicts, key=len, reverse=True))
    # Not "Explanation", "E's", "A-level", "A/B", "7.5".
    end = r"(?![^\W_]|['’\-][^\W_]|/[^\W\d_]|[.,]\d)"
    if not labels:
        edge = r"[\s\[\](){}<>\"'“”‘’*_`.]*"
        return PatternParser(spelled, rf"\A{edge}(?i:({names})){edge}\Z", "bare")
    # A label that ends in a mark of its own, "[RESULT]", needs no colon.
    label = "|".join(
        rf"{loosely(label)}[*_\"'\s]*:{'' if label[-1:].isalnum() else '?'}" for label in labels
    )
    start = rf"(?i:{label})[\s\[\](){{}}<>\"'“”‘’*_`]*"
    if kind == "options":
        return PatternParser(
            spelled, rf"{start}(?:({names})|(?<=[\[(])((?i:{names}))(?=[\])])){end}", "label"
        )
    return PatternParser(spelled, rf"{start}((?i:{names})){end}", "label")


@dataclass(frozen=True)
class PublishedParser(Parser):
    """Reads an output as the published study's code does, to reproduce its numbers.

    It takes the first letter of a word for a verdict ("Best Response: Explanation" is E), and
    "Correctness:" for "correct".

    Source: Schroeder & Wood-Doughty (2024), published scripts, judgments and Table 6.

    Raises:
        UserError: The study has no such verdicts.
    """

    verdicts: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.verdicts not in (tuple("ABCDE"), (CORRECT, INCORRECT)):
            raise UserError(
                "parser='published' reads the verdicts of the published study only: A to E, or "
                "correct and incorrect. Use parser='default'."
            )

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        if CORRECT not in self.verdicts:
            letters = re.findall(r"Best Response:\W*([A-Ea-e])", text)
            return one_verdict(map(str.upper, letters), "published")
        lower = text.lower()
        named = [name for name in (INCORRECT, CORRECT) if name in lower]
        return one_verdict(named[:1], "published")
