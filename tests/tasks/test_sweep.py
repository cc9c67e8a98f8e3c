"""The sweep: killed and resumed, and its table."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import (
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, modelapi

from inspect_reliability.cli import main
from inspect_reliability.errors import UserError
from inspect_reliability.judgments import judgments_from_logs
from inspect_reliability.report import analyse
from inspect_reliability.report.judge_by_benchmark import judge_by_benchmark
from inspect_reliability.saving import alone
from inspect_reliability.sweep.sweep import Sweep, run_sweep

pytestmark = pytest.mark.slow

QUESTIONS, REPLICATIONS = 5, 8
TEMPERATURES = (1.0, 0.0)
TOTAL = len(TEMPERATURES) * QUESTIONS * REPLICATIONS


KILLED_AFTER = 45
SWEEP = "from inspect_reliability.cli import main; main()"
# Killed at a count of judgments, which is the same on every machine, and not at a time.
KILLED_SWEEP = f"""
import itertools, os, signal
from inspect_ai.hooks import Hooks, SampleEnd, hooks

judged = itertools.count(1)

@hooks("killed", "The process is killed when some judgments have been made.")
class Killed(Hooks):
    async def on_sample_end(self, data: SampleEnd) -> None:
        if next(judged) == {KILLED_AFTER}:
            os.kill(os.getpid(), signal.SIGKILL)

