"""`plan` on too few replications, and on the fewest that say something."""

import json
import random
import re
from pathlib import Path

import pandas as pd
import pytest

import example_logs
from commands import full, invoke
from inspect_reliability import plan
from inspect_reliability.answers import analyse
from inspect_reliability.answers.plan import plan_document, plans, remarks
from inspect_reliability.answers.reliability import votes_table
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import render
from inspect_reliability.showing.document import Text
from inspect_reliability.showing.formats import share_beside, width_beside


def judged(**verdicts: list[str]) -> Judgments:
    """A judge's verdicts on several questions."""
    rows = [(question, verdict) for question, given in verdicts.items() for verdict in given]
    frame = pd.DataFrame(rows, columns=["question", "verdict"])
    return judgments_from_frame(frame, judge="j", benchmark="b", temperature=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_one_epoch(tmp_path: Path, form: str) -> None:
    """One judgment a question plans no replications: exit status 2 and one sentence."""
    example_logs.judged(tmp_path, epochs=1)
    result = invoke("plan", tmp_path, "--for", "omega", "--format", form)
    assert result.exit_code == 2
    assert "No question was judged more than once" in result.stderr
    assert "Have each question judged several times" in result.stderr
    assert result.stdout == ""


def test_one_epoch_of_one_judge() -> None:
    """A judge with one judgment a question does not keep the others from their plan."""
    once, often = judged(p=["A"], q=["B"]), judged(p=["A", "B"] * 4, q=["A"] * 8)
    both = pd.concat([once.table, often.table.assign(judge="k")], ignore_index=True)
    first, second = plans(analyse(Judgments(both)))
    assert (first["votes"], first["votes_needed"], first["designs"]) == ([], None, [])
    assert "2 replications per vote" in first["not_estimable"]["votes"]
    assert [row["votes"] for row in second["votes"]] == [1, 3]
    with pytest.raises(UserError, match="judged several times"):
        plans(analyse(once))


def ordered(replications: int) -> Judgments:
    """A judge that takes the response shown first, in two orders of twelve questions."""
    rows = [
        (f"q{q}", order, n, f"{order} {q % 2}")
        for q in range(12)
        for order in ("given", "swapped")
        for n in range(replications)
    ]
    frame = pd.DataFrame(rows, columns=["question", "order", "replication", "verdict"])
    return judgments_from_frame(frame, judge="j", temperature=1.0)


@pytest.mark.slow
def test_votes_take_orders_in_turn() -> None:
    """The majority of three tries is that of the order with two of them, which chance decides."""
    (row,) = plans(analyse(ordered(4)))
    assert [vote["votes"] for vote in row["votes"]] == [1, 3]
    assert [vote["agreement"] for vote in row["votes"]] == pytest.approx([0.5, 0.5], abs=0.03)
    (once,) = plans(analyse(ordered(1)))
    assert once["votes"] == []
    assert "each order was judged once" in once["not_estimable"]["votes"]


@pytest.mark.slow
@pytest.mark.parametrize(("tries", "says"), [(3, "as many tries in each order"), (1, "as if each")])
def test_tries_of_several_orders_are_planned_as_they_were_made(tries: int, says: str) -> None:
    """Where each order was tried again, no more tries of it are planned; else orders are drawn."""
    chance = random.Random(2)
    rows = [
        (f"q{q}", order, n, "XY"[chance.random() < 0.2 + 0.1 * (q % 5) + 0.1 * (order == "d")])
        for q in range(40)
        for order in "abcd"
        for n in range(tries)
    ]
    frame = pd.DataFrame(rows, columns=["question", "order", "replication", "verdict"])
    (row,) = plans(analyse(judgments_from_frame(frame, judge="j", temperature=1.0)))
    assert says in " ".join(row["cautions"])
    planned = {4 * n for n in range(2, tries + 1)} if tries > 1 else {2, 3, 4}
    assert {study["n_replications"] for study in row["designs"]} == planned


def test_outputs_without_a_verdict_do_not_vote() -> None:
    """What most outputs do not say is no majority: those with a verdict decide, and it is said."""
    silent = ["non-response"] * 12 + ["A"] * 6
    (row,) = plans(analyse(judged(p=silent, q=["A", "B"] + ["B"] * 16)))
    three = next(vote["agreement"] for vote in row["votes"] if vote["votes"] == 3)
    assert three == 1.0


def test_copies_are_no_votes() -> None:
    """Where replications may be copies of one draw a majority of one is not said to be enough."""
    alike = judged(p=["A"] * 8, q=["B"] * 8).table
    for table, word in (
        (alike, "No two replications"),
        (alike.assign(temperature=0.0), "temperature 0"),
    ):
        analysis = analyse(Judgments(table))
        (row,) = plans(analysis)
        assert row["votes"] == []
        assert word in row["not_estimable"]["votes"]
        assert word in remarks(analysis.rows[0], row)[0]


def test_few_tries_in_words() -> None:
    """Two tries tell of one vote and of no more tries; both are said, with what tells more."""
    chance = random.Random(1)
    given = {f"q{n}": [chance.choice("AB" if n % 2 else "AAAB") for _ in "12"] for n in range(40)}
    analysis = analyse(judged(**given))
    found = plans(analysis, half_widths=(0.1,))
    said = render(plan_document(analysis, found), "markdown")
    assert "No number of votes" not in said
    assert re.search(
        r"One vote gives the same verdict again [\d.]+% of the time, less than 95%", said
    )
    assert "To see what 3 votes give, judge each question 6 times." in said
    assert "2 replications of a question do not tell how precise 3 would be" in said
    assert {one["n_replications"] for one in found[0]["designs"]} == {2}


@pytest.mark.slow
def test_what_is_narrow_enough_is_held_to_what_was_planned() -> None:
    """Nothing more is to be judged if the interval is narrow; the gate is of its coefficient."""
    chance = random.Random(2)
    given = {
        f"q{n}": [chance.choice("AAAB" if n % 2 else "B") for _ in range(9)] for n in range(60)
    }
    analysis = analyse(judged(**given))
    found = plans(analysis, half_widths=(0.2,), names=("agreement",))
    said = render(plan_document(analysis, found), "markdown")
    assert "you have judged enough for that" in said
    assert re.search(r"gate LOGS --min agreement=0\.\d+", said)
    found = plans(analysis, half_widths=(0.01,), names=("agreement",))
    assert "judge " in render(plan_document(analysis, found), "markdown")


@pytest.mark.parametrize(("others", "held"), [(2, False), (40, True)])
def test_what_one_same_verdict_passes_is_not_held(others: int, held: bool, tmp_path: Path) -> None:
    """Always yes is right in 98% or 60% of 100 labels, and the judge in nearly all."""
    rows = [
        (f"q{q}", "no" if (q < others) != (q == 50) else "yes", "no" if q < others else "yes")
        for q in range(100)
    ]
    file = tmp_path / "rows.csv"
    pd.DataFrame(rows, columns=["question", "verdict", "label"]).to_csv(file, index=False)
    said = invoke("plan", str(file), "--for", "accuracy", "--half-width", "0.1").stdout
    assert "you have judged enough for that" in said
    assert ("--min accuracy=" in said) == held


@pytest.mark.slow
def test_a_judge_of_places_is_mended_before_it_is_held_to_anything() -> None:
    """It takes what is shown first in 90% of cases, whatever is right."""
    chance = random.Random(4)
    rows = [
        {"question": f"q{q}", "order": order, "replication": r, "label": "AB"[q % 2]}
        | {"verdict": "A" if chance.random() < 0.9 else "B"}
        for q in range(60)
        for order in ("original", "swapped")
        for r in range(4)
    ]
    analysis = analyse(pd.DataFrame(rows), swap=True)
    found = plans(analysis, half_widths=(0.2,), names=("agreement",))
    said = render(plan_document(analysis, found), "markdown")
    assert "another order changes too many verdicts" in said
    assert "Hold the judge" not in said


def test_one_vote_in_words() -> None:
    """One vote gives, three give."""
    alike = judged(p=["A"] * 8, q=["B"] * 8).table
    analysis = analyse(Judgments(alike.assign(seed_check="honoured")))
    (steady,) = plans(analysis)
    said = (
        "1 vote gives the same majority again 95% of the time. Other questions may take 1 or more."
    )
    assert remarks(analysis.rows[0], steady)[0] == said
    analysis = analyse(judged(p=["A"] * 37 + ["B"] * 3, q=["B"] * 40))
    (less,) = plans(analysis)
    said = "3 votes give the same majority again 95% of the time. "
    assert remarks(analysis.rows[0], less)[0].startswith(said)


@pytest.mark.slow
def test_two_majorities_take_their_tries_of_each_order() -> None:
    """Three tries of two orders are six of a question, and 2 + 1 twice take four of each order."""
    rows = [
        (f"q{q}", order, r, "AB"[(q + r * (q % 3 == 0)) % 2])
        for q in range(30)
        for order in (("x", "y"), ("y", "x"))
        for r in range(5)
    ]
    columns = ["question", "order", "replication", "verdict"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["verdict"] = frame["verdict"].map({"A": "x", "B": "y"})
    few = analyse(frame[frame["replication"] < 3])
    said = " ".join(str(plan(frame[frame["replication"] < 3])).split())
    assert "To see what 3 votes give, judge each question 4 times in each order." in said
    assert [one["votes"] for one in plans(few)[0]["votes"]] == [1]
    enough = analyse(frame[frame["replication"] < 4])
    assert [one["votes"] for one in plans(enough)[0]["votes"]] == [1, 3]
    whole = analyse(frame.assign(label="x"))
    (text,) = (
        one.text
        for one in votes_table(whole, whole.rows[0], "")
        if isinstance(one, Text) and one.text.startswith("-")
    )
    assert text == "-: two majorities of 5 need 6 tries of a question in each order."


def test_a_share_that_is_missed_is_not_shown_as_reached() -> None:
    """94.7% is 95% in a table, but not where 95% are asked for."""
    assert [share_beside(0.95, one, 100) for one in (0.947, 0.95, 0.9496, 0.93)] == [
        *("94.7%", "95%", "94.96%", "93%")
    ]
    assert share_beside(0.99, 0.947, 100) == "95%"


@pytest.mark.slow
def test_a_half_width_that_is_missed_is_not_shown_as_reached() -> None:
    """Where 2 points are wanted 2.3 are not 2; 0.053 is 0.05 only where nobody wants that."""
    assert [width_beside([2.0], one, 0) for one in (2.3, 2.0, 3.2, 1.98, 0.4)] == [
        *("2.3", "2", "3", "1.98", "0.4")
    ]
    assert [width_beside(of, 0.053, 2) for of in ((0.05,), (0.02,))] == ["0.053", "0.05"]
    rows = [(f"q{n}", 1, "A", "A" if n % 7 else "B") for n in range(300)]
    frame = pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])
    ends = analyse(frame).frame("validity").iloc[0]
    half = 50 * (ends["accuracy_high"] - ends["accuracy_low"])
    assert 3.5 < half < 4.5
    for wanted, shown in ((4, f"{half:.1f}"), (3, f"{half:.0f}")):
        said = " ".join(str(plan(frame, names=["accuracy"], half_widths=[wanted / 100])).split())
        assert f"accuracy to within {wanted} points takes" in said
        assert f"The 300 labelled give accuracy to within {shown} points." in said


