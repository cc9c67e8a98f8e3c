"""Tasks in which a judge chooses the best of five responses, again and again."""

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric

from ..benchmarks import Benchmark
from ..judging.circularity import report_circularity
from ..judging.order import OrderPolicy
from ..judging.samples import judge_sample
from ..judging.seeds import base_seed
from ..judging.solver import judge_responses
from ..responses import load_responses
from ..scoring import best_rate, invalid_rate, reliability
from ..scoring.verdict import verdict
from ..verdicts import ParserName

JUDGE_CONFIG = GenerateConfig(temperature=1.0, top_k=50, max_tokens=50)
"""The paper's settings at its first temperature; inspect's own options override them."""


@task
def bbh_judge(
    responses: str | None = None,
    responders: str | list[str] | None = None,
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    parser: ParserName = "default",
) -> Task:
    """BIG-Bench Hard: which of five responses is best?

    Every epoch is one replication: the same prompt with a seed of its own. Temperature,
    top_k and max_tokens are 1, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and responses come from: the sample pack (default), the
            published `prompt_responses.json`, a JSONL file, or responders' logs.
        responders: The five to choose from where there are more; by default drawn by the seed.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        parser: How an output is read: "default", or "published" for the study's pattern.
    """
    return judge_task("BBH", responses, responders, order, seed, parser)


@task
def squad_judge(
    responses: str | None = None,
    responders: str | list[str] | None = None,
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    parser: ParserName = "default",
) -> Task:
    """SQuAD: which of five responses to a question about a passage is best?

    Temperature, top_k and max_tokens are 1, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and responses come from: the sample pack (default), the
            published `prompt_responses.json`, a JSONL file, or responders' logs.
        responders: The five to choose from where there are more; by default drawn by the seed.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        parser: How an output is read: "default", or "published" for the study's pattern.
    """
    return judge_task("SQuAD", responses, responders, order, seed, parser)


@task
def mt_bench_judge(
    responses: str | None = None,
    responders: str | list[str] | None = None,
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    parser: ParserName = "default",
) -> Task:
    """MT-Bench: which of five responses to the second question is best, given the first?

    Temperature, top_k and max_tokens are 1, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and responses come from: the sample pack (default), the
            published `prompt_responses.json`, a JSONL file, or responders' logs.
        responders: The five to choose from where there are more; by default drawn by the seed.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        parser: How an output is read: "default", or "published" for the study's pattern.
    """
    return judge_task("MT-Bench", responses, responders, order, seed, parser)


def judge_task(
    benchmark: Benchmark,
    responses: str | None,
    responders: str | list[str] | None,
    order: OrderPolicy,
    seed: int,
    parser: ParserName,
) -> Task:
    """The judge task of a benchmark whose questions have five responses."""
    seed = base_seed(seed)
    answered = load_responses(responses, benchmark, responders, seed)
    metrics: list[Metric | dict[str, list[Metric]]] = [reliability(), invalid_rate()]
    if any(item.best for item in answered):
        metrics.append(best_rate())
    return Task(
        dataset=MemoryDataset(
            [judge_sample(item) for item in answered],
            name=answered[0].question.source,
            location=responses,
        ),
        setup=report_circularity(answered[0].responses),
        solver=judge_responses(order=order, seed=seed),
        scorer=verdict(parser=parser),
        metrics=metrics,
        config=JUDGE_CONFIG,
        # No reducer: letters have no mean, and reliability needs every replication.
        epochs=Epochs(1, []),
        metadata={"benchmark": benchmark, "questions": answered[0].question.source},
    )
