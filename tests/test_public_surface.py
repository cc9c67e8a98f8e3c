"""What users import, with the types they see: mypy checks this file, pytest runs it."""

import html
import importlib.metadata
import re
from pathlib import Path
from typing import assert_type

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, list_eval_logs
from inspect_ai.scorer import Metric, Scorer, accuracy, match

import inspect_reliability.judgments
import inspect_reliability.stats
from inspect_reliability import (
    Analysis,
    Counts,
    Judgments,
    analyse,
    card,
    choose,
    compare,
    gate,
    judgments_from_frame,
    judgments_from_logs,
    keep,
    label,
    omega,
    plan,
    rejudge,
    rejudge_log,
    reliability,
    score_variance,
    watch,
)
from inspect_reliability.answers.card import JudgeCards
from inspect_reliability.answers.choose import JudgeChoice
from inspect_reliability.answers.compare import ComparedJudges
from inspect_reliability.answers.label_out import LabelDraw
from inspect_reliability.keeping.report import KeptVerdicts
from inspect_reliability.stats import Estimate
from inspect_reliability.stats.decomposition import Decomposition
from inspect_reliability.watching.report import WatchedJudge


def test_every_public_name_can_be_imported() -> None:
    """The names that the package lists are there, and no other name is."""
    for name in inspect_reliability.__all__:
        assert callable(getattr(inspect_reliability, name)), name
    assert {*inspect_reliability.__all__} < {*dir(inspect_reliability)}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        inspect_reliability.nothing  # noqa: B018
    for command, function in (("validate", "analyse"), ("read", "judgments_from_file")):
        with pytest.raises(AttributeError, match=f"it is a command, and {function} does it"):
            getattr(inspect_reliability, command)


