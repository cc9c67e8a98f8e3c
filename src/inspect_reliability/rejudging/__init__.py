"""Judges the same output again and again, with any model-graded scorer."""

from .scorer import rejudge
from .task import rejudge_log

__all__ = ["rejudge", "rejudge_log"]