@pytest.mark.slow
def test_no_gate_is_offered_on_what_says_little() -> None:
    """A judge of two fair coins in 300 questions: its step is that of the report."""
    chance = random.Random(3)
    given = {f"q{n}": [chance.choice("AB") for _ in range(5)] for n in range(300)}
    frame = judged(**given).table
    found = str(plan(frame, half_widths=(0.2,)))
    step = str(analyse(frame)).partition("Next: ")[2].splitlines()
    assert "gate" not in found.partition("Next:")[2]
    assert "one verdict says little" in " ".join(found.split())
    assert step[0].rstrip(":") in " ".join(found.split())


@pytest.mark.slow
def test_a_probability_is_shown_as_it_was_asked_for() -> None:
    """99.9% is not 100%, and a half-width that is given twice is planned for once."""
    pilot = judged(p=["A"] * 30 + ["B"] * 10, q=["B"] * 40, r=["A"] * 40, s=["B", "C"] * 20)
    analysis = analyse(pilot)
    found = plans(analysis, half_widths=(0.1, 0.1), wanted=0.999, assurance=0.995)
    said = render(full(plan_document(analysis, found, 0.999)), "table")
    assert "99.9%" in said
    assert "99.5%" in said
    assert "100%" not in said
    designs = [tuple(one.values()) for one in found[0]["designs"]]
    assert len(designs) == len(set(designs)) > 0


