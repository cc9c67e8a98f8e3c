"""The sweep: killed and resumed, and its table."""

import json
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval, task_with
from inspect_ai.log import EvalError, EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, modelapi

from example_logs import DRAWN
from inspect_reliability.cli import main
from inspect_reliability.errors import UserError
from inspect_reliability.judging.provider_check import MOST_CALLS
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.report import analyse
from inspect_reliability.report.judge_by_benchmark import judge_by_benchmark
from inspect_reliability.saving import alone
from inspect_reliability.study.tasks import bbh_judge, judges_of
from inspect_reliability.sweep import resume
from inspect_reliability.sweep import sweep as running
from inspect_reliability.sweep.resume import by_range
from inspect_reliability.sweep.sweep import Sweep, run_sweep
from processes import COMMAND, KILLED, python

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process keeps inspect's display, which would print among the output of later commands."""
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


QUESTIONS, REPLICATIONS = 5, 4
TEMPERATURES = (1.0, 0.0)
TOTAL = len(TEMPERATURES) * QUESTIONS * REPLICATIONS


KILLED_SWEEP = KILLED % 7 + COMMAND


def _run(code: str, number: int, folder: Path) -> subprocess.CompletedProcess[str]:
    responses = folder / "responses.jsonl"
    responses.write_text(
        "\n".join(
            json.dumps({"id": str(n), "question": "?", "responder": name, "response": f"{name}{n}"})
            for n in range(QUESTIONS)
            for name in "vwxyz"
        )
    )
    return python(
        *(code, "sweep"),
        *("--model", "hf_seeded/tiny-judge", "-M", "max_rows=2"),
        *("--benchmark", "bbh", "--replications", str(number)),
        *(word for t in TEMPERATURES for word in ("--temperature", str(t))),
        *("--responses", str(responses), "--log-dir", str(folder / "sweep")),
    )


