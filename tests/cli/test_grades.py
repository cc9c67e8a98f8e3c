"""A table of grades, as a person has it in a spreadsheet: what each command says of it."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

import inspect_reliability as ir
from commands import invoke, read_once, results
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.chosen_judge import _mean_of, _numbers_in, by_rule
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.record.rule import nearest_grade, read_choice

pytestmark = pytest.mark.usefixtures("read_once")


def grades(n: int = 120, tries: int = 3, off: float = 0.25, seed: int = 5) -> pd.DataFrame:
    """Grades from 1 to 5 that are a step off so often, each question labelled."""
    rng = np.random.default_rng(seed)
    label = rng.integers(1, 6, n)
    rows = [
        (f"q{i}", k, int(np.clip(label[i] + step, 1, 5)), label[i])
        for i in range(n)
        for k, step in enumerate(rng.choice([-1, 0, 1], tries, p=[off, 1 - 2 * off, off]), 1)
    ]
    return pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])


@pytest.fixture(name="written", scope="module")
def _written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grades in a workbook, which is the same for all tests, so that it is read once."""
    file = tmp_path_factory.mktemp("grades") / "grades.xlsx"
    grades().to_excel(file, index=False)
    return file


@pytest.fixture(name="sheet")
def _sheet(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    read_once(monkeypatch)
    shutil.copy(written, tmp_path)
    return written.name


def validity(file: str) -> list[dict[str, Any]]:
    """What a report of a file says of its labels."""
    return list(ir.analyse(file).results["validity"])


def words(*call: str) -> str:
    """What a command prints, on one line."""
    return " ".join(invoke(*call).output.split())


@pytest.mark.slow
def test_votes_are_in_the_measure_of_the_row(sheet: str) -> None:
    """The mean of three is as often within a step as pandas counts, and as `gate` says."""
    table = grades()
    each = table.groupby("question").agg(mean=("verdict", "mean"), label=("label", "first"))
    near = ((each["mean"] - each["label"]).abs() <= 1).mean()
    exact = (each["mean"].round() == each["label"]).mean()
    assert f"{near:.0%}" != f"{exact:.0%}"
    assert f"{near:.0%} (3)" in words("report", sheet)
    assert f"{near:.3f}" in words("gate", sheet, "--min", "within_one=.5", "--votes", "3")


@pytest.mark.slow
def test_judges_stand_in_the_order_of_the_measure_of_a_scale(tmp_path: Path) -> None:
    """A judge that is never right and always near stands before one that is right or far off."""
    label = [1, 2, 3, 4, 5] * 8
    of = {
        "exact": [one if n % 5 else 6 - one + (one == 3) * 2 for n, one in enumerate(label)],
        "near": [one + 1 if one < 5 else 4 for one in label],
    }
    rows = [
        {"question": f"q{n}", "judge": judge, "verdict": given[n], "label": label[n]}
        for judge, given in of.items()
        for n in range(len(label))
    ]
    frame = pd.DataFrame(rows)
    off = (frame["verdict"] - frame["label"]).abs()
    near, right = ((off <= least).groupby(frame["judge"]).mean() for least in (1, 0))
    assert near["near"] > near["exact"]
    assert right["near"] < right["exact"]
    frame.to_csv(tmp_path / "two.csv", index=False)
    said = invoke("report", str(tmp_path / "two.csv")).output.splitlines()
    first, second = [one for one in said if re.match(r"(near|exact) +\d", one)]
    assert first.split()[:2] == ["near", f"{near['near']:.0%}"]
    assert second.split()[:2] == ["exact", f"{near['exact']:.0%}"]
    assert f" {right['exact']:.0%} " in second


@pytest.mark.slow
def test_all_are_labelled_where_each_output_is(tmp_path: Path) -> None:
    """One label of a question with two outputs is no label of both."""
    outputs = grades(40).rename(columns={"question": "output"})
    outputs.insert(0, "question", outputs["output"].map(lambda one: f"of {int(one[1:]) // 2}"))
    outputs.to_csv(tmp_path / "all.csv", index=False)
    first = outputs["output"].map(lambda one: int(one[1:]) % 2 == 0)
    outputs.assign(label=outputs["label"].where(first)).to_csv(tmp_path / "half.csv", index=False)
    said = {one: words("report", str(tmp_path / f"{one}.csv")) for one in ("all", "half")}
    assert "20 questions (40 outputs) x 3, all labelled" in said["all"]
    assert "20 questions (40 outputs) x 3, 20 outputs labelled" in said["half"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ((1, 2, 3, 4, 5), False),
        ((11, 12, 13, 14, 15), False),
        ((1, 2, 4, 7, 8), True),
        ((3, 1, 5, 2, 4), True),
    ],
)
def test_only_numbers_that_could_be_names_are_asked_about(
    values: tuple[int, ...], asked: bool, tmp_path: Path
) -> None:
    """Errors next to the label show grades; with gaps, or errors anywhere, numbers may be names."""
    table = grades()
    for name in ("verdict", "label"):
        table[name] = table[name].map(dict(zip(range(1, 6), values, strict=True)))
    table.to_csv(tmp_path / "grades.csv", index=False)
    said = words("report", str(tmp_path / "grades.csv"))
    assert ("numbers of options" in said) == asked


