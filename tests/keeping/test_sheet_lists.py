"""Lists of `keep` for a spreadsheet: CSV has what a workbook has, and only grades are filled in."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.errors import UserError

pytestmark = pytest.mark.usefixtures("read_once")

TRIES = ("Note 1", "Note 2", "Note 3")
COLUMNS = {"Vorgang": "question", "Team": "label", **dict.fromkeys(TRIES, "verdict")}
OPTIONS = [word for one in COLUMNS.items() for word in ("--column", "=".join(one))]
RULE = ("--max-error", ".3")


@pytest.fixture(name="source")
def _source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """A workbook, and the same as a German Excel writes it; 5 of 40 are unsteady, one labelled."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for n in range(40):
        tries = [1 + n % 5] * 3 if n % 9 else [1, 3, 5]
        team = f"{tries[1]},5" if n == 3 else str(tries[1]) if n % 9 or n == 18 else None
        day = datetime(2026, 9, 1) + timedelta(days=n)
        rows.append([f"V-{n}", *tries, team, day, "ok" if n == 7 else None])
    frame = pd.DataFrame(rows, columns=["Vorgang", *TRIES, "Team", "Datum", "Bemerkung"])
    frame.to_excel("noten.xlsx", index=False)
    days = frame["Datum"].dt.strftime("%d.%m.%Y")
    frame.assign(Datum=days).to_csv("noten.csv", sep=";", index=False, encoding="utf-8-sig")
    return frame


def keep(source: str, *more: str) -> str:
    done = invoke("keep", source, *OPTIONS, *RULE, *more)
    assert done.exit_code == 0, done.stderr
    return " ".join(done.stdout.split())


def read(path: str) -> pd.DataFrame:
    return pd.read_csv(path, sep=";", decimal=",", encoding="utf-8-sig")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noten.csv", "noten.xlsx"])
def test_a_list_in_csv_is_the_workbook(source: pd.DataFrame, name: str) -> None:
    """The same rows and columns, as a German spreadsheet opens them, and the same next command."""
    said = keep(name, "--out", "liste.csv")
    keep(name, "--out", "liste.xlsx")
    text, book = read("liste.csv"), pd.read_excel("liste.xlsx")
    assert [*text] == [*book]
    assert [*text][:6] == ["Vorgang", *TRIES, "Team", "verdict"]
    assert {"why", "checked", "final", "Datum", "Bemerkung"} < {*text}
    same = [one for one in text if one not in ("Datum", "confidence")]
    pd.testing.assert_frame_equal(text[same], book[same], check_dtype=False)
    assert (text["confidence"] - book["confidence"]).abs().max() <= 0.005
    assert text.drop(columns="checked").notna().any().all()
    open_ = [f"V-{n}" for n in range(0, 40, 9) if n != 18]
    assert text["Vorgang"][text["decision"] == "escalate"].tolist() == open_
    assert text.set_index("Vorgang").loc["V-18", "decision"] == "labelled"
    line = Path("liste.csv").read_text(encoding="utf-8-sig").splitlines()[1]
    assert line.startswith("V-0;1;3;5;;3;")
    assert "fill in its column checked (4 to check)" in said
    assert "--labels liste.csv --out final.csv" in said


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True])
def test_a_list_in_parquet_has_the_values_of_its_source(mixed: bool, tmp_path: Path) -> None:
    """Rows are in its order, numbers are numbers, ids of two types are texts, and it is read."""
    ids = [*range(60, 20, -1), *range(20)]
    own = [f"q{one}" if mixed and one % 2 else one for one in ids]
    said = [(n, 1 + n % 5, 1 + (n != 1) * n % 5 if n % 3 else None) for n in ids for _ in range(3)]
    frame = pd.DataFrame(said, columns=["chat", "grade", "person"]).assign(
        chat=[one for one in own for _ in range(3)]
    )
    columns = {"chat": "question", "grade": "verdict", "person": "label"}
    file = tmp_path / "k.parquet"
    for _ in range(2):  # the second list replaces the first
        found = ir.keep(frame, columns=columns, max_error=0.3, out=file)
    table = pd.read_parquet(file)
    expected = found.verdicts.rename(columns={"question": "chat"})
    assert expected["chat"].tolist() == own
    if mixed:
        expected["chat"] = expected["chat"].map(str)
    pd.testing.assert_frame_equal(table, expected)
    assert pd.api.types.is_integer_dtype(table["verdict"])
    assert table["decision"][table["verdict"] != table["final"]].tolist() == ["labelled"]
    assert "60 questions" in str(ir.analyse(file))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noten.csv", "noten.xlsx"])
