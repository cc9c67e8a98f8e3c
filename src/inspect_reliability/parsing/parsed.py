"""What a parser found in a judge's output."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ..verdicts import INVALID, NO_VERDICTS, NON_RESPONSE


class Parsed(NamedTuple):
    """What a parser found.

    Attributes:
        verdict: A verdict of the design, "non-response" or "invalid".
        how: How it was found; empty where nothing was. "label" ("Winner: C"), "sentence" ("C is the
            best response"), "bare" (the verdict alone), "brackets" ("[[C]]"), "boxed"
            (LaTeX), "ranking" ("C > A > B"), "json", "tag" (XML), or "pattern" (of the design).
    """

    verdict: str
    how: str = ""


class Parser(Protocol):
    """Reads the outputs of one design."""

    def read(self, text: str) -> Parsed:
        """Read a whole output."""

    def completed(self, text: str) -> str | None:
        """Read an unfinished output; None until it names its verdict.

        Most parsers know no verdict before the end, because later text may change it.
        """
        return None

    def finished(self, lines: str) -> bool:
        """Whether the complete lines of an unfinished output name its verdict."""
        return self.read(lines).verdict not in NO_VERDICTS


def one_verdict(named: Iterable[str], how: str) -> Parsed:
    """The one verdict named; none, or several different ones, give no verdict."""
    distinct = set(named)
    if not distinct:
        return Parsed(NON_RESPONSE)
    return Parsed(distinct.pop(), how) if len(distinct) == 1 else Parsed(INVALID, how)
