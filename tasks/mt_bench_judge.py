"""Judge MT-Bench responses: `inspect eval tasks/mt_bench_judge.py --epochs 100`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.mt_bench_judge, ("__doc__",), ())
def mt_bench_judge(*given: Any, **options: Any) -> Task:
    return tasks.mt_bench_judge(*given, **options)
