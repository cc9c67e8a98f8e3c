"""Judge Head-to-Tail predictions: `inspect eval tasks/head_to_tail_judge.py --epochs 100`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.head_to_tail_judge, ("__doc__",), ())
def head_to_tail_judge(*given: Any, **options: Any) -> Task:
    return tasks.head_to_tail_judge(*given, **options)
