import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import match

from graders import in_full, run, suite
from inspect_reliability.cli import main
from inspect_reliability.saving import alone
from processes import COMMAND, python

pytestmark = pytest.mark.slow

PACED = """
import os, signal
from pathlib import Path

from inspect_ai.model import (
    GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

HERE = Path(__file__).parent


@modelapi(name="counted")
class Counted(ModelAPI):
    choices_follow_seeds = False

    def __init__(self, model_name, base_url=None, api_key=None, config=GenerateConfig()):
        super().__init__(model_name, base_url, api_key, [], config)
        config.max_connections = 4

    async def generate(self, input, tools, tool_choice, config):
        with (HERE / "calls").open("a") as calls:
            calls.write(f"{config.seed}\\n")
        plan = HERE / "plan"
        if plan.exists():
            at, what = plan.read_text().split()
            if len((HERE / "calls").read_text().splitlines()) == int(at):
                exec((HERE / what).read_text())
        output = ModelOutput.from_content("counted", f"seed {config.seed}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


@scorer(metrics=[accuracy()])
def paced(template: str = "Best of {sample}?") -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        prompt = template.format(sample=state.sample_id)
        output = await get_model(role="grader").generate(prompt)
        return Score(value="C", explanation=output.completion)

    return score
"""
"""A grader whose model counts its calls, and does what a file says at one of them."""

