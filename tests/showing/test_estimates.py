"""Numbers of judges as dots on a shared axis, and as a table of their texts."""

import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability.showing import render
from inspect_reliability.showing.document import (
    Axis,
    Caution,
    Document,
    Estimates,
    EstimatesRow,
    NumberCell,
    Section,
    Table,
    Text,
)
from inspect_reliability.showing.formats import TableColumn
from inspect_reliability.showing.html.svg import dot

HOSTILE = "<script>'\"&amp;\x1b[31m\u202e {{ 7 }}"


def estimates(names: tuple[str, ...] = ("first", "second"), tag: str = "label") -> Estimates:
    cells = [
        NumberCell("75% [70, 80]", 0.75, 0.7, 0.8),
        NumberCell("0.40 [0.30, 0.60]", 0.4, 0.3, 0.6),
    ]
    rows = [EstimatesRow(name, cells, tag) for name in names]
    return Estimates("", ["Right", "Omega"], rows, [Axis(0.5, 1), Axis(-0.25, 1)])


def page(*blocks: object, **more: object) -> str:
    return render(Document("Is it?", blocks, {}, **more), "html")  # type: ignore[arg-type]


def places(svg: str, tag: str, of: str) -> list[float]:
    return [float(one) for one in re.findall(rf'<{tag}[^>]* {of}="([\d.]+)%"', svg)]


def test_a_dot_is_where_its_number_is() -> None:
    """Percents of the axis, by hand: .75 of [.5, 1] is half way, its interval from .4 to .6."""
    svg = dot(NumberCell("75% [70, 80]", 0.75, 0.7, 0.8), Axis(0.5, 1), shares=True)
    assert places(svg, "circle", "cx") == [50]
    assert places(svg, 'line class="ends"', "x1") == [40]
    assert places(svg, 'line class="ends"', "x2") == [60]
    assert places(svg, 'line class="tick"', "x1") == [0, 50, 100]
    assert 'role="img" aria-label="75% [70, 80] on an axis from 50% to 100%"' in svg
    zero = dot(NumberCell("0.00", 0.0), Axis(-0.25, 1), shares=False)
    assert places(zero, "circle", "cx") == [20]
    assert places(zero, 'line class="tick"', "x1") == [0, 20, 100]
    assert "ends" not in zero
    assert dot(NumberCell("copies"), Axis(), shares=False) == ""


ENDS = st.floats(-100, 100).map(lambda x: round(x, 3))


@given(st.lists(st.lists(ENDS, min_size=3, max_size=3).map(sorted), max_size=5))
def test_an_axis_has_room_for_every_number(numbers: list[list[float]]) -> None:
    """Whatever the numbers, each is on the axis, its ticks rise, and none is drawn outside."""
    cells = [NumberCell("", middle, low, high) for low, middle, high in numbers]
    axis = Axis.of(cells)
    assert all(a < b for a, b in pairwise(axis.ticks))
    for one in cells:
        for value in one[1:]:
            assert axis.lowest - 1e-6 <= value <= axis.highest + 1e-6


def test_axes_by_hand() -> None:
    """Several numbers have a close axis between round numbers, a single one has all of it."""
    several = [NumberCell("", 0.6, 0.43, 0.69), NumberCell("", 0.7, 0.51, 0.77)]
    assert Axis.of(several) == pytest.approx((0.4, 0.8))
    assert Axis.of(several[:1]) == pytest.approx((0, 1))
    assert Axis.of([NumberCell("", 1, 1, 1)] * 2) == pytest.approx((0.8, 1))
    assert Axis.of([NumberCell("", 0, 0, 0)] * 2) == pytest.approx((0, 0.2))
    assert Axis.of([NumberCell("", 2.3, 1.2, 2.4), NumberCell("", 0.3)]) == pytest.approx((0, 2.5))
    assert Axis.of([NumberCell("copies")]) == (0, 1)
    assert Axis.of([NumberCell("", -0.5), NumberCell("", -0.3)]).ticks == pytest.approx(
        [-0.6, -0.4, -0.2]
    )