def test_a_few_errors_next_to_the_label_show_no_scale(tmp_path: Path) -> None:
    """Two of 60 questions are off by one: options would look the same, so a caution asks."""
    label = np.arange(60) % 5 + 1
    said = np.where(np.arange(60) < 2, label + 1, label)
    rows = {"question": range(60), "verdict": said, "label": label}
    pd.DataFrame(rows).to_csv(tmp_path / "few.csv", index=False)
    assert "numbers of options" in words("report", str(tmp_path / "few.csv"))


def test_a_file_as_the_command_is_told_its_command(sheet: str) -> None:
    """One sentence with the command to paste, which runs."""
    refused = invoke(sheet)
    assert refused.exit_code == 2
    (call,) = re.findall(r"Run: inspect-reliability (.*)$", refused.output.strip())
    assert call == f"report {sheet}"
    assert "No such command" in invoke("grades.csv").output


@pytest.mark.slow
def test_the_half_width_comes_last(sheet: str) -> None:
    """`keep` begins with what may be kept, or why nothing may."""
    said = " ".join(invoke("keep", sheet, "--max-error", ".3").stdout.split())
    assert results("keep", sheet, "--max-error", ".3")["keep"][0]["half_width"]
    assert said.startswith(("Keep the ", "No promise: "))
    assert re.search(r"(ask a second judge or a person|undecided)\. With 95% confidence", said)


@pytest.mark.slow
def test_a_step_off_is_right_of_grades_unless_said(sheet: str) -> None:
    """`keep` counts as pandas does, says which it counts, and `report` counts the same."""
    table = grades()
    for option, step in (((), 1), (("--no-within-one",), 0)):
        call = ("keep", sheet, "--max-error", ".5", *option)
        (one,) = results(*call)["keep"]
        votes = table.groupby(["question", "verdict"]).size().unstack(fill_value=0)
        decided = votes.eq(votes.max(axis=1), axis=0).sum(axis=1) == 1
        kept = decided & (votes.max(axis=1) >= one["votes_needed"])
        label = table.groupby("question")["label"].first()
        off = (votes.idxmax(axis=1) - label).abs()[kept] > step
        assert one["error"] == pytest.approx(off.mean())
        assert one["within_one"] == (step == 1)
        said = words(*call)
        assert ("at most a step from the label counts as right" in said) == (step == 1)
        assert ("only the label itself counts as right" in said) == (step == 0)
    assert results("keep", sheet)["keep"] == results("report", sheet, "--full")["keep"]


@pytest.mark.slow
def test_names_have_no_step(tmp_path: Path) -> None:
    """Names are right if they are the label, and are refused a step."""
    table = grades().assign(**{one: lambda t, n=one: "v" + t[n].map(str) for one in COLUMNS})
    table.to_csv(tmp_path / "names.csv", index=False)
    names = str(tmp_path / "names.csv")
    assert results("keep", names)["keep"][0]["within_one"] is False
    assert "grades" not in words("keep", names)
    refused = invoke("keep", names, "--within-one")
    assert refused.exit_code == 2
    assert "--within-one needs labels and verdicts that are grades" in " ".join(
        refused.stderr.split()
    )


COLUMNS = ("verdict", "label")


@pytest.mark.slow
def test_the_list_has_means_and_says_where_it_keeps_nothing(sheet: str, tmp_path: Path) -> None:
    """A verdict that is not kept is the mean of the grades, rounded, which is never a tie."""
    strict = ("--no-within-one", "--max-error", ".01")
    written = words("keep", sheet, *strict, "--out", "list.csv")
    assert "Wrote list.csv, in which no verdict is kept: " in written
    found = pd.read_csv("list.csv").set_index("question")["verdict"]
    means = grades().groupby("question")["verdict"].mean().round()
    pd.testing.assert_series_equal(found.sort_index(), means, check_dtype=False)
    assert set(pd.read_csv("list.csv")["decision"]) == {"labelled"}


