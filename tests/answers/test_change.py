"""What changed between two times, and whose doing it is."""

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.answers import Analysis
from inspect_reliability.answers.arms import arms_of
from inspect_reliability.answers.drift import drift, drift_blocks
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments, make_table
from inspect_reliability.showing.document import Table


def run(drift: float, seed: int, questions: int = 200) -> pd.DataFrame:
    """Five verdicts a question: its own, but for noise, and for what has drifted to B."""
    own, generator = np.random.default_rng(1), np.random.default_rng(seed)
    rows = []
    for q in range(questions):
        verdict = "AB"[int(own.random() < 0.4)]
        verdict = "B" if generator.random() < drift else verdict
        for r in range(5):
            noisy = generator.random() < 0.1
            rows.append((f"q{q}", r + 1, "BA"["AB".index(verdict)] if noisy else verdict))
    return pd.DataFrame(rows, columns=["question", "replication", "verdict"])


def sides(old: pd.DataFrame, new: pd.DataFrame) -> Analysis:
    made = (judgments_from_frame(one, judge="j") for one in (old, new))
    return arms_of(*made, names=("old", "new"))


@pytest.mark.slow
def test_noise_is_no_change_and_drift_is() -> None:
    """Two runs of one judge differ as often as each alone; of a judge that drifted, more often."""
    (same,) = drift(sides(run(0, 2), run(0, 3)))
    low, high = same["above_noise_interval"]
    assert low < 0 < high
    (drifted,) = drift(sides(run(0, 2), run(0.3, 4)))
    low, high = drifted["above_noise_interval"]
    assert 0 < low < 0.6 * 0.3 * 0.8**2 < high
    moved = {one["verdict"]: one for one in drifted["shares"]}
    low, high = moved["B"]["change_interval"]
    assert 0 < low < 0.6 * 0.3 * 0.8 < high
    assert moved["A"]["change"] == pytest.approx(-moved["B"]["change"])


@pytest.mark.slow
def test_one_verdict_a_question_has_a_change_of_shares() -> None:
    """Where each side judged once, shares are compared, and noise is not known."""
    once = [run(drift, 2).query("replication == 1") for drift in (0, 0.3)]
    (found,) = drift(sides(*once))
    assert found["above_noise"] is None
    old, new = ((one["verdict"] == "B").mean() for one in once)
    (b,) = (one for one in found["shares"] if one["verdict"] == "B")
    assert (b["first"], b["second"], b["change"]) == pytest.approx((old, new, new - old))
    moved, shares = drift_blocks([found])
    assert isinstance(moved, Table)
    assert "not estimable" in moved.rows[0][-1]
    assert isinstance(shares, Table)


def test_noise_of_one_side_is_not_that_of_both() -> None:
    """If one side judged once, its noise is not known, and none is taken for its own."""
    once, often = run(0, 2).query("replication == 1"), run(0, 3)
    (found,) = drift(sides(once, often))
    assert found["disagreement_across"] is not None
    assert found["disagreement_within"] is found["above_noise"] is None
    assert set(found["not_estimable"].values()) == {
        "no question was judged more than once at two levels of side"
    }


@pytest.mark.slow
def test_drawn_verdicts_are_not_compared_with_exact_ones() -> None:
    """A side of distributions beside one of draws has a record that says why it is empty."""
    exact = run(0, 2).query("replication == 1").assign(share=1.0)
    (found,) = drift(sides(run(0, 3), exact))
    assert (found["disagreement_across"], found["shares"]) == (None, [])
    (moved,) = drift_blocks([found])
    assert isinstance(moved, Table)
    assert "not estimable: verdicts of one side are exact" in moved.rows[0][-1]


def suite(log: str, grades: str, again: list[str] | None = None) -> pd.DataFrame:
    """Scores of a suite's own scorer, and what another grader says of the same outputs."""
    known: dict[str, Any] = {
        "log": log,
        "epoch": 1,
        "replication": 1,
        "benchmark": "suite",
        "temperature": 1.0,
    }
    rows = [
        {**known, "sample": q, "question": f"{q}", "scorer": "own", "judge": "m", "verdict": v}
        for q, v in enumerate(grades)
    ]
    rows += [
        {**known, "sample": q, "question": f"{q}", "scorer": "again", "judge": "g", "verdict": v}
        for q, verdicts in enumerate(again or [])
        for v in verdicts
    ]
    return pd.DataFrame(rows)


def judged_again(log: str, first: int, seed: int) -> Judgments:
    """One log's outputs, the scores that it had, and what a grader with these seeds says of them.

    The grader errs by its seed alone: the same seed gives the same verdict.
    """
    outputs = "CI" * 20
    own = suite(log, outputs)
    rows = []
    for q, right in enumerate(outputs):
        for r in range(4):
            wrong = np.random.default_rng([q, first + r, seed]).random() < 0.3
            rows.append(own.iloc[q].to_dict() | {"verdict": "IC"[(right == "C") ^ wrong]})
            rows[-1] |= {"scorer": "rejudge", "judge": "g", "replication": r + 1, "seed": first + r}
    return Judgments(make_table([*own.to_dict("records"), *rows]))


