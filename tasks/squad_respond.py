"""SQuAD: answer with step-by-step reasoning, given the passage.

inspect eval tasks/squad_respond.py --model MODEL
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["squad_respond"], ("__doc__",), ())
def squad_respond(*given: Any, **options: Any) -> Task:
    return TASKS["squad_respond"](*given, **options)