@pytest.mark.slow
@pytest.mark.parametrize(("steady_errs", "said"), [(True, True), (False, False)])
def test_a_list_by_steadiness_is_not_promised_to_find_errors(
    steady_errs: bool, said: bool, tmp_path: Path
) -> None:
    """A fifth of the unanimous is wrong as of the others, or only others are."""
    rows = []
    for i in range(200):
        steady, wrong = i % 2 == 0, i % 10 < (2 if steady_errs else 4) and (steady_errs or i % 2)
        verdicts = "AAA" if steady else "AAB"
        rows += [(f"q{i}", k, one, "B" if wrong else "A") for k, one in enumerate(verdicts)]
    names = ["question", "replication", "verdict", "label"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "judged.csv", index=False)
    own = (str(tmp_path / "judged.csv"), "--max-error", ".3")
    assert ("no more often right" in words("keep", *own)) == said
    assert ("--out check.xlsx" in words("report", own[0])) == (not said)


@pytest.mark.slow
def test_the_next_of_a_table_that_is_all_labelled_runs(sheet: str) -> None:
    """No command that is printed is refused because nothing is left to label."""
    tried = set[str]()
    for limit, *option in ((".01",), (".1", "--no-within-one"), (".5",)):
        said = invoke("keep", sheet, "--max-error", limit, *option).stdout
        assert "Next: " in said
        commands = {*re.findall(r"^\s*inspect-reliability (.+)$", said, re.MULTILINE)}
        for command in commands - tried:
            assert invoke(*command.split()).exit_code == 0, command
        tried |= commands


@pytest.mark.slow
def test_a_workbook_of_the_list_is_for_a_person(sheet: str) -> None:
    """What to check is on top, grades are numbers, and the sheet's own columns are there."""
    own = grades(40)
    own["Antwort"] = "text of " + own["question"]
    own["Nummer"] = own["question"].str[1:].astype(int) + 500
    own["Zeile"] = range(len(own))  # differs within a question
    own.to_excel(sheet, index=False)
    written = ("keep", sheet, "--max-error", ".5", "--out")
    done = invoke(*written, "list.xlsx")
    assert done.exit_code == 0
    assert "list.xlsx: first what to check, then what is checked or labelled" in " ".join(
        done.stderr.split()
    )
    found = pd.read_excel("list.xlsx")
    names = ["question", "labelled", "verdict", "confidence", "decision", "final"]
    names += ["why", "checked"]
    assert [*found.drop(columns="judge", errors="ignore")] == [*names, "Antwort", "Nummer"]
    assert pd.api.types.is_numeric_dtype(found["verdict"])
    kept = found["decision"].eq("keep").tolist()
    assert kept == sorted(kept)
    assert len({*kept}) == 2
    assert (found["Nummer"] - 500 == found["question"].str[1:].astype(int)).all()
    assert invoke(*written, "list.xlsx").exit_code == 0  # ours is written again
    assert invoke("report", "list.xlsx").exit_code == 0
    book = openpyxl.load_workbook("list.xlsx")
    column = [one.value for one in book.active[1]].index("checked") + 1
    book.active.cell(2, column, 3)  # what its user filled in stays
    book.save("list.xlsx")
    assert "filled in 1 row of its column checked" in words(*written, "list.xlsx")
    found.assign(Kommentar="mine").to_excel("list.xlsx", index=False)
    assert "no list of keep" in words(*written, "list.xlsx")


@pytest.mark.slow
def test_the_workbook_of_a_workbook_says_what_to_check_and_why(tmp_path: Path) -> None:
    """Tries and labels under their own names, in the order of the source; no label is checked."""
    votes = [(4, 4, 4), (1, 3, 5), (5, 5, 4), (2, None, 3), (3, 3, 3)] * 20
    tries = dict(zip(("KI 1", "KI 2", "KI 3"), zip(*votes, strict=True), strict=True))
    people = [(4, None, 5, 2, 3)[n % 5] if n % 4 else None for n in range(100)]
    names = [f"Frage {100 - n}" for n in range(100)]
    own = pd.DataFrame({"Frage": names, "Mensch": people, **tries}).astype(
        dict.fromkeys(("Mensch", *tries), "Int64")
    )
    source, out = str(tmp_path / "noten.xlsx"), str(tmp_path / "check.xlsx")
    own.to_excel(source, index=False)
    said = {"Frage": "question", "Mensch": "label", **dict.fromkeys(tries, "verdict")}
    columns = [word for one in said.items() for word in ("--column", "=".join(one))]
    done = invoke("keep", source, *columns, "--max-error", ".3", "--out", out)
    assert "Wrote" in done.stderr
    assert f"Next: open {out}, and fill in its column checked" in " ".join(done.stdout.split())
    (command,) = re.findall(r"^\s*inspect-reliability (keep .+)$", done.stdout, re.MULTILINE)
    assert command.endswith(f"--labels {out} --out final.xlsx")
    found = pd.read_excel(out)
    by_name = own.set_index("Frage")
    for name in ("Mensch", *tries):
        same = by_name[name].reindex(found["Frage"]).astype(float).tolist()
        assert found[name].tolist() == pytest.approx(same, nan_ok=True)
    assert "judge" not in found
    for decision in ("escalate", "labelled", "keep"):
        rows = found[found["decision"] == decision]["Frage"].tolist()
        assert rows == [one for one in names if one in {*rows}]
        assert rows
    checked = found[found["decision"] == "escalate"]
    assert checked["Mensch"].isna().all()
    assert {*checked["why"]} == {"votes 1, 3, 5", "votes 2, 3, none"}
    others = found[found["why"].notna() & (found["decision"] != "escalate")]
    assert {*others["decision"]} <= {"labelled"}
    assert (others["Mensch"] != others["verdict"]).all()
    assert {*found["confidence"]} == {0, 0.67, 1}
    sheet = openpyxl.load_workbook(out).active
    column = [one.value for one in sheet[1]].index("confidence") + 1
    assert sheet.cell(2, column).number_format == "0%"


