"""MT-Bench: answer two turns, the second in view of the first answer.

inspect eval tasks/mt_bench_respond.py --model MODEL
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["mt_bench_respond"], ("__doc__",), ())
def mt_bench_respond(*given: Any, **options: Any) -> Task:
    return TASKS["mt_bench_respond"](*given, **options)
