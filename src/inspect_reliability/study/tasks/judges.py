"""The study's judges: the best of five responses, or whether a prediction is correct."""

from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from ...errors import one_of
from ...metrics import judged_accuracy, reliability
from ...tasks import JUDGE_CONFIG, judge_task, with_options
from ..benchmarks import BENCHMARKS, Benchmark
from ..benchmarks.selection import source_of
from ..responses import cut, load_predictions, load_responses

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
