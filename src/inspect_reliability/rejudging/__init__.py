"""Judging one and the same output again and again, with any model-graded scorer."""

from .existing_log import rejudge_log
from .scorer import rejudge
from .variance import published_error, score_variance

__all__ = ["published_error", "rejudge", "rejudge_log", "score_variance"]
