"""A check of a gate in words: its value beside the limit, and the check that decides."""

from collections.abc import Iterable

from ..showing.formats import Record, percent, rounded, span
from ..stats import KINDS
from ..stats.labelled import WITHIN_ONE
from .row import KEPT

_SHARES = {
    KINDS[0]: "right in",
    "undecided": "undecided in",
    "wrong": "wrong in",
    WITHIN_ONE: "within one step in",
    "non-response": "without a verdict in",
    "invalid": "invalid in",
    KEPT: "kept in",
    f"{KEPT} by the rule": "kept by the rule in",
}
"""Shares in words, as the first sentence says them; coefficients have their names there."""


def that_decides(checks: Iterable[Record], result: str) -> Record | None:
    """Of the checks with this result, the one furthest on the wrong side of its limit."""
    known = [one for one in checks if one["result"] == result and one["value"] is not None]
    return min(known, key=_margin, default=None)


def requirement_parts(check: Record) -> tuple[str, str, str]:
    """The parts of a requirement: what is held to it, ">=" or "<=", and the limit."""
    name, sign, limit = str(check["requirement"]).rsplit(" ", 2)
    return name, sign, limit


def _margin(check: Record) -> float:
    _, sign, limit = requirement_parts(check)
    above = check["value"] - float(limit)
    return float(above if sign == ">=" else -above)


def by_how_much(check: Record, who: str, voting: int) -> str:
    """A check as part of a sentence: "right in 71% [66, 76], and at least 80% was asked"."""
    name, sign, limit = requirement_parts(check)
    votes, words = check["votes"] or voting, _SHARES.get(name)
    subject = f"{votes} votes{f' of {who}' if who else ''} are " if votes > 1 else ""
    if who and not subject:
        subject = f"{who} is " if words else f"{who} has "
    asked = percent(float(limit)) if words else limit
    bound = "at least" if sign == ">=" else "at most"
    found = _beside_limit(check, float(limit), bool(words))
    return f"{subject}{words or name} {found}, and {bound} {asked} was asked"


def _beside_limit(check: Record, limit: float, is_share: bool) -> str:
    """A value and its interval, with a digit more where rounding could hide the limit's side."""
    shown = [check["value"], *(check["value_interval"] or ())]
    if all(abs(one - limit) >= 0.01 for one in shown):
        return span(check, "value", "%" if is_share else "z.2f", check["n_questions"])
    form = "z.1%" if is_share else "z.3f"
    value, *ends = (rounded(one, form) for one in shown)
    brackets = f" [{', '.join(ends)}]" if ends else ""
    return value + brackets.replace("%", "")
