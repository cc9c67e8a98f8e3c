"""A judge's output read as a verdict.

Every parser maps a text to one category name. A verdict is a name, never a number.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from ..errors import UserError
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE

ParserName = Literal["default", "published"]

DEFAULT_LABELS = ("Best Response",)


class Reading(NamedTuple):
    """What a parser found.

    Attributes:
        verdict: A verdict of the design, "non-response" or "invalid".
        how: How the verdict was found ("label", "pattern", "published"); empty where none was.
    """

    verdict: str
    how: str = ""


@dataclass(frozen=True)
class Parser:
    """Reads the verdicts of one design.

    Attributes:
        verdicts: What the judge can answer.
        pattern: Finds a verdict, in the first group that took part.
        how: What `Reading.how` says of what it finds.
        ended: Finds a verdict in an output that is still being written.
    """

    verdicts: tuple[str, ...]
    pattern: re.Pattern[str]
    how: str
    ended: re.Pattern[str]

    @property
    def can_contradict(self) -> bool:
        """Whether an output can name two verdicts: not to a pattern that begins the text."""
        return not self.pattern.pattern.startswith(r"\A")

    def completed(self, text: str) -> str | None:
        """Read an output that is still being written; None before it names a verdict."""
        found = self.ended.search(text)
        return self.read(found.group()).verdict if found else None

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        by_name = {name.casefold(): name for name in self.verdicts}
        named = [
            by_name.get(next(filter(None, match.groups()), "").casefold())
            for match in self.pattern.finditer(text)
        ]
        return one_verdict((name for name in named if name), self.how)


def one_verdict(named: Iterable[str], how: str) -> Reading:
    """The verdict that a text names; none, or several different ones, are no verdict."""
    distinct = set(named)
    if not distinct:
        return Reading(NON_RESPONSE)
    return Reading(distinct.pop(), how) if len(distinct) == 1 else Reading(INVALID, how)


@lru_cache(maxsize=64)
def make_parser(
    kind: str, verdicts: tuple[str, ...], spec: tuple[tuple[str, Any], ...], name: ParserName
) -> "Parser | PublishedParser":
    """The parser of a design.

    Args:
        kind: "options", "words" or "scale".
        verdicts: What the judge can answer.
        spec: The fields of `JudgeDesign.parser`.
        name: "default" for the design's own, "published" for the pattern of the study.

    Raises:
        UserError: There is no such parser, or its fields are not what they should be.
    """
    if name == "published":
        return PublishedParser(verdicts)
    if name != "default":
        raise UserError(f"parser='{name}' is not known. Use one of: default, published.")
    fields = dict(spec)
    if "pattern" in fields:
        found = re.compile(fields["pattern"])
        return Parser(verdicts, found, "pattern", found)
    labels = "|".join(_loosely(label) for label in fields.get("labels", DEFAULT_LABELS))
    # Between the label and the verdict judges put brackets, quotes, emphasis and spaces, and
    # nothing else; a bare letter must be a capital, since "Best Response: a clear one" names
    # none. What follows may not continue a word ("Explanation", "E's", "A-level").
    label = rf"(?i:{labels})[*_\"'\s]*:[\s\[\](){{}}<>\"'“”‘’*_`]*"
    any_case = "" if kind == "options" else "(?i)"
    names = "|".join(re.escape(name) for name in sorted(verdicts, key=len, reverse=True))
    lower = names.lower()
    return Parser(
        verdicts,
        re.compile(
            rf"{any_case}{label}(?:({names})|(?<=[\[(])({lower})(?=[\])]))"
            r"(?![^\W_]|['’\-][^\W_])"
        ),
        "label",
        re.compile(rf"{any_case}{label}(?:{names})[^\w'’\-]"),
    )


def _loosely(label: str) -> str:
    return r"\s+".join(map(re.escape, label.split()))


@dataclass(frozen=True)
class PublishedParser:
    r"""Reads an output as the published study's code does, so that its numbers come out.

    Best of five: `Best Response:\W*([A-Ea-e])`, which takes the first letter of a word for a
    verdict ("Best Response: Explanation" is E). Correct or incorrect: "correct" anywhere in the
    output in any case, unless "incorrect" is in it too; the label "Correctness:" counts as a
    "correct".

    Source: Schroeder & Wood-Doughty (2024), published scripts, judgments and Table 6.

    Raises:
        UserError: The study has no such verdicts.
    """

    verdicts: tuple[str, ...]
    can_contradict = True

    def __post_init__(self) -> None:
        if self.verdicts not in (tuple("ABCDE"), (CORRECT, INCORRECT)):
            raise UserError(
                "parser='published' reads the verdicts of the published study only: A to E, or "
                "correct and incorrect. Leave the parser out."
            )

    def completed(self, text: str) -> None:
        """Not known before the end: an output that names a second letter is invalid."""

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        if CORRECT not in self.verdicts:
            letters = re.findall(r"Best Response:\W*([A-Ea-e])", text)
            return one_verdict(map(str.upper, letters), "published")
        lower = text.lower()
        named = [name for name in (INCORRECT, CORRECT) if name in lower]
        return one_verdict(named[:1], "published")
