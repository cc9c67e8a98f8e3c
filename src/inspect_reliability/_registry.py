"""What inspect finds under the name `inspect_reliability`: imports only."""
# ruff: noqa: F401

from .hf_seeded import hf_seeded
from .judging.judge import judge_responses
from .metrics import (
    METRICS,
    best_rate,
    invalid_rate,
    judged_accuracy,
    non_response_rate,
    reliability,
    win_rate,
)
from .rejudging import kept_rate, rejudge, rejudge_log, selective_scorer
from .scoring import verdict
from .study.tasks import TASKS
from .study.tasks.paper_tasks import respond
from .tasks import judge
