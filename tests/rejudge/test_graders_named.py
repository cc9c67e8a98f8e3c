"""The grader of a log is found however it was named, and replaced however it was named."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, score, task
from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    accuracy,
    match,
    model_graded_fact,
    model_graded_qa,
    scorer,
)
from inspect_ai.solver import TaskState

from graders import LENIENT, in_full, rejudged
from inspect_reliability.errors import UserError
from inspect_reliability.judging.cost import Cost
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.rejudging.again import RunLimits
from inspect_reliability.rejudging.rejudging import Rejudging

pytestmark = pytest.mark.slow

ONE, TWO, OTHER, EVALUATED = (f"{LENIENT}/{name}" for name in ("one", "two", "other", "model"))


@scorer(metrics=[accuracy()])
def by_argument(judge_model: str | Model | None = None, words: int = 1) -> Scorer:
    """A grader that a `judge_model` names."""

    async def grade(state: TaskState, target: Target) -> Score:
        output = await get_model(judge_model).generate(state.output.completion)
        return Score(value="C", explanation=output.completion)

    return grade


@scorer(metrics=[accuracy()])
def by_required_role(critics: str = "critic") -> Scorer:
    """A grader that a role of another name names, looked up when the scorer is made."""
    grader = get_model(role=critics, required=True)

    async def grade(state: TaskState, target: Target) -> Score:
        output = await grader.generate(state.output.completion)
        return Score(value="C", explanation=output.completion)

    return grade


@scorer(metrics=[accuracy()])
def by_configuration(judge: Mapping[str, Any]) -> Scorer:
    """A grader that a field of an argument names."""

    async def grade(state: TaskState, target: Target) -> Score:
        output = await get_model(judge["model"]).generate(state.output.completion)
        return Score(value="C", explanation=output.completion)

    return grade


class Few(RunLimits):
    """A run that ends after so many calls."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def admit(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.stop("it was so in the test")
        super().admit()


WAYS: dict[str, tuple[Any, dict[str, Any], set[str]]] = {
    "argument": (lambda: model_graded_qa(model=ONE), {}, {ONE}),
    "argument with a model": (lambda: model_graded_qa(model=get_model(ONE)), {}, {ONE}),
    "argument with several": (lambda: model_graded_qa(model=[ONE, TWO]), {}, {ONE, TWO}),
    "argument of another name": (lambda: by_argument(judge_model=ONE), {}, {ONE}),
    "part of an argument": (lambda: by_configuration({"model": ONE}), {}, {ONE}),
    "role": (model_graded_fact, {"grader": ONE}, {ONE}),
    "role of several": (model_graded_qa, {"grader": [ONE, TWO]}, {ONE, TWO}),
    "role of another name": (lambda: model_graded_qa(model_role="critic"), {"critic": ONE}, {ONE}),
    "role, when made": (by_required_role, {"critic": ONE}, {ONE}),
    "default": (model_graded_qa, {}, {EVALUATED}),
    "default of another name": (by_argument, {}, {EVALUATED}),
}
"""How a grader is named -> its scorer, the roles of the run, and who grades."""


def logged(folder: Path, scorers: Any, roles: dict[str, Any] | None = None) -> EvalLog:
    """A log of one question, by scorers that are made with the task, as a suite makes them."""

    @task
    def suite() -> Task:
        return Task(
            dataset=[Sample(input="What is two and two?", target="4", id=1)], scorer=scorers()
        )

    bound = {role: _models(names) for role, names in (roles or {}).items()}
    options: dict[str, Any] = {"log_dir": str(folder), "display": "none", "log_realtime": False}
    [log] = eval(suite, model=EVALUATED, model_roles=bound, **options)
    assert log.status == "success", log.error
    return log


def _models(names: str | list[str]) -> Any:
    made = [get_model(name) for name in ([names] if isinstance(names, str) else names)]
    return made[0] if isinstance(names, str) else made


def graders(judged: EvalLog) -> set[str]:
    """Models that were called."""
    events = [event for sample in judged.samples or [] for event in sample.events]
    return {event.model for event in events if isinstance(event, ModelEvent)}


def kept(judged: EvalLog, name: str = "rejudge") -> dict[str, Any]:
    [found] = [one[name] for s in judged.samples or [] if name in (one := s.scores or {})]
    return in_full(found)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalLog]:
    """A log for each way to name a grader."""
    folder = tmp_path_factory.mktemp("logs")
    return {way: logged(folder, made, roles) for way, (made, roles, _) in WAYS.items()}


@pytest.mark.parametrize("way", WAYS)
def test_the_grader_of_the_log_grades_again(
    logs: dict[str, EvalLog], tmp_path: Path, way: str
) -> None:
    """Nothing but the log is named, and each of its graders is asked, nobody else."""
    log, expected = logs[way], WAYS[way][2]
    rejudging = Rejudging(log, replications=2)
    listed = ", ".join(sorted(expected))
    assert rejudging.announcement()[0].endswith(f"Grader: {listed}.")
    assert len(rejudging.announcement()) == 1  # it is the one of the log: no more to say
    judged = rejudged(log, tmp_path / "again", replications=2)
    assert graders(judged) == expected
    assert kept(judged)["grader"] == listed


