"""The examples that spread a study over workers: Ray, a Slurm array, and a server a shard."""

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from commands import inspect
from evals import evaluate
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.study.tasks import bbh_judge

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[1]
MADE = ["question", "replication", "seed", "verdict"]
SAID = ("Best Response: [[A]]", "Best Response: [[B]]", "I cannot say.")


def made(folder: Path) -> list[tuple[object, ...]]:
    table = judgments_from_logs(folder).table
    return sorted(table[MADE].itertuples(index=False, name=None))


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder of the test's own; scripts there come first, then this Python's."""
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    found = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "tests")} | variables
    return subprocess.run(words, cwd=folder, env=found, capture_output=True, text=True, timeout=300)


def whole(folder: Path, **options: Any) -> list[tuple[object, ...]]:
    """What one process judges."""
    model = "hf_seeded/tiny-judge"
    evaluate(bbh_judge(replications=3), folder / "whole", model=model, **options)
    return made(folder / "whole")


KILLED_ONCE = """
import os, signal
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.hooks import Hooks, SampleEnd, hooks
from inspect_reliability.study.tasks import bbh_judge

@hooks("worker_killed", "The worker of shard 1 is killed once, at its second sample.")
class WorkerKilled(Hooks):
    async def on_sample_end(self, data: SampleEnd) -> None:
        begun = Path(__file__).with_name("begun")
        if os.environ.get("SHARD") == "1/2" and not begun.with_name("killed").exists():
            if begun.exists():
                begun.rename(begun.with_name("killed"))
                os.kill(os.getppid(), signal.SIGKILL)
            else:
                begun.touch()

@task
def parts(shard: str, replications: int = 3) -> Task:
    os.environ["SHARD"] = shard
    return bbh_judge(shard=shard, replications=replications)
"""


def test_a_worker_of_ray_is_killed(tmp_path: Path) -> None:
    """Of two workers one is killed; its shard goes on, and the report has each judgment once."""
    if not find_spec("ray"):
        pytest.skip("needs ray: pip install 'inspect-reliability[ray]'")
    (tmp_path / "parts.py").write_text(KILLED_ONCE)
    done = run(
        tmp_path,
        *(sys.executable, str(ROOT / "examples" / "ray_study.py")),
        *("--shards", "2", "--gpus", "0", "--name", "study"),
        *("--", "parts.py", "--model", "hf_seeded/tiny-judge"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "killed").exists()
    assert "2 of 2" in done.stdout
    assert "27 questions x 3" in done.stdout
    assert made(tmp_path / "study.shards") == whole(tmp_path)


def test_ray_is_timed_beside_one_process(tmp_path: Path) -> None:
    """The bench says what both took, and that their judgments are equal."""
    if not find_spec("ray"):
        pytest.skip("needs ray: pip install 'inspect-reliability[ray]'")
    bench = str(ROOT / "bench" / "shards.py")
    done = run(tmp_path, sys.executable, bench, "--ray", "2", "--replications", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ray is " in done.stdout
    assert "54 judgments with seeds and verdicts equal" in done.stdout


def array(folder: Path, tasks: range, *words: str, **variables: str) -> None:
    """Run the sbatch file as Slurm runs an array: with the variables of each of its tasks."""
    own = {"MIN": tasks[0], "MAX": tasks[-1], "STEP": tasks.step, "COUNT": len(tasks)}
    script = str(ROOT / "examples" / "slurm_study.sbatch")
    variables |= {"NAME": "study", "WITH_SERVER": str(ROOT / "examples" / "with_server")}
    for id in tasks:
        names = {f"SLURM_ARRAY_TASK_{n}": str(v) for n, v in (own | {"ID": id}).items()}
        done = run(folder, "bash", script, *words, **names, **variables)
        assert done.returncode == 0, done.stdout + done.stderr


INSPECT_LATER = """#!/bin/sh
env | grep ^SLURM_ARRAY > "$CALLS/$$.env"
printf '%s\\n' "$@" > "$CALLS/$$.words"
"""


def test_an_array_of_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The array's logs are those of one process, and running a shard again adds nothing."""
    monkeypatch.chdir(tmp_path)
    (calls := tmp_path / "calls").mkdir()
    (tmp_path / "inspect").write_text(INSPECT_LATER)
    (tmp_path / "inspect").chmod(0o755)

    def judged(tasks: range, **more: str) -> None:
        """What the sbatch file calls is run in the process of the test."""
        task = ["inspect_reliability/bbh_judge", "-T", "replications=3", "--display", "none"]
        task += ["--model", "hf_seeded/tiny-judge", "--limit", "2"]
        array(tmp_path, tasks, *task, CALLS=str(calls), **more)
        for call in sorted(calls.glob("*.words")):
            given = call.with_suffix(".env").read_text().split()
            names = dict(one.split("=") for one in given)
            done = inspect(*call.read_text().split(), **names)
            assert done.exit_code == 0, done.output
            call.unlink()

    judged(range(4, 7, 2))
    assert sorted(os.listdir(tmp_path / "study.shards")) == ["0", "1"]
    found = made(tmp_path / "study.shards")
    assert len(found) == 2 * 2 * 3
    assert found == whole(tmp_path, sample_id=[*{str(one[0]) for one in found}])
    judged(range(1, 2), SHARD="1/2")
    assert made(tmp_path / "study.shards") == found


ASKS = """#!/bin/sh
curl --silent --data '{"messages": [], "seed": 1}' "$JUDGE_BASE_URL/chat/completions" > "said.$$"
"""


@pytest.mark.server
def test_a_server_beside_each_shard(tmp_path: Path) -> None:
    """Each shard is run beside a server of its own, which it reaches, and which ends with it."""
    (tmp_path / "serve.py").write_text(
        "import os, sys, time\nfrom chat_server import ChatServer, serving\n"
        "open('served', 'a').write(f'{os.getpid()} ')\n"
        f"with serving(ChatServer(said={SAID}), int(sys.argv[-1])):\n    time.sleep(600)\n"
    )
    (tmp_path / "inspect").write_text(ASKS)
    (tmp_path / "inspect").chmod(0o755)
    array(tmp_path, range(2), "task", SERVE=f"{sys.executable} serve.py")
    servers = (tmp_path / "served").read_text().split()
    assert len(servers) == 2
    assert not any(Path("/proc", server).exists() for server in servers)
    said = [json.loads(one.read_text()) for one in tmp_path.glob("said.*")]
    texts = [one["choices"][0]["message"]["content"] for one in said]
    assert texts == [random.Random(1).choice(SAID)] * 2


def test_a_server_that_ends_is_told(tmp_path: Path) -> None:
    """A server that cannot start ends its shard at once, with the command that was tried."""
    done = run(tmp_path, str(ROOT / "examples" / "with_server"), "false", "echo", "judged")
    assert done.returncode == 1
    assert "The server ended: false --port" in done.stderr
    assert "judged" not in done.stdout
