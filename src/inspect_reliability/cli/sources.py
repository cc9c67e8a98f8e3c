"""What the commands read from, and how they show that they do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.progress import track

from ..judgments import Judgments, combine, judgments_from_logs
from ..published.layout import is_published, judgments_from_published
from ..report.formats import FORMATS
from ..report.terminal import console, print_text
from ..verdicts import ParserName

F = TypeVar("F", bound=Callable[..., Any])


def format_option(command: F) -> F:
    """`--format`, the same for every command."""
    option = click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How results are printed. Notes and progress go to standard error.",
    )
    return option(command)


def parser_option(command: F) -> F:
    """`--parser`, for files that hold outputs instead of verdicts."""
    option = click.option(
        "--parser",
        type=click.Choice(["published", "default"]),
        default="published",
        show_default=True,
        help="How verdicts are read from the outputs of a published folder. Logs hold verdicts.",
    )
    return option(command)


def read_judgments(sources: Sequence[str], parser: ParserName = "published") -> Judgments:
    """Read logs and published folders, and print what was left out to standard error."""
    published = [source for source in sources if _is_published_folder(source)]
    logs = [source for source in sources if source not in published]
    parts = [judgments_from_published(Path(source), parser=parser) for source in published]
    if logs:
        parts.append(judgments_from_logs(logs, progress=lambda items: progress(items, "Reading")))
    judgments = combine(parts)
    print_left_out(judgments.notes)
    return judgments


def progress(items: Iterable[Any], what: str) -> Iterator[Any]:
    """Iterate with a progress bar on standard error, where somebody sees it."""
    screen = console(stderr=True)
    found = list(items)
    visible = screen.is_terminal and len(found) > 1
    yield from track(found, what, console=screen, transient=True, disable=not visible)


def print_left_out(left_out: Iterable[object]) -> None:
    """Say on standard error what the results leave out."""
    screen = console(stderr=True)
    for note in left_out:
        print_text(screen, f"Note: {note}", style="yellow")


def _is_published_folder(source: str) -> bool:
    folder = Path(source)
    return folder.is_dir() and is_published(folder)
