"""Judge BIG-Bench Hard responses: `inspect eval tasks/bbh_judge.py --epochs 100`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.bbh_judge, ("__doc__",), ())
def bbh_judge(*given: Any, **options: Any) -> Task:
    return tasks.bbh_judge(*given, **options)
