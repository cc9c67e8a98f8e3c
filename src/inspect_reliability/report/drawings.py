"""The figures of a document, by name."""

from collections.abc import Iterator, Sequence

from .document import Block, Detail, Document, Figure
from .printable import slug

_LONGEST = 80
"""Characters of a name."""


class Drawing(str):
    """A figure as the text of an SVG file; a notebook draws it."""

    def _repr_svg_(self) -> str:
        return str(self)


def drawings(document: Document) -> dict[str, Drawing]:
    """Name -> each figure of a document, drawn."""
    from .forms.html.drawing import draw  # brings matplotlib
    from .forms.html.svg import svg_file

    return {name: Drawing(draw(one, svg_file)) for name, one in named_figures(document).items()}


def named_figures(document: Document) -> dict[str, Figure]:
    """Name -> each figure of a document, in its order; names are those of files."""
    parts = [("", document.blocks), *((one.link, one.blocks) for one in document.sections())]
    named: dict[str, Figure] = {}
    found = (one for part, blocks in parts for one in _figures(blocks, part))
    for title, figure in found:
        stem = slug(title)[:_LONGEST]
        name, number = stem, 1
        while name in named:
            number += 1
            name = f"{stem}-{number}"
        named[name] = figure
    return named


def _figures(blocks: Sequence[Block], title: str) -> Iterator[tuple[str, Figure]]:
    """The figures among some blocks, with what they are called."""
    for block in blocks:
        match block:
            case Figure():
                yield f"{title} {block.title}", block
            case Detail():
                yield from _figures(block.blocks, f"{title} {block.title}")
