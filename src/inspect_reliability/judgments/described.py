"""What was read, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .columns import COLUMNS, of_role
from .places import pairs_shown
from .suites import is_suite
from .table import Judgments, weights

if TYPE_CHECKING:
    import pandas as pd

_MOST = 5
"""Most columns that are named as not used."""


def described(judgments: Judgments) -> str:
    """What was read: "Read: 9 judges x 168 questions x 2 orders x 3 tries; not used: source".

    Facets are counted where a question was judged at several levels, and tries are the judgments
    of a question under one condition.
    """
    table = judgments.table
    if not len(table):
        return "Read: nothing."
    units = [name for name in ("benchmark", "question", "scorer") if name in table]
    question = table["question"]
    if "sample" in table and "output" in table:
        question = table["sample"].where(table["sample"].notna(), question)
    asked = table.groupby([table["benchmark"], question.astype(str)], dropna=False).ngroups
    judges = _times(table["judge"].nunique(), "model" if is_suite(table) else "judge")
    parts = [judges] if table["judge"].notna().any() else []
    number = {name: table[name].nunique() for name in ("benchmark", "scorer") if name in table}
    parts += [_times(n, name) for name, n in number.items() if n > 1]
    parts.append(_times(asked, "question"))
    outputs = table.groupby(units[:2], dropna=False).ngroups
    if outputs > asked:
        parts[-1] += f" ({_times(outputs, 'output')})"
    same = table.groupby([*units, "judge"], dropna=False, sort=False).ngroup()
    facets: list[str] = []
    for name in dict.fromkeys([*of_role(table, "facet", without=("judge",)), *judgments.facets]):
        levels = int(table[name].groupby(same).nunique(dropna=False).max())
        if name not in units and levels > 1:
            facets.append(name)
            parts.append(_times(levels, name))
    cells = weights(table).groupby([same, *(table[name] for name in facets)], dropna=False)
    parts.append(_tries(table, cells.sum().astype(int)))
    said = " x ".join(parts)
    if "label" in table and (known := table["label"].notna()).any():
        said += f"; labels of {_times(question[known].nunique(), 'question')}"
    return f"Read: {said}{_not_used(judgments)}"


def _tries(table: pd.DataFrame, sizes: pd.Series[int]) -> str:
    if "share" in table and table["share"].notna().all():
        return "exact distributions"
    usual = int(sizes.mode().max())
    if sizes.nunique() == 1:
        return _times(usual, "try")
    return f"{sizes.min()} to {sizes.max()} tries (mostly {usual})"


def _not_used(judgments: Judgments) -> str:
    if "log" in judgments.table:
        return ""  # a log records more than anybody would list
    known = {*COLUMNS, *judgments.facets}
    if {"order", "output"} & {*judgments.table}:  # which the responses as shown may have told
        known.update(*pairs_shown(judgments.table))
    free = [name for name in map(str, judgments.table) if name not in known]
    own = [name if name and name == name.strip() else repr(name) for name in free]
    more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
    return f"; not used: {', '.join(own[:_MOST])}{more}" if own else ""


def _times(number: int, name: str) -> str:
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{number:,} {name if number == 1 else plural}"
