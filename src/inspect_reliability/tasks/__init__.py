"""The judge and responder tasks."""

from .judges import (
    JUDGE_TASKS,
    bbh_judge,
    head_to_tail_judge,
    judge,
    judge_task,
    mt_bench_judge,
    squad_judge,
)
from .respond import PerCategory, bbh_respond, head_to_tail_respond, mt_bench_respond, squad_respond

__all__ = [
    "JUDGE_TASKS",
    "PerCategory",
    "bbh_judge",
    "bbh_respond",
    "head_to_tail_judge",
    "head_to_tail_respond",
    "judge",
    "judge_task",
    "mt_bench_judge",
    "mt_bench_respond",
    "squad_judge",
    "squad_respond",
]
