"""A whole report of verdicts of every kind."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.answers import analyse

KINDS: dict[str, Callable[[np.random.Generator, int], object]] = {
    "yes or no": lambda drawn, q: ["no", "yes"][int(drawn.random() < 0.1 * q)],
    "grades of 1 to 5": lambda drawn, q: int(np.clip(q // 2 + drawn.integers(2), 1, 5)),
    "points of 0 to 100": lambda drawn, q: int(10 * q + drawn.integers(10)),
    "decimals": lambda drawn, q: round(q / 10 + drawn.random(), 3),
    "words of a long list": lambda drawn, q: f"word {3 * q + drawn.integers(6)}",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_its_whole_report_can_be_made(kind: str) -> None:
    """With labels and without; coefficients that a kind does not have are no obstacle."""
    drawn = np.random.default_rng(1)
    rows = [(f"q{q}", KINDS[kind](drawn, q)) for q in range(8) for _ in range(4)]
    table = pd.DataFrame(rows, columns=["question", "verdict"])
    labels = table.groupby("question")["verdict"].first()
    for found in (analyse(table), analyse(table, labels=labels)):
        assert found.to_latex().count("tabular") > 1
