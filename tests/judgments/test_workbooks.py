"""Workbooks (.xlsx) as people have them: real files, read by every command that takes files."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pandas as pd
import pytest
from openpyxl.utils import get_column_letter

from commands import invoke
from inspect_reliability import errors
from inspect_reliability.errors import UserError
from inspect_reliability.judgments import workbooks
from inspect_reliability.judgments.labels import with_labels
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import judgments_from_file, judgments_from_frame
from inspect_reliability.judgments.workbooks import read_workbook, write_workbook

FRAME = pd.DataFrame(
    [(f"Frage {q}", n, (q * n) % 4 + 0.5) for q in range(4) for n in range(1, 4)],
    columns=["question", "replication", "verdict"],
)
ROWS: Sequence[Sequence[Any]] = [[*FRAME], *FRAME.to_numpy().tolist()]
TABLE = judgments_from_frame(FRAME).table

Make = Callable[[Any], None]


def book(path: Path, make: Make) -> Path:
    """A workbook, made by filling an empty one."""
    made = openpyxl.Workbook()
    made.active.title = "Runs"
    make(made)
    made.save(path)
    return path


def append(sheet: Any, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows below those of a sheet."""
    for row in rows:
        sheet.append(list(row))


def plain(made: Any) -> None:
    append(made.active, ROWS)


def below_and_right(made: Any) -> None:
    for n, row in enumerate(ROWS):
        for k, value in enumerate(row):
            made.active.cell(4 + n, 3 + k, value)
    made.active.cell(200, 30).font = openpyxl.styles.Font(bold=True)


def behind_a_hidden_sheet(made: Any) -> None:
    append(made.active, [["a", "b"], [1, 2]])
    append(made.create_sheet("Shown"), ROWS)
    made.active.sheet_state, made.active = "hidden", 1


def beside_a_sheet_of_text(made: Any) -> None:
    append(made.active, [["Ratings of March."], ["Ask Ann."]])
    append(made.create_sheet("Data"), ROWS)


def behind_a_cover(made: Any) -> None:
    append(made.active, [["Noten der KI"], ["Datum", datetime(2026, 3, 1)], ["Wer", "Ann", "v2"]])
    append(made.create_sheet("Skala"), [("Note", "Bedeutung"), *enumerate("abcde")])
    append(made.create_sheet("Daten"), ROWS)
    append(made.create_sheet("Menschen"), [("id", "label"), *((f"Frage {q}", 1.5) for q in "0123")])


def after_a_summary(made: Any) -> None:
    append(made.active, [("month", "number"), ("May", 3)])
    append(made.create_sheet("Data"), ROWS)


def filtered(made: Any) -> None:
    plain(made)
    for row in (3, 4):
        made.active.row_dimensions[row].hidden = True


def merged(made: Any) -> None:
    plain(made)
    for first in range(2, len(ROWS), 3):
        made.active.merge_cells(f"A{first}:A{first + 2}")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (plain, None),
        (below_and_right, None),
        (behind_a_hidden_sheet, None),
        (beside_a_sheet_of_text, "sheet 'Data' read, not 'Runs'"),
        (behind_a_cover, "sheet 'Daten' read, not 'Runs', 'Skala', 'Menschen': --sheet NAME reads"),
        (after_a_summary, "sheet 'Data' read, not 'Runs': --sheet NAME reads another"),
        (filtered, "2 hidden rows, as behind a filter, read like the others"),
        (merged, "4 merged cells read as one value for each of their rows"),
    ],
)
def test_its_table_is_read(tmp_path: Path, make: Make, says: str | None) -> None:
    """Wherever it is, in a workbook with macros too; what was chosen or filled in is announced."""
    name = "A.XLSM" if make is plain else "a.xlsx"
    found = judgments_from_file(book(tmp_path / name, make))
    pd.testing.assert_frame_equal(found.table, TABLE)
    assert [says in str(note) for note in found.notes] == [True] * bool(says)


def side_by_side(made: Any) -> None:
    """Old judgments, those of now, and what people said of these."""
    append(made.active, ROWS[:5])
    append(made.create_sheet("May"), ROWS)
    append(made.create_sheet("People"), [("id", "label"), *((f"Frage {q}", 1.5) for q in range(4))])


