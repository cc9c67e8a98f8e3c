"""`keep` writes a workbook, a person fills in its column `checked`, and that is read again."""

from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke, results
from inspect_reliability.record.rule import KeepRule

pytestmark = pytest.mark.usefixtures("read_once")

TRIES = ("Note 1", "Note 2", "Note 3")
COLUMNS = {"Aufgabe": "question", "Lehrkraft": "label", **dict.fromkeys(TRIES, "verdict")}
OPTIONS = [word for one in COLUMNS.items() for word in ("--column", "=".join(one))]
RULE = ("--max-error", ".4", "--no-within-one")


def sheet() -> pd.DataFrame:
    """Grades side by side: half have a label; two steady ones are wrong by it, and 8 unsteady."""
    rows = []
    for n in range(60):
        grade = 1 + n % 5
        tries = [grade] * 3 if n % 8 else [1, 3, 5]
        label = grade + (1 if n in (2, 31) else 0) if n % 2 == 0 or n == 31 else None
        rows.append([f"A{n}", *tries, label])
    return pd.DataFrame(rows, columns=["Aufgabe", *TRIES, "Lehrkraft"])


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    unlabelled = sheet()
    unlabelled.loc[unlabelled.index % 8 == 0, "Lehrkraft"] = None
    unlabelled.to_excel("noten.xlsx", index=False)
    return tmp_path


def fill(written: str, verdict: object, most: int = 100) -> int:
    """Fill in what is to be checked, as a person does; how many cells these are."""
    book = openpyxl.load_workbook(written)
    rows = book.active
    names = [cell.value for cell in rows[1]]
    checked, decision = names.index("checked"), names.index("decision")
    open_ = [row for row in rows if row[decision].value == "escalate"][:most]
    for row in open_:
        row[checked].value = verdict
    book.save(written)
    return len(open_)


@pytest.mark.slow
def test_what_is_filled_in_is_final_and_moves_no_number(folder: Path) -> None:
    """The final list has the checked verdicts; rule and accuracy are those without them."""
    first = invoke("keep", "noten.xlsx", *OPTIONS, *RULE, "--out", "check.xlsx")
    assert "fill in its column checked (8 to check)" in " ".join(first.stdout.split())
    again = ("--labels", "check.xlsx")
    assert "nothing is filled in" in invoke("keep", "noten.xlsx", *OPTIONS, *again).stderr
    assert fill("check.xlsx", 2) == 8
    done = invoke("keep", "noten.xlsx", *OPTIONS, *RULE, *again, "--out", "final.xlsx")
    assert (
        "8 checked verdicts (none kept) taken as final, and left out of numbers by label"
        in done.stderr
    )
    assert "its column final has the verdict of each question" in " ".join(done.stdout.split())
    final = pd.read_excel("final.xlsx").set_index("Aufgabe")
    own = pd.read_excel("noten.xlsx").set_index("Aufgabe")
    unsteady = own.index[own["Note 1"] != own["Note 2"]]
    expected = own["Lehrkraft"].fillna(own["Note 1"])
    expected[unsteady] = 2
    assert final["final"].reindex(own.index).tolist() == expected.tolist()
    assert (final.loc[unsteady, "decision"] == "checked").all()
    assert final["checked"].notna().sum() == 8
    for command in ("validate", "keep"):
        options = RULE if command == "keep" else ()
        known, alone = (
            results(command, "noten.xlsx", *OPTIONS, *more, *options) for more in (again, ())
        )
        name = "validity" if command == "validate" else "keep"
        assert known[name] == alone[name]
    rerun = invoke("keep", "noten.xlsx", *OPTIONS, *RULE, *again, "--out", "final.xlsx")
    assert rerun.exit_code == 0  # nobody has changed it
    book = openpyxl.load_workbook("final.xlsx")
    rows = book.active
    rows.cell(2, [one.value for one in rows[1]].index("checked") + 1).value = 5
    book.save("final.xlsx")
    refused = invoke("keep", "noten.xlsx", *OPTIONS, *RULE, *again, "--out", "final.xlsx")
    assert "no list of keep" in " ".join(refused.stderr.split())


@pytest.mark.slow
def test_a_label_that_differs_is_final(folder: Path) -> None:
    """A steady verdict that is wrong by its own label is labelled, and the list says so."""
    invoke("keep", "noten.xlsx", *OPTIONS, *RULE, "--out", "check.xlsx")
    found = pd.read_excel("check.xlsx").set_index("Aufgabe")
    wrong = found.loc[["A2", "A31"]]
    assert wrong["decision"].tolist() == ["labelled"] * 2
    assert wrong["final"].tolist() == [4, 3]
    assert wrong["why"].tolist() == [f"votes {n}, {n}, {n}; a person says {n + 1}" for n in (3, 2)]
    right = found[found["Lehrkraft"] == found["verdict"]]
    assert {*right["decision"]} == {"keep"}
    listed = ir.keep("noten.xlsx", columns=COLUMNS, max_error=0.4, within_one=False).verdicts
    listed = listed.set_index("question")
    assert [listed[name]["A2"] for name in ("verdict", "decision", "final")] == [3, "labelled", 4]
    assert listed["final"].isna().sum() == 8


