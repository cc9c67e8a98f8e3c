"""A document as one self-contained page, without script, and without outside styles or pictures."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..document import Block, Caution, Document, Table, Text
from ..printable import printable
from .drawing import draw
from .svg import inline_svg

LONGEST_TEXT = 4_000
"""Characters of a prompt or output on the page; the page says how many more there are."""

_LONGEST = 20_000
"""Characters of any other text."""

_MANY = 12
"""Rows of tables from which a page folds them."""


def render(document: Document) -> str:
    """The page.

    The template escapes every text, writes out its control characters, and cuts the texts of
    models where they are very long.
    """
    environment = Environment(
        loader=PackageLoader(__package__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    blocks = document.blocks
    # A document that begins with a heading is made of parts: cards keep their own answers.
    top = [] if getattr(blocks[0], "tone", "") == "heading" else blocks
    answers = [block for block in top if isinstance(block, Text) and block.tone == "answer"]
    cautions = [block for block in top if isinstance(block, Caution)]
    return environment.get_template("page.html.jinja").render(
        page=document,
        facts=document.facts(),
        answers=answers,
        cautions=cautions,
        numbers=[block for block in blocks if block not in (*answers, *cautions)],
        many=sum(len(block.rows) for block in blocks if isinstance(block, Table)) > _MANY,
        sections=document.sections(),
        runs=_runs,
        draw=lambda figure: draw(figure, inline_svg),
        cut=lambda text: printable(text, LONGEST_TEXT),
        version=version("inspect-reliability"),
    )


def _harmless(value: Any) -> Any:
    """Write out control characters in every text but our own markup, and cut what is too long."""
    return (
        printable(value, _LONGEST)
        if isinstance(value, str) and not isinstance(value, Markup)
        else value
    )


def _runs(blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Consecutive blocks of one kind, or texts of one tone, which share a place."""
    for kind, run in groupby(blocks, lambda one: getattr(one, "tone", type(one).__name__)):
        yield kind, list(run)