@pytest.mark.slow
def test_the_sheet_that_was_named_is_read_by_every_door(tmp_path: Path) -> None:
    """A command, a saved reading and Python take it; of labels, where their workbook has it."""
    path, saved = book(tmp_path / "a.xlsx", side_by_side), tmp_path / "reading.yaml"
    expected = judgments_from_file(book(tmp_path / "plain.xlsx", plain)).table
    read = invoke("read", path, "--sheet", "May", "--save", saved)
    assert not read.exit_code
    assert "--sheet" not in read.stderr
    for reading in (Reading(sheet="May"), saved):
        found = judgments_from_file(path, reading=reading)
        pd.testing.assert_frame_equal(found.table, expected)
        assert not found.notes
    people = tmp_path / "people.xlsx"
    book(
        people,
        lambda made: append(
            made.active, [("id", "label"), *((f"Frage {q}", 1.5) for q in range(4))]
        ),
    )
    plain_labels = invoke("report", tmp_path / "plain.xlsx", "--labels", people, "--format", "json")
    labelled = invoke("report", path, "--sheet", "May", "--labels", people, "--format", "json")
    assert json.loads(labelled.stdout)["rows"] == json.loads(plain_labels.stdout)["rows"]


@pytest.mark.slow
def test_of_sheets_that_fit_alike_one_is_asked_for(tmp_path: Path) -> None:
    """One a judge, or a month; of labels too. What is proposed runs, and says what it reads."""

    def each(names: Sequence[str]) -> Make:
        rows = [names, *((f"Frage {q}", q % 3 + 1) for q in range(12))]

        def make(made: Any) -> None:
            append(made.active, [["Owner", "Ann"], ["Date", "May"]])
            append(made.create_sheet("Mai"), rows)
            append(made.create_sheet("April"), rows[:9])

        return make

    path = book(tmp_path / "a.xlsx", each(("question", "verdict")))
    people = book(tmp_path / "people.xlsx", each(("id", "label")))
    asked = invoke("report", path)
    assert asked.exit_code == 2
    assert "2 sheets can be read as judgments" in asked.stderr
    for sheet, n in (("Mai", 12), ("April", 8)):
        assert f"  --sheet {sheet}\n    sheet '{sheet}': {n} questions" in asked.stderr
        read = invoke("validate", path, "--sheet", sheet, "--labels", people)
        assert f"labels of {n} questions" in read.stderr
    pd.DataFrame(FRAME).to_csv(tmp_path / "a.csv", index=False)
    refused = invoke("report", tmp_path / "a.csv", "--labels", people)
    assert refused.exit_code == 2
    assert "2 sheets can be read as labels" in refused.stderr
    assert not invoke("report", tmp_path / "a.csv", "--labels", people, "--sheet", "Mai").exit_code


