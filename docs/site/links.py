"""Relative links of Markdown pages, in the repository and on the site.

Pages link to files by their places in the repository, so that the links work there. What lies
outside of `docs/` is on the site under `repository/`.
"""

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)(?P<path>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?=\))")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def targets(markdown: str, page: str) -> Iterator[tuple[str, str]]:
    """The files that a page links to, by their places in the repository, with their anchors.

    Args:
        markdown: Text of the page.
        page: Its place in the repository.
    """
    for text in _FENCE.split(markdown)[::2]:
        for link in _LINK.finditer(text):
            yield _place(link["path"], page), (link["anchor"] or "").removeprefix("#")


def for_site(markdown: str, page: str) -> str:
    """A page with the links that it needs on the site."""
    start = posixpath.dirname(on_site(page))

    def moved(link: re.Match[str]) -> str:
        path = posixpath.relpath(on_site(_place(link["path"], page)), start or ".")
        return path + (link["anchor"] or "")

    return _outside_fences(markdown, lambda text: _LINK.sub(moved, text))


def on_site(place: str) -> str:
    """Where a file of the repository is on the site; of a folder, its README."""
    if (ROOT / place).is_dir():
        place = f"{place}/README.md"
    if place == "src/inspect_reliability/showing/keys.md":
        return "reference/json.md"  # made from it
    inside = place.startswith("docs/")
    return place.removeprefix("docs/") if inside else f"repository/{place}"


def of_site(path: str) -> str:
    """The place in the repository of a page of the site."""
    outside = path.startswith("repository/")
    return path.removeprefix("repository/") if outside else f"docs/{path}"


def outside_docs(pages: list[str]) -> list[str]:
    """Files outside of `docs/` that pages link to, and those that these link to in turn."""
    found: dict[str, None] = {}
    waiting = list(pages)
    while waiting:
        page = waiting.pop()
        for place, _ in targets((ROOT / page).read_text(encoding="utf-8"), page):
            file = of_site(on_site(place))
            if file.startswith("docs/") or file in found or not (ROOT / file).is_file():
                continue
            found[file] = None
            if file.endswith(".md"):
                waiting.append(file)
    return sorted(found)


def _place(path: str, page: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def _outside_fences(markdown: str, change: Callable[[str], str]) -> str:
    parts = _FENCE.split(markdown)
    return "".join(part if n % 2 else change(part) for n, part in enumerate(parts))
