"""Judgments from wherever they are, as one table."""

from .abstentions import with_abstentions
from .columns import COLUMNS, GROUP_BY
from .count import Judged
from .frame import Source, judgments_from, judgments_from_file, judgments_from_frame
from .judgment import Judgment
from .labels import with_labels
from .overlap import combine
from .score import judgments_in
from .table import (
    Judgments,
    Note,
    counts,
    weights,
)
from .unclear import Unclear, refuse

__all__ = [
    "COLUMNS",
    "GROUP_BY",
    "Judged",
    "Judgment",
    "Judgments",
    "Note",
    "Source",
    "Unclear",
    "combine",
    "counts",
    "judgments_from",
    "judgments_from_file",
    "judgments_from_frame",
    "judgments_in",
    "refuse",
    "weights",
    "with_abstentions",
    "with_labels",
]
