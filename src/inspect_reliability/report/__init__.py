"""What judgments say: every result, and documents in every form."""

from .analysis import analyse
from .results import Analysis
from .row import Row

__all__ = ["Analysis", "Row", "analyse"]