def test_numbers_of_the_source_are_numbers_in_a_workbook(source: pd.DataFrame, name: str) -> None:
    """Ids and means too, whole columns; digits that are text stay, such as those after a zero."""
    numbers = {"Vorgang": range(101, 141), "Mittel": source[[*TRIES]].mean(axis=1).round(2)}
    texts = {"PLZ": [f"{n:05d}" for n in range(40)], "Code": ["x", *map(str, range(1, 40))]}
    frame = source.assign(**numbers, **texts, Bon=[str(n) for n in range(40)])
    frame.to_excel("noten.xlsx", index=False)
    frame.to_csv("noten.csv", sep=";", decimal=",", index=False)
    keep(name, "--out", "liste.xlsx")
    listed = pd.read_excel("liste.xlsx", dtype=object)
    listed = listed.sort_values("Vorgang", ignore_index=True)
    for column in (*numbers, *texts, *["Bon"] * (name == "noten.xlsx")):
        assert listed[column].tolist() == frame[column].tolist()
    assert not invoke("label", name, *OPTIONS, "--most", "9", "--out", "l.xlsx").exit_code
    assert pd.read_excel("l.xlsx", dtype=object)["id"].isin(frame["Vorgang"]).all()
    listed.assign(checked=3).to_excel("filled.xlsx", index=False)
    keep(name, "--labels", "filled.xlsx", "--out", "final.xlsx")


@pytest.mark.slow
def test_what_is_filled_into_csv_is_final_and_is_not_replaced(source: pd.DataFrame) -> None:
    """Grades between others count, and a list with what somebody wrote stays as it is."""
    keep("noten.csv", "--out", "liste.csv")
    keep("noten.csv", "--out", "liste.csv")  # nobody has changed it
    written = read("liste.csv")
    filled = written.assign(checked=[2.5, 4, *[None] * 38], mine="x")
    for change, why in (
        (written.assign(mine="x"), "with columns that a new one lacks (mine)"),
        (filled.drop(columns="mine"), "somebody filled in 2 rows of its column checked"),
    ):
        change.to_csv("liste.csv", sep=";", decimal=",", index=False, encoding="utf-8-sig")
        refused = invoke("keep", "noten.csv", *OPTIONS, *RULE, "--out", "liste.csv")
        assert why in " ".join(refused.stderr.split())
    keep("noten.csv", "--labels", "liste.csv", "--out", "final.csv")
    final = read("final.csv").set_index("Vorgang")
    assert final.loc[["V-0", "V-9"], "final"].tolist() == [2.5, 4]
    assert (final.loc[["V-0", "V-9"], "decision"] == "checked").all()
    keep("noten.csv", "--labels", "liste.csv", "--out", "final.csv")
    assert "2 checked verdicts" in invoke("report", "final.csv").stderr


@pytest.mark.slow
def test_a_number_outside_the_grades_is_refused_with_its_row(source: pd.DataFrame) -> None:
    """Unless its user says that it is a grade."""
    keep("noten.xlsx", "--out", "liste.xlsx")
    book = openpyxl.load_workbook("liste.xlsx")
    at = [one.value for one in book.active[1]].index("checked") + 1
    book.active.cell(4, at).value = 6
    book.save("liste.xlsx")
    question = book.active.cell(4, 1).value
    more = ("--labels", "liste.xlsx", "--out", "final.xlsx")
    refused = invoke("keep", "noten.xlsx", *OPTIONS, *RULE, *more)
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert f"row 4 ('{question}'): 6 is no grade from 1 to 5" in said
    keep("noten.xlsx", *more, "--map", "6=6")
    final = pd.read_excel("final.xlsx").set_index("Vorgang")
    assert final.loc[question, "final"] == 6
    frame = pd.read_excel("liste.xlsx")
    with pytest.raises(UserError, match=r"row 3 .*: 6 is no grade from 1 to 5"):
        ir.keep(source, labels=frame, columns=COLUMNS)


