"""Files as people have them: encodings, separators, places, and what is broken."""

import csv
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.parquet import read_table, write_table

from commands import invoke
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.rows import has_judgments, read_rows
from inspect_reliability.judgments.sources import (
    judgments_from,
    judgments_from_file,
    judgments_from_frame,
)
from inspect_reliability.judgments.table import save
from inspect_reliability.showing.csv import to_csv

FRAME = pd.DataFrame(
    [(q, n, "größer" if (n * q) % 3 else "kleiner") for q in range(4) for n in range(1, 4)],
    columns=["question", "replication", "verdict"],
)
TABLE = judgments_from_frame(FRAME).table
COMMAS = FRAME.to_csv(index=False)
SEMICOLONS = FRAME.to_csv(index=False, sep=";")
LINES = FRAME.to_json(orient="records", lines=True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", COMMAS.encode()),
        ("a.CSV", COMMAS.encode("utf-8-sig")),
        ("a.csv", COMMAS.encode("utf-16")),
        ("a.csv", f"sep=;\r\n{SEMICOLONS}".encode()),
        ("a.csv", FRAME.to_csv(index=False, sep="\t").encode("utf-16")),
        ("a.csv", COMMAS.replace(",", "|").encode()),
        ("a.tsv", FRAME.to_csv(index=False, sep="\t").encode()),
        ("a.txt", FRAME.to_csv(index=False, sep="\t").encode("utf-16")),
        ("a.csv", COMMAS.replace("\n", "\n,,\n").encode()),
        ("a.csv", COMMAS.replace("\n", ",,\n").encode()),
        ("a.csv", COMMAS.replace("1,1", COMMAS.splitlines()[0] + "\n1,1").encode()),
        ("a.JSONL", LINES.encode()),
        ("a.ndjson", LINES.encode()),
        ("a.Json", json.dumps(FRAME.to_dict("records")).encode()),
        ("a.json", b" \n " + json.dumps(FRAME.to_dict("records")).encode()),
        ("a.json", json.dumps({"version": 3, "rows": FRAME.to_dict("records")}).encode()),
        ("a.json", FRAME.to_json().encode()),
        ("a.json", FRAME.to_json(orient="table", index=False).encode()),
    ],
)
def test_the_same_rows_in_every_form(tmp_path: Path, name: str, content: bytes) -> None:
    """Encodings, separators, empty columns, a second header and capitals change nothing."""
    path = tmp_path / name
    path.write_bytes(content)
    for place in (path, path.as_uri(), f"local://{path}")[: 3 if content == LINES.encode() else 1]:
        assert has_judgments(str(place))
        pd.testing.assert_frame_equal(judgments_from_file(place).table, TABLE)


@pytest.mark.parametrize("head", ['{"version": 2, "status": "success",', '{\n "eval": {', "{}", ""])
def test_a_log_in_json_is_no_table(tmp_path: Path, head: str) -> None:
    """Inspect reads it, or says what is wrong with it."""
    (path := tmp_path / "a.json").write_text(head)
    assert not has_judgments(str(path))


