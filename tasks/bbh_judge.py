"""BIG-Bench Hard: which of five responses is best.

inspect eval tasks/bbh_judge.py -T replications=100
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["bbh_judge"], ("__doc__",), ())
def bbh_judge(*given: Any, **options: Any) -> Task:
    return TASKS["bbh_judge"](*given, **options)
