"""The forms a document takes: one module each, with a function `render`."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from ..saving import Ours
from .document import Document, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ReaderForm = Literal["table", "json", "csv", "markdown", "latex", "html"]
FORMS: tuple[ReaderForm, ...] = get_args(ReaderForm)
"""Names of the forms, which are those of their modules; a table is for the terminal."""

PipelineForm = Literal["junit", "github"]
PIPELINE_FORMS: tuple[PipelineForm, ...] = get_args(PipelineForm)
"""Forms of a document's checks, for the services that run pipelines."""

Form = ReaderForm | PipelineForm


def render(document: Document, form: Form) -> str:
    """A document in one form, as the text to print or to write.

    A form is loaded when it is asked for: only the page needs matplotlib, only the terminal rich.
    """
    module = "terminal" if form == "table" else form
    found: str = import_module(f".{module}", __package__).render(document)
    return found


def _is_page(file: Path) -> bool:
    with file.open("rb") as page:
        return b'<meta name="generator" content="inspect-reliability ' in page.read(1_000)


PAGE = Ours("page of inspect-reliability", _is_page)
"""How an earlier page is known: its head says what made it."""


@dataclass(frozen=True)
class Drawing:
    """A figure as the contents of files, each drawn when it is asked for; a notebook draws it."""

    figure: Figure

    @cached_property
    def svg(self) -> str:
        """The text of an SVG file."""
        from .html.drawing import draw  # brings matplotlib
        from .html.svg import svg_file

        return draw(self.figure, svg_file)

    @cached_property
    def png(self) -> bytes:
        """The same as a PNG file."""
        from .html.drawing import draw
        from .html.svg import png_file

        return draw(self.figure, png_file)

    def draw(self, axes: "Axes | None" = None) -> "Axes":
        """Draw on axes of matplotlib, by default on new ones, and return them.

        Example:
            >>> import inspect_reliability as ir
            >>> figures = ir.analyse("examples/verdicts.csv").figures()
            >>> axes = next(iter(figures.values())).draw()
            >>> _ = axes.set_title("Right and wrong")
        """
        from .html.drawing import draw_on

        return draw_on(self.figure, axes)

    def __repr__(self) -> str:
        return f"Drawing({self.figure.title or self.figure.words!r:.60})"

    def __dir__(self) -> list[str]:
        return ["draw", "png", "svg"]

    def _repr_svg_(self) -> str:
        return self.svg
