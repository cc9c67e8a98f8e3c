"""Answer MT-Bench questions: `inspect eval tasks/mt_bench_respond.py --model MODEL`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.mt_bench_respond, ("__doc__",), ())
def mt_bench_respond(*given: Any, **options: Any) -> Task:
    return tasks.mt_bench_respond(*given, **options)
