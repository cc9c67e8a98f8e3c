"""A study in parts: each question in one of them, with the verdicts of the whole."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals import evaluate
from example_logs import SEEDED
from example_logs import judge as drawn
from graders import LENIENT
from inspect_reliability import Item, JudgeDesign
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.shards import Shard
from inspect_reliability.rejudging import rejudge_log
from inspect_reliability.study import tasks
from inspect_reliability.study.tasks import bbh_judge
from inspect_reliability.tasks import judge
from processes import INSPECT, KILLED, python

MADE = ["question", "replication", "seed", "verdict"]
DESIGN = JudgeDesign("Polite", "{{ response }}", ["yes", "no"])


def items(ids: list[str]) -> list[Item]:
    return [Item(id, "?", {"me": "Hello."}) for id in ids]


def parts(ids: list[str], number: int) -> Iterator[list[str]]:
    for place in range(number):
        try:
            yield Shard(place, number).part(ids, str)
        except UserError:
            yield []


ids = st.lists(st.text(min_size=1), min_size=1, unique=True)


@pytest.mark.slow
@given(ids, ids, st.integers(1, 9))
def test_each_question_has_one_shard_and_keeps_it(some: list[str], more: list[str], n: int) -> None:
    """Shards are disjoint, complete and in order, and lose nothing when questions are added."""
    found = [*parts(some, n)]
    assert sorted(id for part in found for id in part) == sorted(some)
    for part, grown in zip(found, parts([*more, *some], n), strict=True):
        assert part == [id for id in some if id in part]
        assert {*part} <= {*grown}


@pytest.mark.slow
def test_shards_of_many_questions_are_of_like_size() -> None:
    """Each of eight has an eighth of 8,000 questions, within four standard errors."""
    sizes = [len(part) for part in parts([f"q{n}" for n in range(8000)], 8)]
    assert all(abs(size - 1000) < 4 * (8000 / 8 * 7 / 8) ** 0.5 for size in sizes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("2/2", "shard=2/2 is no shard. The first of four is -T shard=0/4"),
        ("-1/4", "shard=-1/4 is no shard"),
        ("1/0", "shard=1/0 is no shard"),
        ("0.5", "shard=0.5 is no shard"),
        (3, "shard=3 is no shard"),
        (True, "shard=True is no shard"),
        ("slurm", "needs the variables of a Slurm array"),
    ],
)
def test_what_is_no_shard_is_refused_in_words(given: Any, message: str) -> None:
    """The message says how the first and the last shard are named."""
    with pytest.raises(UserError, match=message.replace(".", r"\.")):
        judge(DESIGN, items(["a", "b", "c"]), shard=given)


def test_an_empty_shard_names_the_most_that_there_can_be() -> None:
    """Where no question falls into a shard, fewer shards are named, and each has questions."""
    some = items([f"q{n}" for n in range(5)])
    empty = [*parts([one.id for one in some], 9)].index([])
    with pytest.raises(UserError, match=r"none of the 5 questions\. Use at most (\d)") as refused:
        judge(DESIGN, some, shard=f"{empty}/9")
    most = int(str(refused.value).rpartition("/")[2].removesuffix("."))
    made = [judge(DESIGN, some, shard=f"{place}/{most}") for place in range(most)]
    assert sum(len(task.dataset) for task in made) == 5


def array(monkeypatch: pytest.MonkeyPatch, **variables: int) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", str(value))


@pytest.mark.parametrize(("first", "step", "number"), [(0, 1, 4), (1, 1, 4), (10, 5, 3)])
def test_tasks_of_an_array_are_the_shards(
    first: int, step: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its first number and step, an array of n tasks has the shards 0/n to (n-1)/n."""
    some = items([f"q{n}" for n in range(40)])
    for place in range(number):
        own, last = first + step * place, first + step * (number - 1)
        array(monkeypatch, ID=own, MIN=first, MAX=last, STEP=step, COUNT=number)
        task = judge(DESIGN, some, shard="slurm")
        assert (task.metadata or {})["shard"] == f"{place}/{number}"
        same = judge(DESIGN, some, shard=f"{place}/{number}")
        assert [one.id for one in task.dataset] == [one.id for one in same.dataset]
        # Arrays over models are as common: without being asked for, no part is taken.
        assert len(judge(DESIGN, some).dataset) == 40