SCALES: Mapping[str, Sequence[Sequence[Any]]] = {
    "words": [
        ("Note", "Bedeutung"),
        *enumerate(["sehr gut", "gut", "gut", "genug", "nein", "nein"]),
    ],
    "points": [("Punkte", "Note"), *((n, 6 - n // 4) for n in range(21))],
    "criteria": [("Teil", "Note", "Heißt"), *((p, n, f"{p}{n}") for p in "ab" for n in range(5))],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "names", "says"),
    [
        ("criteria", ["Lauf 1", "Lauf 2", "Lauf 3"], "'Lauf 2' and 'Lauf 3' are replications"),
        ("points", ["KI", "KI", "KI"], "duplicate column 'KI'"),
        ("words", ["KI", None, None], "no name for 2 of 6 columns"),
    ],
)
def test_a_scale_beside_grades_is_not_read(
    scale: str, names: Sequence[str], says: str, tmp_path: Path
) -> None:
    """Before the grades or behind them, whether their columns are known or have to be mended."""
    columns = ["Nr", "Antwort", *names, "Lehrkraft"]
    rows = [(n, f"Text {n}", *((n * k + k) % 5 for k in range(1, 5))) for n in range(1, 16)]
    for first in (False, True):

        def make(made: Any, first: bool = first) -> None:
            other = made.create_sheet("Noten")
            sheets = (other, made.active) if first else (made.active, other)
            append(sheets[0], [columns, *rows])
            append(sheets[1], SCALES[scale])

        with pytest.raises(UserError) as found:
            judgments_from_file(book(tmp_path / "a.xlsx", make))
        read, left = ("Noten", "Runs") if first else ("Runs", "Noten")
        assert says in str(found.value)
        assert f"sheet {read!r} read, not {left!r}" in str(found.value)
        assert "can be read" not in str(found.value)


@pytest.mark.slow
def test_sheets_with_the_same_columns_are_one_table(tmp_path: Path) -> None:
    """It is what a file with the names of the sheets as judges has; that is offered, too."""
    names = ("question", "verdict")
    rows = {one: [(f"q{n}", n * k % 3 + 1) for n in range(9)] for k, one in enumerate("ab", 1)}

    def make(made: Any) -> None:
        for one, own in rows.items():
            append(made.create_sheet(one), [names, *own])
        append(made.create_sheet("c"), [("grade", "meaning"), (1, "poor")])

    path = book(tmp_path / "a.xlsx", make)
    each = [(*row, one) for one, own in rows.items() for row in own]
    plain = judgments_from_frame(pd.DataFrame(each, columns=[*names, "judge"]))
    found = judgments_from_file(path, {"sheet": "judge"}, reading=Reading(sheet="a+b"))
    pd.testing.assert_frame_equal(found.table, plain.table, check_like=True)
    assert any("2 sheets read as one table" in str(note) for note in found.notes)
    [asked] = judgments_from_file(path).asked
    assert asked.choices[-1].entries == {"sheet": "a+b", "columns": {"sheet": "judge"}}
    with pytest.raises(UserError, match="sheet 'c' has other columns than sheet 'a': 'grade', 'm"):
        judgments_from_file(path, reading=Reading(sheet="a+c"))
    with pytest.raises(UserError, match="names sheet 'a' twice"):
        judgments_from_file(path, reading=Reading(sheet="a+b+a"))
    refused = " ".join(invoke("compare", path, path).stderr.split())
    assert "'a', 'b', 'c'. Of two: --sheet A+B --column sheet=judge --by judge." in refused


def test_a_sheet_that_is_not_there_is_answered_by_those_that_are(tmp_path: Path) -> None:
    """Hidden ones too, which can be named."""
    path = book(tmp_path / "a.xlsx", behind_a_hidden_sheet)
    done = invoke("report", path, "--sheet", "June")
    assert done.exit_code == 2
    assert f"{path} has no sheet 'June'. Name one of: 'Runs', 'Shown'." in " ".join(
        done.stderr.split()
    )
    found = judgments_from_file(
        path, {"a": "question", "b": "verdict"}, reading=Reading(sheet="Runs")
    )
    assert len(found.table) == 1
    only = book(tmp_path / "b.xlsx", plain)  # as a list has, which is read like its source
    assert (
        "sheet 'Runs' read, as there is no 'June'" in invoke("read", only, "--sheet", "June").stderr
    )


@pytest.mark.slow
def test_a_question_about_columns_says_which_sheet_it_is_about(tmp_path: Path) -> None:
    """And its command keeps the sheet that was named."""
    rows = [
        ("Frage", "Richter", "Urteil"),
        *((f"f{n % 9}", "ab"[n // 9 % 2], "AB"[n % 5 % 2]) for n in range(36)),
    ]

    def make(made: Any) -> None:
        append(made.active, rows)
        append(made.create_sheet("Mai"), rows)

    path = book(tmp_path / "a.xlsx", make)
    said = invoke("report", path).stderr
    assert "sheet 'Runs' read, not 'Mai': --sheet NAME reads another." in said
    assert "--sheet Runs --save" in said
    assert "--sheet Mai --save" in invoke("report", path, "--sheet", "Mai").stderr


def test_values_are_those_that_people_see(tmp_path: Path) -> None:
    """Days without midnight, results of formulas, TRUE, and nothing for an error."""
    path = tmp_path / "a.xlsx"
    days = [("q", datetime(2026, 3, day), day > 1) for day in (1, 2)]
    rows = [("question", "time", "verdict"), *days, ("q", datetime(2026, 3, 3), "#DIV/0!")]
    book(path, lambda made: append(made.active, rows))
    found = judgments_from_file(path).table
    assert found["time"].tolist() == ["2026-03-01", "2026-03-02", "2026-03-03"]
    assert found["verdict"].tolist() == ["false", "true", "non-response"]


def titled(made: Any) -> None:
    append(made.active, [["Bewertung März"], [], *ROWS[1:]])


def under_groups(made: Any) -> None:
    wide = [("answer", "", "tries", "", ""), ("question", "topic", "first", "second", "label")]
    append(made.active, [*wide, ("q", "t", "A", "B", "A")])


def in_two_rows(made: Any) -> None:
    names = [("question", "GPT", "", "Claude", ""), ("", "grade", "why", "grade", "why")]
    append(made.active, [*names, ("q", 3, "x", 4, "y")])


def of_formulas(made: Any) -> None:
    append(made.active, [("question", "verdict"), ("q", '=IF(1>0,"A","B")')])


def of_dates(made: Any) -> None:
    append(made.active, [("question", "verdict"), ("q", 1.5), ("q", datetime(2026, 5, 1))])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda made: None, "is empty"),
        (lambda made: append(made.active, ROWS[:1]), "no row has a question"),
        (lambda made: append(made.active, [["verdict"], ["A"]]), "no column 'question'"),
        (titled, "a single cell, 'Bewertung März'. If it is a title, delete what is above"),
        (
            under_groups,
            "groups, delete what is above the names of the columns: the row that begins",
        ),
        (in_two_rows, "Each column needs its whole name in one row, such as 'GPT grade'"),
        (of_formulas, "no row has a verdict"),
        (of_dates, "A spreadsheet makes dates of texts such as 1.5"),
    ],
)
def test_what_it_lacks_is_said_in_a_line(tmp_path: Path, make: Make, says: str) -> None:
    """With the next step, and never a traceback; likewise in a file of labels."""
    path = book(tmp_path / "a.xlsx", make)
    done = invoke("report", path)
    assert done.exit_code == 2
    assert says in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.xlsx", bytes.fromhex("D0CF11E0A1B11AE1") + bytes(4000), "has a password, or is an old"),
        ("a.xlsx", b"PK\x03\x04" + bytes(range(256)), "is truncated, or no .xlsx file"),
        ("a.xlsx", b"question,verdict\nq,A\n", "is truncated, or no .xlsx file"),
        ("a.xlsx", b"", "is truncated, or no .xlsx file"),
        ("a.xls", b"<table>", "Save it as .xlsx or CSV"),
        ("a.ods", b"PK", "Save it as .xlsx or CSV"),
    ],
)
@pytest.mark.parametrize("labels", [True, False])
def test_a_broken_one_is_named(
    tmp_path: Path, name: str, content: bytes, says: str, labels: bool
) -> None:
    """Encrypted, cut off, another form under this name: one line each, with the next step."""
    path = tmp_path / name
    path.write_bytes(content)
    judgments = judgments_from_frame(FRAME)
    with pytest.raises(UserError, match=says):
        with_labels(judgments, [str(path)]) if labels else judgments_from_file(path)