{SWEEP}
"""


def _run(code: str, judge: str, epochs: int, folder: Path) -> subprocess.CompletedProcess[str]:
    responses = folder / "responses.jsonl"
    responses.write_text(
        "\n".join(
            json.dumps({"id": str(n), "question": "?", "responder": name, "response": f"{name}{n}"})
            for n in range(QUESTIONS)
            for name in "vwxyz"
        )
    )
    command = [
        *(sys.executable, "-c", code, "sweep"),
        *("--judge", judge, "--benchmark", "bbh", "--epochs", str(epochs)),
        *(word for t in TEMPERATURES for word in ("--temperature", str(t))),
        *("--responses", str(responses), "--log-dir", str(folder / "sweep")),
        *("-M", "max_rows=2"),
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, timeout=240
    )


@pytest.mark.process
@pytest.mark.parametrize("before", [0, 2], ids=["new", "grown"])
def test_a_killed_sweep_ends_with_every_judgment_once(
    before: int, models: list[str], tmp_path: Path
) -> None:
    """Killed half way and run again, a sweep holds each judgment exactly once."""
    logs = tmp_path / "sweep"
    if before:
        finished = _run(SWEEP, models[0], before, tmp_path)
        assert finished.returncode == 0, finished.stdout + finished.stderr
    old = list(logs.glob("*.eval"))
    killed = _run(KILLED_SWEEP, models[0], REPLICATIONS, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
    kept = _identity(str(logs))
    assert len(TEMPERATURES) * QUESTIONS * before < len(kept) < TOTAL
    # A copy of the folder can have the files' times in any order.
    for path in old:
        os.utime(path, (2**32, 2**32))
    again = _run(SWEEP, models[0], REPLICATIONS, tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "BBH: omega" in again.stdout
    judgments = judgments_from_logs(logs)
    assert judgments.notes == ()
    each = judgments.table.groupby(["temperature", "question", "replication"]).size()
    assert len(each) == len(judgments.table) == TOTAL
    assert set(judgments.table["temperature"]) == set(TEMPERATURES)
    assert len(list(logs.glob("*.eval"))) == len(TEMPERATURES)
    assert kept < _identity(str(logs))


def test_more_of_a_sweep_adds_to_it(models: list[str], tmp_path: Path) -> None:
    """More judges and more epochs add to a folder; nothing is run twice; then the table."""
    sweep: dict[str, Any] = {
        "benchmarks": ("bbh", "head_to_tail"),
        "temperatures": (1.0, 0.0),
        "limit": 2,
    }
    logs = str(tmp_path / "sweep")
    assert run_sweep(Sweep(models[:1], replications=2, **sweep), logs)
    before = judgments_from_logs(logs).table
    assert run_sweep(Sweep(models[:2], replications=3, **sweep), logs)
    judgments = judgments_from_logs(logs)
    assert len(before) == 2 * 2 * 2 * 2
    assert len(judgments.table) == 2 * 2 * 2 * 2 * 3
    identity = ["judge", "benchmark", "temperature", "question", "replication", "seed"]
    kept = judgments.table.merge(before[identity], on=identity)
    assert len(kept) == len(before)
    table = judge_by_benchmark(analyse(judgments, permutations=0).results["rows"])
    assert table.headings == [
        *("Judge", "T", "BBH: omega [95%]", "published"),
        *("Head-to-Tail of sample pack: omega [95%]", "published"),
    ]
    assert [row[:2] for row in table.rows] == [[m, t] for m in models[:2] for t in ("1", "0")]


FULL: dict[str, Any] = {
    "benchmarks": ("bbh",),
    "temperatures": (1.0,),
    "replications": 3,
    "limit": 3,
}


def _identity(folder: str) -> set[tuple[object, ...]]:
    samples = (s for log in list_eval_logs(folder) for s in read_eval_log_sample_summaries(log))
    return {(sample.id, sample.epoch, sample.uuid) for sample in samples}


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ({"replications": 1}, "has 3 replications of 3 questions of BBH by"),
        ({"limit": 1}, "has 3 replications of 3 questions of BBH by"),
        ({"replications": 2, "limit": 2}, "Nothing to do; all are kept"),
        ({"replications": 4, "limit": 2}, "To add to them, ask for"),
        ({"replications": 2, "limit": 4}, "To add to them, ask for"),
        ({"replications": 4, "limit": 4}, ""),
        ({"temperatures": (0.5,), "replications": 1}, ""),
        ({"seed": 1, "replications": 1}, ""),
        ({"model_args": {"max_rows": 2}, "replications": 1}, ""),
        ({"benchmarks": ("squad",), "replications": 1}, ""),
    ],
    ids=str,
)
def test_no_sweep_takes_a_judgment_away(
    then: dict[str, object], said: str, models: list[str], tmp_path: Path
) -> None:
    """Whatever is run into a folder, every judgment that was there is there, and only once."""
    logs = str(tmp_path / "sweep")
    assert run_sweep(Sweep(models[:1], **FULL), logs)
    before = _identity(logs)
    assert len(before) == 9
    again = Sweep(models[:1], **(FULL | then))
    heard: list[str] = []
    try:
        assert run_sweep(again, logs, heard.append)
    except UserError as error:
        heard.append(str(error))
    (text,) = heard
    assert (said or " calls, ") in text  # what is run is said by its cost
    after = _identity(logs)
    assert before <= after
    assert len(after) == sum(len(read_eval_log_sample_summaries(i)) for i in list_eval_logs(logs))
    asked = len(again.temperatures) * again.replications * (again.limit or 0)
    assert said or len(after) == (asked if asked > 9 else 9 + asked)


def test_fewer_epochs_than_a_killed_run_has_made(models: list[str], tmp_path: Path) -> None:
    """A killed run that is taken up with fewer epochs, or other questions, loses nothing."""
    logs = str(tmp_path / "sweep")
    assert run_sweep(Sweep(models[:1], **FULL), logs)
    (info,) = list_eval_logs(logs)
    log = read_eval_log(info)
    # What a kill leaves: some samples, no results, no word of an end.
    assert log.samples is not None
    made = [sample for sample in log.samples if sample.epoch != 2]
    log.status, log.results, log.samples = "started", None, made
    write_eval_log(log, info.name)
    before = _identity(logs)
    with pytest.raises(UserError, match="To add to them, ask for"):
        run_sweep(Sweep(models[:1], **(FULL | {"replications": 2})), logs)
    assert _identity(logs) == before
    assert run_sweep(Sweep(models[:1], **FULL), logs)
    assert before < _identity(logs)
    assert len(_identity(logs)) == 9


@pytest.fixture(scope="module")
def grown(models: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The log of a finished sweep, and the one of the same sweep with one replication more."""
    folder = tmp_path_factory.mktemp("grown")
    for replications in (2, 3):
        sweep = Sweep(models[:1], **(FULL | {"replications": replications}))
        assert run_sweep(sweep, str(folder / "sweep"))
        (path,) = (folder / "sweep").glob("*.eval")
        shutil.copy(path, folder)
    first, second = sorted(folder.glob("*.eval"))
    return first, second


@pytest.mark.parametrize("newest", ["finished", "killed"])
@pytest.mark.parametrize("uuids", [True, False], ids=["uuids", "no uuids"])
@pytest.mark.parametrize(
    "killed",
    [
        [(0, 1), (1, 1)],
        [(q, r) for q in range(3) for r in (2, 3)],
        [(0, 1), (0, 2), (0, 3), (1, 1)],
        [(q, r) for q in range(3) for r in (1, 2, 3)],
    ],
    ids=["early", "later replications", "one question", "all judged"],
)
def test_whatever_a_kill_leaves_is_finished(
    killed: list[tuple[int, int]],
    uuids: bool,
    newest: str,
    grown: tuple[Path, Path],
    models: list[str],
    tmp_path: Path,
) -> None:
    """One finished log holds every judgment at the end, each one that was there among them."""
    first, second = (Path(shutil.copy(path, tmp_path)) for path in grown)
    log = read_eval_log(second)
    ids = sorted({sample.id for sample in log.samples or []}, key=str)
    left = {(ids[q], r) for q, r in killed}
    log.samples = [s for s in log.samples or [] if (s.id, s.epoch) in left]
    log.status, log.results = "started", None
    write_eval_log(log, second)
    if not uuids:
        for path in (first, second):
            log = read_eval_log(path)
            for sample in log.samples or []:
                sample.uuid = None
            write_eval_log(log, path)
    os.utime(first if newest == "finished" else second, (2**32, 2**32))
    before = _identity(str(tmp_path))
    assert run_sweep(Sweep(models[:1], **FULL), str(tmp_path))
    after = _identity(str(tmp_path))
    assert before <= after
    logs = [read_eval_log(info) for info in list_eval_logs(str(tmp_path))]
    (full,) = (log for log in logs if log.status == "success" and len(log.samples or []) == 9)
    assert {(s.id, s.epoch) for s in full.samples or []} == {(q, r) for q in ids for r in (1, 2, 3)}
    assert len(after) == 9
    assert len(logs) == 1 or not uuids


