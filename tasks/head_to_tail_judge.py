"""Head-to-Tail: is a prediction correct, given the ground truth.

inspect eval tasks/head_to_tail_judge.py -T replications=100
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["head_to_tail_judge"], ("__doc__",), ())
def head_to_tail_judge(*given: Any, **options: Any) -> Task:
    return TASKS["head_to_tail_judge"](*given, **options)