@pytest.mark.slow
def test_the_list_itself_brings_what_was_filled_in(folder: Path) -> None:
    """As a source it is read with the labels of its source, whatever these were called."""
    invoke("keep", "noten.xlsx", *OPTIONS, *RULE, "--out", "check.xlsx")
    fill("check.xlsx", 2, 3)
    named = ("--column", "checked=label", "--column", "Lehrkraft=label")
    for options in ((), named):
        done = invoke("report", "check.xlsx", *options)
        assert "3 checked verdicts (none kept) taken as final" in done.stderr
        assert "labels of 23 questions" in done.stderr
    done = invoke("report", "check.xlsx", *OPTIONS)  # as its source is read
    assert "60 questions x 3 tries" in done.stderr


@pytest.mark.slow
def test_checked_verdicts_alone_promise_nothing() -> None:
    """Without other labels they are labels, with the reason why they are no draw at random."""
    own = sheet().drop(columns="Lehrkraft").melt("Aufgabe", value_name="verdict")
    given = own.rename(columns={"Aufgabe": "question"})[["question", "verdict"]]
    table = pd.DataFrame({"question": [f"A{n}" for n in range(0, 60, 8)], "checked": 3})
    table = table.assign(verdict="3", confidence=0, decision="escalate")
    found = ir.keep(given, labels=table)
    assert "they are checked verdicts of data frame (none kept)" in repr(found)
    assert found.verdicts["final"].notna().sum() == 8
    named = {*table["question"]}
    others = given.assign(label=given["question"].map(lambda one: None if one in named else "3"))
    complete = ir.analyse(others, labels=table).results["validity"][0]
    assert complete["n_labelled"] == 60  # every question has a label then
    assert not complete["cautions"]


def test_a_list_has_the_grade_that_was_promised() -> None:
    """Of 1, 1, 3, 4 and 5 the mean is 3, kept or not; exactly, the most frequent is kept."""
    rows = [(f"q{q}", k, said, 1) for q in range(40) for k, said in enumerate((1, 1, 3, 4, 5))]
    rows += [(f"p{q}", k, said, 3) for q in range(9) for k, said in enumerate((2, 2, 3, 3, 5))]
    rows += [(f"r{q}", k, q, q) for q in range(1, 6) for k in range(5)]
    table = pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])
    for within_one, decision, verdict in ((False, "keep", 1), (True, "labelled", 3)):
        found = ir.keep(table, max_error=0.4, within_one=within_one)
        listed = found.verdicts.set_index("question")
        assert listed.loc["q1", "decision"] == decision
        assert listed.loc["q1", "verdict"] == verdict
        assert listed.loc["p1", "decision"] == "labelled"
        assert listed.loc["p1", "verdict"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_on_a_scale_the_promise_is_of_the_rounded_mean(seed: int, tmp_path: Path) -> None:
    """Listed grades, errors and thresholds are those of rounded means, counted with pandas."""
    rng = np.random.default_rng(seed)
    label = rng.integers(1, 6, 150)
    off = rng.choice([-3, -1, 0, 0, 0, 1, 3], (150, 3))
    tries = np.clip(label[:, None] + off, 1, 5)
    tries[:3], label[:3] = [(4, 4, 2), (5, 2, 5), (2, 2, 5)], (1, 2, 5)
    wide = pd.DataFrame(tries, index=[f"q{i}" for i in range(150)])
    table = wide.rename_axis("question").reset_index().melt("question", value_name="verdict")
    truth = pd.Series(label, wide.index)
    drawn = rng.permutation(150) < 60
    table["label"] = table["question"].map(truth[drawn])
    known = table.drop_duplicates("question").set_index("question")["label"].reindex(wide.index)
    found = ir.keep(table.drop(columns="variable"), max_error=0.3)
    mean = wide.mean(axis=1).round()  # a third is never midway
    share = wide.apply(lambda row: row.value_counts(normalize=True).max(), axis=1)
    kept = share > 0.5  # of three different grades none has most votes
    listed = found.verdicts.set_index("question").loc[wide.index]
    assert (listed["verdict"].astype(float) == mean).all()
    (record,) = found.document.results["keep"]
    assert record["threshold"]
    kept &= share >= record["threshold"] - 1e-9
    differs = known.notna() & (known != mean)
    assert ((listed["decision"] == "keep") == kept & ~differs).all()
    wrong = (mean - known).abs() > 1
    assert record["error"] == pytest.approx(wrong[kept & known.notna()].mean())
    assert record["n_kept_labelled"] == (kept & known.notna()).sum()
    rule = found.rule()
    for name in wide.index[:20]:
        said, _ = rule.decide([str(one) for one in wide.loc[name]])
        assert said == (str(listed.loc[name, "verdict"]) if kept[name] else None)
    rule_file = tmp_path / "rule.json"
    rule_file.write_text(rule.text)
    assert KeepRule.read(str(rule_file)) == rule
