"""Judgments from wherever they are, as one table."""

from .count import Judged
from .frame import judgments_from_frame
from .judgment import Judgment
from .score import judgments_in
from .table import (
    GROUP_BY,
    Judgments,
    Note,
    combine,
    counts,
    judged,
    weights,
)

__all__ = [
    "GROUP_BY",
    "Judged",
    "Judgment",
    "Judgments",
    "Note",
    "combine",
    "counts",
    "judged",
    "judgments_from_frame",
    "judgments_in",
    "weights",
]