@pytest.mark.parametrize("way", [way for way in WAYS if way != "part of an argument"])
def test_another_grader_takes_its_place(logs: dict[str, EvalLog], tmp_path: Path, way: str) -> None:
    """However a grader was named, the one that the user names is asked, after a note."""
    log, expected = logs[way], WAYS[way][2]
    rejudging = Rejudging(log, replications=2, model=OTHER)
    listed = ", ".join(sorted(expected))
    note = f"Note: the grader in the log was {listed}; {OTHER} answers now."
    assert note in rejudging.announcement()
    assert graders(rejudged(log, tmp_path / "again", replications=2, model=OTHER)) == {OTHER}


def test_a_grader_that_cannot_be_replaced_is_refused(tmp_path: Path) -> None:
    """Where no other grader can take the place, none is asked in silence."""
    made, _, _ = WAYS["part of an argument"]
    log = logged(tmp_path, made)
    with pytest.raises(UserError, match=OTHER):
        Rejudging(log, model=OTHER)


def test_logged_arguments_are_kept(tmp_path: Path) -> None:
    """A scorer that the user names keeps the arguments of the log, with or without its package."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE, partial_credit=True), match()])
    for name in (None, "model_graded_qa", "inspect_ai/model_graded_qa"):
        chosen = Rejudging(log, name).wrapped
        assert "partial_credit=True" in chosen.identity
        assert ONE in chosen.identity


def test_two_scorers_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """The command asks which; the name of a score says it."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE), model_graded_qa(model=TWO)])
    with pytest.raises(
        UserError, match=r"several: model_graded_qa .*; model_graded_qa1 .*Name one"
    ):
        Rejudging(log)
    for name, expected in (("model_graded_qa", ONE), ("model_graded_qa1", TWO)):
        judged = rejudged(log, tmp_path / name, name, replications=1)
        assert graders(judged) == {expected}
        assert kept(judged)["grader"] == expected


def test_a_run_that_ended_goes_on(tmp_path: Path) -> None:
    """What a run made before it ended stays; a further one makes what is missing."""
    log = logged(tmp_path, lambda: model_graded_qa(model=ONE))
    for replications, most in ((3, 2), (3, None), (5, None)):
        limits = Few(most) if most else RunLimits()
        rejudged(log, tmp_path / "again", replications=replications, limits=limits)
        made = len(judgments_from_logs(tmp_path / "again").table)
        assert 0 < made <= most if most else made == replications


def test_no_stranger_is_paid(tmp_path: Path) -> None:
    """A scorer that asks another model than the one announced stops the run at its first call."""
    log = logged(tmp_path, lambda: model_graded_qa(model=ONE))
    assert log.eval.scorers
    log.eval.scorers[0].options = {"model": TWO}
    judged = rejudged(log, tmp_path / "again", replications=2)
    assert not graders(judged)
    assert not any(sample.scores for sample in judged.samples or [])


def test_a_log_without_transcripts_says_what_it_cannot(tmp_path: Path) -> None:
    """Where the log does not show its grader, the announcement says so."""
    log = logged(tmp_path, lambda: by_argument(judge_model=ONE))
    for sample in log.samples or []:
        sample.events = []
    said = " ".join(Rejudging(log, replications=2).announcement())
    assert "does not show this scorer at work, nor who its grader was" in said


def test_the_settings_of_the_grader_stay_with_another_one(tmp_path: Path) -> None:
    """Another grader is called with the temperature of the one in the log."""
    warm = get_model(ONE, config=GenerateConfig(temperature=0.3))
    log = logged(tmp_path, lambda: model_graded_qa(model=warm))
    judged = rejudged(log, tmp_path / "again", replications=2, model=TWO)
    assert kept(judged)["temperature"] == 0.3


def test_a_second_score_of_a_log_is_scored_as_inspect_does(tmp_path: Path) -> None:
    """A scorer that inspect added to a log later is found like the others."""
    log = logged(tmp_path, lambda: match())
    log = score(log, model_graded_qa(model=ONE), model=EVALUATED, action="append", display="none")
    assert graders(rejudged(log, tmp_path / "again", replications=1)) == {ONE}


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Cost(10, 20, tokens_each=250), "10 outputs x 20 = 200 calls, about 50k tokens"),
        (Cost(1, 20), "1 output x 20 = 20 calls"),
        (Cost(10, 20, made=50), "10 outputs x 20, 50 of them made already, = 150 calls"),
        (Cost(3, 2, calls_each=2.5), "3 outputs x 2 x 2.5 calls each = 15 calls"),
        (Cost(2000, 20, tokens_each=1234), "2,000 outputs x 20 = 40,000 calls, about 49M tokens"),
        (Cost(1, 1, tokens_each=12), "1 output x 1 = 1 call, about 12 tokens"),
    ],
)
def test_a_cost_is_one_line(cost: Cost, words: str) -> None:
    """Outputs times replications is calls; tokens are those of the log's own grading."""
    assert str(cost) == words
