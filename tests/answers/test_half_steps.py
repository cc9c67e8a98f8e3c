"""Labels between two grades of a judge, as the mean of two people."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import inspect_reliability as ir
from inspect_reliability import card
from inspect_reliability.answers import analyse
from inspect_reliability.answers.analysis import Analysis


def graded(shift: float = 0.0, n: int = 60, **more: object) -> pd.DataFrame:
    """Two tries of a grade and a label on half steps, 3.5 as people write it."""
    generator = np.random.default_rng(3)
    label = generator.integers(2, 11, n) / 2
    tries = [
        np.clip(np.floor(label + generator.normal(0.5 + shift, 0.6, n)), 1, 5).astype(int)
        for _ in "12"
    ]
    both = [
        pd.DataFrame({"question": np.arange(n), "verdict": one, "label": label}) for one in tries
    ]
    return pd.concat(both).assign(**more)


def halves(label: pd.Series, grade: int) -> pd.Series:
    """How much of a label a grade is, by hand."""
    return (1 - (label - grade).abs() * 1.0).where((label - grade).abs() <= 0.5, 0)


@pytest.fixture(scope="module")
def report() -> Analysis:
    return analyse(graded())


def test_a_label_between_two_grades_is_said_to_be_half_of_each(report: Analysis) -> None:
    """Right exactly counts half beside it; whole labels need no word."""
    frame = graded()
    right = (
        np.mean(
            [
                halves(frame["label"], grade)[frame["verdict"] == grade].sum()
                for grade in range(1, 6)
            ]
        )
        * 5
        / len(frame)
    )
    assert report.results["validity"][0]["accuracy"] == pytest.approx(right)
    said = "(a label between two grades is half of each)"
    assert said in str(report)
    assert said not in str(analyse(frame.assign(label=frame["label"].round())))


def test_corrected_shares_leave_no_label_out(report: Analysis) -> None:
    """Where everything is labelled, they are the labels' own, halves counted, and add up to 1."""
    label = graded()["label"]
    found = {one["category"]: one["rate"] for one in report.results["corrected"]}
    assert found == pytest.approx({str(k): halves(label, k).mean() for k in range(1, 6)})
    assert sum(found.values()) == pytest.approx(1)


def test_no_difference_of_means_is_said_and_one_that_is_shown_too(report: Analysis) -> None:
    """The mean over questions of mean grade less label, with the interval of Student's t."""
    frame = graded()
    by_question = frame.groupby("question")[["verdict", "label"]].mean()
    apart = by_question["verdict"] - by_question["label"]
    low, high = stats.t.interval(0.95, len(apart) - 1, apart.mean(), apart.sem())
    mean, *ends = (f"{one:z.2f}" for one in (apart.mean(), low, high))
    assert low < 0 < high
    said = f"No difference from people's mean grade is seen ({mean} [{', '.join(ends)}])."
    assert said in " ".join(str(report).split())
    assert "higher than people" in str(analyse(graded(shift=0.4)))
    [row] = card(graded()).to_dict()["rows"]
    assert row["mean_error"] == pytest.approx(apart.mean())
    assert "By labels: Mean grade less people's" in str(ir.card(graded()))


def test_of_several_judges_each_is_named() -> None:
    """No difference is that of one judge."""
    both = pd.concat([graded(judge="a"), graded(shift=0.4, judge="b")])
    said = " ".join(str(analyse(both)).split())
    assert "No difference of a from people's mean grade is seen" in said
    assert "b grades 0." in said
