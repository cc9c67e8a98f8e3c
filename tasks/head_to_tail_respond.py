"""Answer Head-to-Tail: `inspect eval tasks/head_to_tail_respond.py --model MODEL`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.head_to_tail_respond, ("__doc__",), ())
def head_to_tail_respond(*given: Any, **options: Any) -> Task:
    return tasks.head_to_tail_respond(*given, **options)
