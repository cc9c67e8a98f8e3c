"""What judgments say that can mean two things: the numbers that are the same in both meanings."""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..showing.values import Record
from ..stats import Estimate

_SAID = ("cautions", "not_estimable", "reason")
"""Keys about other keys."""


def same(one: Any, other: Any) -> bool:
    """Whether two values of a record are equal, but for the last digits of numbers."""
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def agreed(one: Estimate, other: Estimate | None, why: str) -> Estimate:
    """An estimate that both meanings give; else none, with the reason."""
    if other and same([one.value, one.low, one.high], [other.value, other.low, other.high]):
        return one
    return replace(one, value=None, low=None, high=None, method=None, reason=why)


def in_both(one: Record, other: Record | None, why: str) -> Record:
    """A record with the numbers that both meanings give; the others are null, with the reason.

    Names and sizes stay: they say what the record is about.
    """
    found: Record = {}
    lost: dict[str, str] = {}
    for key, value in one.items():
        known = other is not None and key in other and same(value, other[key])
        if known or key in _SAID or value is None or key.startswith("n_") or _is_name(value):
            found[key] = value
        else:
            found[key] = [] if isinstance(value, list) and isinstance(value[0], dict) else None
            if not key.endswith(("_interval", "_floor")):
                lost[key] = why
    if "not_estimable" in one:
        found["not_estimable"] = one["not_estimable"] | lost
    if "reason" in one and lost:
        found["reason"] = why
    if "cautions" in one:
        both = [text for text in one["cautions"] if other and text in other["cautions"]]
        found["cautions"] = [f"Some numbers are not known: {why}.", *both] if lost else both
    return found


def records_in_both(
    records: Iterable[Record], others: Iterable[Record], names: Collection[str], why: str
) -> Iterator[Record]:
    """Records of both meanings, those of one thing matched; what only one meaning has is dropped.

    So are records whose numbers differ where no key can say why.
    """
    known: dict[str, list[Record]] = {}
    for record in others:
        known.setdefault(_about(record, names), []).append(record)
    for record in records:
        if twins := known.get(_about(record, names)):
            found = in_both(record, twins.pop(0), why)
            if same(found, record) or {"not_estimable", "reason"} & {*record}:
                yield found


def _is_name(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_name, value)))


def _about(record: Record, names: Collection[str]) -> str:
    parts = {k: v for k, v in record.items() if k in names or (k not in _SAID and _is_name(v))}
    return str({key: value for key, value in parts.items() if value != []})
