"""The sweep: killed and resumed by inspect, and its table."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, modelapi

from commands import invoke
from example_logs import DRAWN
from inspect_reliability.answers import analyse
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.saving import alone
from processes import COMMAND, KILLED, python


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process keeps inspect's display, which would print among the output of later commands."""
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


QUESTIONS, REPLICATIONS = 5, 4
TEMPERATURES = (1.0, 0.0)
TOTAL = len(TEMPERATURES) * QUESTIONS * REPLICATIONS
KILLED_SWEEP = KILLED % 7 + COMMAND


def _responses(folder: Path, ending: str = "") -> str:
    path = folder / "responses.jsonl"
    rows = [
        {"id": n, "question": "?", "responses": {name: f"{name}{n}{ending}" for name in "vwxyz"}}
        for n in range(QUESTIONS)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def _run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return python(
        *(code, "sweep", "--model", "hf_seeded/tiny-judge", "-M", "max_rows=2"),
        *("--benchmark", "bbh", "--replications", str(REPLICATIONS)),
        *(word for t in TEMPERATURES for word in ("--temperature", str(t))),
        *("-T", f"responses={_responses(folder)}", "--log-dir", str(folder / "sweep")),
    )


@pytest.mark.process
def test_a_killed_sweep_ends_with_every_judgment_once(tmp_path: Path) -> None:
    """Killed half way and run again, a sweep holds each judgment exactly once."""
    logs = tmp_path / "sweep"
    killed = _run(KILLED_SWEEP, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
    kept = _made(logs)
    assert 0 < len(kept) < TOTAL
    again = _run(COMMAND, tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "BBH, temperature 1" in again.stdout
    made = judgments_from_logs(logs).table
    each = made.groupby(["temperature", "question", "replication"]).size()
    assert len(each) == len(made) == TOTAL
    assert set(made["temperature"]) == set(TEMPERATURES)
    assert kept.items() < _made(logs).items()


def _made(folder: Path) -> dict[tuple[object, ...], object]:
    table = judgments_from_logs(folder).table
    names = ["temperature", "question", "replication", "seed"]
    return dict(
        zip(zip(*(table[one] for one in names), strict=True), table["verdict"], strict=True)
    )


@pytest.mark.slow
def test_more_of_a_sweep_adds_to_it(tmp_path: Path) -> None:
    """More judges add to a folder and other texts are judged anew; nothing is run twice."""
    logs = tmp_path / "sweep"
    command = ["sweep", "--benchmark", "bbh", "--temperature", "1", "--limit", "2"]
    command += ["--replications", "2", "--log-dir", str(logs)]

    def run(*judges: str, ending: str = "") -> int:
        models = [word for judge in judges for word in ("--model", judge)]
        given = [*command, *models, "-T", f"responses={_responses(tmp_path, ending)}"]
        done = invoke(*given)
        assert done.exit_code == 0, done.output
        return len(judgments_from_logs(logs).table)

    assert run(DRAWN, DRAWN) == 4
    before = {one.name: one.read_bytes() for one in logs.glob("*.eval")}
    assert run(DRAWN) == 4
    assert run(DRAWN, "drawn/other") == 8
    assert run(DRAWN, ending=", changed") == 12
    assert before.items() <= {one.name: one.read_bytes() for one in logs.glob("*.eval")}.items()


@pytest.mark.slow
def test_the_cost_is_said_and_nothing_is_run(tmp_path: Path) -> None:
    """A dry run says the calls of all parts together, and leaves no file."""
    command = ["sweep", "--model", "nosuch/model", "--benchmark", "bbh", "--limit", "2"]
    command += ["--replications", "3", "--log-dir", str(tmp_path / "logs")]
    done = invoke(*command, "--temperature", "1", "--dry-run")
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith("2 questions x 3 = 6 calls, about ")
    said = " ".join(invoke(*command, "--dry-run").stderr.split())
    assert "5 runs: 10 questions x 3 = 30 calls, about" in said
    done = invoke(*command)
    assert done.exit_code == 2
    assert "The judge nosuch/model cannot be used" in done.stderr
    assert not list(tmp_path.glob("logs/*.eval"))


@pytest.mark.slow
def test_one_process_at_a_time_sweeps_into_a_folder(tmp_path: Path) -> None:
    """A second sweep into a folder is refused, before it can double the judgments."""
    command = ["sweep", "--model", "failing/model", "--benchmark", "bbh", "--limit", "2"]
    with alone(tmp_path / "sweep"):
        done = invoke(*command, "--log-dir", tmp_path)
    assert done.exit_code == 2
    assert "Another process is writing to" in done.stderr
    assert not list(tmp_path.glob("*.eval"))


@pytest.mark.slow
def test_a_failed_judgment_is_counted_and_quoted_once(tmp_path: Path) -> None:
    """A sweep whose judge fails has an exit status of its own, and each error one line."""
    command = ["sweep", "--model", "failing/model", "--benchmark", "bbh", "--limit", "2"]
    command += ["--replications", "2", "--temperature", "1", "--log-dir", str(tmp_path)]
    done = invoke(*command)
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
        ([], "Missing option '--model'"),
        (["--model", "mockllm/model", "-M", "x"], "'x' is not of the form KEY=VALUE"),
        (["--model", "mockllm/model", "-T", "responses=nowhere"], "No file or folder 'nowhere'"),
        (["--model", "mockllm/model", "-T", "answerers=x"], "-T answerers= is no option"),
        (["--model", "mockllm/model", "-T", "replications=5"], "Give --replications in place"),
        (["--model", "mockllm/model", "--temperature", "nan"], "nan is not a finite number"),
    ],
)
def test_bad_commands_are_refused_in_words(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that cannot run says why, without a traceback."""
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    result = invoke("sweep", *arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.slow
def test_exact_verdicts_serve_all_temperatures(tmp_path: Path) -> None:
    """One run a benchmark has the distributions of all temperatures, and is not made again."""
    command = ["sweep", "--model", "hf_seeded/tiny-judge", "--benchmark", "bbh", "--limit", "2"]
    command += [
        "-T",
        "exact=true",
        "--temperature",
        "1",
        "--temperature",
        "0",
        "--log-dir",
        str(tmp_path),
    ]
    for _ in range(2):
        done = invoke(*command)
        assert done.exit_code == 0, done.output
        assert done.stderr.startswith("2 questions x 1 = 2 calls")
        assert len(list(tmp_path.glob("*.eval"))) == 1
    rows = analyse(judgments_from_logs(str(tmp_path))).results["rows"]
    assert [(row["temperature"], row["method"]) for row in rows] == [(1, "exact"), (0, "exact")]
