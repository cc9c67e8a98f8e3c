"""What does a limit on labels say: more than one same verdict for all, and of which questions?"""

import math
from collections.abc import Sequence
from enum import StrEnum

from ..judgments.pairs import EXCHANGED, NAMES
from ..showing.formats import ROUNDING, Record, share
from ..stats import KINDS, Reason
from ..stats.beside_labels import best_constant
from ..stats.interval_scales import Ends
from ..stats.labelled import WITHIN_ONE
from .row import Row


class LimitCode(StrEnum):
    """What a caution about a limit on labels is about."""

    SAME_FOR_ALL = "same_for_all"


_STEPS = (20, 100)
"""Limits are multiples of 5%; where one same verdict reaches that, of 1%."""

_RIGHT = {KINDS[0]: "right", "wrong": "wrong", WITHIN_ONE: "within one step"}
"""Shares that one same verdict for all can be held to, in words."""


def same_for_all_gets(row: Row, name: str) -> tuple[str, float] | None:
    """The one verdict that would be right most often, if every question got it, and how often.

    None where orders vary, or places were exchanged, so that one name is not one verdict, and as in
    `best_constant`: labels that are all alike name the role of a response rather than an answer.

    Args:
        row: A judge beside labels.
        name: "accuracy", or "within_one" for at most a step from the label.
    """
    given = row.judged
    if row.labelled is None or given.order_varies or EXCHANGED in given.column(NAMES):
        return None
    return best_constant(row.labelled, name)


def limit_to_hold(row: Row, right: Record, name: str) -> float | None:
    """The limit to hold a judge to: the lower end of its interval, rounded down.

    None where one same verdict for all would reach every such limit.

    Args:
        row: A judge beside labels.
        right: How often so many votes of it are right, with the interval.
        name: "accuracy" or "within_one".
    """
    if right[name] is None:
        return None
    least = (right[f"{name}_interval"] or [right[name]])[0]
    same = same_for_all_gets(row, name)
    for steps in _STEPS:
        limit = int(least * steps) / steps
        if same is None or limit > same[1] + ROUNDING:
            return limit
    return None


def gate_for_all(rows: Sequence[Row], name: str, ends: Sequence[Ends], logs: str) -> str:
    """The command that holds each of these judges to the loosest end of their intervals.

    Empty where one same verdict for all would pass it, too.
    """
    at_least, steps = name not in KINDS[1:], _STEPS[0]
    if at_least:
        limit = math.floor(min(low for low, _ in ends) * steps) / steps
    else:
        limit = math.ceil(max(high for _, high in ends) * steps) / steps
    if any(reached_by_one_verdict(row, name, limit, at_least) for row in rows):
        return ""
    return f"gate {logs} --{'min' if at_least else 'max'} {name}={limit:g}"


def reached_by_one_verdict(row: Row, name: str, limit: float, at_least: bool) -> Reason | None:
    """The caution that one same verdict for all would reach this limit; None where none would."""
    if name not in _RIGHT or at_least == (name == "wrong"):
        return None
    same = same_for_all_gets(row, name if at_least else KINDS[0])
    if same is None:
        return None
    value = same[1] if at_least else 1 - same[1]
    if value < limit - ROUNDING if at_least else value > limit + ROUNDING:
        return None
    n = row.labelled.given.n_clusters if row.labelled else 0
    return Reason(
        LimitCode.SAME_FOR_ALL,
        f"Always {same[0]} would be {_RIGHT[name]} in {share(value, n)} of these labels and reach "
        "this limit, too. Ask for more than that, or label questions with other right answers.",
    )


def known_of_these(rows: Sequence[Row], check: Record) -> str:
    """That labels of all verdicts leave nothing open of these; empty where some have no label."""
    for row in rows:
        if row.labelled is None or not {*row.counts.questions} <= {*row.labelled.given.questions}:
            return ""
    found = share(check["value"], check["n_questions"])
    return (
        f"Everything here is labelled, so {found} is known of these verdicts; the interval is for "
        "other questions like these. "
    )
