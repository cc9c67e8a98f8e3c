"""Judges the same output again and again, with any model-graded scorer."""

from .job import Rejudging, rejudge_log
from .scorer import rejudge

__all__ = ["Rejudging", "rejudge", "rejudge_log"]