@pytest.mark.slow
def test_the_answer_is_the_output(sheet: str) -> None:
    """A column of texts may be called the answer, and is no part of the question's id."""
    own = grades().assign(Text=lambda t: "text of " + t["question"])
    own.to_excel(sheet, index=False)
    said = words("read", sheet, "--column", "Text=answer")
    assert "120 questions x 3 tries" in said
    assert "Text output you said so" in said
    refused = words("read", sheet, "--column", "Text=texts")
    assert "output (or answer)" in refused


@pytest.fixture(name="judges")
def _judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two judges of the same questions, a file each: one strays further, and is right as often."""
    monkeypatch.chdir(tmp_path)
    read_once(monkeypatch)
    near, far = grades(off=0.3), grades(off=0.2, seed=6)
    far["label"] = near["label"]
    rng = np.random.default_rng(7)
    off = rng.choice([-2, -1, 0, 1, 2], len(far), p=[0.15, 0.1, 0.5, 0.1, 0.15])
    far["verdict"] = np.clip(far["label"] + off, 1, 5)
    near.to_csv("noten.csv", index=False)
    far.to_csv("noten_neu.csv", index=False)
    return "noten.csv", "noten_neu.csv"


@pytest.mark.slow
def test_a_choice_counts_a_step_off_as_report_does(judges: tuple[str, str]) -> None:
    """Each candidate is within one step as often as pandas counts: one try, and the mean of 3."""
    for option, step in (((), 1), (("--no-within-one",), 0)):
        found = results("choose", *judges, *option)["choose"]
        assert {one["within_one"] for one in found} == {step == 1}
        assert len(found) == 4
        for one in found:
            table = pd.read_csv(one["judge"])
            if one["votes"] == 3:
                mean = table.groupby("question")["verdict"].transform("mean")
                table["verdict"] = mean.round()
            near = (table["verdict"] - table["label"]).abs() <= step
            assert one["accuracy"] == pytest.approx(near.mean())
        said = words("choose", *judges, *option)
        assert ("within one step of people in" in said) == (step == 1)
        assert ("exactly right in" in said) == (step == 0)
    frames = [one for one in results("choose", *judges)["choose"] if one["chosen"]]
    assert frames[0]["judge"] == "noten.csv"


@pytest.mark.slow
def test_people_prefer_by_the_measure_of_the_choice(judges: tuple[str, str]) -> None:
    """By each person's labels, a candidate is within a step as often as pandas counts."""
    ann = pd.read_csv(judges[0]).drop_duplicates("question").rename(columns={"question": "id"})
    bob = ann.assign(label=np.clip(ann["label"] + 1, 1, 5))
    people = {"ann": ann, "bob": bob}
    labels = pd.concat([one[["id", "label"]].assign(rater=who) for who, one in people.items()])
    labels.to_csv("labels.csv", index=False)
    call = ("choose", *judges, "--labels", "labels.csv", "--votes", "1")
    found = results(*call)["rater_preferences"]
    assert [one["rater"] for one in found] == ["ann", "bob"]
    for one in found:
        table = pd.read_csv(one["prefers"])
        label = table["question"].map(people[one["rater"]].set_index("id")["label"])
        assert one["accuracy"] == pytest.approx(((table["verdict"] - label).abs() <= 1).mean())


