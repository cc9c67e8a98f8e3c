"""The forms a document takes: one module each, with a function `render`."""

from importlib import import_module
from typing import Literal, NamedTuple, get_args

from .document import Document, Figure

Form = Literal["table", "json", "csv", "markdown", "latex", "html"]
FORMS: tuple[Form, ...] = get_args(Form)
"""Names of the forms, which are those of their modules; a table is for the terminal."""


def render(document: Document, form: Form) -> str:
    """A document in one form, as the text to print or to write.

    A form is loaded when it is asked for: only the page needs matplotlib, only the terminal rich.
    """
    module = "terminal" if form == "table" else form
    found: str = import_module(f".{module}", __package__).render(document)
    return found


class Drawing(NamedTuple):
    """A figure as the contents of files; a notebook draws it."""

    svg: str
    png: bytes

    def _repr_svg_(self) -> str:
        return self.svg


def drawing(figure: Figure) -> Drawing:
    """One figure, drawn."""
    from .html.drawing import draw  # brings matplotlib
    from .html.svg import png_file, svg_file

    return draw(
        figure, lambda picture, label: Drawing(svg_file(picture, label), png_file(picture, label))
    )
