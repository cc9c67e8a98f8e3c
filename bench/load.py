"""CPU time and memory of `report` on many judgments: both should grow with their number alone.

    python bench/load.py [--share 0.2] [--only report|saved|waiting]

Three shapes: many logs, a study of 55 questions x 1,000 replications, and one of 2,000 x 20, with
the questions of a log scaled by the share. Each study comes in ten logs: inspect's own functions,
which write them, take the square of a log's samples. Each report runs in a process of its own, once
on everything and once on half of the logs. The last column compares the time a judgment, which
stays the same (1.0) where time is linear.

Then two workers make half of a million rows each, write what `report --save` writes, and one
process reports both files together.

Then many requests wait in `hf_seeded` at once, for a tiny model with random weights.
"""

import _paths  # noqa: F401, I001
import argparse
import asyncio
import multiprocessing
import random
import resource
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalResults,
    EvalSample,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score
from random_models import save_random_model

from inspect_reliability.cli import main as command_line
from inspect_reliability.cli.sources import read_judgments
from inspect_reliability.judgments import Judgments
from inspect_reliability.judgments.saved import save

SHAPES = {
    "100 logs of 2,700": [(n, range(270), range(1, 11)) for n in range(100)],
    "55 x 1,000": [(0, range(55), range(n, n + 100)) for n in range(1, 1000, 100)],
    "2,000 x 20": [(0, range(n, n + 200), range(1, 21)) for n in range(0, 2000, 200)],
}
"""Judge and task of each log, its questions and its replications."""
WAITING, PROMPTS = 5000, 100
ROWS, WORKERS = 1_000_000, 2


def write_log(path: Path, number: int, questions: range, replications: range) -> None:
    """A log of a judge that leans towards one letter a question."""
    chance = random.Random(path.name)
    judge = f"acme/judge-{number % 10}"
    samples = []
    for question in questions:
        favourite = "ABCDE"[question % 5]
        for replication in replications:
            letter = favourite if chance.random() < 0.7 else chance.choice("ABCDE")
            output = ModelOutput.from_content(judge, f"Best Response: [[{letter}]]")
            facts = {"replication": replication, "seed": chance.randrange(2**31)}
            facts |= {"categories": ["A", "B", "C", "D", "E", "non-response"]}
            samples.append(
                EvalSample(
                    id=f"q{question}",
                    epoch=replication,
                    uuid=f"{number}-{question}-{replication}",
                    input="Which is best?",
                    target="",
                    messages=[ChatMessageUser(content="Which is best?")],
                    output=output,
                    scores={"verdict": Score(value=letter, metadata=facts)},
                )
            )
    spec = EvalSpec(
        created=datetime.now(UTC).isoformat(),
        task=f"load {number // 10}",
        dataset=EvalDataset(samples=len(questions), sample_ids=[f"q{n}" for n in questions]),
        model=judge,
        config=EvalConfig(epochs=len(replications)),
    )
    write_eval_log(
        EvalLog(
            status="success",
            eval=spec,
            plan=EvalPlan(config=GenerateConfig(temperature=1.0)),
            results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
            samples=samples,
        ),
        str(path),
    )


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


def waiting(folder: str) -> str:
    """Send all requests at once, replications of some prompts; count answers."""
    model = get_model(save_random_model(Path(folder), seed=0), memoize=False)
    config = {"max_tokens": 2, "temperature": 1.0}

    async def ask(number: int) -> ModelOutput:
        prompt = f"Question {number % PROMPTS}?"
        return await model.generate(prompt, config=GenerateConfig(seed=number, **config))

    async def all_at_once() -> list[ModelOutput | BaseException]:
        return await asyncio.gather(*map(ask, range(WAITING)), return_exceptions=True)

    asyncio.run(model.generate("Question 0?", config=GenerateConfig(seed=0, **config)))
    before, started = peak(), time.process_time()
    outputs = asyncio.run(all_at_once())
    failed = sum(isinstance(one, BaseException) for one in outputs)
    used = time.process_time() - started
    return (
        f"{WAITING:,} requests waiting in hf_seeded: {failed} failed, {used:.1f} CPU s, "
        f"{before:.0f} MB before, {peak():.0f} MB at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", choices=["report", "saved", "waiting"])
    options = parser.parse_args()
    if options.only in (None, "report"):
        reports(options.share)
    if options.only in (None, "saved"):
        print(saved(), flush=True)
    if options.only in (None, "waiting"):
        with tempfile.TemporaryDirectory() as folder:
            print(waiting(folder), flush=True)


def reports(share: float) -> None:
    print(f"{'':>18} {'judgments':>10} {'CPU s':>7} {'ms each':>8} {'peak MB':>8}  vs half")
    processes = multiprocessing.get_context("fork")
    for shape, logs in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            wanted = [
                (Path(folder, f"{n:04}_load.eval"), judge, some[: int(share * len(some))], numbers)
                for n, (judge, some, numbers) in enumerate(logs)
            ]
            # Whatever a process once held counts for its peak, so each log and report has its own.
            with processes.Pool(maxtasksperchild=1) as pool:
                pool.starmap(write_log, wanted, chunksize=1)
            each = []
            for given in (wanted[: len(wanted) // 2], wanted):
                with processes.Pool(1) as pool:
                    used, memory = pool.apply(measured, ([str(path) for path, *_ in given],))
                total = sum(len(some) * len(numbers) for *_, some, numbers in given)
                each.append(1000 * used / total)
            print(
                f"{shape:>18} {total:>10,} {used:>7.1f} {each[1]:>8.2f} {memory:>8.0f}"
                f"  {each[1] / each[0]:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
