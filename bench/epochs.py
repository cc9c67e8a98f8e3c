"""What a sample of `--epochs` costs beside one of a trivial task, and beside `-T replications=`.

    python bench/epochs.py

A model that answers at once takes the place of the judge, so the figures are inspect's work and
ours. Each way makes the same judgments of the questions of the sample pack: a trivial task with the
judge's prompts as its inputs, the judge task with a sample a replication, with `--max-samples` of a
few sizes, and with a sample a question. A single question is replicated some hundred and some
thousand times in one sample. Printed are CPU milliseconds and bytes of the log a judgment, and the
memory that a run takes at most.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

from _measure import Cost, cost, machine
from inspect_reliability.designs import JudgeDesign
from inspect_reliability.judging.asking import item_of
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.tasks import bbh_judge

SAMPLES = (10, 100)
"""Values of `--max-samples`; by default inspect takes one a connection."""

STRAIGHT = (500, 5000)
"""Replications of one question in one sample: ten times as many are to take ten times as long."""


class InstantJudge(ModelAPI):
    """Says the letter that its seed names, at once."""

    choices_follow_seeds = True

    def max_connections(self) -> int:
        """All at once."""
        return 10_000

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        """A choice a seed."""
        await asyncio.sleep(0)
        first = config.seed or 0
        choices = [
            ChatCompletionChoice(
                message=ChatMessageAssistant(
                    content=f"Best Response: [[{'ABCDE'[seed % 5]}]]", source="generate"
                )
            )
            for seed in range(first, first + (config.num_choices or 1))
        ]
        usage = ModelUsage(input_tokens=400, output_tokens=20, total_tokens=420)
        return ModelOutput(model="instant", choices=choices, usage=usage)


@modelapi(name="instant")
def instant() -> type[ModelAPI]:
    return InstantJudge


def trivial(design: JudgeDesign) -> Task:
    """The judge's prompts as inputs, with inspect's own solver and scorer."""
    items = [item_of(one.metadata or {}) for one in bbh_judge().dataset]
    samples = [
        Sample(id=one.id, input=design.ask(one, list(one.responses)), target="C") for one in items
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=includes(),
        config=GenerateConfig(),
    )


def ways(replications: int) -> Iterator[tuple[str, Task, dict[str, Any]]]:
    epochs = {"epochs": replications}
    yield "trivial task, epochs", trivial(BENCHMARKS["BBH"].design), epochs
    yield "judge task, epochs", bbh_judge(), epochs
    yield "the same, log_realtime off", bbh_judge(), epochs | {"log_realtime": False}
    unseen = {"log_realtime": False, "score_display": False}
    yield "the same, score_display off, too", bbh_judge(), epochs | unseen
    for most in SAMPLES:
        yield f"the same, max_samples {most}", bbh_judge(), epochs | {"max_samples": most}
    yield "judge task, replications", bbh_judge(replications=replications), {}
    for number in STRAIGHT:
        task = bbh_judge(replications=number)
        yield f"one question, {number:,} replications", task, {"limit": 1}


def judgments_in(log: EvalLog) -> int:
    """Verdicts of a run: questions, times epochs or replications."""
    each = log.eval.task_args.get("replications") or log.eval.config.epochs or 1
    return each * len(log.eval.dataset.sample_ids or [])


def measure(replications: int, questions: int | None, runs: int) -> Iterator[dict[str, Any]]:
    least: dict[str, Cost] = {}
    kept: dict[str, int] = {}
    made: dict[str, int] = {}
    for _ in range(runs):  # in turn, so that other work on the machine hits all alike
        for name, task, options in ways(replications):
            logs: list[EvalLog] = []
            with tempfile.TemporaryDirectory() as folder:
                options = {"log_dir": folder, "display": "none", "limit": questions, **options}
                spent = cost(
                    lambda task=task, options=options, logs=logs: logs.extend(
                        eval(task, model="instant/judge", **options)
                    ),
                    "cpu",
                )
                if logs[0].status != "success":
                    raise RuntimeError(f"{name} failed: {logs[0].error}")
                kept[name] = Path(logs[0].location.removeprefix("file://")).stat().st_size
            made[name] = judgments_in(logs[0])
            best = least.setdefault(name, spent)
            least[name] = min(best, spent, key=lambda one: one.seconds)
    for name, spent in least.items():
        yield {
            "way": name,
            "judgments": made[name],
            "CPU ms a judgment": 1000 * spent.seconds / made[name],
            "log bytes a judgment": kept[name] // made[name],
            "MB at most": (spent.peak or 0) // 10**6,
        }


def main() -> None:
    from _tables import show

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--replications", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--questions", type=int, help="by default all of the sample pack")
    parser.add_argument("--runs", type=int, default=3, help="of which the least (%(default)s)")
    arguments = parser.parse_args()
    print(machine("cpu"))
    show(
        "inspect's work and ours",
        measure(arguments.replications, arguments.questions, arguments.runs),
    )


if __name__ == "__main__":
    main()