@pytest.mark.parametrize(
    "variables",
    [
        {"ID": 3, "MIN": 3, "MAX": 3, "STEP": 1, "COUNT": 1},
        {"ID": 3, "MIN": 1, "MAX": 7, "STEP": 1, "COUNT": 3},
        {"ID": 2, "MIN": 1, "MAX": 7, "STEP": 2, "COUNT": 4},
        {"ID": 9, "MIN": 0, "MAX": 7, "STEP": 1, "COUNT": 8},
    ],
    ids=["one task again", "some tasks again", "beside the step", "beyond the last"],
)
def test_an_array_that_is_no_whole_study_is_refused(
    variables: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One task submitted again does not judge the whole study: the shard must then be named."""
    array(monkeypatch, **variables)
    with pytest.raises(UserError, match=r"no shard of a whole study\. To run one shard again"):
        judge(DESIGN, items(["a", "b", "c"]), shard="slurm")


def made(folder: Path) -> list[tuple[object, ...]]:
    table = judgments_from_logs(folder).table
    return sorted(table[MADE].itertuples(index=False, name=None))


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """108 judgments by one task, and as 3 shards."""
    folder = tmp_path_factory.mktemp("studies")
    found = {1: folder / "whole"}
    whole = evaluate(bbh_judge(replications=4), found[1], model=SEEDED)
    assert "shard" not in (whole.eval.metadata or {})
    found[3] = folder / "study-3.shards"
    for place in range(3):
        task = bbh_judge(replications=4, shard=f"{place}/3")
        log = evaluate(task, found[3] / str(place), model=SEEDED)
        assert (log.eval.metadata or {})["shard"] == f"{place}/3"
        assert log.eval.task_args["shard"] == f"{place}/3"
    return found


@pytest.mark.slow
def test_shards_have_the_verdicts_of_the_whole(studies: dict[int, Path]) -> None:
    """108 judgments as one and as 3 shards: the same seeds, verdicts and report."""
    whole = made(studies[1])
    assert len(whole) == 108
    assert len({verdict for *_, verdict in whole}) > 4
    rows = analyse(judgments_from_logs(studies[1])).results["rows"]
    assert made(studies[3]) == whole
    assert analyse(judgments_from_logs(studies[3])).results["rows"] == rows


@pytest.mark.parametrize("name", sorted(one for one in tasks.TASKS if one.endswith("_judge")))
@pytest.mark.parametrize("number", [1, 2])
def test_every_judge_task_has_shards(name: str, number: int) -> None:
    """The samples of its shards, with their seeds and orders, are those of the whole task."""
    task = getattr(tasks, name)
    whole = {one.id: one.model_dump() for one in task(replications=3).dataset}
    shards = [task(replications=3, shard=f"{place}/{number}") for place in range(number)]
    parts = [one for shard in shards for one in shard.dataset]
    assert len(parts) == len(whole)
    assert {one.id: one.model_dump() for one in parts} == whole


@pytest.mark.slow
def test_epochs_and_cells_have_shards(tmp_path: Path) -> None:
    """Epochs and cells of an experiment have the verdicts of the whole, too."""
    pick = JudgeDesign(
        "Pick",
        "Pick one.{% for option in options %}\n[{{ option.label }}]: {{ option.text }}{% endfor %}",
        {"options": ["A", "B", "C"]},
    )
    some = [Item(f"q{n}", "?", {"x": f"x{n}", "y": f"y{n}", "z": f"z{n}"}) for n in range(4)]
    for name, asked, options in (
        ("epochs", {}, {"epochs": 3}),
        ("orders", {"orders": 2, "wordings": "labels", "replications": 2}, {}),
    ):
        whole, folder = tmp_path / f"{name}-whole", tmp_path / f"{name}.shards"
        given: dict[str, Any] = {"model": drawn(), **options}
        evaluate(judge(pick, some, **asked), whole, **given)
        for place in range(2):
            evaluate(judge(pick, some, **asked, shard=f"{place}/2"), folder / str(place), **given)
        assert made(folder) == made(whole)


@pytest.mark.slow
def test_rejudging_in_shards(tmp_path: Path) -> None:
    """The outputs of a log, judged again in two parts, have the grades of the whole."""
    log = evaluate(bbh_judge(), tmp_path / "log", model=drawn(), limit=4).location
    asked: dict[str, Any] = {
        "scorer": "model_graded_qa",
        "replications": 3,
        "model": f"{LENIENT}/x",
    }
    evaluate(rejudge_log(log, **asked), tmp_path / "whole", model="none/none")
    for place in range(2):
        part = rejudge_log(log, **asked, shard=f"{place}/2")
        done = evaluate(part, tmp_path / "parts.shards" / str(place), model="none/none")
        assert (done.eval.metadata or {})["shard"] == f"{place}/2"
    assert made(tmp_path / "parts.shards") == made(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.process
def test_a_killed_shard_is_run_again(tmp_path: Path) -> None:
    """A shard killed at its fifth sample and run again leaves each judgment there once."""
    model, folder = "hf_seeded/tiny-judge", tmp_path / "killed"

    def run(code: str) -> int:
        words = ["-T", "replications=4", "-T", "shard=1/3", "--display", "none"]
        words += ["--model", model, "--max-tokens", "12", "--log-dir", str(folder)]
        done = python(code, "eval", "inspect_reliability/bbh_judge", *words)
        assert done.returncode in (0, -signal.SIGKILL), done.stdout + done.stderr
        return done.returncode

    assert run(KILLED % 5 + INSPECT) == -signal.SIGKILL
    assert run(INSPECT) == 0
    task = bbh_judge(replications=4, shard="1/3")
    evaluate(task, tmp_path / "whole", model=model, max_tokens=12)
    assert made(folder) == made(tmp_path / "whole")
