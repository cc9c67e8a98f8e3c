"""Verdicts of pairs whose first and second response have no order but that of their names."""

from collections.abc import Mapping, Sequence
from typing import Any

from .pairs import NAMES, OF_RESPONSES, PAIRS, pair_in, pairs_shown


def mirrored(columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Verdict -> the one that it would be if the responses of each pair had each other's name.

    Empty unless verdicts name responses by place and columns show several pairs of systems: which
    response of a pair is called first is then arbitrary. Between two systems alone a verdict names
    the same system everywhere.
    """
    if not {*columns[NAMES]} <= {*OF_RESPONSES}:
        return {}
    shown = (zip(*(columns[name] for name in pair), strict=True) for pair in pairs_shown(columns))
    if all(len({frozenset(map(str, one)) for one in pairs}) < 2 for pairs in shown):
        return {}
    verdicts = {one for one in columns["verdict"] if isinstance(one, str)}
    pair = pair_in(verdicts, PAIRS, said=True)
    return {one: pair.exchanged(one) for one in verdicts if pair.has(one)} if pair else {}