def test_objects_in_rows_have_columns_of_their_own(tmp_path: Path) -> None:
    """Exports of tools nest what they say, and give a judge's name in parts."""
    row = {"in": {"id": {"n": 1}}, "scores": {"style": "good"}, "judge": ["gpt", "v1"], "tags": {}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    columns = {"in.id.n": "question", "scores.style": "verdict"}
    [found] = judgments_from_file(tmp_path / "a.jsonl", columns).table.to_dict("records")
    assert (found["question"], found["verdict"], found["judge"]) == ("1", "good", "gpt v1")


def test_a_file_from_elsewhere_is_read() -> None:
    """Any place that fsspec knows will do."""
    import fsspec

    with fsspec.open("memory://far/a.csv", "wb") as file:
        file.write(COMMAS.encode())
    pd.testing.assert_frame_equal(judgments_from_file("memory://far/a.csv").table, TABLE)


def test_a_nul_ends_no_cell(tmp_path: Path) -> None:
    """Questions that differ after one are several."""
    rows = "".join(f"q\0{n},A\n" for n in range(20))
    (tmp_path / "a.csv").write_text("question,verdict\n" + rows)
    found = judgments_from_file(tmp_path / "a.csv").table
    assert found["question"].nunique() == 20


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", COMMAS.encode("utf-16-le"), "is no text in UTF-8 .* Save it as CSV in UTF-8"),
        ("a.csv", b"PK\x03\x04\x81\x8d", "is no text in UTF-8 .* Save it as CSV in UTF-8"),
        ("a.jsonl", LINES.encode().decode("unicode-escape").encode("utf-16"), "Save it as UTF-8"),
        ("a.json", b"[" * 200_000, "nested too deeply"),
        ("a.jsonl", b"[" * 200_000, "nested too deeply"),
        ("a.csv", b"question,verdict\n,A\n,B\n", "no row has a question"),
        ("a.csv", b"question,verdict\nq,\np,\n", "no row has a verdict"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b",,\n,,\n", "is empty"),
        ("a.csv.gz", b"", "Unpack it"),
        ("a.json", b"[]", "is empty"),
        ("a.jsonl", b'{"question": 1, "verdict": {"a": 1, "b": [2]}}', "no column 'verdict'"),
        ("a.json", b'{"a": 1, "b": [1]}', "has no list of rows, such as"),
        ("a.csv", b"Bewertung;;\n;;\nq;A;1\np;A;2\n", "'Bewertung'. If it is a title"),
        ("a.csv", b"Bewertung;;\n;a;b\nq;A;1\np;A;2\n", "'Bewertung'. If it is a title"),
        ("a.csv", f"Bewertung\n\n{COMMAS}".encode(), "line 3: 3 cells where the first line has 1"),
        ("a.csv", b"question,verdict\nq,A\nq,B,C\n", "put texts that contain a separator in quot"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    """In a line that names it and says what to do."""
    (tmp_path / name).write_bytes(content)
    result = invoke("report", str(tmp_path / name))
    assert isinstance(result.exception, SystemExit)
    with pytest.raises(UserError, match=message) as error:
        judgments_from_file(tmp_path / name)
    assert str(tmp_path / name) in str(error.value)


def test_a_title_above_the_names_is_left_out_with_a_note(tmp_path: Path) -> None:
    """Rows of one cell, where the names below are words that are not repeated in their columns."""
    plain, titled = tmp_path / "plain.csv", tmp_path / "titled.csv"
    plain.write_text(SEMICOLONS)
    titled.write_text(f"Bewertung März;;\n;;\nStand: 1.9.;;\n{SEMICOLONS}")
    own, found = judgments_from_file(plain), judgments_from_file(titled)
    pd.testing.assert_frame_equal(found.table, own.table)
    [said] = [str(note) for note in found.notes if note not in own.notes and "title" in str(note)]
    assert "2 rows above the names of the columns left out as a title: 'Bewertung März'" in said


def test_what_excel_saves_in_germany_is_read_and_announced(tmp_path: Path) -> None:
    """Windows-1252, semicolons and decimal commas; commas in a quoted name are no separators."""
    frame = FRAME.assign(verdict=FRAME["replication"] + 0.5, **{"Warum, wie, was, wo": "ähm"})
    text = frame.to_csv(index=False, sep=";", decimal=",", quoting=csv.QUOTE_NONNUMERIC)
    (tmp_path / "a.csv").write_bytes(text.encode("cp1252"))
    found = judgments_from_file(tmp_path / "a.csv")
    assert found.table["verdict"].astype(float).tolist() == frame["verdict"].tolist()
    said = [note.what for note in found.notes]
    assert said[0] == "file that is not UTF-8 read as Windows-1252, as in 'ähm'"
    assert "verdicts taken as the numbers that they say" in said[1]


ROWS = ["question,replication,verdict,comment"]
ROWS += [f"q{q},{n},{'AB'[(q * n) % 3 % 2]},fine" for q in range(12) for n in range(1, 4)]
OPENED = f'{ROWS[8].removesuffix("fine")}"Good, I think, but not great'
"""A row whose text opens a quote."""


@pytest.mark.parametrize(
    ("closing", "above"),
    [
        ('not "good"', ""),  # as texts are, which open no quote inside
        ('"good"', ""),
        ('good"', ""),
        ('"good"', "sep=,\n"),
    ],
)
def test_rows_that_an_open_quote_swallowed_are_said_with_their_lines(
    closing: str, above: str, tmp_path: Path
) -> None:
    """Lines 9 to 15 are one row, so that 6 of 36 are lost."""
    rows = [*ROWS[:8], OPENED, *ROWS[9:14], ROWS[14].replace("fine", closing), *ROWS[15:]]
    (tmp_path / "a.csv").write_text(above + "\n".join(rows))
    found = judgments_from_file(tmp_path / "a.csv")
    assert len(found.table) == 30
    first = 9 + bool(above)
    said = f"6 lines that look like rows are one text: the quote in line {first} is open until line"
    assert f"{said} {first + 6}. If they are rows, delete that quote" in str(found.notes[0])


@pytest.mark.parametrize(
    ("below", "message"),
    [
        (ROWS[9:], "a quote is opened in line 9 and never closed. Delete that quote, or close"),
        ([*ROWS[9:14], ROWS[14].replace("fine", '"a, b, c"')], "6 .* line 9 is open until line 15"),
    ],
)
def test_an_open_quote_that_ends_in_no_row_is_named_by_its_line(
    below: list[str], message: str, tmp_path: Path
) -> None:
    """And not by how a parser counts its rows."""
    (tmp_path / "a.csv").write_text("\n".join([*ROWS[:8], OPENED, *below]))
    with pytest.raises(UserError, match=message):
        judgments_from_file(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "text",
    [
        "Good.\nFirst, second, third, fourth\n",
        "Scores:\nq1,1,A\nq2,1,B",
        "one\n\ntwo, three",
        'She said "no",\nthen "yes", and, later, both',
    ],
)
def test_texts_of_several_lines_are_read_without_a_word(text: str, tmp_path: Path) -> None:
    """With commas, marks and small tables in them."""
    frame = FRAME.assign(comment=[text, *["fine"] * (len(FRAME) - 2), text])
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = judgments_from_file(tmp_path / "a.csv")
    assert len(found.table) == len(FRAME)
    assert not found.notes


@pytest.mark.parametrize("verdict", [pd.Timestamp("2024-01-01"), {"a": 1}, [[1], 2]])
def test_a_verdict_of_no_known_type_is_named(verdict: Any) -> None:
    """Dates and objects are no verdicts, and the error says so."""
    frame = pd.DataFrame({"question": ["q"], "verdict": pd.Series([verdict], dtype=object)})
    with pytest.raises(UserError, match=r"column 'verdict': .* is not a text, a finite number"):
        judgments_from_frame(frame)


@pytest.mark.parametrize("name", ["question", "verdict", "replication", "style"])
@pytest.mark.parametrize("gone", [True, False])
def test_a_saved_file_that_was_changed_is_refused_in_words(
    tmp_path: Path, name: str, gone: bool
) -> None:
    """Nulls and missing columns that `save` never wrote."""
    path = tmp_path / "a.parquet"
    save(judgments_from_frame(FRAME.assign(style="x")).with_facets(["style"]), path)
    table = read_table(path)
    place = table.column_names.index(name)
    nulls = pa.nulls(len(table), table.schema.field(name).type)
    changed = table.drop_columns([name]) if gone else table.set_column(place, name, nulls)
    write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    if name == "style" and not gone:
        assert judgments_from_file(path).table["style"].isna().all()
        return
    with pytest.raises(UserError, match=r"a\.parquet.* changed"):
        judgments_from_file(path)


@pytest.mark.parametrize("written", ["by us", "by others"])
def test_marks_of_formulas_make_no_verdicts_one(tmp_path: Path, written: str) -> None:
    """`'=x` is a verdict of its own beside `=x`, in our CSV and where nothing is marked."""
    verdicts = ["=x", "'=x", "x;=y", "＝z", "-1"] * 4
    frame = pd.DataFrame({"question": [f"q{n // 5}" for n in range(20)], "verdict": verdicts})
    path = tmp_path / "a.csv"
    path.write_text(to_csv(frame) if written == "by us" else frame.to_csv(index=False))
    assert judgments_from_file(path).table["verdict"].tolist() == verdicts


def test_marks_of_others_are_read_as_marks(tmp_path: Path) -> None:
    """Where each formula has one, as other tools mark them, too."""
    path = tmp_path / "a.csv"
    path.write_text("question,verdict\nq1,'=x\nq2,'@y\nq3,it's\n")
    assert judgments_from_file(path).table["verdict"].tolist() == ["=x", "@y", "it's"]


@pytest.mark.parametrize("spelled", ["~/a.csv", "file:a.csv", "file://a.csv", "local:~/a.csv"])
def test_a_file_is_where_its_name_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    """A command reads where it would write."""
    (tmp_path / "a.csv").write_text("question,verdict\nq1,x\nq1,y\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert len(judgments_from(spelled).table) == 2


def test_what_is_read_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a file whose first row is looked at alone."""
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    FRAME.to_excel(tmp_path / "a.xlsx", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        for name in ("a.csv", "a.xlsx"):
            next(read_rows(tmp_path / name, 1).frames)
            assert len(read_rows(tmp_path / name).together()) == len(FRAME)
    assert not told
