"""Files of labels with other columns, in other forms."""

import re
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke, results
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.showing.python_calls import Call

FRAME = pd.DataFrame(
    [(f"q{q}", "ÄB"[(q * n) % 3 % 2]) for q in range(12) for n in range(1, 4)],
    columns=["Frage", "verdict"],
)
LABELS = pd.DataFrame({"id": [f"q{q}" for q in range(12)], "label": list("ÄB" * 6)})


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    """A file of judgments."""
    FRAME.rename(columns={"Frage": "question"}).to_csv(tmp_path / "j.csv", index=False)
    return tmp_path / "j.csv"


@pytest.mark.slow
@pytest.mark.parametrize(
    "header",
    [
        *("ID|Label", "item|gold", "question|target", "Question ID|Human Rating"),
        *("prompt_id|value", "chat_id|label", "Vorgang|gold"),
    ],
)
def test_usual_names_are_taken_and_announced(judgments: Path, tmp_path: Path, header: str) -> None:
    """An annotator is a rater, and what other tools call a label is one."""
    names = header.split("|")
    LABELS.set_axis(names, axis="columns").assign(Annotator="ann").to_csv(
        tmp_path / "l.csv", index=False
    )
    found = labelled_judgments(str(judgments), str(tmp_path / "l.csv"))
    assert found.table["label"].notna().any()
    taken = dict(zip(names, ("id", "label"), strict=True)) | {"Annotator": "rater"}
    said = {note.what for note in found.notes}
    assert {f"column {y!r} taken for '{o}'" for y, o in taken.items() if y != o} <= said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.csv", LABELS.to_csv(index=False, sep=";").encode("cp1252")),
        ("l.csv", LABELS.to_csv(index=False, sep="\t").encode("utf-16")),
        ("l.tsv", LABELS.to_csv(index=False).encode("utf-8-sig")),
        ("l.txt", LABELS.to_csv(index=False, sep="\t").encode("utf-16")),
    ],
)
def test_every_form_of_text_is_read(
    judgments: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    """As a spreadsheet saves it, under any ending of texts."""
    (tmp_path / name).write_bytes(content)
    found = results("validate", judgments, "--labels", tmp_path / name)
    assert found["validity"][0]["n_labelled"] == 12


@pytest.mark.slow
def test_columns_are_named_as_in_files_of_judgments(tmp_path: Path, judgments: Path) -> None:
    """A question in one is an id in the other; a name that nothing has is refused."""
    own, labels = tmp_path / "own.csv", tmp_path / "l.csv"
    FRAME.to_csv(own, index=False)
    LABELS.set_axis(["Frage", "Urteil"], axis="columns").to_csv(labels, index=False)
    both = ("--labels", labels, "--column", "Urteil=label", "--column")
    done = invoke("validate", own, *both, "Frage=question")
    assert done.exit_code == 0, done.output
    done = invoke("gate", judgments, *both, "Frage=id", "--min", "accuracy=0.01")
    assert done.exit_code == 0, done.output
    for wrong, says in (
        ("Urtail=label", "l.csv has no column 'Urtail' (found 'Frage', 'Urteil')"),
        ("Urteil=labl", "'labl' is no column of ours (--column Urteil=labl). Use one of judge,"),
        ("Frage=id", "has no column 'label'"),
    ):
        done = invoke("validate", judgments, "--labels", labels, "--column", wrong)
        assert done.exit_code == 2
        assert says in " ".join(done.stderr.split())


def test_the_name_of_the_questions_is_that_of_the_ids() -> None:
    """Also where the judgments were read before; without an id, the example names one."""
    frame = FRAME.rename(columns={"Frage": "chat"}).assign(reply="of a judge")
    read = ir.judgments_from_frame(frame, {"chat": "question"})
    labels = LABELS.rename(columns={"id": "chat"}).assign(text_id=range(12))
    found = labelled_judgments(read, labels)
    assert found.table["label"].notna().all()
    with pytest.raises(UserError, match=re.escape('columns={"ticket": "id"}')):
        labelled_judgments(read, labels.rename(columns={"chat": "a", "text_id": "b"}))


@pytest.mark.slow
def test_people_and_the_judge_may_have_one_name_for_a_grade(tmp_path: Path) -> None:
    """With the reading of the judgments, with and without --column; tries are no labels."""
    own, labels, reading = (tmp_path / one for one in ("own.csv", "labels.csv", "reading.yaml"))
    tries = [(f"q{q}", k, 1 + (q + (k == 2) * (q % 3 == 0)) % 5) for q in range(12) for k in (1, 2)]
    frame = pd.DataFrame(tries, columns=["Vorgang", "Versuch", "Note"])
    frame.to_csv(own, index=False)
    people = frame[frame["Versuch"] == 1].drop(columns="Versuch")
    people.to_csv(labels, index=False)
    reading.write_text(
        "# How inspect-reliability reads a file: --reading takes this.\n"
        "columns: {Vorgang: question, Versuch: replication, Note: verdict}\n"
    )
    right = frame["Note"].eq(frame["Vorgang"].map(people.set_index("Vorgang")["Note"])).mean()
    call = ("report", own, "--reading", reading, "--labels")
    for more in ((), ("--column", "Note=label")):
        assert results(*call, labels, *more)["validity"][0]["accuracy"] == pytest.approx(right)
        assert "has no column 'label'" in invoke(*call, own, *more).stderr
    # Another sheet of the workbook of judgments has labels: the one with the named column is read.
    book = tmp_path / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        frame.to_excel(writer, sheet_name="Noten", index=False)
        named = people.rename(columns={"Note": "Anna"})
        named.to_excel(writer, sheet_name="Menschen", index=False)
    call = ("report", book, "--reading", reading, "--labels")
    found = results(*call, book, "--column", "Anna=label")
    assert found["validity"][0]["accuracy"] == pytest.approx(right)


@pytest.mark.slow
def test_labels_say_numbers_as_verdicts_do(tmp_path: Path) -> None:
    """7,5 and 7/10 are numbers where verdicts are."""
    frame = pd.DataFrame({"question": range(8), "verdict": [q + 0.5 for q in range(8)]})
    frame.to_csv(tmp_path / "j.csv", index=False)
    said = ["0,5", "1,5", "Score: 2.5", "3.5/10", *(q + 0.5 for q in range(4, 8))]
    frame.assign(verdict=said).set_axis(["id", "label"], axis="columns").to_csv(
        tmp_path / "l.csv", index=False, sep=";"
    )
    call = ("validate", tmp_path / "j.csv", "--labels", tmp_path / "l.csv")
    assert results(*call)["validity"][0]["accuracy"] == 1


@pytest.mark.slow
def test_a_label_in_the_file_of_judgments_has_any_name(tmp_path: Path) -> None:
    """As a spreadsheet saves it: `--column` names it, without a file of labels."""
    frame = FRAME.assign(Mensch=["ÄB"[q % 2] for q in range(12) for _ in range(3)])
    (tmp_path / "j.csv").write_bytes(frame.to_csv(index=False, sep=";").encode("cp1252"))
    named = ("--column", "Frage=question", "--column", "Mensch=label")
    found = results("report", tmp_path / "j.csv", *named)
    assert found["validity"][0]["n_labelled"] == 12


GRADES = pd.DataFrame([(f"q{q}", 1 + q % 5) for q in range(24)], columns=["question", "verdict"])


@pytest.mark.slow
@pytest.mark.parametrize("sheet", [True, False])
def test_a_slip_outside_the_scale_is_refused(tmp_path: Path, sheet: bool) -> None:
    """With its row, by what is allowed or the judge gives; what is said to be a grade counts."""
    given = GRADES.set_axis(["id", "target"], axis="columns").head(21 if sheet else 24)
    six = given.assign(target=given["target"].where(given.index != 7, 6))
    if sheet:  # it says what is allowed, also where a judge does not show its scale
        six = six.assign(
            allowed="1 | 2 | 3 | 4 | 5", drawn="random", position=1, unsure="", note=""
        )
    judged = GRADES if not sheet else GRADES.assign(verdict=GRADES["verdict"].clip(2, 4))
    judged.to_csv(tmp_path / "j.csv", index=False)
    six.to_csv(tmp_path / "l.csv", index=False, sep=";")
    asked = ("validate", tmp_path / "j.csv", "--labels", tmp_path / "l.csv")
    refused = " ".join(invoke(*asked).stderr.split())
    assert "l.csv, row 9 ('q7'): 6 is no grade from 1 to 5." in refused
    assert "say that it is a grade: --map 6=6" in refused
    assert invoke(*asked, "--map", "6=6").exit_code == 0


@pytest.mark.slow
def test_a_slip_beside_the_verdicts_is_refused() -> None:
    """With its question; where a tenth are outside, the people's scale is longer."""
    beside = GRADES.assign(label=GRADES["verdict"].where(GRADES.index != 7, 0))
    with pytest.raises(UserError, match=r"question 'q7': 0 is no grade from 1 to 5.*map=\{'0'"):
        labelled_judgments(beside)
    known = labelled_judgments(beside, reading=Reading(map={"0": "0"}))
    assert known.table["label"].tolist().count("0") == 1
    often = beside.assign(label=beside["label"].where(beside["label"] != 2, 6))
    assert labelled_judgments(often).table["label"].tolist().count("6") == 5


@pytest.mark.slow
def test_a_column_for_each_person_is_a_row_for_each_label(tmp_path: Path) -> None:
    """A verdict is right as often as it is the label of one of them; empty cells say nothing."""
    judged = pd.DataFrame({"question": [*"aabbcc"], "verdict": [*"xyxxyx"]})
    wide = pd.DataFrame({"id": [*"abc"], "ann": [*"xyx"], "bob": ["x", "x", None]})
    columns = {"ann": "label", "bob": "label"}
    each = wide.melt("id", var_name="rater", value_name="label").dropna()
    named = each.set_index(["id", "rater"])["label"]
    wide.to_csv(tmp_path / "wide.csv", index=False)
    right = ((1 + 0) / 2 + (1 / 2 + 1 / 2) / 2 + (0 + 1) / 2) / 3
    wide_forms = [(wide, columns), (str(tmp_path / "wide.csv"), columns)]
    for labels, how in [*wide_forms, (named, {}), (named.to_dict(), {}), (each, {})]:
        found = ir.analyse(judged, labels=labels, columns=how).frame("validity")
        assert found["accuracy"].tolist() == pytest.approx([right])
    with pytest.raises(UserError, match=re.escape(f"say so of each: columns={columns}")):
        ir.analyse(judged, labels=pd.concat([wide, wide.assign(bob="y")]))
    with pytest.raises(UserError, match="'rater' says who gave them, too"):
        ir.analyse(judged, labels=wide.assign(rater="cho"), columns=columns)


@pytest.mark.slow
def test_levels_of_the_judgments_say_of_no_label_who_gave_it() -> None:
    """A label of each row is one of its question; a level that the rows lack is a person."""
    rows = FRAME.rename(columns={"Frage": "question"}).assign(
        judge="ann", replication=[1, 2, 3] * 12
    )
    truth = LABELS.set_index("id")["label"]
    of_rows = rows.set_index(["question", "judge", "replication"]).assign(label=0)["label"]
    of_rows = of_rows.index.get_level_values(0).map(truth).to_series(of_rows.index)
    judged = ir.judgments_from_frame(rows)

    def found(labels: "pd.Series[str] | pd.DataFrame") -> pd.DataFrame:
        table = labelled_judgments(judged, labels=labels).table
        return table[[name for name in ("question", "label", "rater") if name in table]]

    right = found(truth)
    pd.testing.assert_frame_equal(found(of_rows), right)
    pd.testing.assert_frame_equal(found(of_rows.rename_axis(["qid", "grader", "try"])), right)
    for same in (of_rows.to_frame("label"), rows.assign(label=of_rows.to_numpy()).iloc[::2]):
        pd.testing.assert_frame_equal(found(same), right)
    unnamed = of_rows.droplevel("judge").rename_axis([None, None])
    pd.testing.assert_frame_equal(found(unnamed), right)
    people = pd.concat({"eve": of_rows, "bob": of_rows}, names=["rater"])
    assert {*found(people)["rater"]} == {("eve", "bob")}
    by_people = people.groupby(level=["question", "rater"]).first()
    humans = by_people.rename_axis(["question", "judge"])
    assert [len(one) for one in found(humans)["label"]] == [2] * 36
    changed = of_rows.mask(of_rows.index.get_level_values("replication") == 2, "x")
    with pytest.raises(UserError, match=r"of 12 questions.* differ by 'replication'"):
        found(changed)


@pytest.mark.slow
@pytest.mark.parametrize("index", ["question", "row"])
def test_labels_of_all_rows_fit_some_where_the_index_repeats(index: str) -> None:
    """A frame of several, each numbered from 0, or with its questions as index."""
    rows = FRAME.rename(columns={"Frage": "question"}).assign(row=range(36))
    rows["human"] = rows["question"].map(LABELS.set_index("id")["label"])
    each = [rows.assign(judge=judge).iloc[::step] for judge, step in (("one", 1), ("two", -1))]
    both = pd.concat([one.assign(row=range(36)) for one in each]).set_index(index)
    table = labelled_judgments(both[both["judge"] == "two"], labels=both["human"]).table
    right = dict(zip(LABELS["id"], LABELS["label"], strict=True))
    assert dict(zip(table["question"], table["label"], strict=True)) == right
    # A series that is no column of the frame is cut to the rows of the next step.
    call = Call.of(ir.gate, both, labels=both["human"].rename("gold")).of_rows({"judge": "two"})
    part = eval(call.given["labels"], {"labels": both["human"], "judgments": both})
    assert part.equals(both[both["judge"] == "two"]["human"])


def test_a_label_that_each_row_of_a_question_repeats_is_one_label() -> None:
    """A column with a row a verdict, by question: nobody agrees with himself."""
    rows = [(f"q{n}", "ab"[(n + k) % 7 == 0], "ab"[n % 2]) for n in range(20) for k in range(3)]
    frame = pd.DataFrame(rows, columns=["question", "verdict", "human"])
    judgments = ir.judgments_from_frame(frame[["question", "verdict"]])
    found = ir.analyse(judgments, labels=frame.set_index("question")["human"])
    [row] = found.results["validity"]
    assert (row["n_labels"], row["raters_agreement"]) == (20, None)


@pytest.mark.slow
def test_a_column_of_the_judge_is_no_label(tmp_path: Path) -> None:
    """Where a saved sheet has tries, labels are of another, and the call that is offered runs."""
    tries = {f"Versuch {k}": [1 + (q + k * (q % 4 == 0)) % 5 for q in range(20)] for k in (1, 2)}
    ids = {"Ticket": [f"T-{q}" for q in range(20)]}
    people = {who: [1 + q % 5 for q in range(20)] for who in ("Anna", "Bernd")}
    book, copy, reading = (tmp_path / one for one in ("book.xlsx", "copy.csv", "reading.yaml"))
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame(ids | tries).to_excel(writer, sheet_name="Noten", index=False)
        pd.DataFrame(ids | people).to_excel(writer, sheet_name="Menschen", index=False)
    pd.DataFrame(ids | tries).to_csv(copy, index=False)
    named = ("--column", "Ticket=question", *(f"--column={one}=verdict" for one in tries))
    saved = invoke("read", book, "--sheet", "Noten", *named, "--save", reading)
    assert saved.exit_code == 0
    call = ("report", book, "--reading", reading, "--labels")
    asked = invoke(*call, book)
    named = ("--column", "Anna=label", "--column", "Bernd=label")
    assert asked.exit_code == 2
    assert " ".join(named) in " ".join(asked.stderr.split())
    assert results(*call, book, *named)["validity"][0]["accuracy"] < 1
    pd.DataFrame(ids | {"Anna B.": people["Anna"]}).to_csv(copy, index=False)
    assert "--column 'Anna B.=label'" in " ".join(invoke(*call, copy).stderr.split())
    pd.DataFrame(ids | tries).to_csv(copy, index=False)
    refused = " ".join(invoke(*call, copy).stderr.split())
    assert "'Versuch 1' was read as verdicts of the judge" in refused


@pytest.mark.slow
def test_a_wrong_value_has_the_row_and_the_column_of_its_file(tmp_path: Path) -> None:
    """Of tries side by side below a title, of labels, and of a list that keep wrote."""
    book, labels, checked = (tmp_path / one for one in ("t.xlsx", "l.xlsx", "list.xlsx"))
    rows = [[f"T-{q}", q % 5 + 1, "inf" if q == 6 else q % 5 + 1] for q in range(20)]
    sheet = [["Liste", None, None], ["Ticket", "Versuch 1", "Versuch 2"], *rows]
    pd.DataFrame(sheet).to_excel(book, index=False, header=False)
    named = ("--column=Ticket=question", "--column=Versuch 1=verdict", "--column=Versuch 2=verdict")
    said = " ".join(invoke("report", book, *named).stderr.split())
    assert "t.xlsx, row 9, column 'Versuch 2': 'inf' is not" in said
    own = pd.DataFrame(rows[:6] + rows[7:], columns=["Ticket", "Versuch 1", "Versuch 2"])
    own.to_excel(book, index=False)
    days = [3, 4, datetime(2026, 5, 3, 12)]
    pd.DataFrame({"Ticket": ["T-0", "T-1", "T-2"], "Anna": days}).to_excel(labels, index=False)
    more = ("--labels", labels, "--column", "Anna=label")
    said = " ".join(invoke("report", book, *named, *more).stderr.split())
    assert "l.xlsx, row 4, column 'Anna': 2026-05-03 is not a text" in said
    filled = own.assign(verdict=1, decision="escalate", final=None, confidence=0.5)
    filled = filled.assign(checked=[None, None, days[2], *([3] * 16)])
    filled.to_excel(checked, index=False)
    said = " ".join(invoke("report", book, *named, "--labels", checked).stderr.split())
    assert "list.xlsx, row 4, column 'checked': 2026-05-03 is not a text" in said
    filled = filled.assign(checked=[None, None, *([3] * 16), 7])
    filled.to_excel(checked, index=False)
    pd.DataFrame({"Ticket": ["T-0", "T-1"], "Anna": [9, 2]}).to_excel(labels, index=False)
    both = (*more, "--labels", checked, "--map", "9=9")
    said = " ".join(invoke("report", book, *named, *both).stderr.split())
    assert "list.xlsx, row 20 ('T-19'): 7 is no grade from 1 to 5." in said
    assert said.endswith("--map 7=7")