def test_other_forms_show_the_texts() -> None:
    """A terminal, Markdown and LaTeX have a table of the same texts; a name that is empty goes."""
    document = Document("Is it?", [estimates()], {})
    for form in ("table", "markdown", "latex"):
        shown = render(document, form)  # type: ignore[arg-type]
        assert re.search(r"first.*75.*0\.40.*\n.*second.*75.*0\.40", shown), shown
        table = re.sub(r"^%.*$|\\label", "", shown, flags=re.MULTILINE)  # meanings are comments
        assert "label" not in table
    assert estimates().to_table().headings == ["Judge", "Right", "Omega"]
    assert estimates(("",)).to_table() == Table(
        ["Right", "Omega"], [["75% [70, 80]", "0.40 [0.30, 0.60]"]]
    )


def test_a_page_has_what_was_studied_then_the_answer() -> None:
    """In the order of a reader: what was studied, the answer, numbers, next step, caution."""
    html = page(
        Text("two judges x 30 questions", "study"),
        Text("Right in 75%.", "headline"),
        estimates(),
        Text("Next: label more, with:", "next"),
        Text("inspect-reliability label X", "command"),
        more=lambda: [Caution("It mixes judges."), Caution("It is small.")],
    )
    order = ("two judges", "Right in 75%", "<circle", "Next: label", "label X", "mixes", "is small")
    found = [html.index(one) for one in order]
    assert found == sorted(found)
    card = re.search(r'<div class="step">(.*?)</div>', html, re.DOTALL)
    assert card
    assert "Next: label" in card[1]
    assert "<code>inspect-reliability label X</code>" in card[1]
    assert '<span class="tag">label</span>' in html


def test_a_headline_is_bold_in_a_terminal_and_a_paragraph_in_markdown() -> None:
    """It is a text like any other where there is no large type."""
    blocks = [Text("Right in 75%.", "headline"), Text("30 questions", "study")]
    document = Document("", blocks, {})
    # A terminal has what was studied above its numbers.
    assert render(document, "table").splitlines() == ["Right in 75%."]
    assert render(document, "markdown").startswith("Right in 75%.\n\n30 questions")


def test_hostile_names_and_texts_are_texts() -> None:
    """Names, tags, headings and texts of cells make no element, also where a figure says them."""

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag != "script"
            assert not [name for name, _ in attrs if name.startswith("on")]

    cells = [NumberCell(f"{HOSTILE} [1, 2]", 0.5, 0.4, 0.6)]
    block = Estimates(HOSTILE, [HOSTILE], [EstimatesRow(HOSTILE, cells, HOSTILE)], [Axis()])
    html = page(Text(HOSTILE, "study"), Text(HOSTILE, "headline"), block)
    Tags().feed(html)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", html)
    assert "{{ 7 }}" in unescape(html)


def test_a_section_says_once_what_it_shows() -> None:
    """Its sentence stands beside its title; its table does not repeat either of them."""
    table = Table(["a"], [["1"]], "What moves it. BBH", about="How far it moves. In pairs.")
    section = Section("What moves it", "Moves", [table], "How far it moves.")
    html = page(Text("x", "headline"), sections=lambda: [section])
    assert html.count("How far it moves.") == 1
    assert '<p class="legend">In pairs.</p>' in html
    assert "<h3>BBH</h3>" in html
    document = Document("", [table], {})
    assert render(document, "table").splitlines()[:2] == ["What moves it. BBH", table.about]
    assert f"### What moves it. BBH\n\n{table.about}\n\n| a |" in render(document, "markdown")


def test_a_pivot_has_a_column_for_each_value() -> None:
    """In their order, with empty cells where nothing was studied."""
    records = [
        {"benchmark": "b", "temperature": 1, "omega": 0.5},
        {"benchmark": "a", "temperature": 0.5, "omega": 0.25},
        {"benchmark": "b", "temperature": 0.5, "omega": 0.75},
    ]
    column = TableColumn("benchmark", heading="Benchmark")
    records.append({"benchmark": "c", "temperature": None, "omega": 0.125})
    table = Table.pivot(
        records, [column], "temperature", lambda one: f"{one['omega']}", lambda at: f"at {at}"
    )
    assert table.headings == ["Benchmark", "at 0.5", "at 1", "at None"]
    assert table.rows == [["b", "0.75", "0.5", ""], ["a", "0.25", "", ""], ["c", "", "", "0.125"]]
