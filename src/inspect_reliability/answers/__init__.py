"""What judgments say: every result, and documents in every form."""

from .analysis import Analysis
from .results import analyse
from .row import Row

__all__ = ["Analysis", "Row", "analyse"]
