"""What a report costs grows with its rows, and no faster."""

import sys
from collections.abc import Callable

import pandas as pd
import pytest

from inspect_reliability.answers import analyse
from inspect_reliability.judgments.frame import judgments_from_frame


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
