"""Judging one and the same output again and again, with any model-graded scorer."""

from .scorer import rejudge

__all__ = ["rejudge"]