@pytest.mark.slow
def test_a_plan_for_one_coefficient(tmp_path: Path) -> None:
    """`--for` plans the coefficients that it names, as far as the pilot tells of replications."""
    chance = random.Random(4)
    rows = [
        {"judge": "j", "question": q, "replication": r + 1, "verdict": q % 7 + chance.randint(0, 2)}
        for q in range(30)
        for r in range(6)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "scores.csv", index=False)
    command = ["plan", str(tmp_path / "scores.csv"), "--half-width", "0.05", "--format", "json"]
    asked = [*command, "--for", "icc", "--for", "omega", "--for", "gwet_ac1"]
    (row,) = json.loads(invoke(*asked).stdout)["rows"]
    replications: dict[str, list[float]] = {}
    for one in row["designs"]:
        replications.setdefault(one["coefficient"], []).append(one["n_replications"])
    assert replications == {"icc": [6], "omega": [2, 3, 5, 6], "gwet_ac1": [6]}
    ((aim, why),) = row["not_estimable"].items()
    assert aim == "omega, 10 replications or more"
    assert why.startswith("30 questions x 6 do not tell how precise 10 replications of each would")
    assert why.endswith("make a pilot with 10")  # these are too alike for a number of questions
    unknown = invoke(*command, "--for", "icq")
    assert unknown.exit_code == 2
    assert "Unknown coefficient 'icq'. Use one of: omega" in unknown.stderr


