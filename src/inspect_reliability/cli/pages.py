"""`--html`: the answer of a command as a page for other people."""

from collections.abc import Callable

from ..saving import write_text
from ..showing import PAGE, render
from ..showing.document import Document
from ..showing.terminal import console, print_text
from .targets import writes


def html_option(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option for a page of `what`."""
    return writes(
        "--html",
        endings=[".html", ".htm"],
        ours=PAGE,
        help=f"Also write the {what} as one HTML page that works offline.",
    )


def write_page(file: str, document: Document) -> None:
    """Write a page, and say so. Its document names no paths: only the terminal does."""
    write_text(file, render(document, "html"), PAGE)
    print_text(console(stderr=True), f"Wrote {file}")
