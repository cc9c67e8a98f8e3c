"""The judge and responder tasks."""

from .judge import bbh_judge, mt_bench_judge, squad_judge
from .judge_predictions import head_to_tail_judge
from .respond import PerCategory, bbh_respond, head_to_tail_respond, mt_bench_respond, squad_respond

__all__ = [
    "PerCategory",
    "bbh_judge",
    "bbh_respond",
    "head_to_tail_judge",
    "head_to_tail_respond",
    "mt_bench_judge",
    "mt_bench_respond",
    "squad_judge",
    "squad_respond",
]