@pytest.mark.slow
def test_columns_name_what_frames_call_otherwise() -> None:
    """Every call takes names of one's own, and says the same of them."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "question": [f"q{n}" for n in range(30) for _ in range(4)],
            "judge": np.tile(["a", "b"], 60),
            "verdict": rng.choice(["yes", "no"], 120, p=[0.8, 0.2]),
        }
    )
    yours = {"item": "question", "who": "judge", "said": "verdict"}
    own = frame.rename(columns={ours: name for name, ours in yours.items()})

    def said(one: pd.DataFrame, columns: dict[str, str] | None = None) -> list[pd.DataFrame]:
        return [
            analyse(one, columns=columns).frame(),
            compare(one, by="judge", columns=columns).summary(),
            plan(one, half_widths=[0.2], columns=columns).summary(),
            gate(one, least={"agreement": 0.5}, columns=columns).summary(),
        ]

    for found, expected in zip(said(own, yours), said(frame), strict=True):
        pd.testing.assert_frame_equal(found, expected)
    one = own[own["who"] == "a"]
    assert omega(one, columns=yours) == omega(frame[frame["judge"] == "a"])
    assert gate(frame, most={"agreement": 0.1}).result == "fails"


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


def frame(judges: dict[str, str]) -> pd.DataFrame:
    """Verdicts of judges on the questions a, b, ...: four letters each, two replications."""
    return pd.DataFrame(
        [
            (judge, "abcd"[n // 2], verdict)
            for judge, verdicts in judges.items()
            for n, verdict in enumerate(verdicts)
        ],
        columns=["judge", "question", "verdict"],
    )


STEADY, UNSTEADY = "xxyyxxyx", "xyyxxxxy"


@pytest.mark.slow
def test_omega_of_whatever_judgments_are_in(tmp_path: Path) -> None:
    """Counts, judgments, a data frame and a file have one omega: 1 - W / D by hand."""
    table = frame({"one": STEADY})
    table.to_csv(tmp_path / "one.csv", index=False)
    # One of four questions has a pair that differs. Of 6 pairs of questions with 4 pairs each, 14
    # differ: (xx, yy) 4, (xx, xx) 0, (xx, yx) 2, (yy, xx) 4, (yy, yx) 2, (xx, yx) 2.
    expected = 1 - (1 / 4) / (14 / 24)
    counts = Counts(np.array([[2, 0], [0, 2], [2, 0], [1, 1]]), tuple("abcd"), ("x", "y"))
    judgments = judgments_from_frame(table)
    for given in (counts, judgments, table, tmp_path / "one.csv", [str(tmp_path / "one.csv")]):
        assert omega(given).value == pytest.approx(expected)


@pytest.mark.slow
def test_conditions_are_never_pooled_silently() -> None:
    """Two judges have no omega together; asked for, each has its own, and a difference."""
    both = frame({"one": STEADY, "two": UNSTEADY})
    with pytest.raises(ValueError, match="2 conditions, which differ in judge"):
        omega(both)
    rows = analyse(both, by="judge").frame("rows").set_index("judge")["omega"]
    alone = [omega(frame({"": verdicts})).value or 0 for verdicts in (STEADY, UNSTEADY)]
    assert rows.tolist() == pytest.approx(alone)
    within = compare(both, by="judge")
    apart = compare(frame({"one": STEADY}), frame({"two": UNSTEADY}))
    assert_type(within, ComparedJudges)
    assert within.summary().equals(apart.summary())
    first = within.summary().set_index("coefficient").loc["omega"]
    assert (first["first"], first["second"]) == ("one", "two")
    assert first["difference"] == pytest.approx(alone[0] - alone[1])
    with pytest.raises(ValueError, match='by="judge"'):
        compare(both)
    with pytest.raises(ValueError, match="no column ''"):
        compare(both, by="")


@pytest.mark.slow
def test_an_analysis_in_a_notebook() -> None:
    """A notebook shows the page of the report, and draws its figures one by one."""
    found = analyse(frame({"one": STEADY}))
    assert_type(found, Analysis)
    page, shown = found.to_html(), found._repr_html_()
    framed = html.unescape(re.findall('srcdoc="([^"]*)"', shown)[0])
    numbers = r"\bf\d+-"  # figures of a process are numbered
    assert re.sub(numbers, "", framed) == re.sub(numbers, "", page)
    assert page.startswith("<!DOCTYPE html>")
    figures = found.figures()
    assert len(figures) == page.count("<figcaption>")
    assert all(figure._repr_svg_().startswith("<?xml") for figure in figures.values())
    assert next(iter(figures.values())).png.startswith(b"\x89PNG")


def test_names_say_what_they_are() -> None:
    """Help on a coefficient describes it; the version is that of the distribution."""
    for name, coefficient in inspect_reliability.stats.COEFFICIENTS.items():
        assert (coefficient.__doc__ or "").startswith(
            f"{coefficient.title}. {coefficient.about}"
        ), name
    assert (omega.__doc__ or "").startswith("Omega of one verdict")
    assert inspect_reliability.__version__ == importlib.metadata.version("inspect-reliability")


def of_logs(folder: Path, log: EvalLog) -> None:
    """Checked by mypy only."""
    judgments = judgments_from_logs([folder, log])
    assert_type(judgments_from_logs(list_eval_logs("logs")), Judgments)
    assert_type(judgments, Judgments)
    assert_type(score_variance(judgments.table), Decomposition)
    assert_type(rejudge_log("log.eval", replications=6), Task)
    assert_type(card("logs"), JudgeCards)
    assert_type(choose(judgments, labels="labels.csv"), JudgeChoice)
    assert_type(choose(judgments).after_choosing_interval, tuple[float, float] | None)
    assert_type(keep("logs", max_error=0.2).verdicts, pd.DataFrame)
    assert_type(keep(judgments, labels="labels.csv"), KeptVerdicts)
    assert_type(label("logs", for_="keep", max_error=0.1), LabelDraw)
    assert_type(label(judgments).sheet, pd.DataFrame)
    assert_type(watch("anchors", stream="production"), WatchedJudge)
    assert_type(watch("anchors").since, int | None)
