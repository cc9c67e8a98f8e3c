"""A study on many GPUs: each shard is a Ray task with a process of its own; then one report.

    pip install 'inspect-reliability[local,ray]'
    python examples/ray_study.py --shards 8 --gpus 1 --name logs/study -- \
        inspect_reliability/bbh_judge -T replications=100 --model hf_seeded/org/judge

After "--" come the task and options of `inspect eval-set`. Ray gives each shard its GPUs, and runs
it again where its process or its machine ended. inspect keeps the samples that were finished: run
the same command again after any failure. Every machine must see the folder of the logs.
"""

import argparse
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import ray

from inspect_reliability.cli import main as inspect_reliability


def judge_shard(place: int, number: int, folder: str, words: Sequence[str]) -> int:
    """Judge one shard in a process of its own; an error lets Ray run it again."""
    shard = ["-T", f"shard={place}/{number}", "--log-dir", f"{folder}/{place}"]
    # A sample has many replications, which a kill must not take away.
    command = [*words, *shard, "--log-buffer", "1", "--display", "log"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=_end_with_parent)
    if done.returncode:
        said = " ".join((done.stdout + done.stderr).split())
        raise RuntimeError(said[-300:] or f"it ended with {done.returncode}")
    return place


def _end_with_parent() -> None:
    # Else the process of a worker that was killed goes on beside the one that takes its place.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def judge_all(number: int, gpus: float, folder: str, words: Sequence[str], tries: int) -> list[int]:
    """Judge all shards, and say how far they are; the shards that failed each time."""
    remote = ray.remote(judge_shard).options(
        num_gpus=gpus, max_retries=tries, retry_exceptions=True
    )
    running = {remote.remote(place, number, folder, words): place for place in range(number)}
    started, failed = time.monotonic(), []
    while running:
        [done], _ = ray.wait(list(running))
        place, said = running.pop(done), "done"
        try:
            ray.get(done)
        except Exception as error:  # Ray's own, or that of the process
            failed.append(place)
            said = f"failed: {str(error).splitlines()[-1]}"
        left = f"{number - len(running)} of {number}, {time.monotonic() - started:.0f} s"
        print(f"Shard {place} {said} ({left})", flush=True)
    return failed


def main() -> None:
    """Start or join Ray, judge, and report."""
    parser = argparse.ArgumentParser(description="Judge a study in shards, each a Ray task.")
    parser.add_argument("--shards", type=int, required=True, help="parts of the questions")
    parser.add_argument("--gpus", type=float, default=1, help="GPUs of a shard; 0 for none")
    parser.add_argument("--name", required=True, help="name of the study's logs, as logs/study")
    parser.add_argument("--retries", type=int, default=3, help="further tries of a shard")
    parser.add_argument("--serve", help="command of a server for each shard (see with_server)")
    parser.add_argument("words", nargs="+", help="the task, and options of inspect eval-set")
    asked = parser.parse_args()
    folder = asked.name if "://" in asked.name else os.path.abspath(asked.name)
    folder += ".shards"
    words = [sys.executable, "-m", "inspect_ai", "eval-set", *asked.words]
    if asked.serve:
        with_server = Path(__file__).resolve().with_name("with_server")
        words = ["bash", str(with_server), asked.serve, *words]
    ray.init(log_to_driver=False)  # joins the cluster of RAY_ADDRESS, if there is one
    failed = judge_all(asked.shards, asked.gpus, folder, words, asked.retries)
    if failed:
        print(f"Shards {sorted(failed)} failed. Run the same command again to go on.")
    try:
        inspect_reliability(["report", folder])
    except SystemExit as ended:
        sys.exit(bool(failed) or ended.code)


if __name__ == "__main__":
    main()
