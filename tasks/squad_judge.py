"""Judge SQuAD responses: `inspect eval tasks/squad_judge.py --epochs 100`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.squad_judge, ("__doc__",), ())
def squad_judge(*given: Any, **options: Any) -> Task:
    return tasks.squad_judge(*given, **options)
