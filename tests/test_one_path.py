"""One path from a score to a number: what a metric says live, a report says of the log."""

import itertools
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from commands import invoke
from evals import evaluate
from inspect_reliability import analyse, reliability
from inspect_reliability.metrics import METRICS

QUESTIONS, EPOCHS = 4, 3


def grade(kind: str, question: int, epoch: int) -> Any:
    """A grade that depends on the question, and wavers."""
    level = 1 + (question * 2 + (question % 2) * (epoch % 2)) % 5
    silent = question == 2 and epoch == 1
    return {
        "strings of digits": str(level),
        "numbers and invalid": "invalid" if silent else level,
        "numbers and non-responses": "non-response" if silent else float(level),
        "words": ["poor", "fair", "good"][level % 3],
        "booleans": level > 2,
        "letters": "ABCDE"[level - 1],
    }[kind]


@scorer(metrics=[reliability(full=True)])
def grader(kind: str) -> Scorer:
    """Gives grades of one kind."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=grade(kind, int(state.sample_id), state.epoch))

    return score


@solver
def silent() -> Solver:
    """Asks no model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


def graded(kind: str, folder: Path) -> EvalLog:
    samples = [Sample(id=n, input="?") for n in range(QUESTIONS)]
    task = Task(samples, solver=silent(), scorer=grader(kind), name="suite")
    log = evaluate(task, folder, model="none/none", epochs=EPOCHS)
    assert log.status == "success", log.error
    return log


def live(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {
        name.removeprefix("inspect_reliability/reliability_"): metric.value
        for name, metric in log.results.scores[0].metrics.items()
    }


def reported(folder: Path) -> dict[str, Any]:
    """The row of a report's JSON, which has other results beside it."""
    [row] = analyse(str(folder)).results["rows"]
    return dict(json.loads(json.dumps(row)))


KINDS = [
    "strings of digits",
    "numbers and invalid",
    "numbers and non-responses",
    "words",
    "booleans",
    "letters",
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_metric_and_a_report_give_the_same_coefficients(kind: str, tmp_path: Path) -> None:
    """Whatever a scorer's grades are, each coefficient is the same live and in the report."""
    metrics, row = live(graded(kind, tmp_path)), reported(tmp_path)
    shared = [name for name in metrics if name in row]
    assert {"omega", "agreement", "fleiss_kappa", "non_response_rate"} <= set(shared)
    numbers = kind in KINDS[:3]
    assert ("icc" in metrics) == ("icc" in row) == numbers
    for name in shared:
        assert metrics[name] == pytest.approx(row[name], abs=1e-12), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:1])
def test_numbers_are_numbers_however_they_are_written(kind: str, tmp_path: Path) -> None:
    """The ICC is that of the one-way analysis of variance of the grades that are numbers."""
    rows = [
        [float(g) for e in range(1, EPOCHS + 1) if (g := grade(kind, q, e)) not in SILENT]
        for q in range(QUESTIONS)
    ]
    assert live(graded(kind, tmp_path))["icc"] == pytest.approx(one_way_icc(rows))


SILENT = ("invalid", "non-response")


def one_way_icc(rows: list[list[float]]) -> float:
    """1 - W / D by pairs: half the mean squared differences within and between questions."""

    def mean(values: Iterator[float]) -> float:
        given = list(values)
        return sum(given) / len(given)

    def spread(pairs: Callable[[], Iterator[tuple[float, float]]]) -> float:
        return mean((a - b) ** 2 for a, b in pairs())

    within = mean(
        spread(lambda row=row: itertools.permutations(row, 2))  # type: ignore[misc]
        for row in rows
    )
    between = mean(
        spread(lambda one=one, other=other: itertools.product(one, other))  # type: ignore[misc]
        for one, other in itertools.permutations(rows, 2)
    )
    return 1 - within / between


@scorer(metrics=[reliability(), METRICS["fleiss_kappa"]()])
def steady(differs: bool) -> Scorer:
    """Gives each question one grade; if it differs, one question once another."""

    async def score(state: TaskState, target: Target) -> Score:
        question = int(state.sample_id)
        return Score(value="CI"[question % 2 if not differs or state.epoch > 1 else 0])

    return score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("differs", "temperature"), [(False, 0), (False, 1), (False, None), (True, 0)]
)
def test_copies_have_no_reliability(
    differs: bool, temperature: float | None, tmp_path: Path
) -> None:
    """At temperature 0, where no two epochs differ, live values are nan and the report says why."""
    samples = [Sample(id=n, input="?") for n in range(QUESTIONS)]
    task = Task(samples, solver=silent(), scorer=steady(differs), name="suite")
    log = evaluate(task, tmp_path, model="none/none", epochs=EPOCHS, temperature=temperature)
    assert_nan_of_copies(log, tmp_path, copies=not differs, at_zero=temperature == 0)
    at_zero = any("At temperature 0" in one for one in reported(tmp_path)["cautions"])
    assert at_zero == (not differs and temperature == 0)


def assert_nan_of_copies(log: EvalLog, folder: Path, copies: bool, at_zero: bool) -> None:
    found = {name.rpartition("/")[2]: value for name, value in live(log).items()}
    for name in ("omega", "omega_low", "agreement", "fleiss_kappa"):
        assert math.isnan(found[name]) == (copies and at_zero), name
    assert (found["questions"], found["replications"]) == (QUESTIONS, EPOCHS)
    assert found["non_response_rate"] == 0
    said = " ".join(invoke("report", folder).output.split())
    assert ("may be copies" in said or "nothing is known of draws" in said) == copies


@scorer(metrics=[reliability(), METRICS["fleiss_kappa"]()])
def replicated(differs: bool, check: str | None) -> Scorer:
    """Keeps all tries in one score; options have another order in each question."""

    async def score(state: TaskState, target: Target) -> Score:
        question = int(state.sample_id)
        names = ["first", "second", "third"]
        tries = [question % 2] * EPOCHS
        tries[0] = 1 if differs else tries[0]
        facts = {
            "benchmark": "suite",
            "categories": ["A", "B", "C", "non-response", "invalid"],
            "order": names[question % 3 :] + names[: question % 3],
            "replication": 1,
            "seed": 7,
            "replications": {"values": ["A", "B"], "verdicts": " ".join(map(str, tries))},
        }
        return Score(value="A", metadata=facts | ({"seed_check": check} if check else {}))

    return score


@pytest.mark.slow
@pytest.mark.parametrize(
    ("differs", "temperature", "check", "copies"),
    [
        (False, 0, None, True),
        (False, 1, None, True),
        (False, 1, "unknown", True),
        (False, 1, "honoured", False),
        (False, 0, "honoured", True),
        (True, 0, None, True),
        (True, 1, None, False),
    ],
)
def test_copies_within_a_score_have_no_reliability(
    differs: bool, temperature: float, check: str | None, copies: bool, tmp_path: Path
) -> None:
    """At temperature 0 tries of one score are nan live, in whatever order options stand."""
    samples = [Sample(id=n, input="?") for n in range(QUESTIONS)]
    task = Task(samples, solver=silent(), scorer=replicated(differs, check), name="suite")
    log = evaluate(task, tmp_path, model="none/none", temperature=temperature)
    assert_nan_of_copies(log, tmp_path, copies, at_zero=temperature == 0)
