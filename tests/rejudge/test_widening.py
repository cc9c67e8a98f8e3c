"""Advice on the interval of a published score."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
)

from inspect_reliability.report.score_variance import of_suite
from inspect_reliability.report.values import Record


def of_published(
    stderr: float, questions: int = 40, judged: int | None = None, runs: bool = False
) -> Record:
    """Advice on a score of this standard error, from 10 grades of each output, or of 10 runs."""
    again = {"scorer": {"name": "wins", "params": {}}}
    scorers: Any = [{"name": "wins", "options": {}}, {"name": "rejudge", "options": again}]
    log = EvalLog(
        eval=EvalSpec(
            created="2026-01-01",
            task="t",
            dataset=EvalDataset(),
            model="none/none",
            config=EvalConfig(),
            scorers=scorers,
        ),
        samples=[EvalSample(id=q, epoch=1, input="?", target="") for q in range(questions)],
        results=EvalResults(
            scores=[
                EvalScore(
                    name="wins",
                    scorer="wins",
                    metrics={"stderr": EvalMetric(name="stderr", value=stderr)},
                )
            ]
        ),
    )
    chance = np.random.default_rng(0)
    easy = chance.random(questions)
    rows = [
        {"sample": q, "epoch": 1, "judge": "g", "verdict": "CI"[int(chance.random() > easy[q])]}
        for q in range(judged or questions)
        for _ in range(10)
    ]
    table = pd.DataFrame(rows)
    if runs:  # up to the first that is correct
        correct = (table["verdict"] == "C").astype(int)
        table = table[correct.groupby(table["sample"]).transform(lambda c: c.cumsum() - c) == 0]
        table["epoch"] = table.groupby("sample").cumcount() + 1
    return of_suite(log, "rejudge", table)


@pytest.mark.parametrize("times", [0.5, 1.0, 3.0])
def test_a_factor_has_an_interval_and_is_never_below_one(times: float) -> None:
    """One grade of a coin of uniform bias has variance 1/4, so an error of .5/sqrt(n) is right."""
    found = of_published(0.5 / 40**0.5 / times)
    low, high = found["widening_interval"]
    assert 1 <= low <= high
    assert low <= max(times, 1) <= high
    assert (low > 1) == (times > 1)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"questions": 10}, "it takes 20 questions with a grade, and there are 10"),
        ({"judged": 30}, "30 of 40 outputs have a grade; advice takes all of them"),
        ({"stderr": 0.0}, "A standard error is positive"),
    ],
)
def test_advice_says_what_it_lacks(given: dict[str, Any], reason: str) -> None:
    """From few questions or a part of the outputs there is no factor, and the reason is said."""
    found = of_published(**{"stderr": 0.1, **given})
    assert found["widening"] is None
    assert reason in found["widening_reason"]


def test_runs_until_the_first_success_get_a_caution() -> None:
    """Questions that were run until they passed have fewer runs the better their score."""
    (said,) = of_published(0.1, runs=True)["cautions"]
    assert said.startswith("Questions have between 1 and 10 runs with a grade")
    assert "(p = 0.001)" in said
    assert of_published(0.1)["cautions"] == []
