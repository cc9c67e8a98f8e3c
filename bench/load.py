"""CPU time and memory to write, read and report a million judgments.

    python bench/load.py

Two workers make half of them each and write what `report --save` writes. One process reports both
files together. Each step runs in a process of its own.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner

from inspect_reliability.cli import main as command_line
from inspect_reliability.cli.sources import read_judgments
from inspect_reliability.judgments import Judgments
from inspect_reliability.judgments.saved import save

ROWS, WORKERS = 1_000_000, 2


def measured(logs: list[str]) -> tuple[float, float]:
    """CPU seconds and peak memory (MB) of a report; the process has all its modules already."""
    started = time.process_time()
    done = CliRunner().invoke(command_line, ["report", *logs, "--format", "json"])
    assert done.exit_code == 0, done.output
    used = time.process_time() - started
    return used, peak()


def write_saved(path: Path, worker: int) -> float:
    """The judgments of one worker: 10 judges, 100 replications a question; CPU seconds to write."""
    chance = np.random.default_rng(worker)
    place = np.arange(ROWS // WORKERS)
    question, judge = place // 1000, place // 100 % 10
    steady = chance.random(len(place)) < 0.7
    letters = np.array(list("ABCDE"))
    verdicts = np.where(steady, letters[question % 5], chance.choice(letters, len(place)))
    table = pd.DataFrame(
        {
            "judge": [f"acme/judge-{n}" for n in judge],
            "benchmark": "load",
            "temperature": 1.0,
            "question": [f"q{worker}-{n}" for n in question],
            "replication": place % 100 + 1,
            "verdict": verdicts.astype(object),
            "scorer": "verdict",
            "order": [("one", "two", "three", "four", "five")] * len(place),
            "categories": [("A", "B", "C", "D", "E", "non-response")] * len(place),
            "seed": place % 100 + 1000 * question,
            "log": f"{worker}.eval",
            "uuid": [f"{worker}-{n}" for n in place // 100],
        }
    )
    started = time.process_time()
    save(Judgments(table.astype({"seed": object})), path)
    return time.process_time() - started


def read_alone(paths: list[str]) -> float:
    """CPU seconds to read judgments."""
    started = time.process_time()
    assert len(read_judgments(paths)) == ROWS // WORKERS * len(paths)
    return time.process_time() - started


def saved() -> str:
    """Write, read and report a million judgments."""
    processes = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{worker}.parquet") for worker in range(WORKERS)]
        with processes.Pool(WORKERS, maxtasksperchild=1) as pool:
            written = pool.starmap(write_saved, zip(paths, range(WORKERS), strict=True))
        names = [str(path) for path in paths]
        with processes.Pool(1, maxtasksperchild=1) as pool:
            one = pool.apply(read_alone, (names[:1],))
            read = pool.apply(read_alone, (names,))
            used, memory = pool.apply(measured, (names,))
        size = sum(path.stat().st_size for path in paths) / 2**20
    return (
        f"{ROWS:,} judgments of {WORKERS} workers in {size:.1f} MB: {max(written):.1f} CPU s each "
        f"to write, {one:.1f} to read one file, {read:.1f} to read all, {used:.1f} to report them, "
        f"{memory:.0f} MB at most"
    )


def peak() -> float:
    """Largest memory that this process had so far (MB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(saved())


if __name__ == "__main__":
    main()
