"""The scorer that reads verdicts."""

from .packed import score_of
from .verdict import verdict

__all__ = ["score_of", "verdict"]
