"""What inspect finds under the name `inspect_reliability`: imports only."""

from .hf_seeded import hf_seeded
from .metrics import (
    agreement,
    best_rate,
    invalid_rate,
    non_response_rate,
    omega,
    omega_composite,
)
from .scorers import verdict
from .solvers import judge_responses
from .tasks import bbh_judge

__all__ = [
    "agreement",
    "bbh_judge",
    "best_rate",
    "hf_seeded",
    "invalid_rate",
    "judge_responses",
    "non_response_rate",
    "omega",
    "omega_composite",
    "verdict",
]