def test_logs_without_uuids_are_not_taken_for_copies(
    grown: tuple[Path, Path], models: list[str], tmp_path: Path
) -> None:
    """Judgments that nothing identifies stay, though their logs look alike."""
    for path, replication in zip(grown, (1, 3), strict=True):
        log = read_eval_log(path)
        log.samples = [s for s in log.samples or [] if s.epoch == replication]
        for sample in log.samples:
            sample.uuid = None
        write_eval_log(log, tmp_path / path.name)
    before = _identity(str(tmp_path))
    assert len(before) == 6
    heard: list[str] = []
    once = Sweep(models[:1], **(FULL | {"replications": 1}))
    assert run_sweep(once, str(tmp_path), heard.append)
    assert "Nothing to do; all are kept" in heard[0]
    assert _identity(str(tmp_path)) == before


@pytest.mark.parametrize("twice", ["judges", "benchmarks", "temperatures"])
def test_what_is_named_twice_is_run_once(twice: str, models: list[str], tmp_path: Path) -> None:
    """A judge, benchmark or temperature that is named twice adds no judgment and no complaint."""
    once: dict[str, Any] = {"judges": models[:1], "benchmarks": ("bbh",), "temperatures": (1.0,)}
    named = once | {twice: [*once[twice], *once[twice]]}
    assert run_sweep(Sweep(**named, replications=1, limit=2), str(tmp_path))
    assert len(_identity(str(tmp_path))) == 2
    assert len(list(tmp_path.glob("*.eval"))) == 1


def test_a_broken_log_in_the_folder_is_named(models: list[str], tmp_path: Path) -> None:
    """A truncated log stops a sweep with its name, before anything is run."""
    broken = tmp_path / "2026-01-01T00-00-00-00-00_bbh-judge_aaaaaaaaaaaaaaaaaaaaaa.eval"
    broken.write_bytes(b"PK\x03\x04 no more")
    with pytest.raises(UserError, match=f"{broken.name} cannot be read"):
        run_sweep(Sweep(models[:1], **FULL), str(tmp_path))


def test_the_cost_is_said_and_nothing_is_run(tmp_path: Path) -> None:
    """A dry run says the calls of all parts together, and leaves no file."""
    command = ["sweep", "--judge", "nosuch/model", "--benchmark", "bbh", "--limit", "2"]
    command += ["--epochs", "3", "--log-dir", str(tmp_path / "logs")]
    done = CliRunner().invoke(main, [*command, "--temperature", "1", "--dry-run"])
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith("2 questions x 3 = 6 calls, about ")
    assert "Together 30 calls" in CliRunner().invoke(main, [*command, "--dry-run"]).stderr
    done = CliRunner().invoke(main, [*command, "--max-calls", "29"])
    assert done.exit_code == 2
    assert "30 calls are needed, and --max-calls allows 29" in done.stderr
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "The judge nosuch/model cannot be used" in done.stderr
    assert not list(tmp_path.glob("logs/*.eval"))


def test_one_judge_is_run_by_one_process_at_a_time(tmp_path: Path) -> None:
    """A second sweep of a judge into a folder is refused, before it can double the judgments."""
    command = ["sweep", "--judge", "failing/model", "--benchmark", "bbh", "--limit", "2"]
    with alone(tmp_path / "failing_model"):
        done = CliRunner().invoke(main, [*command, "--log-dir", str(tmp_path)])
    assert done.exit_code == 2
    assert "Another process is writing to" in done.stderr
    assert not list(tmp_path.glob("*.eval"))


def test_a_failed_judgment_is_counted_and_quoted_once(tmp_path: Path) -> None:
    """A sweep whose judge fails has an exit status of its own, and each error one line."""
    command = ["sweep", "--judge", "failing/model", "--benchmark", "bbh", "--limit", "2"]
    command += ["--epochs", "2", "--temperature", "1", "--log-dir", str(tmp_path)]
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
        (["--judge", "mockllm/model", "-M", "x"], "-M x is not of the form KEY=VALUE"),
        (["--judge", "mockllm/model", "--responses", "nowhere"], "No file or folder 'nowhere'"),
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
