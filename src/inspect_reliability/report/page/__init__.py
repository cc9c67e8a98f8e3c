"""The report as one page that needs nothing else."""

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ...judgments import Judgments
from ..cells import Cell
from ..printable import printable
from .content import Progress, page_content

__all__ = ["write_page"]


def _plainly(items: Sequence[Any], what: str) -> Iterable[Any]:
    return items


def _harmless(value: Any) -> Any:
    """Control characters are written out in every text that is not markup of our own."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def write_page(
    path: Path, judgments: Judgments, cells: list[Cell], progress: Progress = _plainly
) -> None:
    """Write a report as one HTML file: no script, no style or picture from elsewhere.

    Text from models and logs is escaped by the template, shown with its control characters
    written out, and cut where it is very long.

    Args:
        path: The file.
        judgments: All judgments.
        cells: The report's cells.
        progress: Wraps long work.
    """
    environment = Environment(
        loader=PackageLoader("inspect_reliability.report.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("page.html.jinja").render(
        page=page_content(judgments, cells, progress), version=version("inspect-reliability")
    )
    path.write_text(page, encoding="utf-8", errors="backslashreplace")
