"""Judges the same output again and again, with any model-graded scorer."""

from .scorer import keep, kept_rate, rejudge
from .task import rejudge_log

__all__ = ["keep", "kept_rate", "rejudge", "rejudge_log"]
