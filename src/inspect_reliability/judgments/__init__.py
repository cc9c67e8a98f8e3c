"""Judgments from wherever they are, as one table."""

from .columns import COLUMNS, GROUP_BY
from .count import Judged
from .frame import Source, judgments_from, judgments_from_file, judgments_from_frame
from .judgment import Judgment
from .labels import with_labels
from .score import judgments_in
from .table import (
    Judgments,
    Note,
    combine,
    counts,
    weights,
)

__all__ = [
    "COLUMNS",
    "GROUP_BY",
    "Judged",
    "Judgment",
    "Judgments",
    "Note",
    "Source",
    "combine",
    "counts",
    "judgments_from",
    "judgments_from_file",
    "judgments_from_frame",
    "judgments_in",
    "weights",
    "with_labels",
]
