"""A judge of your own: `inspect eval tasks/judge.py -T design=tone.yaml -T data=mine.jsonl`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability import tasks


@task
@wraps(tasks.judge, ("__doc__",), ())
def judge(*given: Any, **options: Any) -> Task:
    return tasks.judge(*given, **options)
