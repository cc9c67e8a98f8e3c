"""The site that `make docs` has built: its pages, what they load, and how a browser shows them."""

import re
from pathlib import Path
from typing import Any

import pytest

from docs.site import llms

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built() -> Path:
    """Its folder."""
    return ROOT / "build" / "docs"


def test_each_page_is_there_as_markdown(built: Path) -> None:
    """`llms.txt` lists each page once, in words; links of these files lead to others of them."""
    listed = re.findall(
        r"^- \[(.+?)\]\((.+?)\): (.+)$", (built / llms.LIST).read_text(), re.MULTILINE
    )
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2]
    assert sorted(path for _, path, _ in listed) == sorted(re.findall(r"[\w/.-]+\.md", nav))
    for _, path, about in listed:
        assert 10 < len(about) < 400, (path, about)
        text = (built / path).read_text()
        assert "\n:::" not in text
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\((?!\w+:|#)([^)\s#]+)", prose):
            assert (built / path).parent.joinpath(target).exists(), (path, target)
    assert "omega(" in (built / "reference" / "stats.md").read_text()


def test_pages_load_only_what_is_beside_them(built: Path) -> None:
    """Every page of the navigation has its title; what each page loads is a file of the site."""
    pages = {page: page.read_text() for page in built.rglob("*.html")}
    nav = pages[built / "index.html"].partition("md-nav--primary")[2]
    links = {*re.findall(r'href="([^"#]+)" class="md-nav__link\b', nav)}
    assert len(links) == (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2].count(".md\n")
    for link in links:
        assert "<h1" in pages[(built / link).resolve()].partition("<article")[2], link
    for page, text in pages.items():
        for loaded in re.findall(r'<(?!a\b)[a-z]+\s[^>]*?\b(?:src|href)="([^"]*)"', text):
            beside = built if page.name == "404.html" else page.parent
            assert (beside / loaded.lstrip("/")).exists(), (page, loaded)


def _kinds(text: str) -> set[object]:
    """What a browser has to do for a page: its elements, their classes, its scripts."""
    elements = re.findall(r'<([a-z]\w*)(?:\s[^>]*?class="([^"]*)")?', text)
    classes = {(element, name) for element, names in elements for name in names.split()}
    return {*classes, *(one for one, _ in elements), *re.findall("<script>(.*?)</script>", text)}


def _of_every_kind(folder: Path) -> list[Path]:
    """A few pages that together have whatever any page has."""
    pages = sorted({*folder.rglob("*.html")} - {folder / "404.html"})  # which only a server shows
    kinds = {page: _kinds(page.read_text()) for page in pages}
    left, chosen = set[object]().union(*kinds.values()), list[Path]()
    while left:
        chosen.append(max(kinds, key=lambda page: len(kinds[page] & left)))
        left -= kinds[chosen[-1]]
    return chosen


def test_the_site_opens(built: Path, browser: Any) -> None:
    """Pages that together have every kind of element, from their files: no error, no request."""
    tab = browser.new_context(offline=True).new_page()
    wrong: list[str] = []
    tab.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
    tab.on("pageerror", lambda one: wrong.append(str(one)))

    def failed(one: Any) -> None:
        if one.failure != "net::ERR_ABORTED":  # which the browser leaves with its page
            wrong.append(one.url)

    tab.on("requestfailed", failed)
    tab.on("request", lambda one: None if one.url.startswith("file:") else wrong.append(one.url))
    pages = [built / "index.html", *_of_every_kind(built)]
    assert len(pages) > 5
    for page in pages:
        tab.goto(page.as_uri(), wait_until="domcontentloaded")
        assert tab.locator("article h1").first.is_visible(), page
        assert wrong == [], page
