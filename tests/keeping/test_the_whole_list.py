"""What `keep` says of a list as a whole, and what to do where nothing is promised."""

import re
from math import ceil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.keeping.report import KeptVerdicts

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("read_once")]


def graded(wrong: float, seed: int = 0, labelled: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    """Three tries of 150 grades with labels of some, and the right grade of each."""
    rng = np.random.default_rng(seed)
    truth = pd.Series(rng.integers(1, 6, 150), [f"q{i}" for i in range(150)])
    bad = rng.random(150) < wrong
    middle = (truth + np.where(truth > 3, -3, 3)).where(bad, truth)
    tries = np.clip(middle.to_numpy()[:, None] + rng.choice([0, 0, 1], (150, 3)), 1, 5)
    table = pd.DataFrame(tries, truth.index).rename_axis("question").reset_index()
    table = table.melt("question", value_name="verdict").drop(columns="variable")
    drawn = truth[rng.permutation(150) < labelled]
    return table.assign(label=table["question"].map(drawn)), truth


def text(found: KeptVerdicts) -> str:
    return " ".join(str(found).split())


def test_a_list_says_how_much_of_it_may_be_wrong() -> None:
    """It counts whose verdicts these are, and of eight draws hardly one errs more than said."""
    broken = promised = 0
    for seed in range(8):
        table, truth = graded(0.04, seed)
        checked = pd.DataFrame({"question": ["q0"], "verdict": ["1"], "checked": [truth["q0"]]})
        checked = checked.assign(confidence=1, decision="keep")
        found = ir.keep(table, labels=checked, max_error=0.15)
        listed = found.verdicts.set_index("question")
        people = {*table.dropna()["question"]} | {"q0"}
        if (threshold := found.document.results["keep"][0]["threshold"]) is None:
            continue
        promised += 1
        others = listed["final"].notna().sum() - len(people)
        said = text(found)
        assert f"{len(people)} of 150 verdicts are people's, {others} the judge's" in said
        (bound,) = re.findall(r"at most (\d+) of the judge's", said)
        most = int(bound)
        final = listed["final"].dropna().astype(float)
        wrong = int(((final - truth[final.index]).abs() > 1).sum())
        broken += wrong > most
        kept = listed["confidence"] >= threshold - 1e-9
        off = (listed["verdict"].astype(float) - truth[listed.index]).abs() > 1
        corrected = int((kept & off)[[*people]].sum())
        assert most == max(int(0.15 * kept.sum() + 1e-9) - corrected, 0)
    assert promised > 4
    assert broken <= 1


@pytest.mark.parametrize("corrected", [4, 13, 14, 20])
def test_what_people_corrected_is_no_longer_wrong(corrected: int) -> None:
    """Of 150 kept at most 15 are wrong, of which a label and people found some: the rest may be."""
    names = ("yes", "no")
    rows = [
        {
            **{"judge": "j", "question": f"q{q}", "verdict": names[q % 2]},
            **{"label": names[(q + (q == 0)) % 2] if q < 60 else None},
        }
        for q in range(150)
    ]
    checked = [
        {
            **{"question": f"q{q}", "verdict": names[q % 2], "checked": names[(q + 1) % 2]},
            **{"confidence": 1, "decision": "keep"},
        }
        for q in range(100, 100 + corrected)
    ]
    said = text(ir.keep(pd.DataFrame(rows), labels=pd.DataFrame(checked), max_error=0.1))
    most, others = max(15 - 1 - corrected, 0), 150 - 60 - corrected
    verb = "is" if most == 1 else "are"
    assert f"at most {most} of the judge's {others} {verb} wrong: " in said


def test_labels_on_which_two_people_differ_are_counted(tmp_path: Path) -> None:
    """Whose verdicts they are is open, but labels they have; that both count is said."""
    table, truth = graded(0.0)
    table = table.drop(columns="label")
    asked = truth.iloc[:60]
    other = asked + np.where(np.arange(60) < 8, np.where(asked > 3, -1, 1), 0)
    given = {"Ann": asked, "Bob": other}
    rated = [(q, who, one) for who, of in given.items() for q, one in of.items()]
    labels = pd.DataFrame(rated, columns=["question", "rater", "label"])
    found = ir.keep(table, labels=labels, max_error=0.2, out=tmp_path / "list.csv")
    said = text(found)
    agreed = "52 of 150 verdicts are people's (on"
    assert f"{agreed} 8 more that are labelled, people differ)" in said
    assert "where two people differ it must be at most a step from both" in said


def test_without_a_promise_a_list_has_the_estimate() -> None:
    """Of a judge that is wrong too often the line has how often, by the labels."""
    table, truth = graded(0.3)
    checked = pd.DataFrame({"question": ["q0"], "verdict": ["1"], "checked": [truth["q0"]]})
    said = text(ir.keep(table, labels=checked.assign(confidence=1, decision="keep")))
    assert "verdicts are people's. Of the judge's other" in said
    assert "are more than a step off, as of those with a label." in said


def test_where_questions_are_too_few_the_rest_is_to_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command draws all that is left; a larger share of errors is named if it is promised."""
    monkeypatch.chdir(tmp_path)
    graded(0.04, 3)[0].to_csv("grades.csv", index=False)
    done = invoke("keep", "grades.csv", "--max-error", ".05")
    said = " ".join(done.stdout.split())
    assert "these 150 questions are too few for this promise: label the other 90" in said
    assert "inspect-reliability label grades.csv --most 90 --out label.html" in said
    command = "inspect-reliability keep grades.csv --max-error "
    share = said.partition(command)[2].split()[0]
    assert float(share) > 0.05
    assert "Keep the" in invoke("keep", "grades.csv", "--max-error", share).stdout


def test_labels_are_asked_of_each_promise_that_has_questions_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two topics twice as many as of one; two judges of the same questions share them."""
    monkeypatch.chdir(tmp_path)
    table, _ = graded(0.04, 3)
    other = table.assign(question="other " + table["question"])
    both = pd.concat([table.assign(topic="x"), other.assign(topic="y")])
    pd.concat([both.assign(judge="a"), both.assign(judge="b")]).to_csv("both.csv", index=False)
    done = invoke("keep", "both.csv", "--max-error", ".05", "--by", "topic", "--by", "judge")
    said = " ".join(done.stdout.split())
    assert "label the other 180 (90 of each topic: each makes a promise" in said
    assert "inspect-reliability label both.csv --most 180 --out label.html" in said
    asked = ("keep", "both.csv", "--max-error", ".3", "--by", "topic", "--by", "judge")
    said = " ".join(invoke(*asked).stdout.split())
    assert "These are 4 promises, one for each topic and judge. Each has" in said
    alone = said.partition("--out kept.csv ")[2].partition(" More:")[0].split()
    assert alone == ["--only", "topic=x", "--only", "judge=a"]
    # Values of one column are alternatives, those of several columns hold together.
    two = ("--only", "judge=a", "--only", "judge=b", "--only", "topic=x")
    said = " ".join(invoke(*asked, *two).stdout.split())
    assert "These are 2 promises, one for each judge." in said
    assert "keep both.csv --only topic=x --max-error 0.3" in said
    topics = ("keep", "both.csv", "--max-error", ".3", "--by", "topic", "--only", "judge=a")
    assert "of all 2, a row an output" in " ".join(invoke(*topics).stdout.split())
    assert "--only topic=x." in invoke(*topics, "--save-rule", "rule.json").stderr


def test_the_next_step_has_the_options_that_were_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only --no-within-one goes, which the step replaces."""
    monkeypatch.chdir(tmp_path)
    table, truth = graded(0.0)
    one_off = table["question"].map(truth) + np.where(table["question"].map(truth) < 5, 1, -1)
    table.assign(verdict=one_off).to_csv("grades.csv", index=False)
    options = ("--no-within-one", "--max-error", ".2", "--out", "p.xlsx")
    said = " ".join(invoke("keep", "grades.csv", *options).stdout.split())
    assert "keep grades.csv --max-error .2 --within-one --out p.xlsx" in said.replace("0.2", ".2")


def test_a_note_counts_what_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filled-in rows are counted by whether their verdict was kept."""
    monkeypatch.chdir(tmp_path)
    table, _ = graded(0.04)
    table.to_csv("grades.csv", index=False)
    listed = pd.DataFrame({"question": ["q0", "q1", "q2"], "verdict": 2, "confidence": 1})
    listed = listed.assign(decision=["keep", "keep", "escalate"], checked=3)
    for rows, words in (
        (listed, "3 checked verdicts (2 kept, 1 not kept) taken"),
        (listed[:2], "2 checked verdicts (all kept) taken"),
        (listed[2:], "1 checked verdicts (none kept) taken"),
    ):
        rows.to_csv("check.csv", index=False)
        done = invoke("keep", "grades.csv", "--labels", "check.csv")
        assert words in " ".join(done.stderr.split())


@pytest.mark.parametrize(("number", "wrong"), [(20, 0), (20, 2), (45, 5)])
def test_a_sample_of_what_is_kept_bounds_its_errors(number: int, wrong: int) -> None:
    """By the upper end of Clopper and Pearson, of one side; the rule is that without it."""
    table, _ = graded(0.04, 2)
    first = ir.keep(table, max_error=0.15).verdicts
    open_ = first[
        (first["decision"] == "keep") & ~first["question"].isin(table.dropna()["question"])
    ]
    drawn = open_.sample(number, random_state=1)
    # Two steps from the verdict, or the verdict itself.
    value = drawn["verdict"].astype(float).to_numpy()
    off = np.arange(number) < wrong
    checked = drawn.assign(checked=value + np.where(value > 3, -2, 2) * off)
    found = ir.keep(table, labels=checked, max_error=0.15)
    kept = found.found[0].kept_by.tolist().count(0)
    most = beta.ppf(0.95, wrong + 1, number - wrong)
    said = text(found)
    assert f"checked {number} of the {kept} kept verdicts, and {wrong} are more than a step" in said
    assert f"with 95% confidence at most {ceil(100 * most)}% of the {kept} are." in said
