"""The judge and responder tasks of the study."""

from .judges import BEST_OF_FIVE, bbh_judge, head_to_tail_judge, mt_bench_judge, squad_judge
from .respond import bbh_respond, head_to_tail_respond, mt_bench_respond, squad_respond

__all__ = [
    "BEST_OF_FIVE",
    "bbh_judge",
    "bbh_respond",
    "head_to_tail_judge",
    "head_to_tail_respond",
    "mt_bench_judge",
    "mt_bench_respond",
    "squad_judge",
    "squad_respond",
]