@pytest.mark.slow
def test_a_chosen_mean_is_what_other_commands_take(judges: tuple[str, str]) -> None:
    """`validate` of the choice counts rounded means of the questions that did not choose."""
    for name in judges:
        table = pd.read_csv(name)
        table["label"] = table["label"].mask(table["question"].isin(table["question"][:150]))
        table.to_csv(f"other_{name}", index=False)
        pd.read_csv(name)[:150].to_csv(name, index=False)
    assert invoke("choose", *judges, "--votes", "3", "--out", "choice.yaml").exit_code == 0
    others = [f"other_{name}" for name in judges]
    for name in judges:
        pd.read_csv(f"other_{name}").to_csv(name, index=False)
    call = ("validate", *judges, "--column", "file=judge", "--rule", "choice.yaml")
    (right,) = results(*call)["validity"]
    table = pd.read_csv(right["judge"]).dropna(subset="label")
    each = table.groupby("question").agg(said=("verdict", "mean"), label=("label", "first"))
    exact = (each["said"].round() == each["label"]).mean()
    assert right["accuracy"] == pytest.approx(exact)
    assert right["n_labelled"] == len(each)
    refused = invoke("choose", others[0], "--votes", "1")
    assert "there is one candidate" in refused.stderr
    choice = read_choice("choice.yaml")
    rule, votes = choice.as_rule, int(choice.votes)
    assert float(rule.grades[0]) == table["label"].min()
    for said in table.groupby("question")["verdict"].agg(list):
        kept, _ = rule.decide([f"{one:g}" for one in said[:votes]])
        assert kept == nearest_grade(said[:votes], rule.grades, said[0])
        assert abs(float(kept or 0) - np.mean(said[:votes])) <= 0.5
    assert rule.decide(["1"] * (votes - 1)) == (None, 0.0)
    assert rule.decide(["2", "4", "3", "2", "4"][:votes])[0] == "3"  # no two votes are alike
    with pytest.raises(UserError, match="does not say to which grades a mean is rounded"):
        _ = choice.model_copy(update={"grades": ()}).as_rule


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1, 2, 2], "2"),
        ([1, 1, 5], "2"),
        (["5", "4", "non-response"], "5"),
        (["4", "5", "invalid"], "4"),
        (["non-response", "invalid"], "non-response"),
    ],
)
def test_a_mean_is_the_nearest_grade(given: list[object], said: str) -> None:
    """Midway it is the grade nearer to the first; outputs without a grade have no part in it."""
    table = pd.DataFrame({"verdict": list("12345"), "label": list("12345")})
    assert _mean_of(_numbers_in(table))(given) == said


@pytest.mark.parametrize(
    ("given", "said"), [([2, 1.7, 2], "2"), ([1.7, 2.3], "2"), ([1.3, 1.7], "1.3"), ([2, 5], "3.3")]
)
def test_a_mean_of_thirds_is_a_grade_that_was_given(given: list[float], said: str) -> None:
    """They are not equally spaced: steps of .3 from 1 would make 1.9 the nearest one, say."""
    thirds = ["1", "1.3", "1.7", "2", "2.3", "2.7", "3", "3.3"]
    assert nearest_grade(given, thirds, given[0]) == said


@pytest.mark.slow
def test_files_without_a_judge_are_candidates(judges: tuple[str, str]) -> None:
    """No question is asked about the files, which a name without its ending tells apart."""
    said = words("choose", *judges, "--current", "noten")
    assert "This can mean" not in said
    assert "Whether" not in said
    assert "--column file=judge" in said
    found = results("choose", *judges, "--current", "noten")["choose"]
    assert {one["judge"] for one in found if one["better_than_current"] is None} == {"noten.csv"}
    assert ir.choose(list(judges), current="noten_n").chosen.startswith("noten.csv")
    refused = invoke("choose", *judges, "--current", "note")
    assert "is no candidate" in refused.stderr
    asked = invoke("keep", *judges)
    assert "This can mean two things" in asked.stderr


@pytest.mark.slow
def test_what_is_not_shown_is_said_without_a_current_one(judges: tuple[str, str]) -> None:
    """Of judges that do not differ by these labels; not of one that is clearly worse."""
    assert "It is not shown" not in words("choose", *judges, "--votes", "1")
    table = pd.read_csv(judges[0])
    first = table["question"] == "q0"
    table.loc[first, "verdict"] = (table["label"] + 1) % 5 + 1  # two steps off
    table.to_csv(judges[1], index=False)
    said = words("choose", *judges, "--votes", "1")
    assert "It is not shown to be within one step of people more often than noten_neu.csv." in said


def noisy(empty: float = 0.0, shift: float = 0.0, seed: int = 3) -> pd.DataFrame:
    """Grades up to two steps off, some tries without a verdict, most labels 3 or 4."""
    rng = np.random.default_rng(seed)
    label = rng.choice([1, 2, 3, 4, 5], 100, p=[0.1, 0.1, 0.3, 0.4, 0.1])
    rows = []
    for i in range(100):
        off = rng.choice([-2, -1, 0, 1, 2], p=[0.02, 0.2, 0.56, 0.2, 0.02])
        for k in (1, 2, 3):
            said = int(np.clip(np.rint(label[i] + off + shift), 1, 5))
            rows.append((f"q{i}", k, "" if rng.random() < empty else said, label[i]))
    return pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])