@pytest.mark.process
@pytest.mark.parametrize("before", [0, 2], ids=["new", "grown"])
def test_a_killed_sweep_ends_with_every_judgment_once(before: int, tmp_path: Path) -> None:
    """Killed half way and run again, a sweep holds each judgment exactly once."""
    logs = tmp_path / "sweep"
    if before:
        finished = _run(COMMAND, before, tmp_path)
        assert finished.returncode == 0, finished.stdout + finished.stderr
    killed = _run(KILLED_SWEEP, REPLICATIONS, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
    kept = _made(logs)
    assert len(TEMPERATURES) * QUESTIONS * before < len(kept) < TOTAL
    again = _run(COMMAND, REPLICATIONS, tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "BBH: omega" in again.stdout
    judgments = judgments_from_logs(logs)
    assert judgments.notes == ()
    each = judgments.table.groupby(["temperature", "question", "replication"]).size()
    assert len(each) == len(judgments.table) == TOTAL
    assert set(judgments.table["temperature"]) == set(TEMPERATURES)
    assert kept.items() < _made(logs).items()


def test_more_of_a_sweep_adds_to_it(tmp_path: Path) -> None:
    """More judges and more replications add to a folder; nothing is run twice; then the table."""
    judges = [DRAWN, "drawn/other"]
    sweep: dict[str, Any] = {
        "benchmarks": ("bbh", "head_to_tail"),
        "temperatures": (1.0, 0.0),
        "limit": 2,
    }
    logs = str(tmp_path / "sweep")
    assert not run_sweep(sweep_of(judges[:1], replications=2, **sweep), logs).missing
    before = judgments_from_logs(logs).table
    assert not run_sweep(sweep_of(judges, replications=3, **sweep), logs).missing
    judgments = judgments_from_logs(logs)
    assert len(before) == 2 * 2 * 2 * 2
    assert len(judgments.table) == 2 * 2 * 2 * 2 * 3
    identity = ["judge", "benchmark", "temperature", "question", "replication", "seed"]
    kept = judgments.table.merge(before[identity], on=identity)
    assert len(kept) == len(before)
    table = judge_by_benchmark(analyse(judgments).results["rows"])
    assert table.headings == [
        *("Judge", "T", "BBH: omega [95%]"),
        "Head-to-Tail, of sample pack: omega [95%]",
    ]
    assert [row[:2] for row in table.rows] == [[m, t] for m in judges for t in ("1", "0")]


def sweep_of(
    judges: list[str], benchmarks: Sequence[str] = (), responses: str | None = None, **options: Any
) -> Sweep:
    """A sweep of the study's judges."""
    return Sweep(judges, judges_of(benchmarks, responses), **options)


FULL: dict[str, Any] = {
    "benchmarks": ("bbh",),
    "temperatures": (1.0,),
    "replications": 3,
    "limit": 3,
}


def _made(folder: str | Path) -> dict[tuple[object, ...], object]:
    """What is on record of each judgment; none is there twice."""
    table = judgments_from_logs(folder).table
    sent = ["judge", "benchmark", "temperature", "question", "replication", "seed"]
    made = dict(zip(table[sent].itertuples(index=False), table["verdict"], strict=True))
    assert len(made) == len(table)
    return {tuple(key): verdict for key, verdict in made.items()}


def _epochs(epochs: int, folder: Path) -> None:
    """A sweep of `FULL` as it was before a sample held several replications."""
    task = bbh_judge(responses=None, seed=0)
    config = task.config.merge(GenerateConfig(temperature=1.0))
    eval(
        task_with(task, config=config),
        model=DRAWN,
        epochs=epochs,
        limit=3,
        log_dir=str(folder),
        display="none",
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep of `FULL`, in replications and in epochs."""
    folder = tmp_path_factory.mktemp("finished")
    assert not run_sweep(sweep_of([DRAWN], **FULL), str(folder / "replications")).missing
    _epochs(3, folder / "epochs")
    return folder


@pytest.mark.parametrize(
    ("then", "added"),
    [
        ({"replications": 1}, 0),
        ({"limit": 1}, 0),
        ({"replications": 2, "limit": 2}, 0),
        ({"replications": 4, "limit": 2}, 2),
        ({"replications": 2, "limit": 4}, 2),
        ({"replications": 4, "limit": 4}, 7),
        ({"temperatures": (0.5,), "replications": 1}, 3),
        ({"seed": 1, "replications": 1}, 3),
        ({"benchmarks": ("squad",), "replications": 1}, 3),
    ],
    ids=str,
)
def test_a_sweep_adds_what_is_missing_and_takes_nothing_away(
    then: dict[str, object], added: int, finished: Path, tmp_path: Path
) -> None:
    """Whatever is run into a folder, all that was there is there, and what was asked for, once."""
    shutil.copytree(finished / "replications", tmp_path, dirs_exist_ok=True)
    before = _made(tmp_path)
    assert len(before) == 9
    heard: list[str] = []
    outcome = run_sweep(sweep_of([DRAWN], **(FULL | then)), str(tmp_path), heard.append)
    assert not outcome.missing
    (text,) = heard
    assert (" calls, " if added else "Nothing to do; all are kept") in text
    after = _made(tmp_path)
    assert before.items() <= after.items()
    assert len(after) == 9 + added


def test_other_arguments_are_other_judgments(tmp_path: Path) -> None:
    """A judge with other arguments is asked again, beside the first."""
    for rows in (1, 2):
        sweep = sweep_of([DRAWN], model_args={"max_rows": rows}, **FULL)
        assert not run_sweep(sweep, str(tmp_path)).missing
        assert len(list_eval_logs(str(tmp_path))) == rows
        assert not run_sweep(sweep, str(tmp_path)).missing
        assert len(list_eval_logs(str(tmp_path))) == rows


def test_other_texts_under_the_same_ids_are_judged(tmp_path: Path) -> None:
    """Where the responses' file was changed, what was judged before counts for nothing."""
    file, logs = tmp_path / "responses.jsonl", str(tmp_path / "sweep")
    sweep = sweep_of([DRAWN], **(FULL | {"responses": str(file)}))
    for what, samples in (("one", 9), ("one", 9), ("another", 18)):
        rows = [(str(n), name) for n in range(3) for name in "vwxyz"]
        file.write_text(
            "\n".join(
                json.dumps({"id": n, "question": "?", "responder": name, "response": what})
                for n, name in rows
            )
        )
        assert not run_sweep(sweep, logs).missing
        assert len(judgments_from_logs(logs).table) == samples


def test_a_folder_of_epochs_is_completed(finished: Path, tmp_path: Path) -> None:
    """Epochs count as replications: only the others are made, with the verdicts of a new run."""
    _epochs(2, tmp_path / "old")
    heard: list[str] = []
    outcome = run_sweep(sweep_of([DRAWN], **FULL), str(tmp_path / "old"), heard.append)
    assert (outcome.missing, outcome.made) == (0, 9)
    assert "6 of them made already" in heard[0]
    assert _made(tmp_path / "old") == _made(finished / "replications")


@pytest.mark.parametrize("kind", ["replications", "epochs"])
@pytest.mark.parametrize(
    "kept", [[(0, 1), (1, 1)], [(0, 1), (0, 3), (1, 2)], [(0, 1), (0, 2), (0, 3)], []], ids=str
)
def test_whatever_a_kill_leaves_is_finished(
    kept: list[tuple[int, int]], kind: str, finished: Path, tmp_path: Path
) -> None:
    """Every judgment is there at the end, once, with the verdict of a run that was not killed."""
    killed = tmp_path / "killed"
    shutil.copytree(finished / kind, killed)
    (info,) = list_eval_logs(str(killed))
    log = read_eval_log(info)
    # What a kill leaves: some samples, no results, no word of an end.
    ids = sorted({sample.id for sample in log.samples or []}, key=str)
    log.status, log.results = "started", None
    left = {(ids[q], r) for q, r in kept}
    # A sample of replications is written as a whole.
    log.samples = [
        one
        for one in log.samples or []
        if ({(one.id, one.epoch)} if kind == "epochs" else {(one.id, r) for r in (1, 2, 3)}) <= left
    ]
    write_eval_log(log, info.name)
    stays = Path(info.name.removeprefix("file://")).read_bytes()
    assert not run_sweep(sweep_of([DRAWN], **FULL), str(killed)).missing
    assert Path(info.name.removeprefix("file://")).read_bytes() == stays
    assert judgments_from_logs(killed).notes == ()
    assert _made(killed) == _made(finished / "replications")


@given(st.sets(st.tuples(st.sampled_from("abc"), st.integers(1, 12))))
def test_ranges_hold_each_judgment_once(judgments: set[tuple[str, int]]) -> None:
    """Ranges written out are the judgments; none of them could be joined to another."""
    found = [
        (question, int(run.split("-")[0]), int(run.split("-")[1]))
        for run, questions in by_range(judgments).items()
        for question in questions
    ]
    held = [(q, number) for q, first, last in found for number in range(first, last + 1)]
    assert len(held) == len(set(held))
    assert set(held) == judgments
    assert not {(q, first) for q, first, _ in found} & {(q, last + 1) for q, _, last in found}


@pytest.mark.parametrize("twice", ["judges", "benchmarks", "temperatures"])
def test_what_is_named_twice_is_run_once(twice: str, tmp_path: Path) -> None:
    """A judge, benchmark or temperature that is named twice adds no judgment and no complaint."""
    once: dict[str, Any] = {"judges": [DRAWN], "benchmarks": ("bbh",), "temperatures": (1.0,)}
    named = once | {twice: [*once[twice], *once[twice]]}
    assert not run_sweep(sweep_of(**named, replications=1, limit=2), str(tmp_path)).missing
    assert len(_made(tmp_path)) == 2
    assert len(list(tmp_path.glob("*.eval"))) == 1


def test_a_disk_that_fills_up_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log without its end, or no place for one, is no success; it says what to do."""
    why = "[Errno 28] No space left on device"

    def without_end(*tasks: Any, **options: Any) -> list[EvalLog]:
        logs = eval(*tasks, **options)
        for log in logs:
            log.status, log.results = "error", None
            log.error = EvalError(message=why, traceback="", traceback_ansi="")
            write_eval_log(log, log.location)
        return logs

    command = ["sweep", "--model", DRAWN, "--benchmark", "bbh", "--limit", "3", "--temperature"]
    command += ["1", "--replications", "2", "--log-dir", str(tmp_path)]
    monkeypatch.setattr(running, "eval", without_end)
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 4
    assert f"made, but a log was not written to its end: {why}" in " ".join(done.stderr.split())
    assert "Nothing needs to be run again" in done.stderr
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "calls" not in done.stderr

    def no_room(*tasks: Any, **options: Any) -> list[EvalLog]:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(running, "eval", no_room)
    done = CliRunner().invoke(main, [*command, "--replications", "3"])
    assert done.exit_code == 2
    assert "cannot be written: database or disk is full" in done.stderr
    assert "run the same command again" in done.stderr


def test_a_broken_log_in_the_folder_is_named(tmp_path: Path) -> None:
    """A truncated log stops a sweep with its name, before anything is run."""
    broken = tmp_path / "2026-01-01T00-00-00-00-00_bbh-judge_aaaaaaaaaaaaaaaaaaaaaa.eval"
    broken.write_bytes(b"PK\x03\x04 no more")
    with pytest.raises(UserError, match=f"{broken.name} cannot be read"):
        run_sweep(sweep_of([DRAWN], **FULL), str(tmp_path))


@pytest.mark.parametrize("part", ["log_headers", "eval"])
def test_a_folder_that_goes_while_it_is_read(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that was listed, or made, and is gone is named; the next sweep makes what is lost."""
    logs = str(tmp_path / "sweep")
    run_sweep(sweep_of([DRAWN], **FULL), logs)

    def taken_away(*arguments: Any, **options: Any) -> Any:
        made = getattr(resume if part == "log_headers" else inspect_ai, part)(*arguments, **options)
        shutil.rmtree(logs)
        return made

    more = sweep_of([DRAWN], **FULL | {"replications": 4})
    with monkeypatch.context() as patch:
        patch.setattr(running, part, taken_away)
        with pytest.raises(UserError, match="eval cannot be read"):
            run_sweep(more, logs)
    assert run_sweep(sweep_of([DRAWN], **FULL), logs).made == 9


def test_the_cost_is_said_and_nothing_is_run(tmp_path: Path) -> None:
    """A dry run says the calls of all parts together, and leaves no file."""
    command = ["sweep", "--model", "nosuch/model", "--benchmark", "bbh", "--limit", "2"]
    command += ["--replications", "3", "--log-dir", str(tmp_path / "logs")]
    done = CliRunner().invoke(main, [*command, "--temperature", "1", "--dry-run"])
    assert done.exit_code == 0, done.output
    one, five = 6 + MOST_CALLS, 30 + 5 * MOST_CALLS
    assert done.stderr.startswith(f"2 questions x 3. At most {one} calls, checks of seeds and opt")
    said = " ".join(CliRunner().invoke(main, [*command, "--dry-run"]).stderr.split())
    assert f"5 times (2 questions x 3). At most {five} calls, checks" in said
    assert said.count("calls") == 1
    done = CliRunner().invoke(main, [*command, "--refuse-above", f"{five - 1}"])
    assert done.exit_code == 2
    assert f"Up to {five} calls are needed, and --refuse-above allows {five - 1}" in done.stderr
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "The judge nosuch/model cannot be used" in done.stderr
    assert not list(tmp_path.glob("logs/*.eval"))


def test_one_judge_is_run_by_one_process_at_a_time(tmp_path: Path) -> None:
    """A second sweep of a judge into a folder is refused, before it can double the judgments."""
    command = ["sweep", "--model", "failing/model", "--benchmark", "bbh", "--limit", "2"]
    with alone(tmp_path / "failing_model"):
        done = CliRunner().invoke(main, [*command, "--log-dir", str(tmp_path)])
    assert done.exit_code == 2
    assert "Another process is writing to" in done.stderr
    assert not list(tmp_path.glob("*.eval"))


def test_a_failed_judgment_is_counted_and_quoted_once(tmp_path: Path) -> None:
    """A sweep whose judge fails has an exit status of its own, and each error one line."""
    command = ["sweep", "--model", "failing/model", "--benchmark", "bbh", "--limit", "2"]
    command += ["--replications", "2", "--temperature", "1", "--log-dir", str(tmp_path)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 4, done.output
    words = " ".join(done.stderr.split())
    assert "4 replications failed: 4 x" in words
    assert words.count("no such luck") == 1


@modelapi(name="failing")
class Failing(ModelAPI):
    """A judge that cannot be reached."""

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        raise ConnectionError("no such luck")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name at least one judge"),
        (["--model", "mockllm/model", "-M", "x"], "'x' is not of the form KEY=VALUE"),
        (["--model", "mockllm/model", "--responses", "nowhere"], "No file or folder 'nowhere'"),
        (["--model", "mockllm/model", "--temperature", "nan"], "nan is not a finite number"),
    ],
)
def test_bad_commands_are_refused_in_words(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that cannot run says why, without a traceback."""
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["sweep", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_exact_verdicts_serve_all_temperatures(tmp_path: Path) -> None:
    """One run a benchmark has the distributions of all temperatures, and is not made again."""
    sweep = sweep_of(
        ["hf_seeded/tiny-judge"], ["bbh"], temperatures=TEMPERATURES, limit=2, exact=True
    )
    said: list[str] = []
    for _ in range(2):
        outcome = run_sweep(sweep, str(tmp_path), said.append)
        assert (outcome.missing, outcome.made, outcome.errors) == (0, 2, [])
    assert [line.partition(",")[0] for line in said] == ["2 questions x 1 = 2 calls"]
    rows = analyse(judgments_from_logs(str(tmp_path))).results["rows"]
    assert [(row["temperature"], row["method"]) for row in rows] == [(1, "exact"), (0, "exact")]
