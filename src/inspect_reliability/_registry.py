"""What inspect finds under the name `inspect_reliability`: imports only."""

from .circularity import report_circularity
from .head_to_tail import correctness, head_to_tail_metrics, judge_prediction
from .hf_seeded import hf_seeded
from .metrics import (
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
from .rejudge import rejudge
from .responder import respond, right_answer
from .scorers import verdict
from .solvers import judge_responses
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
