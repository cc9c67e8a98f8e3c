"""What judgments say: everything computed of them, and documents in every form."""

from .analysis import Analysis, analyse
from .row import Row

__all__ = ["Analysis", "Row", "analyse"]
