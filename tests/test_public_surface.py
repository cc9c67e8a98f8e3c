"""What users import, with the types they see: mypy checks this file, pytest runs it."""

from pathlib import Path
from typing import assert_type

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Metric, Scorer, accuracy, match

import inspect_reliability
from inspect_reliability import (
    Counts,
    Judgments,
    judgments_from_frame,
    judgments_from_logs,
    omega,
    rejudge,
    rejudge_log,
    reliability,
    score_variance,
)
from inspect_reliability.stats import Decomposition, Estimate


def test_every_public_name_can_be_imported() -> None:
    """The names that the package lists are there, and no other name is."""
    for name in inspect_reliability.__all__:
        assert callable(getattr(inspect_reliability, name)), name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        inspect_reliability.nothing  # noqa: B018


def test_a_suite_takes_the_metric_and_the_scorer() -> None:
    """`reliability()` is a metric and `rejudge()` a scorer, to inspect and to a type checker."""
    metric = reliability()
    assert_type(metric, Metric)
    scorer = rejudge(match(), replications=3)
    assert_type(scorer, Scorer)
    dataset = [Sample(input="1 + 1?", target="2")]
    task = Task(dataset=dataset, scorer=scorer, metrics=[accuracy(), metric], epochs=2)
    assert task.metrics is not None
    assert len(task.metrics) == 2
    with pytest.raises(TypeError, match="replication"):
        rejudge(match(), replication=3)  # type: ignore[call-arg]


def test_counts_and_their_omega() -> None:
    """Statistics are used without inspect: counts in, an estimate out."""
    counts = Counts(np.array([[3, 1], [1, 3], [4, 0]]), ("a", "b", "c"), ("yes", "no"))
    estimate = omega(counts)
    assert_type(estimate, Estimate)
    assert_type(estimate.value, float | None)
    assert_type(estimate.reason, str | None)
    assert estimate.n_questions == 3


def test_judgments_of_a_frame() -> None:
    """A data frame of judgments becomes a table of judgments."""
    frame = pd.DataFrame({"question": ["a", "a"], "replication": [1, 2], "verdict": ["A", "B"]})
    judgments = judgments_from_frame(frame, judge="me", benchmark="mine")
    assert_type(judgments, Judgments)
    assert_type(judgments.table, pd.DataFrame)
    assert len(judgments.table) == 2


def of_logs(folder: Path, log: EvalLog) -> None:
    """Checked by mypy only."""
    judgments = judgments_from_logs([folder, log])
    assert_type(judgments, Judgments)
    assert_type(score_variance(judgments.table), Decomposition)
    assert_type(rejudge_log(log, replications=6), EvalLog)
