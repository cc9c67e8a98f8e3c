"""The picture of labels as they came says what they showed, and where they decided."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

import inspect_reliability as ir
from inspect_reliability.answers.correction import validate_document
from inspect_reliability.answers.labels_as_drawn import goal_in, records_as_drawn, stop_in_words
from inspect_reliability.showing import render
from inspect_reliability.stats.anytime import Goal
from inspect_reliability.stats.planning import log_evidence


def judged(n: int = 200, seed: int = 3) -> tuple[pd.DataFrame, dict[str, str]]:
    """Verdicts of a judge that is right in 92%, five times, and the right ones."""
    generator = np.random.default_rng(seed)
    truth = generator.choice(["yes", "no"], n)
    chance = generator.choice([0.99, 0.6], n, p=[0.85, 0.15])
    rows = [
        {"question": f"q{q}", "verdict": right if generator.random() < p else other}
        for q, (right, p) in enumerate(zip(truth, chance, strict=True))
        for other in [{"yes": "no", "no": "yes"}[right]]
        for _ in range(5)
    ]
    return pd.DataFrame(rows), {f"q{q}": right for q, right in enumerate(truth)}


def labelled(goal: Goal, skipped: int = 0) -> tuple[ir.Analysis, pd.DataFrame, dict[str, str]]:
    verdicts, truth = judged()
    named = {"keep": {"max_error": goal.value}, "gate": {"least": {"accuracy": goal.value}}}
    asked = named.get(goal.kind, {"half_width": goal.value})
    sheet = ir.label(verdicts, for_=goal.kind, most=130, **asked).sheet
    sheet["target"] = [None if n < skipped else truth[name] for n, name in enumerate(sheet["id"])]
    sheet["unsure"] = [1 if n < skipped else None for n in range(len(sheet))]
    return ir.analyse(verdicts, labels=sheet), sheet, truth


@pytest.mark.parametrize("goal", [Goal("gate", 0.8), Goal("width", 0.12), Goal("keep", 0.15)])
def test_a_goal_is_read_as_it_is_written(goal: Goal) -> None:
    """And nothing else is one."""
    assert goal_in(stop_in_words(goal)) == goal
    for odd in (None, "", "gate", "gate accuracy=0", "gate accuracy=2", "keep max_error=.1"):
        assert goal_in(odd) is None


@pytest.mark.slow
def test_each_block_is_that_of_the_labels_so_far() -> None:
    """Shares by hand; ends where the evidence of either side reaches 2 / .05 for the first time."""
    goal = Goal("gate", 0.8)
    analysis, sheet, truth = labelled(goal, skipped=3)
    verdicts, _ = judged()
    [row] = analysis.rows
    found = records_as_drawn(row, goal)
    assert [one["reached"] for one in found] == [20, 40, 60, 80, 100, 120, 130]
    right = (verdicts["verdict"] == verdicts["question"].map(truth)).groupby(verdicts["question"])
    shares = right.mean()[sheet["id"]].to_numpy()
    needed = np.log(2 / 0.05)

    def low(some, limit):
        return max(log_evidence(some - limit, limit)) - needed

    for one in found:
        some = shares[3 : one["reached"]]
        assert one["right"] == pytest.approx(some.mean())
        end = optimize.brentq(lambda limit, some=some: low(some, limit), 0.01, some.mean())
        assert one["right_interval"][0] == pytest.approx(end, abs=1e-6)
        decided = one["right_interval"][0] >= 0.8 or one["right_interval"][1] < 0.8
        assert (one["labels"] == "decided") == decided
    assert {one["labels"] for one in found} == {"decided", "not decided yet"}


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_picture_ends_as_the_command_does() -> None:
    """What may be kept is decided where `keep` promises it; the page says after how many."""
    goal = Goal("keep", 0.15)
    analysis, *_ = labelled(goal)
    [row] = analysis.rows
    found = records_as_drawn(row, goal)
    assert analysis.panels[0].stopped == stop_in_words(goal)
    first = next(one["reached"] for one in found if one["labels"] == "decided")
    page = render(validate_document(analysis), "html")
    assert f"Decided after {first}." in page
    assert "at most 15% of what is kept may be wrong" in page
    width, *_ = labelled(Goal("width", 0.01))
    [picture] = validate_document(width).charts()
    assert picture.words.endswith("Not decided yet.")
    assert {one["labels"] for one in picture.records} == {"not decided yet"}
    # Labels whose number was fixed have no such picture.
    verdicts, truth = judged()
    labels = pd.DataFrame({"id": [*truth], "label": [*truth.values()]})
    assert not validate_document(ir.analyse(verdicts, labels=labels)).charts()
