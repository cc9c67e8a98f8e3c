"""A judge of your own: `inspect eval tasks/judge.py -T design=tone.yaml -T data=mine.jsonl`."""

from collections.abc import Sequence

from inspect_ai import Task, task

from inspect_reliability import tasks
from inspect_reliability.designs import Item, JudgeDesign, ParserName
from inspect_reliability.judging.order import OrderPolicy


@task
def judge(
    design: str | JudgeDesign | None = None,
    data: str | Sequence[Item] | None = None,
    name: str | None = None,
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    parser: ParserName = "default",
) -> Task:
    """A judge of your own: its prompt and its verdicts in one file, what it judges in another.

    Args:
        design: A YAML or JSON file, or in Python a `JudgeDesign`.
        data: A JSONL file of questions and responses, or in Python the items themselves.
        name: Name of the benchmark in logs and reports, instead of the design's.
        order: "shuffled" per question and held over replications, "reshuffled" for every
            replication, or "given".
        seed: Base seed of option order and replications.
        replications: Replications that one sample makes; by default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts;
            "verdict" finds it after each of `replications` sampled reasonings.
        temperatures: Temperatures of exact verdicts; by default that of the run.
        parser: How an output is read: "default", "strict", or "published".
    """
    return tasks.judge(
        design,
        data,
        name=name,
        order=order,
        seed=seed,
        replications=replications,
        exact=exact,
        temperatures=temperatures,
        parser=parser,
    )
