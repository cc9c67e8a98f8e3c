"""MT-Bench: which of five responses to the second question is best.

inspect eval tasks/mt_bench_judge.py -T replications=100
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["mt_bench_judge"], ("__doc__",), ())
def mt_bench_judge(*given: Any, **options: Any) -> Task:
    return TASKS["mt_bench_judge"](*given, **options)
