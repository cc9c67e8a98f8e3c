"""Judging each output 20 times against judging it once.

    python bench/rejudge.py [--model hf_seeded/NAME] [--samples 200] [--replications 20]

A suite's outputs are graded by inspect's own model_graded_qa through rejudge: with one replication,
with several that each make a call, and with several that share one, in one process. A first grading
that is not timed loads the model. The prompts are questions of the sample pack with responses.
"""

import argparse
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

from inspect_ai import Task, eval, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_reliability.designs import DESIGNS
from inspect_reliability.rejudging import rejudge
from inspect_reliability.rejudging.calls import Choices
from inspect_reliability.study.responses import load_responses


@solver
def already_answered() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = state.metadata["answer"]
        return state

    return solve


def suite(samples: int, folder: str) -> EvalLog:
    """A log of outputs that wait for their grades."""
    asked = load_responses(None, "BBH")
    dataset = []
    for number in range(samples):
        judged = asked[number % len(asked)]
        # A number of its own, so that no two samples share a prompt.
        prompt = DESIGNS["bbh"].ask(judged.item, list(judged.responses))
        dataset.append(Sample(input=f"({number}) {prompt}", metadata={"answer": "See above."}))
    task = Task(dataset=dataset, solver=already_answered())
    [log] = eval(task, model="none/none", log_dir=folder, display="none")
    return log


def seconds(log: EvalLog, grader: Model, replications: int) -> float:
    graded = rejudge(
        model_graded_qa(
            template="{question}{instructions}",
            instructions=" ",
            grade_pattern=r"Best Response:\W*([A-E])",
        ),
        replications,
    )
    start = time.perf_counter()
    score(log, graded, model=grader, action="append", display="none")
    return time.perf_counter() - start


@asynccontextmanager
async def apart(*_: Any) -> AsyncIterator[None]:
    """In place of shared calls: each replication makes its own."""
    yield None


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--model", default="hf_seeded/tiny-judge", help="grader (%(default)s)")
    options.add_argument("--samples", type=int, default=200, help="outputs (%(default)s)")
    options.add_argument(
        "--replications", type=int, default=20, help="gradings of each output (%(default)s)"
    )
    options.add_argument("--max-tokens", type=int, default=50, help="of a grading (%(default)s)")
    given = options.parse_args()
    grader = get_model(given.model, config=GenerateConfig(max_tokens=given.max_tokens))
    with tempfile.TemporaryDirectory() as folder:
        seconds(suite(2, folder), grader, 2)
        log = suite(given.samples, folder)
        once = seconds(log, grader, 1)
        shared = seconds(log, grader, given.replications)
        with patch.object(Choices, "of_output", apart):
            several = seconds(log, grader, given.replications)
    print(f"{given.samples} outputs, {given.model}")
    print(f"{once:8.2f} s  1 replication")
    for took, how in ((several, "a call each"), (shared, "shared calls")):
        print(f"{took:8.2f} s  {given.replications} replications, {how}, {took / once:.1f} times")


if __name__ == "__main__":
    main()
