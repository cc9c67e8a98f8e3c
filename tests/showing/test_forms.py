"""Forms of a document: what they show, and that nothing in them acts."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from example_judgments import made
from inspect_reliability.answers import analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.answers.summary import worst
from inspect_reliability.showing import FORMS, render
from inspect_reliability.showing.csv import to_csv
from inspect_reliability.showing.document import Caution, Document, Table, Text
from inspect_reliability.showing.formats import one_line, printable
from inspect_reliability.showing.markdown import pipes
from inspect_reliability.showing.terminal import print_table
from inspect_reliability.spreadsheet_cells import has_formula, marked, without_marks


@pytest.mark.slow
def test_forms_have_the_same_numbers() -> None:
    """JSON, CSV and the data frame say the same, with nothing but plain values."""
    analysis = analyse(made(questions=8, replications=40))
    document = report_document(analysis)
    from_json = json.loads(render(document, "json"))
    assert {name: from_json[name] for name in analysis.results} == analysis.results
    (row,) = analysis.results["rows"]
    (from_csv,) = csv.DictReader(io.StringIO(render(document, "csv")))
    frame = analysis.frame("rows")
    for name in ("omega", "agreement", "krippendorff_alpha"):
        assert float(from_csv[name]) == row[name] == frame[name][0]
    assert float(from_csv["omega_low"]) == row["omega_interval"][0] == frame["omega_low"][0]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_a_number(form: Any) -> None:
    """The same estimate is in each form of a report."""
    analysis = analyse(made())
    shown = render(report_document(analysis), form)
    omega = analysis.results["rows"][0]["omega"]
    assert (f"{omega}" if form in ("json", "csv") else f"{omega:.2f} ") in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 漢 ✓", "plain ü 漢 ✓"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("bell\x07 back\x08", r"bell\x07 back\x08"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eevil", r"\u202eevil"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\ud800", r"\ud800"),
        ("a\nb\tc", "a b c"),
    ],
)
def test_nothing_acts_on_a_terminal(text: str, shown: str) -> None:
    """Escapes, controls and direction marks are written out."""
    assert one_line(text) == shown


def test_long_text_is_cut_and_counted() -> None:
    """A megabyte becomes a line that says how much is missing."""
    assert printable("x" * 1_000_000, 10) == "x" * 10 + " [... 999,990 more characters]"


CELL = st.lists(st.text("ab", min_size=1, max_size=16), max_size=4).map(" ".join)


@pytest.mark.slow
@given(st.integers(20, 130), st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=4))
def test_no_window_is_too_narrow(width: int, rows: list[tuple[str, ...]]) -> None:
    """A table loses no word, and no line is longer than the window."""
    out = io.StringIO()
    table = Table(["Judge", "N x R", "Omega [95%]", "T"], rows)
    print_table(Console(width=width, file=out), table)
    shown = out.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    words = " ".join(cell for row in rows for cell in row)
    assert Counter(words.split()) <= Counter(shown.split())


def test_no_line_breaks_an_estimate() -> None:
    """An interval is on one line, beside its value or below it."""
    out = io.StringIO()
    headings = ["Benchmark", "N x R", "Agreement [95%]", "Omega [95%]"]
    rows = [["BBH", "27 x 100", "0.65 [0.55, 0.73]", "0.26 [0.17, 0.41]"]]
    print_table(Console(width=45, file=out), Table(headings, rows))
    first, below = (line for line in out.getvalue().split("\n") if "0." in line)
    assert first.split() == ["BBH", "27", "x", "100", "0.65", "0.26"]
    assert re.findall(r"\[.*?\]", below) == ["[0.55, 0.73]", "[0.17, 0.41]"]
    out = io.StringIO()
    scale = ["0.7", "30 x 12", *["0.60 [0.41, 0.78]"] * 3, "0.0%"]
    columns = ["T", "N x R", "ICC [95%]", "Agreement [95%]", "Omega [95%]", "Non-response"]
    print_table(Console(width=80, file=out), Table(columns, [scale]))
    assert all(cell in out.getvalue() for cell in scale)


def test_a_caution_is_said_once() -> None:
    """A form with the answer and all behind it has the whole caution, not its beginning too."""
    whole = Caution("Few labels. They may be others. Ask for more.")
    blocks = [Text("Right 90%.", "answer"), *worst([whole])]
    assert blocks[1] == Caution("Few labels. They may be others.", whole=whole.text)
    found = Document("x", [*blocks, Caution("Few")], {}, more=lambda: [whole])
    assert found.every == [blocks[0], Caution("Few"), whole]


def test_numbers_stand_at_the_right() -> None:
    """A column of numbers ends in one line in each form, with intervals or without."""
    rows = [["a1", "9", "0.5 [0.4, 0.6]", "2 x 10"], ["b", "10,000", "", "12 x 100"]]
    table = Table(["Name", "N", "Omega [95%]", "N x R"], rows)
    assert table.numbers == [False, True, True, True]
    assert Table(["Name"], []).numbers == [False]
    assert pipes(table).splitlines()[1] == "| --- | ---: | ---: | ---: |"
    document = Document("t", [table], {})
    first, second = render(document, "table").splitlines()[2:4]
    assert first.index("9") + 1 == second.index("10,000") + len("10,000")
    assert first.endswith(" 2 x 10")
    assert second.endswith("12 x 100")
    assert 'class="n2 n3 n4 "' in render(document, "html")


def test_markdown_does_not_interpret() -> None:
    """A name is no link, no markup and no column."""
    name = "=1+1|<b>[x](http://x)\n`*_"
    assert "\\[x\\](http\\://x)" in pipes(Table(["n"], [[name]]))
    assert "\\<b\\>" in pipes(Table(["n"], [[name]]))
    assert pipes(Table(["n"], [[name]])).count("\n") == 2
    assert "\\&lt;\\~\\~x" in pipes(Table(["n"], [["&lt;~~x"]]))
    address = Table(["n"], [["see www.x.org, a@x.org: 1.5"]])
    assert "see www\\.x.org, a\\@x.org: 1.5" in pipes(address)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "=\r\n", "＝", "＋", "－", "＠"])
def test_a_spreadsheet_sees_no_formula(start: str) -> None:
    """Names and texts that begin like a formula are texts, in headings too; numbers stay."""
    evil = f"{start}HYPERLINK(1)"
    written = to_csv(
        pd.DataFrame([[evil, "-1.5"], [f"x{evil}", "+1e-3"]], columns=[evil, "n"]), "\r\n"
    )
    lines = list(csv.reader(io.StringIO(written, newline="")))
    assert lines == [[f"'{evil}", "n"], [f"'{evil}", "-1.5"], [f"x{evil}", "+1e-3"]]
    shown = render(Document("", [], {"rows": [{evil: 0}, {evil: evil}]}), "csv")
    assert not re.search(r"^[=+@-]|[\t\r]", shown, re.MULTILINE)


def test_a_workbook_has_no_formula(tmp_path: Path) -> None:
    """A CSV file opened by a spreadsheet library and kept as a workbook has texts only."""
    openpyxl = pytest.importorskip("openpyxl")
    evil = [f"{start}HYPERLINK(1)" for start in ("=", "+", "-", "@", "\t=", "\r=", "=\r\n")]
    book = openpyxl.Workbook()
    lines = list(
        csv.reader(io.StringIO(to_csv(pd.DataFrame([evil], columns=evil), "\r\n"), newline=""))
    )
    for name, rows in {"saved": lines, "as they are": [evil]}.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    read = openpyxl.load_workbook(tmp_path / "book.xlsx")
    kinds = {sheet.title: {cell.data_type for row in sheet for cell in row} for sheet in read}
    assert kinds["saved"] == {"s"}
    assert "f" in kinds["as they are"]


HOSTILE = st.text(st.sampled_from("ab5.,;|\"'\r\n\t=+-@＝ \x1b"), max_size=8)


@pytest.mark.slow
@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4))
def test_csv_keeps_every_text_in_its_cell(rows: list[tuple[str, str]]) -> None:
    """Commas, quotes and line breaks of any kind come back as they were, from two readers."""
    written = to_csv(pd.DataFrame(rows, columns=["a", "b"]), "\r\n")
    frame = pd.read_csv(io.StringIO(written, newline=""), keep_default_na=False, dtype=str)
    for lines in (list(csv.reader(io.StringIO(written, newline="")))[1:], frame.to_numpy()):
        assert [tuple(map(without_marks, line)) for line in lines] == rows


@pytest.mark.slow
@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4), st.sampled_from(",;|\t"))
def test_no_reader_sees_a_formula(rows: list[tuple[str, str]], separator: str) -> None:
    """Whatever it takes for the end of a cell: its quotation marks are then not ours."""
    written = to_csv(pd.DataFrame(rows, columns=["a", "b"]), "\r\n")
    for line in csv.reader(io.StringIO(written, newline=""), delimiter=separator):
        for cell in line:
            number = re.match(r'[+-]\d+(\.\d*)?([eE][+-]?\d+)?(\Z|[",;|\t\r\n])', cell)
            assert number or not re.match(r'["\s]*[=+\-@＝]', cell), (written, cell)


@given(HOSTILE)
def test_marks_are_taken_back(text: str) -> None:
    """Each text is read as it was, also one with marks of its own."""
    assert without_marks(marked(text)) == text
    assert not has_formula(marked(text))
    assert (marked(text) == text) == (not has_formula(text) and without_marks(text) == text)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=x", "'=x"),
        ("'=x", "''=x"),
        ("x;=cmd", "x;'=cmd"),
        ("＋x", "'＋x"),
        ("-5", "-5"),
        ("1;-2", "1;-2"),
        ("list:\n- a\n-1", "list:\n'- a\n-1"),
        ('x;"=cmd', "x;'\"=cmd"),
        ("a-b; c = d", "a-b; c = d"),
    ],
)
def test_marks_are_where_a_cell_may_begin(text: str, safe: str) -> None:
    """And nowhere else: a text stays readable."""
    assert marked(text) == safe
    written = to_csv(pd.DataFrame({"n": [1], "t": [text]}))
    quoted = re.search('[;\n"]', text)
    assert written == "n,t\n1," + (f'"{safe}"'.replace('"=', '""=') if quoted else safe) + "\n"


@pytest.mark.slow
def test_a_report_says_what_was_read() -> None:
    """The line on standard error is in the JSON, on the page and in Markdown, too."""
    frame = pd.DataFrame({"judge": "j", "question": [*range(30)] * 2, "verdict": ["a", "b"] * 30})
    document = report_document(analyse(frame))
    said = "1 judge x 30 questions x 2 tries"
    assert json.loads(render(document, "json"))["read"] == [f"Read: {said}"]
    assert said in render(document, "html")
    assert render(document, "markdown").startswith(f"Read: {said}")
