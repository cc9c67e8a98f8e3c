"""Columns that tell which responses were shown, first and second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .columns import each_once
from .places import OPEN, PAIRS, alike_in, pair_in
from .table import Note

if TYPE_CHECKING:
    import pandas as pd

_RESPONSE_SHOWN = re.compile(
    r"((?:response|model|answer|output|assistant|system|candidate|completion)[\s_-]*)(a|A|1)",
    re.IGNORECASE,
)
_SECOND = {"a": "b", "A": "B", "1": "2"}

_MOST = 0.95
"""Share of the questions on which columns must follow the order."""

_LABELS = "labels taken for the verdict of the same response, as {!r:.40} for {!r:.40}"


def pairs_shown(table: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Two columns of the user's own that tell the responses as shown, by their names."""
    for first in map(str, table):
        if found := _RESPONSE_SHOWN.fullmatch(first):
            second = found[1] + _SECOND[found[2]]
            if second in table:
                yield first, second


def turned(table: pd.DataFrame, swapped: pd.Series[bool] | None = None) -> pd.Series[bool] | None:
    """Which rows show the responses of their question the other way round, by columns of these.

    The columns must follow the order where it is known; else the responses first by name are given.
    """
    for first, second in pairs_shown(table):
        shown = table[[first, second]].map(str)
        places = shown if swapped is None else swapped.to_frame()
        ranked = shown.loc[places.sort_values([*places], kind="stable").index]
        given = ranked.groupby(table["question"]).transform("first").loc[table.index]
        found = (shown[first] == given[second]) & (shown[second] == given[first])
        found &= shown[first] != shown[second]
        if swapped is None:
            follows = True
        else:
            several = swapped.groupby(table["question"]).transform("nunique") > 1
            follows = (found == swapped)[several].mean() >= _MOST
        if found.any() and follows:
            return found
    return None


def named_by(table: pd.DataFrame, name: str) -> tuple[str, str] | None:
    """The columns of the responses as shown whose names verdicts, or labels, are; None if none."""
    places = {place.casefold() for pair in PAIRS for place in pair}
    own = table[name].map(str)
    for pair in pairs_shown(table):
        shown = (table[pair[0]].map(str) == own) | (table[pair[1]].map(str) == own)
        if {*own[shown].str.casefold()} - places:
            return pair
    return None


def labels_as_verdicts(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Labels in the words of verdicts: places where these are, else the responses shown there."""
    if "label" not in table:
        return table, []
    single = table["label"].map(lambda one: isinstance(one, str))
    rows = table[single]
    verdicts = {one for one in table["verdict"] if isinstance(one, str)}
    labels, found = rows["label"], rows["label"]
    if shown := named_by(rows, "verdict"):
        at = alike_in({*labels}, shown)
        for label, column in {**dict(zip(shown, shown, strict=True)), **at}.items():
            found = found.mask(labels == label, rows[column].map(str))
    elif shown := named_by(rows, "label"):
        pair = pair_in(verdicts, OPEN)
        for place, column in zip(pair.names if pair else (), shown, strict=False):
            found = found.mask(labels == rows[column].map(str), place)
    said = alike_in({*found}, verdicts)
    found = each_once(found, lambda one: said.get(one, one))
    changed = labels[found != labels]
    if changed.empty:
        return table, []
    what = _LABELS.format(changed.iloc[0], found[changed.index[0]])
    known = found.reindex(table.index).where(single, table["label"])
    return table.assign(label=known), [Note(what, len(changed), where)]
