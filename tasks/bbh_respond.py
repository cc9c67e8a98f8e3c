"""BBH: answer with step-by-step reasoning.

inspect eval tasks/bbh_respond.py --model MODEL
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["bbh_respond"], ("__doc__",), ())
def bbh_respond(*given: Any, **options: Any) -> Task:
    return TASKS["bbh_respond"](*given, **options)
