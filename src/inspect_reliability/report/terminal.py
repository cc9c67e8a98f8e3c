"""Tables for a terminal."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .printable import one_line

_PIPE_WIDTH = 180
_LONGEST_WORD = 16
"""Characters of a word that are kept together; a longer one, such as a path, may be broken."""


def console(stderr: bool = False) -> Console:
    """A console that is wide where nobody's window limits it, as in a pipe or a CI log."""
    found = Console(stderr=stderr, highlight=False)
    return (
        found if found.is_terminal else Console(stderr=stderr, highlight=False, width=_PIPE_WIDTH)
    )


def print_table(
    out: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Print a table; the texts are shown, never interpreted, and never cut.

    Lines break between words. Where even that does not fit the window, each row is printed as a
    list of its own.
    """
    lines = [[one_line(cell) for cell in row] for row in (headings, *rows)]
    heading = Text(one_line(title)) if title else None
    for gap in (2, 1):
        if (widths := _widths(lines, out.width - gap * len(headings))) is not None:
            _print_lines(out, lines, widths, gap, heading)
            return
    if heading:
        out.print(heading, style="italic")
    for cells in lines[1:]:
        for name, cell in zip(lines[0], cells, strict=True):
            if cell:
                out.print(Text(f"  {name}: {cell}" if name else f"  {cell}"))
        out.print()


def _widths(lines: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Widths of the columns, none too narrow for its words; None if there is no room for them."""
    columns = list(zip(*lines, strict=True))
    widths = [
        min(max(map(cell_len, " ".join(cells).split()), default=0), _LONGEST_WORD)
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


def _print_lines(
    out: Console,
    lines: Sequence[Sequence[str]],
    widths: Sequence[int],
    gap: int,
    title: Text | None,
) -> None:
    # The box's separator is the rest of the gap.
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, gap - 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for heading, width in zip(lines[0], widths, strict=True):
        table.add_column(Text(heading), overflow="fold", width=width)
    for cells in lines[1:]:
        table.add_row(*map(Text, cells))
    out.print(table)
    out.print()


def print_text(out: Console, text: str, style: str = "") -> None:
    """Print a paragraph; the text is shown, never interpreted."""
    out.print(Text(one_line(text), style=style))
