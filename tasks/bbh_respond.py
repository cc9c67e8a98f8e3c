"""Answer BIG-Bench Hard questions: `inspect eval tasks/bbh_respond.py --model MODEL`."""

from inspect_ai import Task, task

from inspect_reliability import tasks
from inspect_reliability.benchmarks import RuleName
from inspect_reliability.tasks import PerCategory


@task
def bbh_respond(
    source: str = "sample",
    per_category: PerCategory = 1,
    seed: int = 0,
    rule: RuleName = "default",
) -> Task:
    """BIG-Bench Hard: answer with step-by-step reasoning.

    Args:
        source: The sample pack ("sample"), the model hub ("hub"), or the official JSON files.
        per_category: Questions of each of the 27 categories, or "all".
        seed: Base seed of the draw of questions and of the responses.
        rule: How an answer is found right: "default", or "published" for the study's rule.
    """
    return tasks.bbh_respond(source, per_category, seed, rule)
