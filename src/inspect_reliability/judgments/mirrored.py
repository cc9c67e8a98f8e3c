"""Verdicts of pairs whose first and second response have no order but that of their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .columns import SETTLED_LABEL
from .pairs import (
    EXCHANGED,
    NAMES,
    OF_RESPONSES,
    PAIRS,
    PLACES,
    named_by,
    pair_in,
    pairs_shown,
    swapped_in,
    turned,
)

if TYPE_CHECKING:
    import pandas as pd


def mirrored(columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Verdict -> the one that it would be if the responses of each pair had each other's name.

    Empty unless verdicts name responses by place and columns show several pairs of systems: which
    response of a pair is called first is then arbitrary. Between two systems alone a verdict names
    the same system everywhere.
    """
    if not {*columns[NAMES]} <= {*OF_RESPONSES} or not _several(columns):
        return {}
    verdicts = {one for one in columns["verdict"] if isinstance(one, str)}
    pair = pair_in(verdicts, PAIRS, said=True)
    return {one: pair.exchanged(one) for one in verdicts if pair.has(one)} if pair else {}


def _several(columns: Mapping[str, Sequence[Any]] | pd.DataFrame) -> bool:
    """Whether columns show several pairs of systems."""
    shown = (zip(*(columns[name] for name in pair), strict=True) for pair in pairs_shown(columns))
    return any(len({frozenset(map(str, one)) for one in pairs}) > 1 for pairs in shown)


def by_place(table: pd.DataFrame) -> pd.DataFrame:
    """Verdicts and labels that name the winners of several pairs, as A and B over two orders.

    A is the response that is first in the order given, as where verdicts are written as places, so
    that both ways to write a study give the same numbers. Between two systems alone names stay.
    """
    orders = sorted({one for one in table.get("order", ()) if isinstance(one, str)})
    if NAMES in table or "best" in table or len(orders) != 2 or not _several(table):
        return table
    shown = named_by(table, "verdict")
    if shown is None:
        return table
    first, second = (table[name].map(str) for name in shown)
    swapped = table["order"].isin(swapped_in(orders))
    if turned(table, swapped) is not None:  # columns show the responses as they stood
        first, second = first.mask(swapped, second), second.mask(swapped, first)
    pairs = [*zip(first, second, strict=True)]
    made = {
        name: [_placed(one, *pair) for one, pair in zip(table[name], pairs, strict=True)]
        for name in ("verdict", "label", SETTLED_LABEL)
        if name in table
    }
    if pair_in({*made["verdict"]}, PLACES) is None:  # a letter beside A and B may be a third place
        return table
    return table.assign(**made, **{NAMES: EXCHANGED})


def _placed(name: Any, first: str, second: str) -> Any:
    """A or B for the name of one of two responses; other names, and each of several, likewise."""
    if isinstance(name, list | tuple):
        return tuple(_placed(one, first, second) for one in name)
    return {second: "B", first: "A"}.get(name, name) if isinstance(name, str) else name
