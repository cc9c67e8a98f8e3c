"""Reliability coefficients as inspect metrics, and the scorer that reads verdicts."""

from .metrics import (
    METRICS,
    best_rate,
    coefficient,
    invalid_rate,
    judged_accuracy,
    non_response_rate,
    reliability,
)
from .verdict import verdict

__all__ = [
    "METRICS",
    "best_rate",
    "coefficient",
    "invalid_rate",
    "judged_accuracy",
    "non_response_rate",
    "reliability",
    "verdict",
]
