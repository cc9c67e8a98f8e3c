"""SQuAD: which of five responses to a question about a passage is best.

inspect eval tasks/squad_judge.py -T replications=100
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["squad_judge"], ("__doc__",), ())
def squad_judge(*given: Any, **options: Any) -> Task:
    return TASKS["squad_judge"](*given, **options)
