"""CPU time and memory of `report` on many judgments: both should grow with their number alone.

    python bench/load.py [--share 0.2] [--only report|waiting]

Three shapes: many logs, a study of 55 questions x 1,000 replications, and one of 2,000 x 20, with
the questions of a log scaled by the share. Each study comes in ten logs: inspect's own functions,
which write them, take the square of a log's samples. Each report runs in a process of its own, once
on everything and once on half of the logs. The last column compares the time a judgment, which
stays the same (1.0) where time is linear.

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

SHAPES = {
    "100 logs of 2,700": [(n, range(270), range(1, 11)) for n in range(100)],
    "55 x 1,000": [(0, range(55), range(n, n + 100)) for n in range(1, 1000, 100)],
    "2,000 x 20": [(0, range(n, n + 200), range(1, 21)) for n in range(0, 2000, 200)],
}
"""Judge and task of each log, its questions and its replications."""
WAITING, PROMPTS = 5000, 100


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
    parser.add_argument("--only", choices=["report", "waiting"])
    options = parser.parse_args()
    if options.only != "waiting":
        reports(options.share)
    if options.only != "report":
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
