"""Outputs of several models, or runs, that one grader judged again: each is one of its own."""

import random
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

import commands
from evals import evaluate
from graders import rejudged
from inspect_reliability import analyse, judgments_from_logs, rejudge
from inspect_reliability.judgments.given_labels import labelled_judgments

pytestmark = pytest.mark.slow

QUESTIONS, EPOCHS, TRIES = 5, 2, 3


def output(text: str) -> ModelOutput:
    made = ModelOutput.from_content("mock", text)
    made.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
    return made


def model(name: str, seed: int) -> Model:
    """A model whose every answer is another."""
    draw = random.Random(seed)

    def answer(*_: Any) -> ModelOutput:
        return output(f"Draft {draw.random()}.")

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def grader() -> Model:
    def answer(input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        right = random.Random(f"{config.seed}{input[-1].text}").random() < 0.6
        return output(f"GRADE: {'C' if right else 'I'}")

    return get_model("mockllm/grader", custom_outputs=answer, memoize=False)


@cache
def made(
    folder: Path, name: str, seed: int, again: bool = False, task: str = "suite", once: bool = False
) -> str:
    """A log of a suite; with `again`, the task judges each output several times; else once."""
    folder /= f"{name} {seed} {again} {task}"
    scorer = model_graded_qa(model=grader())
    samples = [Sample(f"What is {n}?", target=f"{n}", id=f"q{n}") for n in range(QUESTIONS)]
    own = rejudge(scorer, replications=TRIES) if again else scorer
    suite = Task(samples, solver=generate(), scorer=own, name=task)
    log = evaluate(suite, folder, model=model(name, seed), epochs=EPOCHS)
    if again or once:
        return log.location
    return rejudged(log, folder / "again", model=grader(), replications=TRIES).location


def same_again(table: pd.DataFrame, output: list[str]) -> float:
    """How often two verdicts on an output agree, over pairs."""
    pairs = table.merge(table, on=output)
    pairs = pairs[pairs["replication_x"] < pairs["replication_y"]]
    return float((pairs["verdict_x"] == pairs["verdict_y"]).mean())


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where logs are that several tests read."""
    return tmp_path_factory.mktemp("made")


@pytest.mark.parametrize(("other", "again"), [("other", False), ("one", True)])
def test_outputs_of_two_runs_are_two_outputs(again: bool, other: str, folder: Path) -> None:
    """Of two models and of two runs of one; by the command `rejudge` and by the scorer."""
    logs = [made(folder, "one", 1, again), made(folder, other, 2, again)]
    alone = pd.concat([judgments_from_logs(log).table for log in logs])
    found = judgments_from_logs(logs)
    assert not found.notes
    table = found.table
    assert len(table) == len(alone) == 2 * QUESTIONS * EPOCHS * TRIES
    assert table["question"].nunique() == 2 * QUESTIONS * EPOCHS
    assert (table.groupby("question")["uuid"].nunique() == 1).all()
    ours, theirs = same_again(table, ["question"]), same_again(alone, ["log", "sample", "epoch"])
    assert ours == pytest.approx(theirs)
    said = commands.invoke("report", *logs).output
    assert f"1 judge x {QUESTIONS} questions ({2 * QUESTIONS * EPOCHS} outputs) x {TRIES}" in said
    assert f"{theirs:.0%}" in said


def test_outputs_of_one_run_still_count_once(folder: Path, tmp_path: Path) -> None:
    """A copy of a log, and a log whose outputs were judged again here and in a second folder."""
    log = made(folder, "one", 1, True)
    copy = shutil.copy(log, tmp_path / "copy.eval")
    assert len(judgments_from_logs([log, copy])) == QUESTIONS * EPOCHS * TRIES
    suite = Task(
        [Sample("What is 1?", target="1", id="q1")],
        solver=generate(),
        scorer=model_graded_qa(model=grader()),
    )
    outputs = evaluate(suite, tmp_path / "suite", model=model("one", 3), epochs=EPOCHS)
    folders = [tmp_path / "here", tmp_path / "there"]
    both = [
        rejudged(outputs, folder, model=grader(), replications=TRIES).location for folder in folders
    ]
    assert len(judgments_from_logs(both)) == EPOCHS * TRIES


def test_runs_with_the_same_verdicts_are_no_copies(tmp_path: Path) -> None:
    """Their samples are others, whose ids say so; a copy of one has its ids, and counts once."""
    steady = get_model("mockllm/steady", custom_outputs=lambda *_: output("GRADE: C"))
    samples = [Sample(f"What is {n}?", target=f"{n}", id=f"q{n}") for n in range(QUESTIONS)]
    logs = [
        evaluate(
            Task(samples, solver=generate(), scorer=model_graded_qa(model=steady), name="suite"),
            tmp_path / str(epochs),
            model=model("one", epochs),
            epochs=epochs,
        ).location
        for epochs in (1, 2)
    ]
    for log in logs:  # of one epoch, and of several
        assert analyse(log).rows[0].title == "mockllm/one, suite, graded by mockllm/steady"
    found = judgments_from_logs(logs)
    assert not found.notes
    assert len(found) == QUESTIONS * (1 + 2)
    labelled = labelled_judgments(logs, {str(found.table["uuid"].iloc[0]): "C"}).table
    assert {*labelled["log"][labelled["label"].notna()]} == {found.table["log"].iloc[0]}
    copy = shutil.copy(logs[0].removeprefix("file://"), tmp_path / "copy.eval")
    assert len(judgments_from_logs([*logs, copy])) == QUESTIONS * (1 + 2)


BROKEN: set[str] = set()
"""Ids of samples that fail."""


@solver
def draft() -> Solver:
    """Answer without a model; some samples fail."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id in BROKEN:
            raise RuntimeError("the server went away")
        state.output = output(f"Draft {random.random()}.")
        return state

    return solve


@task
def breaks() -> Task:
    """A suite whose run ends at the first sample that fails."""
    samples = [Sample(f"What is {n}?", target=f"{n}", id=f"q{n}") for n in range(QUESTIONS)]
    scorer = model_graded_qa(model=grader())
    return Task(samples, solver=draft(), scorer=scorer, fail_on_error=True)


def test_outputs_that_a_retry_reuses_count_once(tmp_path: Path) -> None:
    """A failed run and its retry, each rejudged, are one run, beside their own logs or without."""
    folder = tmp_path / "suite"
    BROKEN.add("q4")
    failed = evaluate(breaks(), folder, max_samples=1)
    BROKEN.clear()
    [retried] = eval_retry(failed, log_dir=str(folder), display="none", log_realtime=False)
    assert (failed.status, retried.status) == ("error", "success")
    both = [
        rejudged(read_eval_log(log.location), tmp_path / log.status, model=grader(), replications=3)
        for log in (failed, retried)
    ]
    ended = [one.id for one in failed.samples or [] if not one.error]
    reused = {one.uuid for one in failed.samples or []} & {
        one.uuid for one in retried.samples or []
    }
    assert 0 < len(ended) == len(reused) < QUESTIONS
    said = commands.invoke("report", folder).stdout
    assert f"rejudge {retried.location} " in said.replace("\n", "")
    logs = [log.location for log in both]
    for given in (logs, [*logs, str(folder)]):
        found = judgments_from_logs(given)
        table = found.table[found.table["scorer"] == "rejudge"]
        assert table["question"].nunique() == QUESTIONS
        assert len(table) == QUESTIONS * 3
        left = [one.count for one in found.notes if "duplicate" in one.what]
        assert 3 * len(ended) in left


def moved(log: str) -> str:
    """By how many points grading again moves a score: a standard deviation of its mean."""
    own = judgments_from_logs(log).table
    grades = own.assign(grade=(own["verdict"] == "C") * 1.0).groupby(["sample", "epoch"])["grade"]
    return f"{100 * (grades.var(ddof=1).mean() / grades.ngroups) ** 0.5:.2g} points"


def lines(*logs: str) -> list[str]:
    """What a report says of how scores move."""
    said = commands.invoke("report", *logs).stdout.replace("\n", " ").split("(standard deviation")
    return [one for one in said if "again moves the score by" in one]


def test_the_score_of_each_model_moves_by_itself(folder: Path) -> None:
    one, other = made(folder, "one", 1, True), made(folder, "other", 2, True)
    assert [moved(one) in said for said in lines(one)] == [True]
    first, second = lines(one, other)
    assert f"mockllm/one: grading the same outputs again moves the score by {moved(one)}" in first
    assert (
        f"mockllm/other: grading the same outputs again moves the score by {moved(other)}" in second
    )


def test_outputs_of_two_tasks_are_no_replications(folder: Path) -> None:
    """Two tasks with the same ids, whose outputs a scorer graded once, beside one judged again."""
    again = made(folder, "one", 1, True)
    once = [made(folder, "one", 2, task=task, once=True) for task in ("first", "second")]
    [said] = lines(again, *once)
    assert f"Grading the same outputs again moves the score by {moved(again)}" in said