REPLICATIONS = 10
ALL = 3 * REPLICATIONS
CHECKS = 4  # of the seeds, beside the two replications that are compared


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A log with three outputs, beside the grader."""
    (tmp_path / "grader.py").write_text(PACED)
    return made(tmp_path / "logs")


def made(folder: Path) -> str:
    return run(suite(match()), folder, get_model("mockllm/model")).location


def plan(folder: Path, at: int, code: str) -> None:
    (folder / "code").write_text(code)
    (folder / "plan").write_text(f"{at} code")


def rejudge(folder: Path, log: str, *more: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return python(COMMAND, "rejudge", log, *arguments(folder), *more, **options)


def arguments(folder: Path) -> list[str]:
    scorer = ["--scorer", f"{folder}/grader.py@paced", "--model", "counted/model"]
    return [*scorer, "--replications", str(REPLICATIONS)]


def calls(folder: Path) -> int:
    file = folder / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def target_of(log: str) -> Path:
    return Path(log.removesuffix(".eval") + "-rejudged.eval")


def unfinished(log: str) -> Path:
    return Path(f"{target_of(log)}.unfinished")


def on_disk(log: str) -> int:
    lines = unfinished(log).read_text().splitlines()
    whole = 0
    for line in lines:
        try:
            whole += "verdict" in json.loads(line)
        except json.JSONDecodeError:
            continue
    return whole


def verdicts(log: EvalLog) -> list[list[Any]]:
    kept = [(sample.scores or {}).get("rejudge") for sample in log.samples or []]
    return [in_full(one)["verdicts"] for one in kept if one is not None]


def is_whole(log: str) -> bool:
    judged = read_eval_log(str(target_of(log)))
    return judged.status == "success" and verdicts(judged) == [["C"] * REPLICATIONS] * 3


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_stopped_run_loses_no_call_and_goes_on(tmp_path: Path, log: str, name: str) -> None:
    """A signal ends a run with a log of what was judged; the next run makes the other calls."""
    plan(tmp_path, 20, f"os.kill(os.getpid(), signal.{name})")
    stopped = rejudge(tmp_path, log)
    assert "Stopping after the calls under way" in stopped.stderr
    made = calls(tmp_path) - CHECKS
    assert 20 - CHECKS <= made < ALL
    first = read_eval_log(str(target_of(log)))
    assert first.status == "cancelled"
    assert Counter(v for kept in verdicts(first) for v in kept)["C"] == made
    assert not unfinished(log).exists()

    (tmp_path / "plan").unlink()
    done = rejudge(tmp_path, log)
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path) == ALL + CHECKS
    assert is_whole(log)


@pytest.mark.parametrize(
    "code",
    ["os.kill(os.getpid(), signal.SIGKILL)", "os.kill(os.getpid(), signal.SIGINT);" * 2],
    ids=["SIGKILL", "Ctrl-C twice"],
)
def test_a_killed_run_goes_on_from_the_replications_on_disk(
    tmp_path: Path, log: str, code: str
) -> None:
    """What a killed run wrote is not asked again, and is in the log in the end."""
    plan(tmp_path, 12, code)
    killed = rejudge(tmp_path, log)
    assert killed.returncode != 0
    made = on_disk(log)
    assert 0 < made <= 12
    with unfinished(log).open("a") as file:
        file.write('{"log": "half a li')
    before = calls(tmp_path)

    (tmp_path / "plan").unlink()
    done = rejudge(tmp_path, log)
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path) - before == ALL - made + CHECKS
    assert is_whole(log)
    assert not unfinished(log).exists()


def test_a_killed_run_of_several_wordings_goes_on(tmp_path: Path, log: str) -> None:
    """Killed in its second wording, a run leaves the first in the log and that on disk."""
    (tmp_path / "wordings.json").write_text('{"wordings": ["Which is best: {sample}?"]}')
    worded = ["--wordings", str(tmp_path / "wordings.json")]
    plan(tmp_path, ALL + CHECKS + 12, "os.kill(os.getpid(), signal.SIGKILL)")
    assert rejudge(tmp_path, log, *worded).returncode != 0
    assert is_whole(log)
    made, before = on_disk(log), calls(tmp_path)
    assert ALL < made < before

    (tmp_path / "plan").unlink()
    done = rejudge(tmp_path, log, *worded)
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path) - before == 2 * ALL - made
    for sample in read_eval_log(str(target_of(log))).samples or []:
        scores = [(sample.scores or {})[name] for name in ("rejudge", "rejudge1")]
        assert [in_full(one)["verdicts"] for one in scores] == [["C"] * REPLICATIONS] * 2
        assert [(one.metadata or {})["wording"] for one in scores] == ["given", "1"]
        assert len({seed for one in scores for seed in in_full(one)["seeds"]}) == ALL * 2 / 3
    assert not unfinished(log).exists()


def test_a_log_that_cannot_be_written_is_saved_elsewhere(tmp_path: Path, log: str) -> None:
    """Where the target fails in the end the command says where the log is."""
    plan(tmp_path, 20, f"Path({str(target_of(log))!r}).mkdir()")
    done = rejudge(tmp_path, log, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    place = tmp_path / target_of(log).name
    assert f"The log is {place}" in " ".join(done.stderr.split())
    assert verdicts(read_eval_log(str(place))) == [["C"] * REPLICATIONS] * 3


def test_a_full_disk_ends_the_run_with_what_it_has(tmp_path: Path, log: str) -> None:
    """No call is made whose verdict could not be kept, and those made before are in the log."""
    plan(tmp_path, 1, f"Path({str(unfinished(log))!r}).symlink_to('/dev/full')")
    done = rejudge(tmp_path, log)
    assert "No space left on device" in " ".join(done.stderr.split())
    first = read_eval_log(str(target_of(log)))
    assert Counter(v for kept in verdicts(first) for v in kept)["C"] == calls(tmp_path) < ALL
    (tmp_path / "plan").unlink()
    assert rejudge(tmp_path, log).returncode == 0
    assert calls(tmp_path) == ALL + CHECKS
    assert is_whole(log)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("o.log", "Name a file that ends in .eval or .json"),
        ("logs", "Name a file that ends in .eval or .json"),
        ("folder.eval", "is a folder. Name a file in it"),
        ("grader.py/o.eval", "cannot be written"),
        ("/proc/nothing/o.eval", "cannot be written"),
        (f"{'long' * 100}.eval", "cannot be written"),
        ("nul\0.eval", "cannot be written"),
        ("nosuch://o.eval", "Protocol not known"),
    ],
)
def test_a_bad_target_is_refused_before_the_first_call(
    tmp_path: Path, log: str, output: str, message: str
) -> None:
    """The target is tried first: what cannot be written is not paid for."""
    (tmp_path / "folder.eval").mkdir()
    place = output if "://" in output else str(tmp_path / output)
    done = CliRunner().invoke(main, ["rejudge", log, *arguments(tmp_path), "--output", place])
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert calls(tmp_path) == 0


def test_a_trial_leaves_nothing_behind(tmp_path: Path, log: str) -> None:
    """Beside the new log no file of the run stays."""
    before = set(Path(log).parent.iterdir())
    assert CliRunner().invoke(main, ["rejudge", log, *arguments(tmp_path)]).exit_code == 0
    assert set(Path(log).parent.iterdir()) - before == {target_of(log)}


def test_two_processes_do_not_write_one_log(tmp_path: Path, log: str) -> None:
    """The second is refused while the first runs, and not after the first was killed."""
    with alone(target_of(log)):
        done = rejudge(tmp_path, log)
    assert done.returncode == 2
    assert "Another process is writing to" in " ".join(done.stderr.split())
    assert calls(tmp_path) == 0
    plan(tmp_path, 1, "os.kill(os.getpid(), signal.SIGKILL)")
    rejudge(tmp_path, log)
    (tmp_path / "plan").unlink()
    assert rejudge(tmp_path, log).returncode == 0


def test_judgments_of_another_log_are_not_taken(tmp_path: Path, log: str) -> None:
    """What a killed run left belongs to its log and base seed."""
    plan(tmp_path, 12, "os.kill(os.getpid(), signal.SIGKILL)")
    rejudge(tmp_path, log)
    (tmp_path / "plan").unlink()
    other = made(tmp_path / "other")
    for source, seed in ((other, "0"), (log, "1")):
        where = ["--output", str(target_of(log)), "--seed", seed]
        done = CliRunner().invoke(main, ["rejudge", source, *arguments(tmp_path), *where])
        assert done.exit_code == 2
        assert "judgments of another log or another base seed" in " ".join(done.stderr.split())
