"""Rows of many judges and temperatures: their order, their status, and what comes next."""

import pandas as pd
import pytest

import inspect_reliability as ir
from inspect_reliability.answers import analyse


def sweep(right: dict[tuple[str, float], int], questions: int = 20) -> pd.DataFrame:
    """Judges at temperatures, each right in so many of 10 tries of every question."""
    return pd.DataFrame(
        [
            (judge, t, f"q{q}", k, "AB"[(q + (k >= n)) % 2], "AB"[q % 2])
            for (judge, t), n in right.items()
            for q in range(questions)
            for k in range(10)
        ],
        columns=["judge", "temperature", "question", "replication", "verdict", "label"],
    )


def listed(frame: pd.DataFrame) -> list[tuple[str, float]]:
    """The rows in the order of a table."""
    rows = analyse(ir.judgments_from_frame(frame), ()).listed
    return [(row.keys["judge"], row.keys["temperature"]) for row in rows]


SWEPT = {("a", 1.0): 5, ("a", 0.5): 6, ("b", 1.0): 8, ("b", 0.5): 9}


@pytest.mark.slow
def test_few_rows_stay_together_by_judge_the_best_first() -> None:
    """Temperatures of a judge stand together in one order; the judge with the best row leads."""
    found = listed(sweep(SWEPT))
    assert [judge for judge, _ in found] == ["b", "b", "a", "a"]
    assert [t for _, t in found[:2]] == [t for _, t in found[2:]]


@pytest.mark.slow
def test_of_many_rows_the_best_of_each_judge_leads() -> None:
    """A terminal shows eight rows, which hide no judge behind temperatures of another one."""
    more = {(judge, t): 1 for judge in "abc" for t in (1.5, 2.0)}
    found = listed(sweep(SWEPT | {("c", 1.0): 2, ("c", 0.5): 3} | more, questions=8))
    assert found[:3] == [("b", 0.5), ("a", 0.5), ("c", 0.5)]
    assert found[3:6] == [("b", 1.0), ("a", 1.0), ("c", 1.0)]


@pytest.mark.slow
def test_many_labelled_rows_lead_to_a_choice() -> None:
    """What to take is among the rows already, so nothing else is judged first."""
    texts = [
        str(getattr(one, "text", "")) for one in _blocks(SWEPT | {("c", 1.0): 2, ("c", 2.0): 3})
    ]
    assert any("choose the judge, the temperature and the votes" in one for one in texts)
    assert not any("choose the judge" in str(getattr(one, "text", "")) for one in _blocks(SWEPT))


def _blocks(right: dict[tuple[str, float], int]) -> list[object]:
    return [*ir.analyse(sweep(right)).document(ir.analyse(sweep(right))).blocks]
