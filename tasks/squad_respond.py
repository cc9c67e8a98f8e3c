"""Answer SQuAD questions: `inspect eval tasks/squad_respond.py --model MODEL`."""

from inspect_ai import Task, task

from inspect_reliability import tasks
from inspect_reliability.benchmarks import RuleName
from inspect_reliability.tasks import PerCategory


@task
def squad_respond(
    source: str = "sample",
    per_category: PerCategory = 1,
    seed: int = 0,
    rule: RuleName = "default",
    unanswerable: bool = True,
) -> Task:
    """SQuAD: answer with step-by-step reasoning, given the passage.

    Args:
        source: The sample pack ("sample"), the model hub ("hub"), or an official JSON file.
        per_category: Questions of each article, or "all".
        seed: Base seed of the draw of questions and of the responses.
        rule: How an answer is found right: "default", or "published" for the study's rule.
        unanswerable: Keep questions that the passage does not answer.
    """
    return tasks.squad_respond(source, per_category, seed, rule, unanswerable)
