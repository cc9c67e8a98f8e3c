"""Data frames as data scientists have them: what functions say, and the calls that they offer."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke


def graded(n: int = 60, labelled: int = 30) -> pd.DataFrame:
    """Grades under two prompts, v1 with more noise, five tries each; labels of the first ones."""
    draws = np.random.default_rng(4)
    right = draws.integers(1, 6, n)
    rows = [
        (1000 + q, prompt, k, int(np.clip(right[q] + round(draws.normal(0, noise)), 1, 5)))
        for prompt, noise in (("v1", 1.5), ("v2", 0.4))
        for q in range(n)
        for k in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["qid", "prompt", "try", "grade"])
    human = frame["qid"].map(lambda q: right[q - 1000] if q < 1000 + labelled else np.nan)
    return frame.assign(human=human)


COLUMNS = {"human": "label", "prompt": "judge"}


@pytest.mark.slow
def test_a_gate_takes_the_file_of_a_choice(tmp_path: Path) -> None:
    """It holds the chosen judge, with its votes, to the limit, as the command does."""
    frame, file, choice = graded(), tmp_path / "grades.csv", tmp_path / "choice.yaml"
    some = frame.assign(human=frame["human"].where(frame["qid"] < 1015))
    ir.choose(some, columns=COLUMNS, out=choice)
    frame.to_csv(file, index=False)
    found = ir.gate(frame, columns=COLUMNS, rule=choice, least={"within_one": 0.5})
    [row] = found.summary().to_dict("records")
    means = frame[frame["prompt"] == "v2"].groupby("qid")["grade"].mean().round()
    off = (means - frame.groupby("qid")["human"].first()).abs().dropna()[15:]  # 15 chose it
    assert (row["judge"], row["n_questions"]) == ("v2", 15)
    assert row["value"] == pytest.approx((off <= 1).mean())
    named = [f"--column={yours}={ours}" for yours, ours in COLUMNS.items()]
    asked = ("gate", file, *named, "--rule", choice, "--min", "within_one=0.5")
    assert repr(found).splitlines()[0] == invoke(*asked).stdout.splitlines()[0]


@pytest.mark.slow
def test_a_column_of_the_frame_as_labels_is_of_its_questions() -> None:
    """Its row numbers are no ids of questions, whether it is whole, without gaps or taken off."""
    frame = graded(60, 30)
    expected = ir.analyse(frame, columns=COLUMNS).frame("validity")["within_one"].tolist()
    bare, human = frame.drop(columns="human"), frame["human"]
    twice = pd.concat([frame[:300], frame[300:].set_axis(range(300))])
    cases = [(frame, human), (bare, human), (bare, human.dropna()), (bare, human.rename(None))]
    for given, labels in [*cases, (twice, twice["human"])]:
        found = ir.analyse(given, columns={"prompt": "judge"}, labels=labels)
        assert found.frame("validity")["within_one"].tolist() == expected
        assert "not judged" not in " ".join(map(str, found.judgments.notes))


@pytest.mark.slow
def test_an_index_that_may_be_rows_or_questions_is_refused() -> None:
    """Ids 0 to 59 are among the row numbers; a mapping, or a named index, has questions."""
    frame = graded().assign(qid=lambda some: some["qid"] - 1000)
    first = frame.drop_duplicates("qid").set_index("qid")["human"].dropna()
    bare = frame.drop(columns="human")
    with pytest.raises(ir.UserError, match="numbers of rows, or of questions"):
        ir.analyse(bare, columns={"prompt": "judge"}, labels=first.rename_axis(None))
    expected = ir.analyse(frame, columns=COLUMNS).frame("validity")["within_one"].tolist()
    for labels in (first, first.to_dict(), first.rename_axis(None).rename(None)):
        found = ir.analyse(bare, columns={"prompt": "judge"}, labels=labels)
        assert found.frame("validity")["within_one"].tolist() == expected
    one = frame[(frame["prompt"] == "v2") & (frame["try"] == 0)].reset_index(drop=True)
    found = ir.analyse(one, columns={"human": "unused"}, labels=one["human"])
    assert found.frame("validity")["n_labelled"].tolist() == [30]  # rows are the questions