@pytest.mark.slow
def test_a_workbook_offers_the_grades(source: pd.DataFrame) -> None:
    """A drop-down list in `checked`, a filter on the header, and days that are days."""
    keep("noten.xlsx", "--out", "liste.xlsx")
    sheet = openpyxl.load_workbook("liste.xlsx").active
    names = [one.value for one in sheet[1]]
    assert sheet.auto_filter.ref == sheet.dimensions
    (rule,) = sheet.data_validations.dataValidation
    letter = sheet.cell(1, names.index("checked") + 1).column_letter
    assert (str(rule.sqref), rule.formula1) == (f"{letter}2:{letter}41", '"1,2,3,4,4.5,5"')
    days = {
        sheet.cell(row, 1).value: sheet.cell(row, names.index("Datum") + 1).value
        for row in range(2, 42)
    }
    assert days == dict(zip(source["Vorgang"], source["Datum"], strict=True))


@pytest.mark.slow
def test_each_of_two_people_keeps_a_column_and_counts(tmp_path: Path) -> None:
    """A verdict is wrong if it is more than a step from either; each person keeps a column."""
    draws = np.random.default_rng(2)
    rows = []
    for n in range(120):
        ann = int(draws.integers(1, 6))
        ben = min(max(ann + int(draws.choice([0, 0, 0, 1, -1])), 1), 5)
        tries = [min(max(ann + int(draws.choice([0, 0, 1, 2], p=[0.3, 0.2, 0.48, 0.02])), 1), 5)]
        rows.append([f"V-{n}", *tries * 3, ann, ben])
    rows[60] = ["V-60", 5, 5, 5, 2, 3]  # beyond both
    rows[61] = ["V-61", 4, 4, 4, 2, 4]  # what one of them said
    frame = pd.DataFrame(rows, columns=["Vorgang", *TRIES, "Ann", "Ben"])
    people = {"Ann": "label", "Ben": "label"}
    columns = dict.fromkeys(TRIES, "verdict") | people | {"Vorgang": "question"}
    found = ir.keep(frame, columns=columns, max_error=0.25, out=tmp_path / "list.xlsx")
    off = [(frame[TRIES[0]] - frame[one]).abs() > 1 for one in people]
    assert found.summary()["error"].tolist() == pytest.approx([(off[0] | off[1]).mean()])
    assert (frame["Ann"] != frame["Ben"]).mean() > 0.2  # none of these is wrong by itself
    listed = pd.read_excel(tmp_path / "list.xlsx").set_index("Vorgang").loc[frame["Vorgang"]]
    for one in people:
        assert listed[one].tolist() == frame[one].tolist()
    for slip in (66, 0, -3):
        filled = listed.reset_index().assign(checked=[slip, *[None] * 119])
        with pytest.raises(UserError, match=f"{slip} is no grade from 1 to 5"):
            ir.keep(frame, labels=filled, columns=columns, max_error=0.25)
    apart = [(frame[one] - frame["Ben"]).abs().mean() for one in ("Ann", TRIES[0])]
    apart += [(frame["Ann"] - frame[TRIES[0]]).abs().mean()]
    differs = f"people are {apart[0]:.2g} from one another on average, the judge"
    differs += f" {sum(apart[1:]) / 2:.2g} from them, so it cannot replace one."
    said = " ".join(str(found).split())
    assert f"The promise does not make a judge as good as a person: {differs}" in said
    frame = frame.set_index("Vorgang")
    differ = (frame["Ann"] != frame["Ben"]) & (frame[TRIES[0]] != frame["Ben"])
    beyond = differ & (frame[TRIES[0]] != frame["Ann"]) & (off[0] | off[1]).to_numpy()
    assert {*listed.index[listed["decision"] == "escalate"]} == {*frame.index[beyond]}
    assert listed["final"].isna().tolist() == beyond.tolist()
    first = pd.read_excel(tmp_path / "list.xlsx").head(int(beyond.sum())).set_index("Vorgang")
    assert first["why"]["V-60"] == "votes 5, 5, 5; people say 2 and 3"
    assert f"Of {beyond.sum()} more, people differ" in said