@pytest.mark.slow
def test_one_grade_for_all_is_what_a_report_compares_with(tmp_path: Path) -> None:
    """The grade that is most often within a step, counted with pandas; exact for options."""
    file = str(tmp_path / "grades.csv")
    table = noisy()
    table.to_csv(file, index=False)
    label = table.drop_duplicates("question")["label"]
    near = {grade: ((label - grade).abs() <= 1).mean() for grade in range(1, 6)}
    best = max(near, key=lambda grade: near[grade])
    (one,) = validity(file)
    assert (one["always"], one["always_share"]) == (str(best), pytest.approx(near[best]))
    assert f"Always {best} would be within one step in {near[best]:.0%} of these labels." in words(
        "report", file
    )
    names = table.assign(**{c: table[c].map(lambda n: "AABCC"[int(n) - 1]) for c in COLUMNS})
    names.to_csv(file, index=False)
    most = names.drop_duplicates("question")["label"].value_counts(normalize=True)
    (one,) = validity(file)
    assert (one["always"], one["always_share"]) == (most.index[0], pytest.approx(most.iloc[0]))
    assert f"Always {most.index[0]} would be right in {most.iloc[0]:.0%} of these" in words(
        "report", file
    )


@pytest.mark.slow
def test_a_judge_no_better_than_one_grade_is_told_so(tmp_path: Path) -> None:
    """Where grades are drawn without looking, the headline says it, and no line repeats it."""
    table = noisy()
    table["verdict"] = np.random.default_rng(0).permutation(table["verdict"])
    table.to_csv(tmp_path / "grades.csv", index=False)
    said = words("report", str(tmp_path / "grades.csv"))
    assert "worse than always" in said
    assert "would be within one step" not in said


def test_labels_all_alike_have_no_constant(tmp_path: Path) -> None:
    """Always that label would be right by definition: nothing is compared."""
    noisy().assign(label=3).to_csv(tmp_path / "grades.csv", index=False)
    (one,) = validity(str(tmp_path / "grades.csv"))
    assert (one["always"], one["always_share"]) == (None, None)


@pytest.mark.slow
def test_the_headline_speaks_of_the_measure_that_leads(tmp_path: Path) -> None:
    """Where a mean gains only by tries without a verdict, it says so, with the share without."""
    file = str(tmp_path / "grades.csv")
    table = noisy(empty=0.06)
    table.to_csv(file, index=False)
    said = words("report", file)
    found = pd.to_numeric(table["verdict"], errors="coerce")
    given = ((found - table["label"]).abs() <= 1)[found.notna()].mean()
    assert re.search(r"3 tries, rounded to a grade, is within one step in \d+%, since", said)
    assert f"since {100 * found.isna().mean():.2g} of 100 labelled tries have no verdict" in said
    (one,) = validity(file)
    assert one["within_one_given"] == pytest.approx(given)
    assert "gate" in said
    assert "--min within_one" in said
    grades(off=0.4).to_csv(file, index=False)
    assert "since" not in words("report", file).partition("Caution")[0]


@pytest.mark.slow
def test_on_which_side_of_people_a_judge_grades(tmp_path: Path) -> None:
    """The mean difference and its t interval are those of scipy; without one, nothing is said."""
    file = str(tmp_path / "grades.csv")
    for shift, side in ((0.6, "higher"), (-0.6, "lower"), (0.0, None)):
        table = noisy(shift=shift)
        table.to_csv(file, index=False)
        each = table.assign(apart=table["verdict"].astype(float) - table["label"])
        apart = each.groupby("question")["apart"].mean()
        (one,) = validity(file)
        ends = ttest_1samp(apart, 0).confidence_interval(0.95)
        assert one["mean_error"] == pytest.approx(apart.mean())
        assert one["mean_error_interval"] == pytest.approx([*ends])
        said = words("report", file)
        assert (f"It grades {abs(apart.mean()):.2f} {side} than the labels" in said) == bool(side)
        assert ("than the labels" in said) == bool(side)
        off = table[table["verdict"] != table["label"]]
        pairs = off.value_counts(["label", "verdict"])
        told = re.search(r"Most often off: label (\d), judge (\d) \((\d+)% of tries\)", said)
        assert told
        assert pairs[int(told[1]), int(told[2])] == pairs.max()
        assert int(told[3]) == round(100 * pairs.max() / len(table))


