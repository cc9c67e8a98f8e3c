"""Judgments from wherever they are, as one table.

Each name loads on first use: a live metric counts scores, and needs no reader of files.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "COLUMNS": "columns",
    "GROUP_BY": "columns",
    "Judged": "count",
    "Judgment": "judgment",
    "Judgments": "table",
    "Note": "reading",
    "Reading": "reading",
    "Source": "sources",
    "combine": "overlap",
    "judgments_from": "sources",
    "judgments_from_file": "sources",
    "judgments_from_frame": "sources",
    "judgments_from_logs": "logs",
    "judgments_in": "score",
    "refuse": "reading",
    "weights": "table",
    "with_abstentions": "labels",
    "with_labels": "labels",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
