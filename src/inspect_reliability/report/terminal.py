"""Tables for a terminal."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .printable import one_line

_PIPE_WIDTH = 180
_LONGEST_WORD = 16


def console(stderr: bool = False) -> Console:
    """A console that is wide where nobody's window limits it, as in a pipe or a CI log."""
    found = Console(stderr=stderr, highlight=False)
    return (
        found if found.is_terminal else Console(stderr=stderr, highlight=False, width=_PIPE_WIDTH)
    )


def print_table(
    out: Console, headings: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Print a table; the texts are shown, never interpreted."""
    lines = [[one_line(cell) for cell in row] for row in (headings, *rows)]
    table = Table(
        title=Text(one_line(title)) if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for heading, *cells in zip(*lines, strict=True):
        words = " ".join([heading, *cells]).split()
        # In a narrow window lines break between words, as far as words allow.
        least = min(max(map(len, words), default=0), _LONGEST_WORD)
        table.add_column(Text(heading), overflow="fold", min_width=least)
    for cells in lines[1:]:
        table.add_row(*map(Text, cells))
    out.print(table)


def print_text(out: Console, text: str, style: str = "") -> None:
    """Print a paragraph; the text is shown, never interpreted."""
    out.print(Text(one_line(text), style=style))
