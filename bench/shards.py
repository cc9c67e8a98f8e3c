"""What shards promise on paper, what kills (-9) leave of one, and what Ray makes of two.

    python bench/shards.py [--questions 20000] [--replications 100] [--judgment 0.005] [--start 300]
    python bench/shards.py --kills 10
    python bench/shards.py --ray 2

The first prints the largest shard and the hours of a study with 1, 8 and 80 workers, from your own
seconds a judgment and until a worker's judge is loaded. The others judge the sample pack with the
tiny judge in one process, and then in two shards: one is killed at the end of a random sample and
run again, ten times afresh, or both are tasks of Ray on this machine. Both compare every seed and
verdict. Ray's time is
printed beside that of one process, with a core for each. The same study with one replication says
how much of it is start-up.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from signal import SIGKILL

from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.shards import Shard

INSPECT = "from inspect_ai._cli.main import main; main()"
RAY = Path(__file__).parents[1] / "examples" / "ray_study.py"
KILLED = """
import itertools, os, signal
from inspect_ai.hooks import Hooks, SampleEnd, hooks

judged = itertools.count(1)

@hooks("killed", "The process is killed when some samples have been judged.")
class Killed(Hooks):
    async def on_sample_end(self, data: SampleEnd) -> None:
        if next(judged) == %d:
            os.kill(os.getpid(), signal.SIGKILL)

"""


def on_paper(questions: int, replications: int, judgment: float, start: float) -> None:
    """Print the hours of a study on one GPU, on eight, and on ten machines of eight."""
    ids = [f"question {n}" for n in range(questions)]
    print(f"{questions:,} questions x {replications} = {questions * replications:,} judgments")
    print(f"{judgment} s a judgment, {start:.0f} s until a worker's judge is loaded\n")
    print("workers  largest shard   hours  times as fast")
    alone = start + questions * replications * judgment
    for workers in (1, 8, 80):
        largest = max(len(Shard(place, workers).part(ids, str)) for place in range(workers))
        took = start + largest * replications * judgment
        print(f"{workers:7}  {largest:13,}  {took / 3600:6.2f}  {alone / took:13.1f}")


def seconds(command: list[str], ends: int = 0) -> float:
    """Run a process whose judge has one core; its seconds.

    Raises:
        RuntimeError: It ended in another way.
    """
    started = time.perf_counter()
    one_core = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *command], env=one_core, capture_output=True, text=True)
    if done.returncode != ends:
        raise RuntimeError(done.stdout + done.stderr)
    return time.perf_counter() - started


def judge(
    folder: Path, replications: int, shard: Shard | None = None, kill: int | None = None
) -> float:
    """Judge in a process of its own, which may be killed at the end of a sample; its seconds."""
    words = [*task(replications), "--log-dir", str(folder), "--log-buffer", "1"]
    words += ["-T", f"shard={shard}"] if shard else []
    code = INSPECT if kill is None else KILLED % kill + INSPECT
    command = ["-c", code, "eval-set", *words, "--display", "none"]
    return seconds(command, -SIGKILL if kill else 0)


def task(replications: int) -> list[str]:
    """The study, as options of `inspect eval-set`."""
    asked = ["inspect_reliability/bbh_judge", "-T", f"replications={replications}"]
    return [*asked, "--model", "hf_seeded/tiny-judge"]


def made(folder: Path) -> list[tuple[object, ...]]:
    """Every judgment with its seed."""
    table = judgments_from_logs(folder).table
    names = ["question", "replication", "seed", "verdict"]
    return sorted(table[names].itertuples(index=False, name=None))


def killed(folder: Path, whole: Path, kills: int, replications: int) -> list[bool]:
    """Judge a shard that is killed and run again, afresh for each kill; whether all was there."""
    known, draws, equal = made(whole), random.Random(0), []
    first, other = Shard(0, 2), Shard(1, 2)
    judge(folder / "1", replications, other)
    size = len(first.part(sorted({str(one[0]) for one in known}), str))
    for _ in range(kills):
        shutil.rmtree(folder / "0", ignore_errors=True)
        kill = draws.randint(1, size)
        judge(folder / "0", replications, first, kill)
        took = judge(folder / "0", replications, first)
        equal.append(made(folder) == known)
        said = "equal" if equal[-1] else "NOT equal"
        print(f"killed at sample {kill} of {size}, ended in {took:.1f} s: {said}", flush=True)
    return equal


def by_ray(folder: Path, shards: int, replications: int) -> float:
    """Judge in shards that are tasks of Ray; its seconds."""
    name = str(folder).removesuffix(".shards")
    words = ["--shards", str(shards), "--gpus", "0", "--name", name, "--", *task(replications)]
    return seconds([str(RAY), *words])


def beside_ray(whole: Path, parts: Path, shards: int, replications: int) -> None:
    """Judge in one process and by Ray; print the seconds of both, and their ratio."""
    with tempfile.TemporaryDirectory() as base:
        small = Path(base, "whole"), Path(base, "study.shards")
        start = judge(small[0], 1), by_ray(small[1], shards, 1)
    took = judge(whole, replications), by_ray(parts, shards, replications)
    for place, who in enumerate(("one process", f"{shards} workers of Ray")):
        print(f"{who}: {took[place]:.1f} s, of which start-up {start[place]:.1f} s")
    after = [full - small for full, small in zip(took, start, strict=True)]
    ratio, of_judging = took[0] / took[1], after[0] / after[1]
    print(f"Ray is {ratio:.2f} times as fast, {of_judging:.2f} times after start-up", flush=True)


def main() -> None:
    """Read the options, and do one or the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--judgment", type=float, default=0.005, help="seconds a judgment")
    parser.add_argument("--start", type=float, default=300, help="seconds until a judge is loaded")
    parser.add_argument("--kills", type=int, default=0, help="of one shard")
    parser.add_argument("--ray", type=int, default=0, metavar="SHARDS")
    asked = parser.parse_args()
    if not asked.kills and not asked.ray:
        on_paper(asked.questions, asked.replications, asked.judgment, asked.start)
        return
    if asked.ray and not find_spec("ray"):
        parser.error("--ray needs Ray: pip install 'inspect-reliability[ray]'")
    with tempfile.TemporaryDirectory() as base:
        whole, parts = Path(base, "whole"), Path(base, "study.shards")
        if asked.kills:
            print(f"one process: {judge(whole, asked.replications):.1f} s", flush=True)
            equal = all(killed(parts, whole, asked.kills, asked.replications))
        else:
            beside_ray(whole, parts, asked.ray, asked.replications)
            equal = made(parts) == made(whole)
        count = len(made(whole))
    said = "equal" if equal else "NOT equal"
    print(f"{count:,} judgments with seeds and verdicts {said}")
    sys.exit(not equal)


if __name__ == "__main__":
    main()