@pytest.mark.slow
def test_outputs_of_a_question_are_planned_from_one_of_each(tmp_path: Path) -> None:
    """Several outputs are called so; the next command tells them apart, and names get numbers."""
    rows = [(q, e, r, "CI"[(q * e + r) % 3 > 0]) for q in range(8) for e in (1, 2) for r in (1, 2)]
    table = pd.DataFrame(rows, columns=["question", "epoch", "replication", "verdict"])
    output = table["question"].map(str) + "-" + table["epoch"].map(str)
    table.assign(output=output, sample=table["question"]).to_csv(tmp_path / "s.csv", index=False)
    said = " ".join(invoke("plan", tmp_path / "s.csv").stdout.split())
    assert "16 outputs " in said
    assert f"plan {tmp_path / 's.csv'} --by epoch" in said
    icc = " ".join(invoke("plan", tmp_path / "s.csv", "--for", "icc").stdout.split())
    assert "--map makes numbers of them" in icc


@pytest.mark.slow
def test_labels_of_outputs_are_counted_in_outputs(tmp_path: Path) -> None:
    """Where questions have several, those without a label are more than the questions without."""
    rows = [
        (f"q{q}", output, r, "CI"[(q * r) % 5 == 4], "C" if output == "a" and q < 45 else None)
        for q in range(50)
        for output in "ab"
        for r in range(3)
    ]
    names = ["question", "output", "replication", "verdict", "label"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "o.csv", index=False)
    said = " ".join(invoke("plan", tmp_path / "o.csv", "--for", "accuracy").stdout.split())
    assert "Next: label the other 55 outputs (too few alone), judge" in said
