"""`keep` from a file of judgments and a file of labels, and what it writes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from scipy.stats import beta

from commands import invoke, results
from inspect_reliability.answers import analyse
from inspect_reliability.answers.labelled_cascade import LabelledCascade
from inspect_reliability.answers.promise import Promise
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.keeping.report import cascades
from inspect_reliability.record.rule import KeepRule

pytestmark = pytest.mark.usefixtures("read_once")

RIGHT, N, LABELS = "A", 300, 150


def judged(judge: str, strong: float, n: int = N, tries: int = 6, seed: int = 0) -> pd.DataFrame:
    """Verdicts of a judge that is the surer the easier a question is; 15% of them are ties."""
    rng = np.random.default_rng([seed, len(judge)])
    easy = np.random.default_rng(7).beta(2, 1, n) ** (1 / strong)
    rows = [
        (judge, f"q{i}", k, "tie" if rng.random() < 0.15 * (1 - easy[i]) * 3 else said)
        for i in range(n)
        for k, said in enumerate(rng.choice(["A", "B"], tries, p=[easy[i], 1 - easy[i]]), 1)
    ]
    return pd.DataFrame(rows, columns=["judge", "question", "replication", "verdict"])


@pytest.fixture(name="files", scope="module")
def _files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("files")
    several = [judged("small", 1.0), judged("larger", 2.0), judged("largest", 4.0)]
    pd.concat(several).to_csv(folder / "judged.csv", index=False)
    drawn = np.random.default_rng(1).choice(N, LABELS, replace=False)
    labels = pd.DataFrame({"id": [f"q{i}" for i in drawn], "label": RIGHT})
    labels.to_csv(folder / "labels.csv", index=False)
    return str(folder / "judged.csv"), str(folder / "labels.csv")


def keep(*arguments: str) -> dict[str, list[dict[str, Any]]]:
    return results("keep", *arguments)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_page_begins_with_the_rule_and_its_picture(files: tuple[str, str]) -> None:
    """The rule in words, then errors by what is kept, with the promise as a line."""
    logs, labels = files
    done = invoke("keep", logs, "--labels", labels, "--max-error", ".15", "--format", "html")
    answer, picture, _ = done.stdout.partition("Kept and wrong")
    assert picture
    assert '<div class="headlines' in answer
    assert ": keep the" in answer


@pytest.mark.slow
def test_what_is_kept_is_counted_once_more(files: tuple[str, str]) -> None:
    """Kept, undecided and error are those of a group-by with pandas at the rule that is said."""
    logs, labels = files
    truth = pd.read_csv(labels).set_index("id")["label"]
    for one in keep(logs, "--labels", labels, "--max-error", ".15")["keep"]:
        own = pd.read_csv(logs).query("judge == @one['judge']")
        votes = own.groupby(["question", "verdict"]).size().unstack(fill_value=0)
        alone = votes.eq(votes.max(axis=1), axis=0).sum(axis=1) == 1
        decided = alone & (votes.idxmax(axis=1) != "tie")
        assert one["undecided"] == pytest.approx(1 - decided.mean())
        assert one["votes"] == 6
        kept = decided & (votes.max(axis=1) >= one["votes_needed"])
        assert one["kept"] == pytest.approx(kept.mean())
        said = votes.idxmax(axis=1)[kept]
        among = said[said.index.isin(truth.index)]
        assert one["error"] == pytest.approx((among != truth[among.index]).mean())
        assert one["n_kept_labelled"] == len(among)
        assert one["kept"] + one["undecided"] + one["unsteady"] == pytest.approx(1)
        assert (one["error_bound"], one["calls"], one["reason"]) == (0.15, 6 * N, None)


@pytest.mark.slow
def test_a_cascade_asks_the_next_judge_only_where_it_must(files: tuple[str, str]) -> None:
    """Calls and dollars are those of the questions handed on, in the order given or by price."""
    logs, labels = files
    prices = {"small": 0.001, "larger": 0.01, "largest": 0.1}
    given = [f"--price={name}={cost}" for name, cost in prices.items()]
    rule = ("--labels", labels, "--max-error", ".15")
    found = keep(logs, *rule, *given)["keep"]
    named = keep(logs, *rule, *given, *(f"--cascade={name}" for name in prices))["keep"]
    assert found == named
    one = found[0]
    assert one["judge"] == "small, larger, largest"
    left = float(N)
    for part in one["judges"]:
        assert part["calls"] == pytest.approx(6 * left)
        assert part["cost"] == pytest.approx(6 * left * prices[part["judge"]])
        left -= N * part["kept"]
    assert one["kept"] == pytest.approx(1 - left / N)
    assert one["calls"] == sum(part["calls"] for part in one["judges"])
    assert (one["best"], one["best_calls"]) == ("largest", 6 * N)
    assert one["best_cost"] == pytest.approx(0.6 * N)
    assert one["cost"] < one["best_cost"]
    said = invoke("keep", logs, *rule, *given).stdout
    assert "ask small, then larger, then largest." in " ".join(said.split())


@pytest.mark.slow
def test_the_file_has_a_row_a_question(files: tuple[str, str], tmp_path: Path) -> None:
    """Every question has one verdict and what to do with it, and other commands read the file."""
    logs, labels = files
    out, people = str(tmp_path / "out.parquet"), str(tmp_path / "out.csv")
    asked = (logs, "--labels", labels, "--max-error", ".15", "--cascade=largest")
    one = keep(*asked, "--out", out)
    table = pd.read_parquet(out)
    assert len(table) == table["question"].nunique() == N
    kept = table["confidence"] * 6 >= one["keep"][0]["votes_needed"] - 1e-9
    kept &= ~table["verdict"].isin(["tie", "undecided"])
    assert kept.mean() == pytest.approx(one["keep"][0]["kept"])
    told = table["decision"] == "labelled"
    assert (kept == (table["decision"] == "keep"))[~told].all()
    assert (table["verdict"] != table["final"])[kept & told].all()
    open_ = table["verdict"][table["confidence"] == 0]
    assert {*open_} == {"tie", "undecided"}  # what the judge said most, or no one verdict
    assert invoke("keep", *asked, "--out", people).exit_code == 0
    given = pd.read_csv(people).set_index("question")["decision"]
    assert given.to_dict() == table.set_index("question")["decision"].to_dict()
    assert {*given} == {"keep", "escalate", "labelled"}
    for written in (out, people):
        report = results("report", written, "--labels", labels)
        assert report["validity"][0]["n_labelled"] == LABELS
    several = str(tmp_path / "several.parquet")
    invoke(
        "keep", logs, "--labels", labels, "--cascade=small", "--cascade=largest", "--out", several
    )
    assert set(pd.read_parquet(several)["decision"]) == {"keep", "person", "labelled"}


@pytest.mark.slow
def test_a_saved_rule_says_what_to_ask(files: tuple[str, str], tmp_path: Path) -> None:
    """The rule has its judges in order, their votes, and what was promised."""
    logs, labels = files
    place = tmp_path / "rule.json"
    asked = ("keep", logs, "--labels", labels, "--max-error", ".15")
    invoke(*asked, "--cascade=small", "--cascade=largest", "--save-rule", str(place))
    rule = json.loads(place.read_text())
    assert rule["judges"] == ["small", "largest"]
    assert rule["abstain"] == ["tie"]
    assert rule["votes"] == 6 >= rule["votes_needed"]
    several = invoke(*asked, "--save-rule", str(place))
    assert several.exit_code == 2
    assert "--cascade JUDGE" in several.stderr


RULE = {
    **{"judges": ["a", "b"], "votes": 6, "votes_needed": 5, "abstain": ["tie"]},
    **{"max_error": 0.1, "confidence": 0.95, "kept": 0.5, "error": 0, "n_labelled": 100},
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps({**RULE, **changed}), f"is no rule of keep: {words}")
        for changed, words in (
            ({"votes_needed": 7}, "votes_needed: 7 of 6 votes"),
            ({"max_error": float("nan")}, "max_error: "),
            ({"confidence": float("inf")}, "confidence: "),
            ({"kept": -0.1}, "kept: "),
            ({"votes": "6"}, "votes: "),
            ({"votes": True}, "votes: "),
            ({"judges": []}, "judges: "),
            ({"error": None}, "error: "),
            ({"note": "mine"}, "note: "),
        )
    ]
    + [
        (json.dumps(RULE)[:-1] + ', "votes": 3}', "duplicate key 'votes'"),
        (json.dumps([RULE]), "expected an object, found a list"),
        ("[" * 100_000, "nested too deeply"),
        ("", "is not JSON"),
    ],
)
def test_a_rule_that_promises_what_it_cannot_keep_is_refused(
    tmp_path: Path, text: str, words: str
) -> None:
    """Numbers that no rule has, and what is no rule at all."""
    file = tmp_path / "rule.json"
    file.write_text(json.dumps(RULE))
    assert KeepRule.read(str(file)).votes_needed == 5
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        KeepRule.read(str(file))
    assert words in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("sure", "labelled questions are not like the others"),
        ("few", "too few labels: "),
        ("weights", "gives them different weights (weight)"),
        ("strata", "was drawn by verdict"),
        ("outputs", "questions have several outputs"),
        ("wrong", "too many errors: "),
        ("none", "nothing is labelled"),
    ],
)
def test_no_promise_where_it_would_not_hold(
    change: str, reason: str, files: tuple[str, str], tmp_path: Path
) -> None:
    """Labels from elsewhere, weighted, stratified, few or of several outputs promise nothing."""
    logs, labels = files
    own = pd.read_csv(logs).query("judge == 'largest'")
    given = pd.read_csv(labels)
    arguments = ["--labels", str(tmp_path / "changed.csv")]
    if change == "sure":
        sure = own[own["verdict"] == "A"].groupby("question").size()
        given = pd.DataFrame({"id": sure[sure == 6].index[:150], "label": "A"})
    elif change == "few":
        given = given[:20]
    elif change == "weights":
        given["weight"] = 1 + given.index % 2
    elif change == "strata":
        given["split"] = "random, by verdict"
    elif change == "outputs":
        own["output"] = own["question"]
        own["question"] = "s" + (own["question"].str[1:].astype(int) // 2).astype(str)
        own["sample"] = own["question"]
        own["question"] = own["output"]
    elif change == "wrong":
        given["label"] = np.where(given.index % 3 == 0, "B", "A")
    else:
        arguments = []
    given.to_csv(tmp_path / "changed.csv", index=False)
    own.to_csv(tmp_path / "own.csv", index=False)
    one = keep(str(tmp_path / "own.csv"), *arguments)["keep"][0]
    assert reason in one["reason"]
    assert (one["threshold"], one["error_bound"], one["error"]) == (None, None, None)
    if change == "few":
        assert "No promise: " in invoke("keep", str(tmp_path / "own.csv"), *arguments).stdout
        assert 30 < one["labels_needed"] < 1000


@pytest.mark.slow
def test_grades_have_a_half_width(tmp_path: Path) -> None:
    """The label of a grade lies within it on as many questions as promised."""
    rng = np.random.default_rng(3)
    label = rng.integers(1, 11, 2_000)
    rows = [
        (f"q{i}", k, int(np.clip(label[i] + round(rng.normal(0, 1.5)), 1, 10)))
        for i in range(2_000)
        for k in (1, 2)
    ]
    names = ["question", "replication", "verdict"]
    table = pd.DataFrame(rows, columns=names).assign(judge="j")
    table.to_csv(tmp_path / "grades.csv", index=False)
    truth = pd.DataFrame({"id": [f"q{i}" for i in range(2_000)], "label": label})
    truth[:100].to_csv(tmp_path / "labels.csv", index=False)
    one = keep(str(tmp_path / "grades.csv"), "--labels", str(tmp_path / "labels.csv"))["keep"][0]
    means = table.groupby("question")["verdict"].mean()
    apart = (means - truth.set_index("id")["label"]).abs()
    assert one["half_width"] == sorted(apart[truth["id"][:100]])[95]  # Bin(100, .9) < 96: .976
    assert (apart <= one["half_width"]).mean() >= 0.9
    truth[:28].to_csv(tmp_path / "few.csv", index=False)
    few = invoke("keep", str(tmp_path / "grades.csv"), "--labels", str(tmp_path / "few.csv")).stdout
    assert "needs 29 labels, and there are 28." in few
    other = truth[:100].assign(label=np.roll(truth["label"][:100], 1) + 10)
    raters = pd.concat([truth[:100].assign(rater="a"), other.assign(rater="b")])
    raters.to_csv(tmp_path / "labels.csv", index=False)
    found = keep(str(tmp_path / "grades.csv"), "--labels", str(tmp_path / "labels.csv"))
    for one, them in zip(found["people"], (other, truth[:100]), strict=True):
        far = (means[them["id"]] - them.set_index("id")["label"]).abs()
        assert one["judge_agrees"] == pytest.approx(-far.mean())


@pytest.mark.slow
def test_labels_that_are_no_draw_promise_nothing_in_any_command(tmp_path: Path) -> None:
    """`keep`, `report`, `validate` and `gate` say the same, also of judgments that were saved."""
    own, labels, saved = (str(tmp_path / one) for one in ("own.csv", "labels.csv", "saved.parquet"))
    judged("j", 4.0, 120).to_csv(own, index=False)
    given = pd.DataFrame({"id": [f"q{i}" for i in range(100)], "label": RIGHT})
    given.to_csv(labels, index=False)
    sources = (own, "--labels", labels)
    assert invoke("gate", *sources, "--min", "kept=.1").exit_code == 0
    given.assign(weight=1 + given.index % 2).to_csv(labels, index=False)
    report = invoke("report", *sources, "--save", saved)
    every = (("report",), ("validate",), ("keep",), ("gate", "--min", "kept=.1"))
    for source, some in ((sources, every), ((saved,), every[2:])):
        for command in some:
            done = invoke(command[0], *source, *command[1:])
            said = " ".join(done.stdout.split())
            assert "labels are no simple random draw of questions" in said
            assert "confidence" not in said
            assert done.exit_code == (3 if command[0] == "gate" else 0)
        gate = " ".join(invoke("gate", *source, "--min", "accuracy=.5").stdout.split())
        assert " Labels are no simple random draw of questions: " in gate
        assert "Numbers by label describe the labelled questions, and not the others." in gate
        rates = results("validate", *source)["corrected"]
        assert {one["rate"] for one in rates} <= {None}
    assert report.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "wrong", "said"),
    [
        (20, 0, "labels are too few to promise at most 10% wrong"),
        (60, 30, "decides no part of the questions with at most 10% wrong"),
    ],
)
def test_a_report_says_why_nothing_is_promised(
    n: int, wrong: int, said: str, tmp_path: Path
) -> None:
    """Few labels are not a bad judge, and no one is sent for more labels than questions."""
    own, labels = str(tmp_path / "own.csv"), str(tmp_path / "labels.csv")
    table = pd.DataFrame({"question": [f"q{i}" for i in range(60) for _ in range(3)]})
    table.assign(verdict=RIGHT).to_csv(own, index=False)
    given = pd.DataFrame({"id": [f"q{i}" for i in range(n)], "label": RIGHT})
    given.loc[: wrong - 1, "label"] = "B"
    given.to_csv(labels, index=False)
    assert said in invoke("report", own, "--labels", labels).stdout
    one = keep(own, "--labels", labels)["keep"][0]
    assert (one["labels_needed"] is None) == (wrong > 0)
    told = " ".join(invoke("keep", own, "--labels", labels, "--max-error", ".02").stdout.split())
    if not wrong:
        assert (
            keep(own, "--labels", labels, "--max-error", ".02")["keep"][0]["labels_needed"] == 149
        )
        assert "149 labels would be enough, more than these 60 questions can have" in told
        assert "validate" not in told


@pytest.mark.slow
def test_without_a_rule_what_all_verdicts_hold_is_said(tmp_path: Path) -> None:
    """The rule stops at the steadiest, 3 of 32 wrong; of all, 10 of 150 are, at most 11%.

    By the exact upper limit of one side; the gate that is offered passes.
    """
    wrong = {*range(3), *range(40, 47)}
    rows = [
        (f"q{q}", "B" if (q in wrong) == (q < 32 or k < 5) else "A", "A")
        for q in range(150)
        for k in range(6)
    ]
    file = str(tmp_path / "file.csv")
    pd.DataFrame(rows, columns=["question", "verdict", "label"]).to_csv(file, index=False)
    told = " ".join(invoke("keep", file, "--max-error", ".15").stdout.split())
    assert "3 of 32 labelled questions are wrong among those with all votes alike" in told
    assert "the rule looks at the steadiest verdicts first, and stopped there" in told
    most = beta.ppf(0.95, 11, 140)
    assert f"all of them together: 10 of 150 wrong, at most {np.ceil(most * 1000) / 10:g}%" in told
    command = told[told.index("inspect-reliability gate") :].split(" Next")[0].split()
    gate = command[1 : command.index("--votes") + 2]
    assert gate == ["gate", file, "--min", "accuracy=0.85", "--votes", "6"]
    assert invoke(*gate).exit_code == 0
    stricter = " ".join(invoke("keep", file, "--max-error", ".1").stdout.split())
    assert "of them together" not in stricter
    assert "more than 1,500 labels would be needed, if errors stay as frequent" in stricter
    few = " ".join(invoke("report", file).stdout.split())
    none = "no promise of at most 10% wrong"
    assert f"{none}: of its steadiest verdicts 3 of 32 labelled ones are wrong" in few
    # Of several judges it is of this one: another, always wrong, would fail the gate.
    other = [(q, "A" if label == "B" else "B", label) for q, _, label in rows]
    both = [("good", *one) for one in rows] + [("bad", *one) for one in other]
    columns = ["model", "question", "verdict", "label"]
    pd.DataFrame(both, columns=columns).to_csv(file, index=False)
    of = ("--column", "model=judge")
    told = " ".join(invoke("keep", file, *of, "--max-error", ".15").stdout.split())
    gate = told[told.index("inspect-reliability gate") :].split(" More")[0].split()[1:]
    assert gate[-2:] == ["--only", "model=good"]
    assert invoke(*gate).exit_code == 0
    # Labels that are mostly one verdict, which would pass as well, leave nothing to hold.
    said = [(q, verdict, "A" if int(q[1:]) < 149 else "B") for q, verdict, _ in rows]
    pd.DataFrame(said, columns=columns[1:]).to_csv(file, index=False)
    told = invoke("keep", file, "--max-error", ".15").stdout
    assert "of them together" in " ".join(told.split())
    assert "gate" not in told


@pytest.mark.parametrize("off", [0, 1])
def test_people_and_a_judge_on_a_scale_are_so_far_apart(off: int, tmp_path: Path) -> None:
    """The judge says what one person does; the other says a grade, or none, more."""
    rows = [("j", n, n % 6 + 1, rater) for n in range(30) for rater in range(2)]
    table = pd.DataFrame(rows, columns=["judge", "question", "verdict", "rater"])
    table["label"] = table["verdict"] + off * table["rater"]
    table.to_csv(tmp_path / "judged.csv", index=False)
    said = " ".join(invoke("keep", str(tmp_path / "judged.csv"), "--full").stdout.split())
    judge = f"j {off / 2:.1g} from them: it can replace one."
    assert f"People are {off} from one another on average, {judge}" in said
    assert f"{off:.2f} apart {off / 2:.2f} apart" in said


def test_votes_between_two_numbers_are_the_higher(tmp_path: Path) -> None:
    """Half of the questions have 4 votes, half 5: those with 5 are kept, and 5 are asked."""
    votes = [("j", n, "AB"[n % 2], "AB"[n % 2]) for n in range(80) for _ in range(4 + n // 40)]
    table = pd.DataFrame(votes, columns=["judge", "question", "verdict", "label"])
    table.to_csv(tmp_path / "judged.csv", index=False)
    rule = str(tmp_path / "rule.json")
    own = ["--column", "label=label"]  # the judge is always right
    (one,) = keep(str(tmp_path / "judged.csv"), *own, "--save-rule", rule)["keep"]
    asked = json.loads(Path(rule).read_text())
    assert (one["votes"], one["votes_needed"], one["kept"], one["calls"]) == (5, 5, 0.5, 400)
    assert (asked["votes"], asked["votes_needed"]) == (5, 5)


@pytest.mark.slow
def test_a_rule_is_refused_where_another_judge_graded(tmp_path: Path) -> None:
    """The judge that a rule was made of is taken; of another one it promises nothing."""
    votes = [("j", n, "AB"[n % 2], "AB"[n % 2]) for n in range(80) for _ in range(5)]
    table = pd.DataFrame(votes, columns=["judge", "question", "verdict", "label"])
    table.to_csv(tmp_path / "own.csv", index=False)
    table.assign(judge="other").to_csv(tmp_path / "other.csv", index=False)
    column, rule = ("--column", "label=label"), str(tmp_path / "rule.json")
    keep(str(tmp_path / "own.csv"), *column, "--save-rule", rule)
    for command in (["keep"], ["validate"], ["gate", "--min", "accuracy=0.5"]):
        asked = (*column, "--rule", rule)
        assert invoke(*command, str(tmp_path / "own.csv"), *asked).exit_code == 0
        refused = invoke(*command, str(tmp_path / "other.csv"), *asked)
        assert refused.exit_code == 2
        assert "stale: it was made of j, and the judge here is other" in " ".join(
            refused.stderr.split()
        )


@pytest.mark.slow
def test_pandalm_people_and_judges(data: Path) -> None:
    """Agreement and wins of each person of PandaLM are those of two loops over its labels."""
    file = data / "doors" / "pandalm_raters_long.csv"
    if not file.exists():
        pytest.skip("the recorded judgments are not there")
    found = keep(str(file), "--map", "0=Tie")
    given = pd.read_csv(file, dtype=str)
    judged = given.drop_duplicates(["judge", "question"]).pivot(
        index="question", columns="judge", values="verdict"
    )
    people = given.drop_duplicates(["question", "rater"]).pivot(
        index="question", columns="rater", values="label"
    )
    people = people.replace("0", "Tie")
    for one in found["people"]:
        others = people.drop(columns=one["rater"])
        said = judged[one["judge"]].where(judged[one["judge"]] != "garbage").replace("0", "Tie")
        machine = others.eq(said, axis=0).mean(axis=1)
        person = others.eq(people[one["rater"]], axis=0).mean(axis=1)
        assert one["n_labelled"] == 999
        assert one["judge_agrees"] == pytest.approx(machine.mean())
        assert one["person_agrees"] == pytest.approx(person.mean())
        assert one["judge_wins"] == pytest.approx((machine >= person).mean())
        assert one["person_wins"] == pytest.approx((person >= machine).mean())
    assert [one["replaces"] for one in found["replaces"]] == [False, False]
    said = invoke("keep", str(file), "--map", "0=Tie").stdout
    assert "People agree in 92%, gpt-3.5-turbo with them in 69%: it cannot replace one." in said


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_report_says_it_in_one_line(files: tuple[str, str], tmp_path: Path) -> None:
    """A report has the rule with the usual promise, and a page has its picture."""
    logs, labels = files
    pd.read_csv(logs).query("judge == 'largest'").to_csv(tmp_path / "one.csv", index=False)
    asked = (str(tmp_path / "one.csv"), "--labels", labels)
    one = keep(*asked)["keep"][0]
    assert results("report", *asked)["keep"][0]["kept"] == one["kept"]
    page = str(tmp_path / "page.html")
    said = invoke("report", *asked, "--html", page).stdout
    votes = f"{one['votes_needed']} of {one['votes']} votes"
    of = f"{one['kept']:.0%} of questions with at most 10% wrong"
    assert f"{votes} decide {of}" in " ".join(said.split())
    assert "Kept and wrong" in Path(page).read_text()


@pytest.mark.slow
def test_a_gate_has_the_usual_promise(files: tuple[str, str], tmp_path: Path) -> None:
    """A gate decides by the interval of what may be kept; without labels, it refuses."""
    logs, labels = files
    pd.read_csv(logs).query("judge == 'largest'").to_csv(tmp_path / "one.csv", index=False)
    asked = (str(tmp_path / "one.csv"), "--labels", labels)
    one = keep(*asked)["keep"][0]
    low, high = one["kept_interval"]
    for limit, code in ((low - 0.01, 0), (high + 0.01, 1), (one["kept"], 3)):
        assert invoke("gate", *asked, "--min", f"kept={limit}").exit_code == code
    assert invoke("gate", asked[0], "--min", "kept=0.1").exit_code == 2


@pytest.mark.slow
def test_judges_that_are_not_there_are_named(files: tuple[str, str]) -> None:
    """A judge that is no judge, or has no price or several rows, is refused with what to do."""
    asked = ("keep", files[0], "--labels", files[1])
    for more, message in (
        (["--cascade", "none"], "none is no judge here. Name one of: larger, largest, small."),
        (["--price", "small=1"], "larger has no price. Give it: --price larger=DOLLARS."),
        (["--cascade", "small", "--by", "judge", "--by", "replication"], "small has 6 rows."),
    ):
        done = invoke(*asked, *more)
        assert done.exit_code == 2
        assert message in " ".join(done.stderr.split())


def test_a_cascade_is_named_by_what_its_judges_share() -> None:
    """One judge has its own keys; two at other temperatures share the benchmark alone."""
    parts = [
        judged(name, 1.0, n=5).assign(benchmark="b", temperature=temperature)
        for name, temperature in (("one", 0.5), ("two", 1.0))
    ]
    rows = analyse(judgments_from_frame(pd.concat(parts))).rows
    first, second = (
        {"judge": j, "benchmark": "b", "temperature": t} for j, t in (("one", 0.5), ("two", 1.0))
    )
    assert LabelledCascade(rows[:1], Promise()).keys == first
    assert LabelledCascade(rows[1:], Promise()).keys == second
    assert LabelledCascade(rows, Promise()).keys == {"judge": "one, two", "benchmark": "b"}
    alike = [one.assign(temperature=1.0) for one in parts]
    rows = analyse(judgments_from_frame(pd.concat(alike))).rows
    shared = {"judge": "one, two", "benchmark": "b", "temperature": 1.0}
    assert LabelledCascade(rows, Promise()).keys == shared


def test_a_judge_that_costs_nothing_is_asked_first() -> None:
    """Judges are asked by the price of a call, and nothing is the lowest."""
    parts = [judged(name, 1.0, n=5) for name in ("dear", "cheap", "free")]
    promise = Promise(prices={"dear": 0.9, "cheap": 0.1, "free": 0.0})
    together, *_ = cascades(analyse(judgments_from_frame(pd.concat(parts))), promise)
    assert together.names == ["free", "cheap", "dear"]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_workbook_has_the_answers(tmp_path: Path) -> None:
    """The text that was judged is beside its decision, as a text and no formula."""
    rows = [(f"q{q}", "A", "A", f"=1+{q}") for q in range(40) for _ in range(3)]
    given = pd.DataFrame(rows, columns=["question", "verdict", "label", "answer"])
    source, out = str(tmp_path / "judged.csv"), tmp_path / "kept.xlsx"
    given.to_csv(source, index=False)
    for _ in range(2):  # its own file is replaced
        done = invoke("keep", source, "--out", str(out))
        assert done.exit_code == 0, done.output
    assert "all 3 votes alike" in " ".join(done.stdout.split())
    sheet = openpyxl.load_workbook(out).active
    names = [one.value for one in sheet[1]]
    cells = {row[names.index("question")].value: row[names.index("answer")] for row in sheet}
    assert [(cells[f"q{q}"].value, cells[f"q{q}"].data_type) for q in (0, 39)] == [
        ("=1+0", "s"),
        ("=1+39", "s"),
    ]
    assert "40 questions" in invoke("report", str(out)).output


def test_where_every_question_ties_nothing_can_be_kept(tmp_path: Path) -> None:
    """Of two tries that differ on every question, none is the most frequent, labelled or not."""
    rows = [{"question": f"q{q}", "verdict": one, "label": "A"} for q in range(3) for one in "AB"]
    for labelled in (True, False):
        frame = pd.DataFrame(rows).drop(columns=[] if labelled else ["label"])
        frame.to_csv(tmp_path / "tied.csv", index=False)
        done = invoke("keep", str(tmp_path / "tied.csv"), "--full")
        assert done.exit_code == 0
        said = " ".join(done.stdout.split())
        assert "No promise: no question has a most frequent verdict" in said
