"""Can I trust this LLM judge? Reliability of LLM judges for inspect-ai.

These are the names that users import. Each loads on first use, so `import inspect_reliability` is
fast.
"""

from importlib import import_module
from inspect import isfunction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answers import Analysis as Analysis
    from .answers import analyse as analyse
    from .answers.card import card as card
    from .answers.choose import choose as choose
    from .answers.compare import compare as compare
    from .answers.gate import gate as gate
    from .answers.label_out import label as label
    from .answers.plan import plan as plan
    from .answers.results import omega as omega
    from .answers.score_variance import score_variance as score_variance
    from .designs import Item as Item
    from .designs import JudgeDesign as JudgeDesign
    from .errors import UserError as UserError
    from .judgments.logs import judgments_from_logs as judgments_from_logs
    from .judgments.reading import Reading as Reading
    from .judgments.sources import judgments_from_file as judgments_from_file
    from .judgments.sources import judgments_from_frame as judgments_from_frame
    from .judgments.table import Judgments as Judgments
    from .keeping.report import keep as keep
    from .metrics import reliability as reliability
    from .ranking.report import rank as rank
    from .rejudging import rejudge as rejudge
    from .rejudging import rejudge_log as rejudge_log
    from .rejudging import selective_scorer as selective_scorer
    from .stats import Counts as Counts
    from .tasks import judge as judge
    from .watching.report import watch as watch

    __version__: str

_HOME = {
    "Analysis": "answers",
    "Counts": "stats",
    "Item": "designs",
    "JudgeDesign": "designs",
    "Judgments": "judgments.table",
    "Reading": "judgments.reading",
    "UserError": "errors",
    "analyse": "answers",
    "card": "answers.card",
    "choose": "answers.choose",
    "compare": "answers.compare",
    "gate": "answers.gate",
    "judge": "tasks",
    "judgments_from_file": "judgments.sources",
    "judgments_from_frame": "judgments.sources",
    "judgments_from_logs": "judgments.logs",
    "keep": "keeping.report",
    "label": "answers.label_out",
    "omega": "answers.results",
    "plan": "answers.plan",
    "rank": "ranking.report",
    "rejudge": "rejudging",
    "rejudge_log": "rejudging",
    "reliability": "metrics",
    "score_variance": "answers.score_variance",
    "selective_scorer": "rejudging",
    "watch": "watching.report",
}

_INSTEAD = {"read": "judgments_from_file", "report": "analyse", "validate": "analyse"}
"""Command with no function of its name -> the one that does the same."""

_READING = ("answers", "judgments", "keeping", "ranking", "watching")
"""Rooms whose functions speak of options where a command calls them."""

__all__ = list(_HOME)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("inspect-reliability")
    if name not in _HOME:
        other = _INSTEAD.get(name)
        hint = f": it is a command, and {other} does it in Python" if other else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    if isfunction(found) and _HOME[name].startswith(_READING):
        found = import_module(".showing.python_calls", __name__).speaking_python(found)
        globals()[name] = found
    return found
