"""Tables for a terminal."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .printable import one_line

_PIPE_WIDTH = 180


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
    table = Table(
        title=Text(one_line(title)) if title else None, title_justify="left", box=box.SIMPLE_HEAD
    )
    for heading in headings:
        table.add_column(Text(one_line(heading)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    out.print(table)


def print_text(out: Console, text: str, style: str = "") -> None:
    """Print a paragraph; the text is shown, never interpreted."""
    out.print(Text(one_line(text), style=style))
