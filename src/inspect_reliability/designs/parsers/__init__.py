"""A judge's output read as a verdict: the parser for a design."""

from functools import lru_cache

from ..reading import Parser
from .default import DefaultParser
from .patterns import JsonParser, PatternParser, spelled_as


@lru_cache(maxsize=64)
def make_parser(
    kind: str,
    verdicts: tuple[str, ...],
    labels: tuple[str, ...] = (),
    pattern: str | None = None,
    json: str | None = None,
) -> Parser:
    """The parser for what a judge can answer ("options", "words" or a "scale")."""
    if pattern is not None:
        return PatternParser(spelled_as(verdicts), pattern)
    if json is not None:
        return JsonParser(kind, verdicts, json)
    return DefaultParser(kind, verdicts, labels)
