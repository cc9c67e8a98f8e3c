"""What does a limit on labels say: more than one same verdict for all, and of which questions?"""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from scipy.special import ndtri

from ..judgments.pairs import EXCHANGED, NAMES
from ..showing.formats import ROUNDING, Record, share
from ..stats import KINDS, Reason
from ..stats.beside_labels import best_constant
from ..stats.estimate import LEVEL
from ..stats.interval_scales import Ends
from ..stats.labelled import WITHIN_ONE
from ..stats.planning import PROBABLY
from .row import Row


class LimitCode(StrEnum):
    """What a caution about a limit on labels is about."""

    SAME_FOR_ALL = "same_for_all"


_STEPS = (20, 100)
"""Limits are multiples of 5%; of 1% where one same verdict reaches that, and of the most shown."""

_AGAIN = f"which another study of this size passes with {PROBABLY:.0%} probability"
_LOWER = "the most that these labels show"

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


class Held(NamedTuple):
    """A limit to hold a judge to, and in words what it is."""

    limit: float
    words: str

    @property
    def aim(self) -> str:
        """To hold it to that, in words."""
        return f"hold it to {100 * self.limit:g}%, {self.words}"


def limit_to_hold(row: Row, right: Record, name: str, single: float = 0.0) -> Held | None:
    """The limit to hold a judge to, rounded down: below the lower end of its interval.

    So far below that another study of this size passes with about 80% probability; where one same
    verdict for all or a single try would reach that, the lower end, which it passes half the time.

    None where one same verdict for all would reach every such limit.

    Args:
        row: A judge beside labels.
        right: How often so many votes of it are right, with the interval.
        name: "accuracy" or "within_one".
        single: The limit that a single try passes, where several vote.
    """
    if right[name] is None:
        return None
    low, high = right[f"{name}_interval"] or [right[name]] * 2
    same = same_for_all_gets(row, name)
    found = []
    with_room = [(low - _room(low, high), _AGAIN, steps) for steps in _STEPS]
    for least, words, steps in (*with_room, (low, _LOWER, _STEPS[-1])):
        limit = max(math.floor(least * steps + ROUNDING), 0) / steps
        if same is None or limit > same[1] + ROUNDING:
            found.append(Held(limit, words))
    return next((one for one in found if one.limit > single), next(iter(found), None))


def _room(low: float, high: float) -> float:
    """How far from the end of an interval a limit is that the next study passes with 80%.

    The ends of two studies differ by sqrt(2) standard errors.
    """
    return float(ndtri(PROBABLY) / ndtri((1 + LEVEL) / 2) * math.sqrt(2) * (high - low) / 2)


def gate_for_all(rows: Sequence[Row], name: str, ends: Sequence[Ends], logs: str) -> str:
    """The command that holds each of these judges to a limit beyond the ends of their intervals.

    The next study of this size passes with about 80% probability.

    Empty where one same verdict for all would pass it, too.
    """
    at_least, steps = name not in KINDS[1:], _STEPS[0]
    if at_least:
        least = min(low - _room(low, high) for low, high in ends)
        limit = max(math.floor(least * steps), 0) / steps
    else:
        most = max(high + _room(low, high) for low, high in ends)
        limit = min(math.ceil(most * steps), steps) / steps
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
