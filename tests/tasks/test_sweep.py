"""The sweep: killed and resumed, and its table."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from inspect_ai.log import (
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    write_eval_log,
)

from inspect_reliability.errors import UserError
from inspect_reliability.judgments import judgments_from_logs
from inspect_reliability.report import report_cells
from inspect_reliability.report.judge_by_benchmark import judge_by_benchmark
from inspect_reliability.sweep import Sweep, run_sweep

QUESTIONS, REPLICATIONS = 5, 16
TEMPERATURES = (1.0, 0.0)
TOTAL = len(TEMPERATURES) * QUESTIONS * REPLICATIONS


def _command(judge: str, folder: Path) -> list[str]:
    responses = folder / "responses.jsonl"
    responses.write_text(
        "\n".join(
            json.dumps({"id": str(n), "question": "?", "responder": name, "response": f"{name}{n}"})
            for n in range(QUESTIONS)
            for name in "vwxyz"
        )
    )
    return [
        *(sys.executable, "-c", "from inspect_reliability.cli import main; main()", "sweep"),
        *("--judge", judge, "--benchmark", "bbh", "--epochs", str(REPLICATIONS)),
        *(word for t in TEMPERATURES for word in ("--temperature", str(t))),
        *("--responses", str(responses), "--log-dir", str(folder / "sweep")),
        *("-M", "max_rows=2"),
    ]


def _written(log_dir: Path) -> int:
    """Judgments that are in the logs already."""
    count = 0
    for log in list_eval_logs(str(log_dir)) if log_dir.exists() else []:
        try:
            count += len(read_eval_log_sample_summaries(log))
        except Exception:  # a log that is being written
            continue
    return count


def test_a_killed_sweep_ends_with_every_judgment_once(models: list[str], tmp_path: Path) -> None:
    """Killed half way and run again, a sweep holds each judgment exactly once."""
    logs = tmp_path / "sweep"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with (tmp_path / "out").open("w") as out:
        running = subprocess.Popen(
            _command(models[0], tmp_path), stdout=out, stderr=out, env=environment
        )
        deadline = time.monotonic() + 120
        while _written(logs) < TOTAL // 4 and time.monotonic() < deadline:
            assert running.poll() is None, (tmp_path / "out").read_text()
            time.sleep(0.2)
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert TOTAL // 4 <= _written(logs) < TOTAL
    again = subprocess.run(
        _command(models[0], tmp_path), capture_output=True, text=True, env=environment, check=False
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert "BBH: omega" in again.stdout
    assert _written(logs) == TOTAL
    judgments = judgments_from_logs(logs)
    assert judgments.notes == ()
    each = judgments.table.groupby(["temperature", "question", "replication"]).size()
    assert len(each) == len(judgments.table) == TOTAL
    assert set(judgments.table["temperature"]) == set(TEMPERATURES)


def test_more_of_a_sweep_adds_to_it(models: list[str], tmp_path: Path) -> None:
    """More judges and more epochs add to a folder; nothing is run twice; then the table."""
    sweep = {"benchmarks": ("bbh", "head_to_tail"), "temperatures": (1.0, 0.0), "limit": 2}
    logs = str(tmp_path / "sweep")
    assert run_sweep(Sweep(models[:1], replications=2, **sweep), logs)  # type: ignore[arg-type]
    before = judgments_from_logs(logs).table
    assert run_sweep(Sweep(models[:2], replications=3, **sweep), logs)  # type: ignore[arg-type]
    judgments = judgments_from_logs(logs)
    assert len(before) == 2 * 2 * 2 * 2
    assert len(judgments.table) == 2 * 2 * 2 * 2 * 3
    identity = ["judge", "benchmark", "temperature", "question", "replication", "seed"]
    kept = judgments.table.merge(before[identity], on=identity)
    assert len(kept) == len(before)
    headings, rows = judge_by_benchmark(report_cells(judgments, permutations=0))
    assert headings == [
        *("Judge", "T", "BBH: omega [95%]", "published"),
        *("Head-to-Tail of sample pack: omega [95%]", "published"),
    ]
    assert [row[:2] for row in rows] == [[m, t] for m in models[:2] for t in ("1", "0")]


FULL = {"benchmarks": ("bbh",), "temperatures": (1.0,), "replications": 3, "limit": 3}


def _identity(folder: str) -> set[tuple[object, ...]]:
    samples = (s for log in list_eval_logs(folder) for s in read_eval_log_sample_summaries(log))
    return {(sample.id, sample.epoch, sample.uuid) for sample in samples}


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ({"replications": 1}, "holds 3 replications of 3 questions of BBH by"),
        ({"limit": 1}, "holds 3 replications of 3 questions of BBH by"),
        ({"replications": 2, "limit": 2}, "Nothing to do, and nothing is removed"),
        ({"replications": 4, "limit": 2}, "To go on from what is there"),
        ({"replications": 2, "limit": 4}, "To go on from what is there"),
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
    assert run_sweep(Sweep(models[:1], **FULL), logs)  # type: ignore[arg-type]
    before = _identity(logs)
    assert len(before) == 9
    again = Sweep(models[:1], **(FULL | then))  # type: ignore[arg-type]
    heard: list[str] = []
    try:
        assert run_sweep(again, logs, heard.append)
    except UserError as error:
        heard.append(str(error))
    assert [said in text for text in heard] == [True] * bool(said)
    after = _identity(logs)
    assert before <= after
    assert len(after) == sum(len(read_eval_log_sample_summaries(i)) for i in list_eval_logs(logs))
    asked = len(again.temperatures) * again.replications * (again.limit or 0)
    assert said or len(after) == (asked if asked > 9 else 9 + asked)


def test_fewer_epochs_than_a_killed_run_has_made(models: list[str], tmp_path: Path) -> None:
    """A killed run that is taken up with fewer epochs, or other questions, loses nothing."""
    logs = str(tmp_path / "sweep")
    assert run_sweep(Sweep(models[:1], **FULL), logs)  # type: ignore[arg-type]
    (info,) = list_eval_logs(logs)
    log = read_eval_log(info)
    # What a kill leaves: some samples, no results, no word of an end.
    assert log.samples is not None
    made = [sample for sample in log.samples if sample.epoch != 2]
    log.status, log.results, log.samples = "started", None, made
    write_eval_log(log, info.name)
    before = _identity(logs)
    with pytest.raises(UserError, match="To go on from what is there"):
        run_sweep(Sweep(models[:1], **(FULL | {"replications": 2})), logs)  # type: ignore[arg-type]
    assert _identity(logs) == before
    assert run_sweep(Sweep(models[:1], **FULL), logs)  # type: ignore[arg-type]
    assert before < _identity(logs)
    assert len(_identity(logs)) == 9


def test_a_broken_log_in_the_folder_is_named(models: list[str], tmp_path: Path) -> None:
    """A truncated log stops a sweep with its name, before anything is run."""
    broken = tmp_path / "2026-01-01T00-00-00-00-00_bbh-judge_aaaaaaaaaaaaaaaaaaaaaa.eval"
    broken.write_bytes(b"PK\x03\x04 no more")
    with pytest.raises(UserError, match=f"{broken.name} cannot be read"):
        run_sweep(Sweep(models[:1], **FULL), str(tmp_path))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name at least one judge"),
        (["--judge", "mockllm/model", "-M", "x"], "-M x is not of the form KEY=VALUE"),
        (["--judge", "mockllm/model", "--responses", "nowhere"], "no file or folder 'nowhere'"),
    ],
)
def test_bad_commands_are_refused_in_words(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that cannot run says why, without a traceback."""
    from click.testing import CliRunner

    from inspect_reliability.cli import main

    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["sweep", *arguments])
    assert result.exit_code == 2
    assert message in result.output
