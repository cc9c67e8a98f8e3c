"""A document in a terminal."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import compress, groupby, product

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text as RichText

from .document import Block, Caution, Document, Table, Text, Tone
from .printable import one_line

_PIPE_WIDTH = 180
_LONGEST_WORD = 16
"""Characters of a word that are kept together; a longer one, such as a path, may be broken."""

_UNBROKEN = re.compile(r"\S* ?\[\S+ \S+\]|[\d,]+ x \S+")
"""A value with its interval, an interval, and N x R: no line breaks these."""

_ESTIMATE = re.compile(r"(\S+) (\[\S+ \S+\])")

_FEWEST = 3
"""Least columns of a table in a narrow window."""

_STYLES: Mapping[Tone, str] = {
    "answer": "bold",
    "next": "bold",
    "more": "dim",
    "legend": "dim",
    "heading": "bold",
    "good": "green",
    "bad": "bold red",
    "unsure": "yellow",
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
        for before, block in zip([None, *document.blocks], document.blocks, strict=False):
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

    Lines break between words. If the table is too wide, each interval goes below its value; if
    the first column still does not fit, its names stand above their rows. Columns that do not fit
    then are named below. If hardly any fits, each row becomes a list of its own.
    """
    shown = table.rows[: table.most or None]
    kept = [any(row[k] for row in shown) for k in range(len(table.headings))]
    one = [[*map(one_line, compress(row, kept))] for row in (table.headings, *shown)]
    numbers = [*compress(table.numbers, kept)]
    two = [[_ESTIMATE.sub(r"\1\n\2", cell) for cell in row] for row in one]
    if table.title:
        out.print(RichText(one_line(table.title), style="bold"))
    for n in range(len(one[0]), min(_FEWEST, len(one[0])) - 1, -1):
        for lines, above, gap in product((one, two), (0, 1), (2, 1)):
            names = (part for line in lines for part in _name(line[0], lines is two))
            widths = _widths([line[above:n] for line in lines], out.width - gap * (n - above))
            if not widths or (n > 1 and not above and widths[0] < max(map(cell_len, names))):
                continue
            # A number without its heading says nothing, and a line for a name is worth a break.
            if above and (numbers[0] or lines is one):
                continue
            columns = list(zip(lines[0][above:n], widths, numbers[above:n], strict=True))
            _print_grid(out, columns, gap, lines[1:1] if above else [row[:n] for row in lines[1:]])
            for name, rows in groupby(lines[1:] if above else [], lambda row: row[0]):
                out.print(RichText(name))
                _print_grid(out, columns, gap, [row[1:n] for row in rows], header=False)
            if left := one[0][n:]:
                print_text(out, f"Not shown for lack of room: {', '.join(left)}.", "dim")
            out.print()
            return
    for cells in one[1:]:
        for name, cell in zip(one[0], cells, strict=True):
            if cell:
                out.print(RichText(f"  {name}: {cell}" if name else f"  {cell}"))
        out.print()


def _name(text: str, broken: bool) -> list[str]:
    """The parts of a name that a line break may part."""
    return text.split(", ") if broken else [text]


def _print_grid(
    out: Console,
    columns: Sequence[tuple[str, int, bool]],
    gap: int,
    rows: Sequence[Sequence[str]],
    header: bool = True,
) -> None:
    # The box's separator is the rest of the gap.
    grid = RichTable(
        box=box.SIMPLE_HEAD,
        padding=(0, gap - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        show_header=header and any(heading for heading, _, _ in columns),
    )
    for heading, width, numbers in columns:
        side: JustifyMethod = "right" if numbers else "left"
        grid.add_column(RichText(heading), overflow="fold", width=width, justify=side)
    for row in rows:
        grid.add_row(*map(RichText, row))
    out.print(grid)


def _widths(lines: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Widths of the columns, wide enough for their words; None if there is no room."""
    columns = [
        [part for cell in cells for part in cell.split("\n")] for cells in zip(*lines, strict=True)
    ]
    widths = [
        max(
            min(max(map(cell_len, " ".join(cells).split()), default=0), _LONGEST_WORD),
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
