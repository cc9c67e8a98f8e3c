"""A document in a terminal."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import compress, product
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text as RichText

from .document import Block, Caution, Document, Table, Text, Tone, in_texts
from .formats import one_line

_PIPE_WIDTH = 180
_LONGEST_WORDS = (40, 16)
"""Characters of a word that are kept together, if there is room; a longer one may be broken."""

_UNBROKEN = re.compile(r"\S*(?: \(\d+\))? ?\[\S+ \S+\]|\S+ \(\d+\)|[\d,]+ x \S+")
"""A value with its votes and interval, an interval, and N x R: no line breaks these."""

_ESTIMATE = re.compile(r"(\S+) (\[\S+ \S+\])")

_STYLES: Mapping[Tone, str] = {
    "headline": "bold",
    "answer": "",
    "next": "bold",
    "more": "dim",
    "legend": "dim",
    "heading": "bold",
    "good": "green",
    "bad": "bold red",
    "unsure": "yellow",
    "cite": "",
}
"""Notes have none: they were printed when the judgments were read."""


def console(stderr: bool = False) -> Console:
    """A console; wide if nothing limits it, as in a pipe or a CI log."""
    found = Console(stderr=stderr, highlight=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found.width = _PIPE_WIDTH
    return found


def render(document: Document) -> str:
    """The blocks as wide as the terminal, coloured if it supports colour.

    Texts are shown, never interpreted, and never cut.
    """
    out = console()
    with out.capture() as captured:
        blocks = [*map(in_texts, document.blocks)]
        for before, block in zip([None, *blocks], blocks, strict=False):
            if isinstance(before, Text) and isinstance(block, Table):
                out.print()
            _print(out, block)
    return captured.get()


def print_text(out: Console, text: str, style: str = "", soft_wrap: bool = False) -> None:
    """Print a paragraph; the text is shown, never interpreted.

    With `soft_wrap` it stays one line, as a command that is copied must.
    """
    out.print(RichText(one_line(text), style=style), soft_wrap=soft_wrap)


def _print(out: Console, block: Block) -> None:
    match block:
        case Text() if block.tone == "command":
            out.print(RichText(f"  {one_line(block.text)}", style="bold"), soft_wrap=True)
        case Text() if block.tone in _STYLES:
            print_text(out, block.text, _STYLES[block.tone])
        case Caution():
            print_text(out, block.line, "yellow")
        case Table():
            print_table(out, block)


def print_table(out: Console, table: Table) -> None:
    """Print a table.

    Lines break between words. If the table is too wide, each interval goes below its value where
    that takes fewer lines; if it still does not fit, each row becomes a list of its own.
    """
    shown = table.rows[: table.most or None]
    kept = [any(row[k] for row in shown) for k in range(len(table.headings))]
    one = [[*map(one_line, compress(row, kept))] for row in (table.headings, *shown)]
    two = [[_ESTIMATE.sub(r"\1\n\2", cell) for cell in row] for row in one]
    if table.title:
        out.print(RichText(one_line(table.title), style="bold"))
    if table.about:
        print_text(out, table.about, _STYLES["legend"])
    for longest in _LONGEST_WORDS:
        fitting = [
            (lines, widths, gap)
            for lines, gap in product((one, two), (2, 1))
            if (widths := _widths(lines, out.width - gap * len(lines[0]), longest))
        ]
        if fitting:
            lines, widths, gap = min(fitting, key=lambda one: _height(one[0][1:], one[1]))
            _print_grid(out, lines, widths, [*compress(table.numbers, kept)], gap)
            return
    for cells in one[1:]:
        for name, cell in zip(one[0], cells, strict=True):
            if cell:
                out.print(RichText(f"  {name}: {cell}" if name else f"  {cell}"))
        out.print()


def _height(lines: Sequence[Sequence[str]], widths: Sequence[int]) -> int:
    """How many lines rows take in columns of these widths."""
    return sum(
        max(
            sum(max(len(wrap(part, width)), 1) for part in cell.split("\n"))
            for cell, width in zip(cells, widths, strict=True)
            if width
        )
        for cells in lines
    )


def _print_grid(
    out: Console,
    lines: Sequence[Sequence[str]],
    widths: Sequence[int],
    numbers: Sequence[bool],
    gap: int,
) -> None:
    # The box's separator is the rest of the gap.
    grid = RichTable(
        box=box.SIMPLE_HEAD,
        padding=(0, gap - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        show_header=any(lines[0]),
    )
    for heading, width, of_numbers in zip(lines[0], widths, numbers, strict=True):
        side: JustifyMethod = "right" if of_numbers else "left"
        grid.add_column(RichText(heading), overflow="fold", width=width, justify=side)
    for row in lines[1:]:
        grid.add_row(*map(RichText, row))
    out.print(grid)
    out.print()


def _widths(lines: Sequence[Sequence[str]], room: int, longest: int) -> list[int] | None:
    """Widths of the columns, wide enough for their words; None if there is no room."""
    columns = [
        [part for cell in cells for part in cell.split("\n")] for cells in zip(*lines, strict=True)
    ]
    widths = [
        max(
            min(max(map(cell_len, " ".join(cells).split()), default=0), longest),
            *(cell_len(found[0]) for cell in cells if (found := _UNBROKEN.fullmatch(cell))),
            0,
        )
        for cells in columns
    ]
    wanted = [max(map(cell_len, cells)) for cells in columns]
    room -= sum(widths)
    # Those that lack least are filled first: the fewest columns then break their lines.
    for k in sorted(range(len(columns)), key=lambda k: wanted[k] - widths[k]):
        more = max(min(wanted[k] - widths[k], room), 0)
        widths[k] += more
        room -= more
    return widths if room >= 0 else None
