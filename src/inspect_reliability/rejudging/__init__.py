"""Judging one and the same output again and again, with any model-graded scorer."""

from .job import Rejudging, rejudge_log
from .scorer import rejudge
from .variance import published_error, score_variance

__all__ = ["Rejudging", "published_error", "rejudge", "rejudge_log", "score_variance"]
