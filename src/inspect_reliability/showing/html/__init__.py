"""A document as one self-contained page, without script, and without outside styles or pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from ..document import Block, Caution, Document, Figure, Table, Text
from ..formats import ALL, printable
from .drawing import draw
from .svg import column, dot, inline_svg, percent_on_axis, tick

LONGEST_TEXT = 4_000
"""Characters of a prompt or output on the page; the page says how many more there are."""

_LONGEST = 20_000
"""Characters of any other text."""

_MANY = 12
"""Rows of tables from which a page folds them."""

_NARROW = 4.0
"""Inches of a figure that is as wide as a telephone, in which its type keeps its size."""


def render(document: Document) -> str:
    """The page.

    The template escapes every text, writes out its control characters, and cuts the texts of
    models where they are very long.
    """
    # A document that begins with a heading is made of parts: cards keep their own answers.
    parts = getattr(document.blocks[0], "tone", "") == "heading"
    blocks = [] if parts else [one for one in document.blocks if not isinstance(one, Caution)]
    sections = document.sections()
    behind = [*document.blocks] if parts else [] if sections else document.more()
    told = [] if parts else [one for one in document.more() if isinstance(one, Caution)]
    tones = {getattr(one, "tone", "") for one in blocks}
    return _template().render(
        page=document,
        study=[one for one in blocks if getattr(one, "tone", "") == "study"],
        answered="headline" in tones,
        facts=document.facts(),
        answer=[one for one in blocks if getattr(one, "tone", "") not in ("more", "study")],
        charts=document.charts(),
        cautions=told,
        numbers=behind if parts else [one for one in behind if not isinstance(one, Caution)],
        many=sum(len(block.rows) for block in behind if isinstance(block, Table)) > _MANY,
        sections=sections,
        runs=_runs,
        column=column,
        dot=dot,
        tick=tick,
        place=percent_on_axis,
        caption=_caption,
        everything=ALL,
        without=_without,
        draw=lambda figure: draw(figure, inline_svg),
        narrow=lambda figure: draw(replace(figure, width=_NARROW), inline_svg),
        cut=lambda text: printable(text, LONGEST_TEXT),
        version=version("inspect-reliability"),
    )


@cache
def _template() -> Template:
    """The template, compiled once for all pages of a process."""
    environment = Environment(
        loader=PackageLoader(__package__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


def _harmless(value: Any) -> Any:
    """Write out control characters in every text but our own markup, and cut what is too long."""
    return (
        printable(value, _LONGEST)
        if isinstance(value, str) and not isinstance(value, Markup)
        else value
    )


def _caption(figure: Figure) -> tuple[str, str]:
    """What a figure shows, and what else its words say."""
    if not figure.words.startswith(f"{figure.title}: "):
        return figure.title, "" if figure.title in figure.words else figure.words
    said = figure.words
    if said.startswith(f"{ALL}: "):
        said = said.removeprefix(f"{ALL}: ")
        said = f"{said[0].upper()}{said[1:]}"
    first, _, rest = said.partition(". ")
    return first.removesuffix("."), rest


def _without(title: str, section: str) -> str:
    """The title of a table in a section, without what the heading of the section says."""
    own = title.removeprefix(section).removeprefix(". ")
    return own if own != title and title[len(section) :][:2] in ("", ". ") else title


def _runs(blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Consecutive blocks of one kind, or texts of one tone, which share a place."""
    for kind, run in groupby(blocks, _kind):
        yield kind, list(run)


def _kind(block: Block) -> str:
    if isinstance(block, Text):
        return "next" if block.tone == "command" else block.tone
    return type(block).__name__
