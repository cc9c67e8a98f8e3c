"""Answer BIG-Bench Hard questions: `inspect eval tasks/bbh_respond.py --model MODEL`."""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study import tasks


@task
@wraps(tasks.bbh_respond, ("__doc__",), ())
def bbh_respond(*given: Any, **options: Any) -> Task:
    return tasks.bbh_respond(*given, **options)
