"""A judge's output read as a verdict: the parser for a design."""

from functools import lru_cache
from typing import get_args

from ...errors import one_of
from ..reading import Parser, ParserName
from .default import DefaultParser
from .strict import JsonParser, PatternParser, PublishedParser, spelled_as, strict_parser


@lru_cache(maxsize=64)
def make_parser(
    kind: str,
    verdicts: tuple[str, ...],
    name: ParserName,
    labels: tuple[str, ...] = (),
    pattern: str | None = None,
    json: str | None = None,
) -> Parser:
    """The parser for what a judge can answer ("options", "words" or a "scale").

    A design's own pattern or JSON field takes the place of "default" and "strict".

    Raises:
        UserError: No parser has that name, or none of that name reads these verdicts.
    """
    one_of("parser", name, get_args(ParserName))
    if name == "published":
        return PublishedParser(verdicts)
    if pattern is not None:
        return PatternParser(spelled_as(verdicts), pattern)
    if json is not None:
        return JsonParser(kind, verdicts, json)
    if name == "strict":
        return strict_parser(kind, verdicts, labels)
    return DefaultParser(kind, verdicts, labels)
