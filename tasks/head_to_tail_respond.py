"""Head-to-Tail: answer in as few words as possible, or say "unsure".

inspect eval tasks/head_to_tail_respond.py --model MODEL
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["head_to_tail_respond"], ("__doc__",), ())
def head_to_tail_respond(*given: Any, **options: Any) -> Task:
    return TASKS["head_to_tail_respond"](*given, **options)
