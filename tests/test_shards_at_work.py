"""The examples that spread a study over workers: Ray, a Slurm array, and a server a shard."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from chat_server import ChatServer, serving
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
    """Run a command with this Python and its scripts first, in a folder of the test's own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "tests")} | variables
    return subprocess.run(words, cwd=folder, env=found, capture_output=True, text=True, timeout=300)


def whole(folder: Path) -> list[tuple[object, ...]]:
    """What one process judges."""
    evaluate(bbh_judge(replications=3), folder / "whole", model="hf_seeded/tiny-judge")
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


def array(folder: Path, tasks: range, *words: str, **variables: str) -> None:
    """Run the sbatch file as Slurm runs an array: with the variables of each of its tasks."""
    own = {"MIN": tasks[0], "MAX": tasks[-1], "STEP": tasks.step, "COUNT": len(tasks)}
    script = str(ROOT / "examples" / "slurm_study.sbatch")
    variables |= {"NAME": "study", "WITH_SERVER": str(ROOT / "examples" / "with_server")}
    for id in tasks:
        names = {f"SLURM_ARRAY_TASK_{n}": str(v) for n, v in (own | {"ID": id}).items()}
        done = run(folder, "bash", script, *words, **names, **variables)
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_array_of_slurm(tmp_path: Path) -> None:
    """The array's logs are those of one process, and running a shard again adds nothing."""
    task = ["inspect_reliability/bbh_judge", "-T", "replications=3"]
    task += ["--model", "hf_seeded/tiny-judge"]
    array(tmp_path, range(4, 9, 2), *task)
    assert sorted(os.listdir(tmp_path / "study.shards")) == ["0", "1", "2"]
    expected = whole(tmp_path)
    assert made(tmp_path / "study.shards") == expected
    array(tmp_path, range(1, 2), *task, SHARD="1/3")
    assert sorted(os.listdir(tmp_path / "study.shards")) == ["0", "1", "2"]
    assert made(tmp_path / "study.shards") == expected


@pytest.mark.server
def test_a_server_beside_each_shard(tmp_path: Path) -> None:
    """Two shards with a server each have the verdicts of one server, and end their servers."""
    (tmp_path / "serve.py").write_text(
        "import os, sys, time\nfrom chat_server import ChatServer, serving\n"
        "open('served', 'a').write(f'{os.getpid()} ')\n"
        f"with serving(ChatServer(said={SAID}), int(sys.argv[-1])):\n    time.sleep(600)\n"
    )
    task = ["inspect_reliability/bbh_judge", "-T", "replications=3", "--limit", "8"]
    serve = f"{sys.executable} serve.py"
    array(tmp_path, range(2), *task, "--model", "openai-api/judge/x", SERVE=serve)
    servers = (tmp_path / "served").read_text().split()
    assert len(servers) == 2
    assert not any(Path("/proc", server).exists() for server in servers)
    found = made(tmp_path / "study.shards")
    with serving(ChatServer(said=SAID)) as model:
        evaluate(bbh_judge(replications=3), tmp_path / "whole", model=model)
    assert {*found} < {*made(tmp_path / "whole")}
    assert len(found) == 2 * 8 * 3


def test_a_server_that_ends_is_told(tmp_path: Path) -> None:
    """A server that cannot start ends its shard at once, with the command that was tried."""
    done = run(tmp_path, str(ROOT / "examples" / "with_server"), "false", "echo", "judged")
    assert done.returncode == 1
    assert "The server ended: false --port" in done.stderr
    assert "judged" not in done.stdout
