"""Answer MT-Bench questions: `inspect eval tasks/mt_bench_respond.py --model MODEL`."""

from inspect_ai import Task, task

from inspect_reliability import tasks
from inspect_reliability.tasks import PerCategory


@task
def mt_bench_respond(
    source: str = "sample",
    per_category: PerCategory = 1,
    seed: int = 0,
) -> Task:
    """MT-Bench: answer two turns, the second in view of the first answer.

    Args:
        source: The sample pack ("sample"), the model hub ("hub"), or `question.jsonl`.
        per_category: Questions of each of the eight categories, or "all".
        seed: Base seed of the draw of questions and of the responses.
    """
    return tasks.mt_bench_respond(source, per_category, seed)
