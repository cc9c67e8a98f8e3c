"""A document in a terminal."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

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

_UNBROKEN = re.compile(r"\S+ \[\S+ \S+\]|[\d,]+ x \S+")
"""A value with its interval, and N x R: no line breaks these."""

_FEWEST = 3
"""Least columns of a table in a narrow window."""

_STYLES: Mapping[Tone, str] = {
    "answer": "bold",
    "legend": "dim",
    "heading": "bold",
    "good": "green",
    "bad": "bold red",
    "unsure": "yellow",
}
"""Notes have none: they were printed when the judgments were read."""


def console(stderr: bool = False) -> Console:
    """A console; wide if no window limits it, as in a pipe or a CI log."""
    found = Console(stderr=stderr, highlight=False)
    if not found.is_terminal:
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


def print_text(out: Console, text: str, style: str = "") -> None:
    """Print a paragraph; the text is shown, never interpreted."""
    out.print(RichText(one_line(text), style=style))


def _print(out: Console, block: Block) -> None:
    match block:
        case Text() if block.tone in _STYLES:
            print_text(out, block.text, _STYLES[block.tone])
        case Caution():
            print_text(out, block.line, "yellow")
        case Table():
            print_table(out, block)


def print_table(out: Console, table: Table) -> None:
    """Print a table.

    Lines break between words, but never within an estimate. If the first column does not fit
    unbroken, its names stand above their rows. Columns that still do not fit are named below. If
    hardly any fits, each row becomes a list of its own.
    """
    lines = [[one_line(cell) for cell in row] for row in (table.headings, *table.rows)]
    if table.title:
        out.print(RichText(one_line(table.title), style="bold"))
    whole = max(cell_len(line[0]) for line in lines)
    for n in range(len(lines[0]), min(_FEWEST, len(lines[0])) - 1, -1):
        for above, gap in ((0, 2), (0, 1), (1, 2), (1, 1)):
            widths = _widths([line[above:n] for line in lines], out.width - gap * (n - above))
            if not widths or (n > 1 and not above and widths[0] < whole):
                continue
            if above and table.numbers[0]:  # a number without its heading says nothing
                continue
            columns = list(zip(lines[0][above:n], widths, table.numbers[above:n], strict=True))
            _print_grid(out, columns, gap, lines[1:1] if above else [row[:n] for row in lines[1:]])
            for name, rows in groupby(lines[1:] if above else [], lambda row: row[0]):
                out.print(RichText(name))
                _print_grid(out, columns, gap, [row[1:n] for row in rows], header=False)
            if left := lines[0][n:]:
                print_text(out, f"Not shown for lack of room: {', '.join(left)}.", "dim")
            out.print()
            return
    for cells in lines[1:]:
        for name, cell in zip(lines[0], cells, strict=True):
            if cell:
                out.print(RichText(f"  {name}: {cell}" if name else f"  {cell}"))
        out.print()


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
        show_header=header,
    )
    for heading, width, numbers in columns:
        side: JustifyMethod = "right" if numbers else "left"
        grid.add_column(RichText(heading), overflow="fold", width=width, justify=side)
    for row in rows:
        grid.add_row(*map(RichText, row))
    out.print(grid)


def _widths(lines: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Widths of the columns, wide enough for their words; None if there is no room."""
    columns = list(zip(*lines, strict=True))
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
