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

from graders import LENIENT, in_full
from inspect_reliability.errors import UserError
from inspect_reliability.judging.cost import Cost, total
from inspect_reliability.rejudging import Rejudging, rejudge_log
from inspect_reliability.rejudging.run import Run

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


def graders(log: EvalLog, judged: EvalLog) -> set[str]:
    """Models that were called after a log was written."""
    [before], [after] = log.samples or [], judged.samples or []
    new = after.events[len(before.events) :]
    return {event.model for event in new if isinstance(event, ModelEvent)}


def kept(judged: EvalLog, name: str = "rejudge") -> dict[str, Any]:
    [sample] = judged.samples or []
    return in_full((sample.scores or {})[name])


@pytest.mark.parametrize("way", WAYS)
def test_the_grader_of_the_log_grades_again(tmp_path: Path, way: str) -> None:
    """Nothing but the log is named, and each of its graders is asked, nobody else."""
    made, roles, expected = WAYS[way]
    log = logged(tmp_path, made, roles)
    rejudging = Rejudging(log, replications=2)
    listed = ", ".join(sorted(expected))
    assert rejudging.announcement()[0].endswith(f"Grader: {listed}.")
    assert len(rejudging.announcement()) == 1  # it is the one of the log: no more to say
    judged = rejudging.run()
    assert graders(log, judged) == expected
    assert kept(judged)["grader"] == listed


@pytest.mark.parametrize("way", [way for way in WAYS if way != "part of an argument"])
def test_another_grader_takes_its_place(tmp_path: Path, way: str) -> None:
    """However a grader was named, the one that the user names is asked, after a note."""
    made, roles, expected = WAYS[way]
    log = logged(tmp_path, made, roles)
    rejudging = Rejudging(log, replications=2, model=OTHER)
    listed = ", ".join(sorted(expected))
    note = f"Note: the grader in the log was {listed}; {OTHER} answers now."
    assert note in rejudging.announcement()
    judged = rejudging.run()
    assert graders(log, judged) == {OTHER}


def test_a_grader_that_cannot_be_replaced_is_refused(tmp_path: Path) -> None:
    """Where no other grader can take the place, none is asked in silence."""
    made, _, _ = WAYS["part of an argument"]
    log = logged(tmp_path, made)
    with pytest.raises(UserError, match=OTHER):
        rejudge_log(log, replications=2, model=OTHER)


def test_logged_arguments_are_kept(tmp_path: Path) -> None:
    """A scorer that the user names keeps the arguments of the log, with or without its package."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE, partial_credit=True), match()])
    for name in (None, "model_graded_qa", "inspect_ai/model_graded_qa"):
        again = kept(rejudge_log(log, name, replications=1))["scorer"]
        assert "partial_credit=True" in again
        assert ONE in again


def test_two_scorers_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """The command asks which; the name of a score says it, and several may be named at once."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE), model_graded_qa(model=TWO)])
    with pytest.raises(
        UserError, match=r"several: model_graded_qa .*; model_graded_qa1 .*Name one"
    ):
        rejudge_log(log, replications=1)
    assert graders(log, rejudge_log(log, "model_graded_qa1", replications=1)) == {TWO}
    both = rejudge_log(log, ["model_graded_qa", "model_graded_qa1"], replications=1)
    assert [kept(both, name)["grader"] for name in ("rejudge", "rejudge1")] == [ONE, TWO]


def test_a_rejudged_log_goes_on_with_its_scorers(tmp_path: Path) -> None:
    """A second run of several scorers adds to each, and takes none for another."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE), model_graded_qa(model=TWO)])
    names = ["model_graded_qa", "model_graded_qa1"]
    again = rejudge_log(rejudge_log(log, names, replications=1), names, replications=3)
    assert [kept(again, name)["grader"] for name in ("rejudge", "rejudge1")] == [ONE, TWO]
    assert [kept(again, name)["replications"] for name in ("rejudge", "rejudge1")] == [3, 3]


def test_each_of_several_scorers_is_asked_its_own_grader(tmp_path: Path) -> None:
    """A grader that one scorer is known by does not let another one's stranger in."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE), model_graded_fact(model=ONE)])
    assert log.eval.scorers
    log.eval.scorers[1].options = {"model": TWO}
    with pytest.raises(UserError, match="gradings of lenient/one, and lenient/two would answer"):
        rejudge_log(log, ["model_graded_qa", "model_graded_fact"], replications=1)


def test_a_run_that_ends_between_scorers_keeps_the_first(tmp_path: Path) -> None:
    """What one scorer judged is in the log; the next run makes what the others lack."""
    log = logged(tmp_path, lambda: [model_graded_qa(model=ONE), model_graded_fact(model=ONE)])
    names, target = ["model_graded_qa", "model_graded_fact"], str(tmp_path / "again.eval")
    stopped = rejudge_log(log, names, replications=3, output=target, run=Run(max_calls=3))
    assert kept(stopped)["replications"] == 3
    again = rejudge_log(stopped, names, replications=3)
    assert [kept(again, name)["replications"] for name in ("rejudge", "rejudge1")] == [3, 3]


def test_replications_that_were_not_made_cost_no_calls(tmp_path: Path) -> None:
    """What a grading costs is counted over gradings that were made."""
    log = logged(tmp_path, lambda: model_graded_qa(model=ONE))
    another = ["model_graded_fact"]
    stopped = rejudge_log(log, another, replications=8, model=ONE, run=Run(max_calls=5))
    (cost,) = Rejudging(stopped, another, replications=8, model=ONE).costs
    assert 0 < cost.made < 8
    assert cost.calls_each >= 1


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
    assert kept(rejudge_log(log, replications=2, model=TWO))["temperature"] == 0.3


def test_a_second_score_of_a_log_is_scored_as_inspect_does(tmp_path: Path) -> None:
    """A scorer that inspect added to a log later is found like the others."""
    log = logged(tmp_path, lambda: match())
    log = score(log, model_graded_qa(model=ONE), model=EVALUATED, action="append", display="none")
    assert graders(log, rejudge_log(log, replications=1)) == {ONE}


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


def test_several_costs_are_added() -> None:
    """The sum is said once, in calls and, where all are known, in tokens."""
    known, unknown = Cost(10, 20, tokens_each=250), Cost(1, 20)
    assert total([known, known]).endswith("Together 400 calls, about 100k tokens")
    assert total([known, unknown]).endswith("Together 220 calls")
