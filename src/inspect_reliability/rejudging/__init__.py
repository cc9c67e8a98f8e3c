"""Judges the same output again and again, with any model-graded scorer."""

from .keep import keep, kept_rate
from .scorer import rejudge
from .task import rejudge_log

__all__ = ["keep", "kept_rate", "rejudge", "rejudge_log"]
