"""What inspect finds under the name `inspect_reliability`: imports only."""

from .hf_seeded import hf_seeded
from .judging.circularity import report_circularity
from .judging.solver import judge_responses
from .rejudging import rejudge
from .scoring import (
    agreement,
    best_rate,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    invalid_rate,
    krippendorff_alpha,
    modal_share,
    non_response_rate,
    normalised_entropy,
    omega,
    omega_composite,
    reliability,
)
from .scoring.head_to_tail import correctness, head_to_tail_metrics, judge_prediction
from .scoring.verdict import verdict
from .tasks import (
    bbh_judge,
    bbh_respond,
    head_to_tail_judge,
    head_to_tail_respond,
    mt_bench_judge,
    mt_bench_respond,
    squad_judge,
    squad_respond,
)
from .tasks.responder import respond, right_answer

__all__ = [
    "agreement",
    "bbh_judge",
    "bbh_respond",
    "best_rate",
    "brennan_prediger",
    "correctness",
    "fleiss_kappa",
    "gwet_ac1",
    "head_to_tail_judge",
    "head_to_tail_metrics",
    "head_to_tail_respond",
    "hf_seeded",
    "invalid_rate",
    "judge_prediction",
    "judge_responses",
    "krippendorff_alpha",
    "modal_share",
    "mt_bench_judge",
    "mt_bench_respond",
    "non_response_rate",
    "normalised_entropy",
    "omega",
    "omega_composite",
    "rejudge",
    "reliability",
    "report_circularity",
    "respond",
    "right_answer",
    "squad_judge",
    "squad_respond",
    "verdict",
]
