"""What a report says of the variance of a score."""

import numpy as np
import pandas as pd

from inspect_reliability.answers.score_variance import of_suite


def graded(runs: bool) -> pd.DataFrame:
    """Ten grades of each of 40 outputs, or runs up to the first that is correct."""
    chance = np.random.default_rng(0)
    easy = chance.random(40)
    rows = [
        {"sample": q, "epoch": 1, "judge": "g", "verdict": "CI"[int(chance.random() > easy[q])]}
        for q in range(40)
        for _ in range(10)
    ]
    table = pd.DataFrame(rows)
    if runs:
        correct = (table["verdict"] == "C").astype(int)
        table = table[correct.groupby(table["sample"]).transform(lambda c: c.cumsum() - c) == 0]
        table["epoch"] = table.groupby("sample").cumcount() + 1
    return table


def test_runs_until_the_first_success_get_a_caution() -> None:
    """Questions that were run until they passed have fewer runs the better their score."""
    (said,) = of_suite("rejudge", graded(runs=True))["cautions"]
    assert said.startswith("Questions have between 1 and 10 runs with a grade")
    assert "(p = 0.001)" in said
    assert of_suite("rejudge", graded(runs=False))["cautions"] == []
