"""The figures of a report as files: each drawing, and its numbers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..saving import write_text
from .document import Block, Detail, Document, Figure
from .forms.csv import columns, to_csv
from .forms.html.drawing import draw
from .forms.html.svg import svg_file
from .printable import slug
from .wording import Record

_LONGEST = 80
"""Characters of a file's name."""


def write_figures(folder: Path, document: Document) -> list[Path]:
    """Write each figure of a document as `NAME.svg`, and its numbers as `NAME.csv`.

    Raises:
        UserError: A file cannot be written.
    """
    written: dict[Path, str] = {}
    parts = [("", document.blocks), *((one.link, one.blocks) for one in document.sections())]
    figures = (found for title, blocks in parts for found in _figures(blocks, title))
    for title, figure in figures:
        stem = slug(title)[:_LONGEST]
        name, number = stem, 1
        while folder / f"{name}.svg" in written:
            number += 1
            name = f"{stem}-{number}"
        written[folder / f"{name}.svg"] = draw(figure, svg_file)
        written[folder / f"{name}.csv"] = to_csv(*columns(_numbers(figure)), "\r\n")
    for path, text in written.items():
        write_text(path, text)
    return list(written)


def _figures(blocks: Sequence[Block], title: str) -> Iterator[tuple[str, Figure]]:
    """The figures among some blocks, with what their files are called."""
    for block in blocks:
        match block:
            case Figure():
                yield f"{title} {block.title}", block
            case Detail():
                yield from _figures(block.blocks, f"{title} {block.title}")


def _numbers(figure: Figure) -> Iterator[Record]:
    """What is drawn of each record."""
    x, y = figure.x, figure.y
    keys = (figure.by, x, f"{x}_interval", y, f"{y}_interval", figure.spread)
    for record in figure.records:
        yield {key: record[key] for key in keys if key in record}
