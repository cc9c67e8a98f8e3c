"""Every page of the site as Markdown beside it, and `llms.txt`, which lists them."""

import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from pydoc import locate

from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

LIST = "llms.txt"
"""https://llmstxt.org: a title, a summary, and links under headings."""

_OBJECT = re.compile(r"^::: (\S+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_PROSE = re.compile(r"[A-Z\"`[*]")


def with_docstrings(markdown: str) -> str:
    """A page of the reference with the signature and docstring of each object."""
    return _OBJECT.sub(lambda found: _object(found[1]), markdown)


def _object(path: str) -> str:
    found = locate(path)
    try:
        signature = str(inspect.signature(found)) if callable(found) else ""
    except ValueError:
        signature = ""
    name = path.rpartition(".")[2]
    return f"## `{path}`\n\n```python\n{name}{signature}\n```\n\n{inspect.getdoc(found) or ''}"


def summary(markdown: str) -> str:
    """The first sentence of a page's first paragraph."""
    paragraphs = (one.strip() for one in re.split(r"\n\s*\n", markdown))
    first = next((one for one in paragraphs if _PROSE.match(one) and not one.startswith("[!")), "")
    plain = " ".join(_LINK.sub(r"\1", first).split())
    return re.split(r"(?<=[.?!:])\s", plain)[0].rstrip(":").replace("**", "")


def llms_txt(name: str, about: str, nav: Navigation, texts: dict[str, str]) -> str:
    """The list of pages, a heading a section of the navigation."""
    lines = [f"# {name}", "", f"> {about}", "", "## Start", ""]
    top = [one for one in nav.items if isinstance(one, Page)]
    lines += _listed(top, texts)
    for section in nav.items:
        if section.children:
            lines += ["", f"## {section.title}", ""]
            lines += _listed((page for page in nav.pages if section in page.ancestors), texts)
    return "\n".join(lines) + "\n"


def _listed(pages: Iterable[Page], texts: dict[str, str]) -> list[str]:
    return [
        f"- [{page.title}]({page.file.src_uri}): {summary(texts[page.file.src_uri])}"
        for page in pages
    ]


def write_pages(folder: Path, texts: dict[str, str]) -> None:
    """Write each page as Markdown; links between pages lead from one of these files to another."""
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
