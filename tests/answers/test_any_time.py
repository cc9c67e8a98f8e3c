"""Evidence that is valid at any time takes questions in the order of the asking."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.answers.gate import gate
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import save
from inspect_reliability.stats.planning import OPEN, PASSES

RIGHT_FIRST = [1] * 60 + [0] * 40
"""Which of 100 questions a judge is right on: evidence for .8 reaches 40 early, then shrinks."""

FORWARD = [f"q{n:03}" for n in range(100)]


def verdicts(names: list[str], right: list[int], benchmark: str | None = None) -> pd.DataFrame:
    """One verdict a question, with its label."""
    given = {"question": names, "verdict": ["C" if one else "I" for one in right], "label": "C"}
    return pd.DataFrame(given if benchmark is None else {"benchmark": benchmark, **given})


def decided(judgments: Any, limit: float = 0.8, **labels: Any) -> str:
    """What the gate says of accuracy."""
    return gate(judgments, least={"accuracy": limit}, anytime=True, **labels).result


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [FORWARD, FORWARD[::-1], [f"q{n}" for n in range(100)]],
    ids=["a to z", "z to a", "unpadded"],
)
def test_renaming_questions_changes_nothing(names: list[str]) -> None:
    """Evidence is the mean wealth of 20 bets along the rows, whatever these are called."""
    bets = np.arange(1, 21)[:, None] / 20 / 0.8
    wealth = np.cumprod(1 + bets * (0.2 - (1 - np.array(RIGHT_FIRST))), axis=1).mean(axis=0)
    assert wealth.max() >= 40 > wealth[-1]
    (found,) = gate(verdicts(names, RIGHT_FIRST), least={"accuracy": 0.8}, anytime=True).checks
    assert (found["result"], found["evidence_for"]) == (PASSES, pytest.approx(wealth[-1]))
    (rate,) = gate(verdicts(names, RIGHT_FIRST), most={"wrong": 0.2}, anytime=True).checks
    assert rate["evidence_for"] == pytest.approx(wealth[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "limits", [{"most": {"non_response_rate": 0.2}}, {"least": {"omega": 0.6}}]
)
def test_every_limit_follows_the_rows(limits: dict[str, Any]) -> None:
    """A rate and omega have the same evidence under other names."""
    said = [("A", "A"), ("B", "B")] * 30 + [("A", "B"), (None, "B")] * 10
    evidence = set()
    for names in (FORWARD[:80], FORWARD[79::-1]):
        rows = [(name, one) for name, tries in zip(names, said, strict=True) for one in tries]
        frame = pd.DataFrame(rows, columns=["question", "verdict"])
        (found,) = gate(frame, anytime=True, **limits).checks
        evidence.add((round(found["evidence_for"], 9), round(found["evidence_against"], 9)))
    assert len(evidence) == 1


@pytest.mark.slow
def test_questions_that_are_added_keep_what_is_decided(tmp_path: Path) -> None:
    """Files of nights follow one another by their numbers, and a saved file keeps their order."""
    frame = verdicts([f"q{99 - n}" for n in range(100)], RIGHT_FIRST)
    for n in range(10):
        frame[10 * n : 10 * n + 10].to_csv(tmp_path / f"night-{n + 1}.csv", index=False)
    files = sorted(map(str, tmp_path.iterdir()))
    assert files[1].endswith("night-10.csv")
    assert decided(files) == PASSES != decided(files[::-1])
    save(judgments_from(files), tmp_path / "all.parquet")
    assert decided(str(tmp_path / "all.parquet")) == PASSES


def test_one_name_in_two_benchmarks_is_two_questions() -> None:
    """The second benchmark's question of a name is asked when its row comes."""
    names = FORWARD[:50]
    both = [verdicts(names, RIGHT_FIRST[:50], "b"), verdicts(names, RIGHT_FIRST[50:], "a")]
    assert decided(pd.concat(both), by="judge") == PASSES


@pytest.mark.slow
def test_labels_that_are_added_keep_what_is_decided() -> None:
    """With labels in a file of their own either may grow, so both orders must decide."""
    frame = verdicts(FORWARD, RIGHT_FIRST)
    judged = frame.drop(columns="label")
    labels = frame.rename(columns={"question": "id"})[["id", "label"]]
    assert decided(judged, labels=labels) == PASSES
    assert decided(judged, labels=labels[::-1]) == decided(judged[::-1], labels=labels) == OPEN


@pytest.mark.slow
def test_labels_keep_their_order_beside_a_saved_file(tmp_path: Path) -> None:
    """A benchmark that is missing is one, whether a text or a saved file lacks it."""
    frame = verdicts(FORWARD[::-1], RIGHT_FIRST)
    labels = frame.rename(columns={"question": "id"})[["id", "label"]]
    judged = [frame.drop(columns="label").assign(judge=judge) for judge in "ab"]
    judged[0].to_csv(tmp_path / "a.csv", index=False)
    save(judgments_from(judged[1]), tmp_path / "b.parquet")
    files = [str(tmp_path / "a.csv"), str(tmp_path / "b.parquet")]
    found = gate(files, least={"accuracy": 0.8}, anytime=True, labels=labels).checks
    assert [one["result"] for one in found] == [PASSES, PASSES]
