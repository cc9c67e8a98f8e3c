"""Judgments from wherever they are, as one table.

Each name loads on first use: a live metric counts scores, and needs no reader of files.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .abstentions import with_abstentions as with_abstentions
    from .columns import COLUMNS as COLUMNS
    from .columns import GROUP_BY as GROUP_BY
    from .count import Judged as Judged
    from .count import Judgment as Judgment
    from .deduplication import combine as combine
    from .labels import with_labels as with_labels
    from .logs import judgment_columns as judgment_columns
    from .logs import judgments_from_logs as judgments_from_logs
    from .reading import Note as Note
    from .reading import Reading as Reading
    from .reading import refuse as refuse
    from .score import judgments_in as judgments_in
    from .sources import Source as Source
    from .sources import judgments_from as judgments_from
    from .sources import judgments_from_file as judgments_from_file
    from .sources import judgments_from_frame as judgments_from_frame
    from .table import Judgments as Judgments
    from .table import weights as weights

_HOME = {
    "COLUMNS": "columns",
    "GROUP_BY": "columns",
    "Judged": "count",
    "Judgment": "count",
    "Judgments": "table",
    "Note": "reading",
    "Reading": "reading",
    "Source": "sources",
    "combine": "deduplication",
    "judgment_columns": "logs",
    "judgments_from": "sources",
    "judgments_from_file": "sources",
    "judgments_from_frame": "sources",
    "judgments_from_logs": "logs",
    "judgments_in": "score",
    "refuse": "reading",
    "weights": "table",
    "with_abstentions": "abstentions",
    "with_labels": "labels",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