@pytest.mark.slow
def test_errors_begin_with_those_more_than_a_step_off(tmp_path: Path) -> None:
    """In each form the same questions, those far off first; a file of somebody else stays."""
    file = str(tmp_path / "grades.csv")
    noisy().to_csv(file, index=False)
    lists: dict[str, Any] = {}
    for ending in ("jsonl", "csv", "xlsx"):
        out = tmp_path / f"errors.{ending}"
        assert f"Wrote {out}" in invoke("report", file, "--errors", str(out)).stderr
        read: Any = {"csv": pd.read_csv, "xlsx": pd.read_excel}.get(ending, pd.read_json)
        options = {"lines": True} if ending == "jsonl" else {}
        lists[ending] = read(out, **options)["question"].tolist()
    assert lists["jsonl"] == lists["csv"] == lists["xlsx"]
    table = noisy().drop_duplicates("question").set_index("question")
    far = (table["verdict"].astype(int) - table["label"]).abs().loc[lists["csv"]] > 1
    assert far.any()
    assert not far.all()
    assert far.is_monotonic_decreasing
    (tmp_path / "errors.csv").write_text("mine\n1\n")
    assert invoke("report", file, "--errors", str(tmp_path / "errors.csv")).exit_code == 2
    noisy().to_excel(tmp_path / "errors.xlsx", index=False)
    assert invoke("report", file, "--errors", str(tmp_path / "errors.xlsx")).exit_code == 2


@pytest.mark.slow
def test_a_plan_of_grades_is_for_a_step(tmp_path: Path) -> None:
    """Labels are planned for within one step, and those are asked for that are there to label."""
    table, file = noisy(), str(tmp_path / "grades.csv")
    table["label"] = table["label"].where(table["question"].str[1:].astype(int) < 60)
    table.to_csv(file, index=False)
    (plan,) = results("plan", file)["rows"]
    assert {one["coefficient"] for one in plan["designs"]} == {"within_one"}
    said = words("plan", file, "--half-width", ".04")
    assert "These are grades: labels are planned for how often a verdict is within one" in said
    n = results("plan", file, "--half-width", ".04")["rows"][0]["designs"][0]["n_questions"]
    if n > 100:
        assert (
            f"label the other 40 (too few alone), judge {n - 100} more questions, and label them"
            in said
        )
    else:
        why = f"(about {n} in all to know within_one to within 4 points)"
        assert f"label {n - 60} more questions {why}" in said
    (exact,) = results("plan", file, "--for", "accuracy")["rows"]
    assert {one["coefficient"] for one in exact["designs"]} == {"accuracy"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "labelled"), [("within_one", 60), ("accuracy", 100)])
def test_a_plan_of_labels_speaks_of_those_that_are_there(
    name: str, labelled: int, tmp_path: Path
) -> None:
    """What labels give is said of as many as there are, and they are enough where it is narrow."""
    table, file = noisy(), str(tmp_path / "grades.csv")
    table["label"] = table["label"].where(table["question"].str[1:].astype(int) < labelled)
    table.to_csv(file, index=False)
    (right,) = validity(file)
    low, high = right[f"{name}_interval"]
    half = (high - low) / 2
    said = words("plan", file, "--for", name, "--half-width", f"{half + 0.001:.4f}")
    assert f"The {labelled} labelled give {name} to within {100 * half:.0f} points." in said
    assert "Range: the number really needed lies here with 80% probability" in said
    assert "you have judged enough for that" in said
    (plan,) = results("plan", file, "--for", name, "--half-width", f"{half + 0.001:.4f}")["rows"]
    assert plan["designs"][0]["n_questions"] <= labelled == plan["n_labelled"]
    (plan,) = results("plan", file, "--for", name, "--half-width", f"{half - 0.001:.4f}")["rows"]
    assert plan["designs"][0]["n_questions"] > labelled


@pytest.mark.slow
def test_a_plan_counts_the_votes_of_a_scale_as_means(tmp_path: Path) -> None:
    """By pandas: how often the rounded mean of three tries is right, and within a step."""
    file = str(tmp_path / "grades.csv")
    table = noisy()
    table["verdict"] = table["verdict"].astype(int)
    other = np.random.default_rng(1).choice([-1, 0, 1], len(table), p=[0.25, 0.5, 0.25])
    table["verdict"] = (table["verdict"] + other).clip(1, 5)
    table.to_csv(file, index=False)
    mean = table.groupby("question")["verdict"].mean().round()
    apart = (mean - table.groupby("question")["label"].first()).abs()
    majority = table.groupby("question")["verdict"].agg(lambda one: one.mode().iloc[0])
    assert (majority != mean).any()
    one = (table["verdict"] - table["label"]).abs()
    lines = words("plan", file)
    for line, hits in (
        ("Mean within one step", (one <= 1, apart <= 1)),
        ("Mean right", (one == 0, apart == 0)),
    ):
        shown = "  ".join(f"{100 * hit.mean():.0f}%" for hit in hits)
        assert (
            f"{line} {shown}".split() == lines[lines.index(line) :].split()[: len(line.split()) + 2]
        )


@pytest.mark.parametrize("option", ["--within-one", "--no-within-one"])
def test_the_explanation_of_keep_follows_the_measure(sheet: str, option: str) -> None:
    """Wrong is more than a step off only where that is what counts."""
    said = words("keep", sheet, "--explain", option)
    far = "share of the kept and labelled whose verdict is more than a step from the label"
    assert (far in said) == (option == "--within-one")
    exact = "share of the kept and labelled whose verdict is not the label"
    assert (exact in said) == (option == "--no-within-one")