def test_two_rejudges_of_one_log_compare_their_graders_alone() -> None:
    """Scores copied from log to log are no side, and outputs that are the same moved nothing."""
    one, other = judged_again("a.eval", 1, 0), judged_again("b.eval", 900, 0)
    for table in (one.table, other.table):
        table["uuid"] = table["sample"].map("sample {}".format)
    found = arms_of(one, other, names=("one", "other"))
    assert all(set(row.asked["scorer"]) == {"rejudge"} for row in found.rows)
    (change,) = drift(found)
    low, high = change["above_noise_interval"]
    assert low < 0 < high


@pytest.mark.slow
def test_two_graders_of_a_suite_move_its_mean_score() -> None:
    """C counts 1 and I 0: the difference of means over questions, with its t interval."""
    one, other = judged_again("a.eval", 1, 0), judged_again("b.eval", 900, 0)
    for table in (one.table, other.table):
        table["uuid"] = table["sample"].map("sample {}".format)
    again = other.table["scorer"] == "rejudge"
    other.table.loc[again & (other.table["sample"].astype(int) % 5 == 0), "verdict"] = "P"
    other.table.loc[again, "judge"] = "h"
    found = ir.compare(one, other)
    each = [
        of.table[of.table["scorer"] == "rejudge"]
        .assign(score=lambda t: t["verdict"].map({"C": 1.0, "P": 0.5, "I": 0.0}))
        .groupby("question")["score"]
        .mean()
        for of in (one, other)
    ]
    moved = each[1] - each[0]
    reach = stats.t.ppf(0.975, len(moved) - 1) * moved.std() / len(moved) ** 0.5
    [change] = found.to_dict()["changes"]
    assert change["mean_change"] == pytest.approx(moved.mean())
    assert change["mean_change_interval"] == pytest.approx(
        [moved.mean() - reach, moved.mean() + reach]
    )
    assert change["grade_values"] == {"C": 1.0, "P": 0.5, "I": 0.0}
    assert f"The mean score moves by {100 * moved.mean():+.0f} point" in " ".join(
        repr(found).split()
    )


@pytest.mark.slow
def test_shared_seeds_are_no_negative_change() -> None:
    """Two runs of the same seeds differ as often as each alone, counted over different seeds."""
    one, other = judged_again("a.eval", 1, 0), judged_again("b.eval", 1, 0)
    (change,) = drift(arms_of(one, other, names=("one", "other")))
    assert change["disagreement_across"] == pytest.approx(change["disagreement_within"])
    assert change["above_noise"] == pytest.approx(0, abs=1e-12)
    assert change["disagreement_across"] == pytest.approx(2 * 0.3 * 0.7, abs=0.1)


