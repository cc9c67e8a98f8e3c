"""Judges the same output again and again, with any model-graded scorer."""

from .rejudging import Rejudging
from .scorer import rejudge
from .task import rejudge_log

__all__ = ["Rejudging", "rejudge", "rejudge_log"]