@pytest.mark.slow
def test_fewer_votes_are_odd(tmp_path: Path) -> None:
    """Two votes that differ cannot be outvoted, so a rule of three is compared with one."""
    file = str(tmp_path / "grades.csv")
    grades(off=0.1, tries=6).to_csv(file, index=False)
    found = results("keep", file, "--max-error", ".3")["fewer_votes"]
    assert [one["votes"] for one in found] == [1, 3, 5]


@pytest.mark.slow
def test_a_sample_to_check_is_drawn_by_a_command(tmp_path: Path) -> None:
    """Where steady verdicts are no more often right, both commands name one that runs."""
    table = noisy()
    number = table["question"].str[1:].astype(int)
    far = table["label"] + np.where(table["label"] <= 3, 2, -2)
    near = table["label"] + np.where(table["label"] <= 3, 1, -1) * (table["replication"] == 1)
    even = number % 2 == 0  # every try alike, and one in ten two steps off
    table["verdict"] = np.where(even, np.where(number % 20 == 0, far, table["label"]), near)
    table["label"] = table["label"].where(table["question"].str[1:].astype(int) < 90)
    file, out = str(tmp_path / "grades.csv"), str(tmp_path / "check.html")
    table.to_csv(file, index=False)
    for command in ("keep", "report"):
        said = words(command, file)
        assert f"label {file} --most 10 --out check.html" in said
        assert "steadily are no more often right" in said or "steady verdicts are no more" in said
    assert invoke("label", file, "--most", "10", "--out", out).exit_code == 0


@pytest.mark.slow
def test_a_page_that_stops_says_what_runs_where_labels_are(tmp_path: Path) -> None:
    """The command that a refusal names draws what has no label."""
    table, file = noisy(), str(tmp_path / "grades.csv")
    table["label"] = table["label"].where(table["question"].str[1:].astype(int) < 60)
    table.to_csv(file, index=False)
    page = str(tmp_path / "label.html")
    refused = invoke("label", file, "--for", "keep", "--most", "30", "--out", page)
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert "60 questions are labelled already" in said
    assert f"inspect-reliability label {file} --most 30 --out label.html" in said
    capped = " ".join(invoke("label", file, "--for", "keep", "--out", page).stderr.split())
    assert f"label {file} --most 40 --out label.html" in capped  # no more than are left
    done = invoke("label", file, "--most", "30", "--out", page)
    assert "30 of 40 outputs" in " ".join(done.stdout.split())


def test_noisy_grades_without_labels_gain_by_means(tmp_path: Path) -> None:
    """Nine tries lift a single try's ICC of about .3 (pandas, one-way) by Spearman and Brown."""
    rng = np.random.default_rng(2)
    level = rng.normal(5, 0.8, 200)
    given = np.rint(level[:, None] + rng.normal(0, 1.3, (200, 4))).astype(int).clip(1, 10)
    frame = pd.DataFrame(given).melt(ignore_index=False, value_name="verdict").reset_index()
    frame = frame.rename(columns={"index": "question", "variable": "replication"})
    of = frame.groupby("question")["verdict"]
    between, within = 4 * of.mean().var(), of.var().mean()
    icc = (between - within) / (between + 3 * within)
    assert 0.2 < icc < 0.4
    path = tmp_path / "noisy.csv"
    frame.to_csv(path, index=False)
    mean = 9 * icc / (1 + 8 * icc)
    assert f"the mean of 9 has a reliability of only {mean:.2f}" in words("report", str(path))


@pytest.mark.slow
def test_a_chosen_mean_is_a_grade_of_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People's 3.5 is no grade to which three tries are rounded: not where the choice is used."""
    monkeypatch.chdir(tmp_path)
    both = [grades(off=off, seed=3).assign(judge=name) for name, off in (("a", 0.2), ("b", 0.4))]
    table = pd.concat(both)
    table["label"] = table["label"] + 0.5 * ((table["label"] % 2 == 0) & (table["label"] < 5))
    table.to_csv("both.csv", index=False)
    done = invoke("choose", "both.csv", "--votes", "3", "--out", "choice.yaml")
    assert done.exit_code == 0, done.output
    assert read_choice("choice.yaml").grades == ("1", "2", "3", "4", "5")
    new = table.drop(columns="label").assign(question="new " + table["question"])
    old = table.groupby("question")["label"].first()
    again = pd.concat([new, table.assign(label=table["question"].map(old))])
    made = by_rule(judgments_from_frame(again), "choice.yaml").table["verdict"]
    assert {*made} <= {"1", "2", "3", "4", "5"}
