"""Real judgments as a user would save them: what each file is read as, and what is asked of it."""

import shlex
from pathlib import Path

import pandas as pd
import pytest

from commands import invoke
from inspect_reliability import analyse
from inspect_reliability.judgments.described import described
from inspect_reliability.judgments.reading import Code, Reading
from inspect_reliability.judgments.sources import judgments_from

_OTHER_NAMES = "Read: 2 judges x 877 questions of 3 benchmarks x 1 try; labels of 877 questions"

READ = {
    "debias_letters": _OTHER_NAMES,
    "debias_models": _OTHER_NAMES,
    "debias_raw": "Read: 2 judges x 877 questions x 1 try; labels of 877 questions",
    "empty40": "Read: 1 judge x 96 questions x 6 tries",
    "fewtext": "Read: 1 judge x 805 questions x 3 tries",
    "mtbench_order_lists_ties": "Read: 9 judges x 96 questions x 2 orders x 1 to 2 tries",
    "otherscale": "Read: 1 judge x 805 questions x 3 tries; labels of 805 questions",
    "scoretext": "Read: 1 judge x 805 questions x 3 tries",
    "slash10": "Read: 1 judge x 805 questions x 3 tries",
}
"""Files that mean one thing -> how the line of what was read begins."""

ASKED = {
    "llmbar_colliding": {Code.ORDERS_OPEN, Code.REPEATS_OPEN},
    "llmbar_rounds": {Code.ORDERS_OPEN},
    "mixedcase": {Code.ORDERS_OPEN},
    "mtbench_letters_named": {Code.ORDERS_OPEN},
    "pandalm_evaluator": {Code.NUMBERS_OPEN},
    "pandalm_nolabel": {Code.NUMBERS_OPEN},
    "pandalm_raters_long": {Code.NUMBERS_OPEN},
    "spaces": {Code.ORDERS_OPEN},
    "unequal": {Code.ORDERS_OPEN},
}
"""Files that can mean two things -> what is asked of them."""

TRIED = (
    *("llmbar_colliding", "mtbench_letters_named"),
    *("pandalm_evaluator", "pandalm_nolabel"),
)
"""Of these, each with another of the answers."""

SAID = {
    "empty40": Code.FAILURES,
    "fewtext": Code.FAILURES,
    "mixedcase": Code.SPELLING,
    "scoretext": Code.NUMBERS,
    "slash10": Code.NUMBERS,
    "spaces": Code.SPELLING,
}
"""Files of which something is said -> what it is about."""


@pytest.fixture
def doors(data: Path) -> Path:
    """The folder of these files."""
    folder = data / "doors"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_said(name: str, doors: Path) -> None:
    """A file that means one thing is read as it is meant; nothing is asked, changes are said."""
    found = judgments_from([str(doors / f"{name}.csv")])
    assert not found.asked
    assert described(found).startswith(READ[name])
    if name in SAID:
        assert SAID[name] in {one.code for one in found.notes}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_what_can_mean_two_things_is_asked_at_once(name: str, doors: Path, tmp_path: Path) -> None:
    """Before any number, of a row in seven as of all; a call that is offered is accepted."""
    rows = pd.read_csv(doors / f"{name}.csv", dtype=str, keep_default_na=False)
    rows[::7].to_csv(file := str(tmp_path / f"{name}.csv"), index=False)
    found = judgments_from([file])
    asked = found.asked
    assert {one.code for one in asked} == ASKED[name]
    assert SAID.get(name, Code.CHOSE) in {Code.CHOSE, *(one.code for one in found.notes)}
    if name in TRIED:  # files ask the same questions
        choice = asked[0].choices[TRIED.index(name) % len(asked[0].choices)]
        rest = [one.choices[0].call for one in asked[1:]]
        call = [part for one in [choice.call, *rest] for part in shlex.split(one)]
        assert not invoke("read", file, *call).exit_code, choice.call


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "across", "within"),
    [("claude-3-haiku-20240307", 0.345, 0.212), ("gpt-4-0613", 0.132, 0.061)],
)
def test_letters_of_a_swapped_order_are_exchanged(
    doors: Path, judge: str, across: float, within: float
) -> None:
    """Counted by the makers' own script: how often verdicts differ across and within orders."""
    analysis = analyse(str(doors / "mtbench_letters_named.csv"), swap=True)
    moves = analysis.frame("moves").set_index("judge").loc[judge]
    assert moves["disagreement_across"] == pytest.approx(across, abs=5e-4)
    assert moves["disagreement_within"] == pytest.approx(within, abs=5e-4)


@pytest.mark.slow
def test_a_verdict_given_once_stays_one(doors: Path) -> None:
    """Three raters are three labels, not three tries of the judge."""
    tie = Reading(map={"0": "Tie"})
    rows = analyse(str(doors / "pandalm_raters_long.csv"), reading=tie).frame("rows")
    assert rows["omega"].isna().all()
    assert rows["n_judgments"].eq(999).all()


@pytest.mark.slow
def test_grades_of_another_scale_are_not_wrong(doors: Path) -> None:
    """Verdicts from 1 to 10 beside labels from 1 to 5 have a rank correlation alone."""
    found = analyse(str(doors / "otherscale.csv")).frame("validity").iloc[0]
    assert 0 < found["rank_correlation"] <= 1
    assert found["accuracy"] is None
    assert "two scales" in found["not_estimable"]
