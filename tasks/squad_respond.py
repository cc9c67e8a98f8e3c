"""Answer SQuAD questions: `inspect eval tasks/squad_respond.py --model MODEL`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.squad_respond, ("__doc__",), ())
def squad_respond(*given: Any, **options: Any) -> Task:
    return tasks.squad_respond(*given, **options)