def grades_moved(n: int = 60) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Grades of a judge, and the same a step higher with some noise."""
    draws = np.random.default_rng(8)
    before = pd.DataFrame(
        [(f"q{q}", int(draws.integers(1, 5))) for q in range(n) for _ in range(3)],
        columns=["question", "verdict"],
    )
    higher = before["verdict"] + (draws.random(len(before)) < 0.8)
    return before, before.assign(verdict=higher)


@pytest.mark.slow
def test_what_changed_is_said_first_where_nothing_is_labelled() -> None:
    """The mean grade and the verdict that moved most, as pandas counts them, in words and rows."""
    before, after = grades_moved()
    found = ir.compare(before, after)
    by_question = [one.groupby("question")["verdict"] for one in (before, after)]
    moved = by_question[1].mean() - by_question[0].mean()
    reach = stats.t.ppf(0.975, len(moved) - 1) * moved.std() / len(moved) ** 0.5
    mean, low, high = moved.mean(), moved.mean() - reach, moved.mean() + reach
    said = " ".join(repr(found).split())
    by = f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]"
    assert said.startswith(f"second grades higher than first ({by}")
    [record] = found.to_dict()["changes"]
    assert record["mean_change"] == pytest.approx(mean)
    assert record["mean_change_interval"] == pytest.approx([low, high])
    shares = [one["verdict"].value_counts(normalize=True) for one in (before, after)]
    change = shares[1].sub(shares[0], fill_value=0)
    most: Any = change.abs().idxmax()
    often = "more" if change[most] > 0 else "less"
    now, was = (f"{100 * one.get(most, 0):.0f}%" for one in (shares[1], shares[0]))
    assert f"second gives '{most}' {often} often: {now} of verdicts, {was} of first's" in said
    rows = found.summary()
    assert rows["coefficient"].tolist()[:2] == ["mean grade", f"share of {most}"]
    assert rows["difference"].tolist()[:2] == pytest.approx([-mean, -change[most]])
    assert "grades" not in repr(ir.compare(before, before.sample(frac=1, random_state=1)))


@pytest.mark.slow
def test_the_first_side_is_the_one_that_is_named_first() -> None:
    """Also where its name comes later in the alphabet."""
    before, after = grades_moved()
    both = pd.concat([before.assign(month="z"), after.assign(month="a")])
    assert repr(ir.compare(both, by="month")).startswith("a grades higher than z")


@pytest.mark.slow
def test_names_that_moved_are_said_in_points() -> None:
    """A share is shown to move only where that holds for all verdicts at once."""
    rows = [(q, k, "yes" if (q + k) % 2 else "no") for q in range(80) for k in range(3)]
    before = pd.DataFrame(rows, columns=["question", "replication", "verdict"])
    after = before.assign(verdict=before["verdict"].mask(before["question"] % 4 == 0, "yes"))
    said = " ".join(repr(ir.compare(before, after, columns={"file": "time"})).split())
    share = [100 * (one["verdict"] == "yes").mean() for one in (before, after)]
    assert said.startswith("second gives 'yes' more often:")
    assert f"({share[1] - share[0]:+.0f} points" in said


@pytest.mark.slow
def test_verdicts_that_flipped_both_ways_are_said_to_differ() -> None:
    """Equal shares hide no flips: two verdicts of both sides differ, by a count of all pairs."""
    own = [int(q < 15) for q in range(30)]
    flipped = [own[q] ^ (q % 3 == 0) for q in range(30)]
    draws = np.random.default_rng(1)
    sep, oct_ = (draws.random((30, 10)) < 0.05 + 0.9 * np.array([of]).T for of in (own, flipped))
    rows = [
        (month, f"a{q}", "pass" if x else "fail")
        for month, side in (("sep", sep), ("oct", oct_))
        for q in range(30)
        for x in side[q]
    ]
    table = pd.DataFrame(rows, columns=["month", "question", "verdict"])
    found = ir.compare(table, by="month")
    across = np.mean([[x != y for x in sep[q] for y in oct_[q]] for q in range(30)])
    within = np.mean([2 * x.sum(1) * (~x).sum(1) / 90 for x in (sep, oct_)])
    said = " ".join(repr(found).split())
    start = f"Verdicts of sep and oct differ in {across:.0%} of pairs, those of one side alone in "
    assert said.startswith(f"{start}{within:.0%}: beyond noise by {100 * (across - within):.0f} po")
    was, now = (1 - side.mean() for side in (sep, oct_))
    assert "That shares of verdicts differ is not shown: 'fail' is " in said
    assert f"is {was:.0%} of sep's and {now:.0%} of oct's" in said
    above = found.summary().set_index("coefficient").loc["differ beyond noise"]
    assert above["difference"] == pytest.approx(across - within)
    redrawn = draws.random((30, 10)) < 0.05 + 0.9 * np.array([own]).T
    same = table[:300].assign(month="nov", verdict=np.where(redrawn.ravel(), "pass", "fail"))
    steady = " ".join(repr(ir.compare(pd.concat([table[:300], same]), by="month")).split())
    assert "That verdicts of sep and nov differ beyond noise is not shown" in steady
    [ends] = re.findall(r"of nov's \(\S+ points? \[(-?\d+), (-?\d+)\]\)", steady)
    start = "No difference between sep and nov is shown; the share of 'pass' differs by "
    assert steady.startswith(f"{start}{max(abs(int(one)) for one in ends)} point")
    assert "No difference" not in said


@pytest.mark.slow
@pytest.mark.parametrize("labelled", [0, 1])
def test_labels_of_one_side_can_count_for_both(labelled: int) -> None:
    """The next call gives them to both, and says who is right more often."""
    before, after = grades_moved()
    sides = [before, after]
    right = before.groupby("question")["verdict"].first().rename("human_grade")
    sides[labelled] = sides[labelled].merge(right, on="question")
    columns = {"human_grade": "label"}
    said = repr(ir.compare(*sides, columns=columns))
    assert "if both judged the same outputs, count the labels of " in said
    call = said[said.index("ir.compare(") :].splitlines()[0]
    named = {"ir": ir, "judgments": sides[0], "new": sides[1]}
    assert "is right more often" in repr(eval(call, named))


@pytest.mark.slow
def test_a_command_says_how_labels_of_one_file_count_for_both(tmp_path: Path) -> None:
    """With the column that one of both files has, and the file whose labels these are."""
    before, after = grades_moved()
    before["mine"] = before.groupby("question")["verdict"].transform("first")
    files = [tmp_path / f"{name}.csv" for name in ("old", "new")]
    for frame, file in zip((before, after), files, strict=True):
        frame.to_csv(file, index=False)
    said = invoke("compare", *files, "--column", "mine=label")
    command = next(one for one in said.stdout.splitlines() if "compare" in one)
    assert command.endswith(f"--labels {files[0]}")
    again = invoke(*shlex.split(command.strip().removeprefix("inspect-reliability ")))
    assert "is right more often" in again.stdout
