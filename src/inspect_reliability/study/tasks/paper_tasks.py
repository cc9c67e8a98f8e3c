"""The study's tasks: a model answers a benchmark's questions, and judges see the responses."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ...designs import Item
from ...errors import one_of
from ...judging.asking import SeededPrompt
from ...judging.judge import replicate
from ...metrics import judged_accuracy, reliability
from ...record.replications import base_seed, replication_seed
from ...tasks import JUDGE_CONFIG, judge_task, with_options
from ..benchmarks import BENCHMARKS, Benchmark, load_questions
from ..benchmarks.benchmark import source_of
from ..responses import cut, load_predictions, load_responses
from ..responses.respond_logs import RESPONDER_TASK

RESPOND_CONFIG = GenerateConfig(temperature=0.75, top_k=50, max_tokens=150)
"""The paper's settings for responders; inspect's own options override them."""

VERSION = 1
"""Grows when the responses of two versions of a responder task cannot be compared."""

PerCategory = int | Literal["all"]


def _respond(benchmark: Benchmark) -> Callable[..., Task]:
    def responder(
        source: str = "sample", per_category: PerCategory = benchmark.per_category, seed: int = 0
    ) -> Task:
        questions = load_questions(benchmark.name, source, per_category, base_seed(seed))
        return respond_task(benchmark.name, questions, source_of(source), seed)

    responder.__doc__ = f"""{benchmark.name}: {benchmark.answered}

    The logs make the responses for `{benchmark.key}_judge`.

    Args:
        source: The sample pack ("sample"), or the benchmark's official files.
        per_category: Questions of each category, article or popularity, or "all".
        seed: Base seed of the draw of questions and of the responses.
    """
    return task(name=f"{benchmark.key}_respond")(responder)


RESPONDERS: Mapping[str, Callable[..., Task]] = {
    f"{one.key}_respond": _respond(one) for one in BENCHMARKS.values()
}
"""The responder tasks by name."""


def respond_task(benchmark: str, questions: list[Item], source: str, seed: int) -> Task:
    """The responder task of a benchmark."""
    return Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=item.id,
                    input=item.question,
                    target=item.fields["targets"],
                    metadata={"question": asdict(item)},
                )
                for item in questions
            ],
            name=source,
        ),
        solver=respond(benchmark, seed),
        config=RESPOND_CONFIG,
        version=VERSION,
        metadata={RESPONDER_TASK: benchmark, "questions": source},
    )


@solver
def respond(benchmark: str, seed: int = 0) -> Solver:
    """Answer a question as the paper's Figure 1 asks it, in one turn or two.

    The prompt of the second turn repeats the first question and the model's own response to it. A
    judge will see the response to the second. Needs the sample metadata `question`; adds
    `first_response` for two turns.

    Args:
        benchmark: Name of the benchmark, which says how to ask.
        seed: Base seed of the responses.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = Item(**state.metadata["question"])
        for turn, _ in enumerate(item.fields["turns"]):
            if turn:
                state.metadata["first_response"] = state.output.completion
            prompt = BENCHMARKS[benchmark].prompt(item, state.metadata.get("first_response"))
            one = SeededPrompt(prompt, replication_seed(seed, item.id, state.epoch))
            state = await replicate(state, {state.epoch: one}, item.id)
        return state

    return solve


HEAD_TO_TAIL_CONFIG = JUDGE_CONFIG.merge(GenerateConfig(temperature=0.75))
"""The study's settings for Head-to-Tail judges; inspect's own options override them."""


def _best_of_five(benchmark: Benchmark) -> Callable[..., Task]:
    def judge(
        responses: str | None = None, responders: str | list[str] | None = None, **options: Any
    ) -> Task:
        return judge_task(
            benchmark.design,
            load_responses(responses, benchmark.name, responders),
            source=source_of(responses),
            location=responses,
            **options,
        )

    judge.__doc__ = f"""{benchmark.judged}

    Every replication is the same prompt with a seed of its own. Temperature, top_k and
    max_tokens are 1, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and responses come from: the sample pack (default), the
            published `prompt_responses.json`, responders' logs, or rows as a JSONL file.
        responders: The five to choose from where there are more.
    """
    return task(name=f"{benchmark.key}_judge")(with_options(judge))


def _of_predictions(  # noqa: D417
    responses: str | None = None,
    responder: str | None = None,
    variant: str = "whole",
    **options: Any,
) -> Task:
    """Head-to-Tail: is a prediction correct, given the ground truth?

    Every replication is the same prompt with a seed of its own. Temperature, top_k and
    max_tokens are .75, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and predictions come from: the sample pack (default), the
            published `application_responses.json`, a JSONL file, or the log of
            `head_to_tail_respond`.
        responder: Whose predictions to judge, where there are several responders.
        variant: "whole", or "published" to show the first 15 characters of a prediction, as the
            study's script does.
    """
    one_of("variant", variant, ("whole", "published"))
    whole = BENCHMARKS["Head-to-Tail"].design
    return judge_task(
        cut(whole) if variant == "published" else whole,
        load_predictions(responses, responder),
        metrics=[one(by="category") for one in (reliability, judged_accuracy)],
        config=HEAD_TO_TAIL_CONFIG,
        source=source_of(responses),
        location=responses,
        **options,
    )


BEST_OF_FIVE: Mapping[str, Callable[..., Task]] = {
    one.key: _best_of_five(one) for one in BENCHMARKS.values() if one.best_of
}
"""The judge tasks of the paper's Table 2, by the keys of their benchmarks."""

JUDGES: Mapping[str, Callable[..., Task]] = {
    **{f"{key}_judge": of for key, of in BEST_OF_FIVE.items()},
    "head_to_tail_judge": task(name="head_to_tail_judge")(with_options(_of_predictions)),
}
"""The judge tasks by name."""
