"""What a report costs grows with its rows, and no faster."""

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from inspect_reliability.answers import analyse
from inspect_reliability.judgments.sources import judgments_from_file, judgments_from_frame
from inspect_reliability.stats import Cells, intervals, panel


def calls(work: Callable[[], object]) -> int:
    """Functions called, and generators resumed, by a piece of work."""
    found = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal found
        found += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("column", ["judge", "wording"])
def test_twice_the_rows_take_twice_the_calls(column: str) -> None:
    """Judges, and levels of a facet, are not compared with all others."""
    each = []
    for levels in (10, 40):
        cells = [
            (f"x{n}", f"q{q}", r, "AB"[(n + q * r) % 2])
            for n in range(levels)
            for q in range(4)
            for r in (1, 2)
        ]
        frame = pd.DataFrame(cells, columns=[column, "question", "replication", "verdict"])
        analysis = analyse(judgments_from_frame(frame))
        assert len(analysis.estimates("rows")) == levels  # which computes them
        each.append(calls(lambda analysis=analysis: analysis.estimates("rows")) / levels)
    assert each[1] < 1.5 * each[0]


@pytest.mark.slow
def test_a_page_does_not_hold_long_names_as_often_as_it_shows_them() -> None:
    """Questions of a million characters are cut."""
    cells = [(f"q{q} " + "x" * 1_000_000, r, "AB"[q * r % 2]) for q in range(4) for r in (1, 2)]
    frame = pd.DataFrame(cells, columns=["question", "replication", "verdict"])
    page = analyse(judgments_from_frame(frame)).to_html()
    assert len(page) < 1_000_000
    assert "q3 xxx" in page


@pytest.mark.slow
def test_a_question_takes_few_calls(tmp_path: Path) -> None:
    """A million questions are numbers in arrays; only their names are read one by one."""
    each = []
    for n in (9, 500, 1_500):  # the first imports what is needed
        cells = [(f"q{q}", r, "AB"[q * r % 2]) for q in range(n) for r in (1, 2)]
        frame = pd.DataFrame(cells, columns=["question", "replication", "verdict"])
        frame.to_csv(tmp_path / f"{n}.csv", index=False)
        each.append(calls(lambda n=n: str(analyse(judgments_from_file(tmp_path / f"{n}.csv")))))
    assert each[2] - each[1] < 3.5 * 1_000


def test_a_question_is_added_once_for_all_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of several coefficients share the sums with a noise or a settled question."""
    made = []
    one = intervals.with_one

    def counted(*given: Any) -> Any:
        made.append(given)
        return one(*given)

    monkeypatch.setattr(intervals, "with_one", counted)
    given = Cells([[3, 1], [2, 2], [0, 4], [4, 0]], "wxyz", ("A", "B"))
    panel(given, ["agreement", "gwet_ac1", "brennan_prediger"])
    assert len(made) == 2


@pytest.mark.slow
def test_a_long_verdict_is_held_a_few_times() -> None:
    """A verdict and a label of a million characters: no array has room for as many everywhere."""

    def held(verdict: str) -> int:
        cells = [
            (f"q{q}", r, verdict if q * r == 2 else "AB"[q * r % 2], verdict if q == 1 else "A")
            for q in range(9)
            for r in (1, 2)
        ]
        frame = pd.DataFrame(cells, columns=["question", "replication", "verdict", "label"])
        judgments = judgments_from_frame(frame)
        tracemalloc.start()
        analyse(judgments).document(analyse(judgments))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    held("x")  # and what is imported for it
    assert held("x" * 1_000_000) < 10_000_000
