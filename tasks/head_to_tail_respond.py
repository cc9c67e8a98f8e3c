"""Answer Head-to-Tail: `inspect eval tasks/head_to_tail_respond.py --model MODEL`."""

from inspect_ai import Task, task

from inspect_reliability import tasks
from inspect_reliability.tasks import PerCategory


@task
def head_to_tail_respond(
    source: str = "sample", per_category: PerCategory = "all", seed: int = 0
) -> Task:
    """Head-to-Tail: answer in as few words as possible, or say "unsure".

    Args:
        source: The sample pack ("sample"), or the folder or a file of the benchmark's generator.
        per_category: Questions of each popularity (head, torso, tail), or "all".
        seed: Base seed of the draw of questions and of the responses.
    """
    return tasks.head_to_tail_respond(source, per_category, seed)