@pytest.mark.slow
def test_without_openpyxl_one_line_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading and writing: what installs it."""
    path = book(tmp_path / "a.xlsx", plain)
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    for call in (
        ("report", path),
        ("label", tmp_path / "a.csv", "--out", tmp_path / "l.xlsx"),
    ):
        done = invoke(*call)
        assert done.exit_code == 2
        assert (
            "openpyxl is not installed. Run: pip install 'inspect-reliability[excel]"
            in " ".join(done.stderr.split())
        )


def rewritten(path: Path, old: bytes, new: bytes) -> Path:
    """A workbook with other XML in its first sheet, as openpyxl would not write it."""
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    place = "xl/worksheets/sheet1.xml"
    assert old in parts[place]
    parts[place] = parts[place].replace(old, new)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


LAST = b'<row r="200000"><c r="XFD200000" s="0" t="n"/></row></sheetData>'
CORNER = b'<row r="200000"><c r="XFD200000" t="inlineStr"><is><t>x</t></is></c></row></sheetData>'
MERGED = b'</sheetData><mergeCells count="1"><mergeCell ref="E2:XFD1048576"/></mergeCells>'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "says"),
    [
        (LAST, None),
        (CORNER, "1 row without a question left out"),
        (MERGED, "1 merged cells read as one value for each of their rows"),
    ],
    ids=["format", "value", "merged"],
)
def test_it_is_read_as_far_as_there_are_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes, says: str | None
) -> None:
    """No cell is made for each that a format, a corner or a merged cell reaches."""
    path = rewritten(book(tmp_path / "a.xlsx", plain), b"</sheetData>", end)
    made = 0

    def count(cell: Any, *given: Any, **named: Any) -> None:
        nonlocal made
        made += 1
        assert made < 50_000  # columns of one row; the sheet has 17 thousand millions

    monkeypatch.setattr(openpyxl.cell.cell.Cell, "__init__", count)
    monkeypatch.setattr(openpyxl.cell.cell.MergedCell, "__init__", count)
    found = judgments_from_file(path)
    pd.testing.assert_frame_equal(found.table[[*TABLE]], TABLE)
    assert [says in str(note) for note in found.notes] == [True] * bool(says)


def test_rows_that_merged_cells_alone_reach_are_none(tmp_path: Path) -> None:
    """A judgment written over two rows, to be taller, is one."""

    def make(made: Any) -> None:
        append(made.active, [["question", "verdict"]])
        for first in (2, 4, 6):
            made.active.cell(first, 1, f"q{first}")
            made.active.cell(first, 2, "A")
            made.active.merge_cells(f"A{first}:A{first + 1}")
            made.active.merge_cells(f"B{first}:B{first + 1}")

    found = judgments_from_file(book(tmp_path / "a.xlsx", make)).table
    assert found["question"].tolist() == ["q2", "q4", "q6"]


def cells(of: Sequence[str]) -> bytes:
    """Rows with one value each, in these places."""
    one = '<row r="{}"><c r="{}" t="b"><v>1</v></c></row>'
    return "".join(one.format(place.lstrip(ascii_uppercase), place) for place in of).encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "places",
    [
        [f"XFD{n}" for n in range(100, 200)],
        ["A99999999999"],
        [f"{get_column_letter(n)}{n + 99}" for n in range(1, 1_100)],
    ],
    ids=["wide", "deep", "diagonal"],
)
def test_values_far_apart_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: Sequence[str]
) -> None:
    """A small file can claim any number of cells between two of its values."""
    monkeypatch.setattr(workbooks, "_MOST_CELLS", 100_000)
    end = cells(places) + b"</sheetData>"
    path = rewritten(book(tmp_path / "a.xlsx", plain), b"</sheetData>", end)
    with pytest.raises(UserError, match=r"sheet 'Runs': values are spread over more than .* CSV"):
        judgments_from_file(path)


TEXTS = [
    *("a\x1b[31m", "\0", "v\x0bt", "bell\x07", "\r", "\r\n", "a\nb", "\tx", "\uffff", " sp "),
    *("_x0041_", "_x005F_", "_x005F_x0041_", "_", "=1+1", "'=x", "-5", "\N{GRINNING FACE}"),
]


def test_every_text_comes_back(tmp_path: Path) -> None:
    """A workbook holds what XML cannot, in Excel's own spelling; none becomes a formula."""
    path = tmp_path / "a.xlsx"
    write_workbook(path, pd.DataFrame({name: TEXTS for name in ("\x1b", "b")}))
    rows, *_ = read_workbook(path)
    assert rows == [["\x1b", "b"], *([text, text] for text in TEXTS)]
    assert openpyxl.load_workbook(path).active["A2"].value == "a_x001B_[31m"


def test_a_text_too_long_for_a_cell(tmp_path: Path) -> None:
    """It is refused, not cut: the name of a question could then be that of another."""
    with pytest.raises(UserError, match=r"A text has 32,768 characters \('xxx.*Write CSV"):
        write_workbook(tmp_path / "a.xlsx", pd.DataFrame({"a": ["x" * 32_768]}))
