"""The figures of a document, by name."""

from .document import Document, Figure, figures_in
from .printable import slug

_LONGEST = 80
"""Most characters of a name."""


class Drawing(str):
    """A figure as the text of an SVG file; a notebook draws it."""

    def _repr_svg_(self) -> str:
        return str(self)


def drawing(figure: Figure) -> Drawing:
    """One figure, drawn."""
    from .forms.html.drawing import draw  # brings matplotlib
    from .forms.html.svg import svg_file

    return Drawing(draw(figure, svg_file))


def named_figures(document: Document) -> dict[str, Figure]:
    """All figures of a document in order, by name; names are also those of files."""
    parts = [("", document.blocks), *((one.link, one.blocks) for one in document.sections())]
    named: dict[str, Figure] = {}
    for title, figure in (one for part, blocks in parts for one in figures_in(blocks, part)):
        stem = slug(title)[:_LONGEST]
        name, number = stem, 1
        while name in named:
            number += 1
            name = f"{stem}-{number}"
        named[name] = figure
    return named
