"""What inspect finds under the name `inspect_reliability`: imports only."""

from .hf_seeded import hf_seeded
from .judging.circularity import report_circularity
from .judging.judge import judge_responses
from .rejudging import rejudge
from .scoring import (
    METRICS,
    best_rate,
    invalid_rate,
    judged_accuracy,
    non_response_rate,
    reliability,
    verdict,
)
from .tasks import (
    bbh_judge,
    bbh_respond,
    head_to_tail_judge,
    head_to_tail_respond,
    judge,
    mt_bench_judge,
    mt_bench_respond,
    squad_judge,
    squad_respond,
)
from .tasks.responder import respond, right_answer

__all__ = [
    "METRICS",
    "bbh_judge",
    "bbh_respond",
    "best_rate",
    "head_to_tail_judge",
    "head_to_tail_respond",
    "hf_seeded",
    "invalid_rate",
    "judge",
    "judge_responses",
    "judged_accuracy",
    "mt_bench_judge",
    "mt_bench_respond",
    "non_response_rate",
    "rejudge",
    "reliability",
    "report_circularity",
    "respond",
    "right_answer",
    "squad_judge",
    "squad_respond",
    "verdict",
]
