"""The page, and what a browser makes of it."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import example_logs
from commands import invoke
from example_published import imported

pytestmark = pytest.mark.slow

HOSTILE = (
    "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"
    "</pre></details></main><style>body{display:none}</style>"
    "[link](javascript:window.owned=1) {{ 7 * 7 }} $\\frac{1}$ \x1b[31m \u202e ]]> &amp; "
)


def page_of(out: Path, *sources: Path) -> str:
    result = invoke("report", *sources, "--html", out)
    assert result.exit_code == 0, result.output
    return out.read_text()


@pytest.fixture(scope="module")
def page(small_logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "page.html"
    page_of(file, *small_logs.glob("*t[01]*"))
    return file


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of judgments in which every name and text attacks, one of them a megabyte long."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "results").mkdir()
    texts = [f"{HOSTILE} Best Response: [{letter}]" for letter in "AABB"]
    texts.append(f"Best Response: [B] {HOSTILE * 5000}")
    names = [f"bbh:{n}{HOSTILE}" for n in range(3)]
    (folder / "results" / "full_judgements_x.json").write_text(
        json.dumps({f"judge {HOSTILE}": {"temperature: 1": dict.fromkeys(names, texts)}})
    )
    responses = {f"{HOSTILE}{n}": HOSTILE for n in range(5)}
    asked = {"type": "bbh", "prompt": HOSTILE, "model_responses": responses}
    (folder / "prompt_responses.json").write_text(json.dumps(dict.fromkeys(names, asked)))
    imported(folder, folder / "logs")
    page_of(folder / "page.html", folder / "logs")
    return folder / "page.html"


class Outline(HTMLParser):
    """Tags, ids, references and texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.handlers: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href"):
                self.references.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)


def test_page_stands_alone(page: Path) -> None:
    """No script, no style sheet, no picture, nothing from elsewhere."""
    outline = Outline(page.read_text())
    assert not {"script", "link", "img", "iframe", "object", "embed"} & set(outline.tags)
    assert outline.references
    assert all(reference.startswith("#") for reference in outline.references)
    assert "url(http" not in page.read_text()


def test_ids_are_unique_and_references_lead_somewhere(page: Path) -> None:
    """Many figures in one page do not share ids."""
    outline = Outline(page.read_text())
    assert len(outline.ids) == len(set(outline.ids))
    assert {reference[1:] for reference in outline.references} <= set(outline.ids)


def test_every_figure_has_words(page: Path) -> None:
    """A figure is named for who cannot see it."""
    html = page.read_text()
    figures = re.findall(r"<figure>.*?</figure>", html, re.DOTALL)
    assert figures
    for figure in figures:
        assert re.search(r'<svg role="img" aria-label="[^"]{10,}"', figure)
        assert "<figcaption>" in figure


def test_page_has_every_section(page: Path) -> None:
    """What was judged, numbers, temperature, votes, position, judges, questions, outputs."""
    html = page.read_text()
    for part in (
        "Judgments",
        "Omega",
        "Next",
        "The numbers",
        "Votes for a stable majority",
        "Preference for a position",
        "Agreement between judges",
        "Question by question",
        "The prompt",
        "Best Response: [",
    ):
        assert part in html, part


@pytest.mark.usefixtures("undrawn")
def test_places_have_a_figure(tmp_path: Path) -> None:
    """A judge that always says A, with its options reshuffled, has its shares of labels drawn."""
    example_logs.judged(tmp_path / "logs", 8, 4, order="reshuffled", model=example_logs.judge("A"))
    html = page_of(tmp_path / "page.html", tmp_path / "logs")
    assert "What moves the verdict" in html
    assert "share of each label among all choices" in html


def test_hostile_text_is_text(hostile: Path) -> None:
    """Markup in names and outputs makes no element, and no control character gets through."""
    html = hostile.read_text()
    outline = Outline(html)
    assert not {"script", "img"} & set(outline.tags)
    assert outline.tags.count("style") == 1
    assert outline.handlers == []
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", html)
    assert "{{ 7 * 7 }}" in html
    assert len(html) < 1_500_000


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """One tab for all tests: opening a page in a new one takes several times as long."""
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(window: Any) -> Any:
    """The tab, as wide as on a desk."""
    window.set_viewport_size({"width": 1280, "height": 800})
    window.emulate_media(media="screen", color_scheme="light")
    return window


@pytest.mark.browser
@pytest.mark.parametrize(
    ("which", "scheme", "width"),
    [("page", "light", 1280), ("page", "dark", 360), ("hostile", "dark", 360)],
)
def test_in_a_browser(
    request: pytest.FixtureRequest, tab: Any, which: str, width: int, scheme: str
) -> None:
    """Offline: no error, no request but the file's own, nothing wider than the window."""
    path = request.getfixturevalue(which)
    tab.set_viewport_size({"width": width, "height": 800})
    tab.emulate_media(color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda sent: asked.append(sent.url))
    tab.goto(path.as_uri())
    assert said == []
    assert asked == [path.as_uri()]
    assert tab.evaluate("typeof window.owned") == "undefined"
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.locator("h1").is_visible()
    assert tab.locator("footer").is_visible()
    ink, paper = (
        tab.evaluate(f"getComputedStyle(document.body).{name}")
        for name in ("color", "backgroundColor")
    )
    assert contrast(ink, paper) > 7


@pytest.mark.browser
def test_the_first_screen_answers(page: Path, tab: Any) -> None:
    """The answer and the next step are seen without scrolling or opening a fold."""
    tab.goto(page.as_uri())
    for seen in (".headlines p", ".step"):
        box = tab.locator(seen).first.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 800, seen


@pytest.mark.browser
def test_print(page: Path, tab: Any) -> None:
    """On paper every fold is open, no table is cut, and titles stay with what they are of."""
    tab.set_viewport_size({"width": 718, "height": 1000})
    tab.emulate_media(media="print")
    tab.goto(page.as_uri())
    assert tab.locator("table").count() >= 10
    assert all(table.is_visible() for table in tab.locator("table").all())
    assert tab.evaluate("document.documentElement.scrollWidth") <= 718
    rules = """[...document.querySelectorAll("%s")].map(one => getComputedStyle(one).%s)"""
    for titles in ("h2", "h3", "figcaption", "summary"):
        assert {*tab.evaluate(rules % (titles, "breakAfter"))} == {"avoid"}
    assert {*tab.evaluate(rules % ("tr, figure svg", "breakInside"))} == {"avoid"}
    assert tab.pdf().startswith(b"%PDF")


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2)."""
    light = sorted(map(luminance, (one, other)))
    return (light[1] + 0.05) / (light[0] + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
