"""Judgments from wherever they are, as one table."""

from .counting import counts, declared_categories
from .frame import judgments_from_frame
from .logs import judgments_from_logs
from .scores import judgments_from_scores
from .table import GROUP_BY, Judgments, Note, as_matrix, category_of, combine, order_varies

__all__ = [
    "GROUP_BY",
    "Judgments",
    "Note",
    "as_matrix",
    "category_of",
    "combine",
    "counts",
    "declared_categories",
    "judgments_from_frame",
    "judgments_from_logs",
    "judgments_from_scores",
    "order_varies",
]
