"""Reliability coefficients as inspect metrics: a run read as a report reads it."""

from .coefficient_metrics import (
    METRICS,
    best_rate,
    coefficient,
    invalid_rate,
    judged_accuracy,
    non_response_rate,
    reliability,
)
from .win_rate import win_rate

__all__ = [
    "METRICS",
    "best_rate",
    "coefficient",
    "invalid_rate",
    "judged_accuracy",
    "non_response_rate",
    "reliability",
    "win_rate",
]
