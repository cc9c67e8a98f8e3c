"""The scorer that reads verdicts."""

from .verdict import score_of, verdict

__all__ = ["score_of", "verdict"]
