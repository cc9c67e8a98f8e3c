"""Judges the same output again and again, with any model-graded scorer."""

from .scorer import kept_rate, rejudge, selective_scorer
from .task import rejudge_log

__all__ = ["kept_rate", "rejudge", "rejudge_log", "selective_scorer"]
