"""What shards promise on paper, and what a kill (-9) leaves of one.

    python bench/shards.py [--questions 20000] [--replications 100] [--judgment 0.005] [--start 300]
    python bench/shards.py --kills 10

The first prints the largest shard and the hours of a study with 1, 8 and 80 workers, from your own
seconds a judgment and until a worker's judge is loaded. The second judges the sample pack with the
tiny judge in ten shards. It kills each at the end of a random sample, and lets it finish. Then it
compares seeds and verdicts with those of one process.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from signal import SIGKILL

from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.shards import Shard

INSPECT = "from inspect_ai._cli.main import main; main()"
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
REPLICATIONS = 20


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


def judge(folder: Path, kill: int | None = None, shard: str | None = None) -> float:
    """Judge in a process of its own, which is killed at the end of a sample; its seconds."""
    words = ["eval-set", "inspect_reliability/bbh_judge", "-T", f"replications={REPLICATIONS}"]
    words += ["-T", f"shard={shard}"] if shard else []
    words += ["--model", "hf_seeded/tiny-judge", "--log-dir", str(folder), "--log-buffer", "1"]
    code = INSPECT if kill is None else KILLED % kill + INSPECT
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--display", "none"], capture_output=True, text=True
    )
    if done.returncode != (-SIGKILL if kill else 0):
        raise RuntimeError(done.stdout + done.stderr)
    return time.perf_counter() - started


def made(folder: Path) -> list[tuple[object, ...]]:
    """Every judgment with its seed."""
    table = judgments_from_logs(folder).table
    names = ["question", "replication", "seed", "verdict"]
    return sorted(table[names].itertuples(index=False, name=None))


def killed(kills: int, folder: Path) -> None:
    """Judge in one process, and in shards each of which is killed and run again."""
    print(f"one process: {judge(folder / 'whole'):.1f} s", flush=True)
    whole, parts, draws = made(folder / "whole"), folder / "study.shards", random.Random(0)
    questions = sorted({str(one[0]) for one in whole})
    for place in range(kills):
        shard = Shard(place, kills)
        size = len(shard.part(questions, str))
        kill = draws.randint(1, size)
        judge(parts / str(place), kill, str(shard))
        took = judge(parts / str(place), shard=str(shard))
        print(f"shard {shard} killed at sample {kill} of {size}, ended in {took:.1f} s", flush=True)
    found = made(parts)
    print(f"{len(found)} judgments of {len(whole)}, each once, with seeds and verdicts", end=" ")
    print("equal" if found == whole else "NOT equal")
    if found != whole:
        sys.exit(1)


def main() -> None:
    """Read the options, and do one or the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--judgment", type=float, default=0.005, help="seconds a judgment")
    parser.add_argument("--start", type=float, default=300, help="seconds until a judge is loaded")
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    if not asked.kills:
        on_paper(asked.questions, asked.replications, asked.judgment, asked.start)
        return
    with tempfile.TemporaryDirectory() as folder:
        killed(asked.kills, Path(folder))


if __name__ == "__main__":
    main()
