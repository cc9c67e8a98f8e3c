"""Values as people read them: in tables, titles and sentences."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import UserError

Record = dict[str, Any]
"""A result as plain values: what JSON, CSV and data frames contain."""


class Named(NamedTuple):
    """A record with the name of what it is about."""

    name: str
    record: Record


HEADINGS = {
    "judge": "Judge",
    "benchmark": "Benchmark",
    "temperature": "T",
    "wording": "Wording",
    "time": "Time",
    "scorer": "Scorer",
    "responder": "Responder",
    "study": "Study",
    "method": "Verdicts",
}
"""Headings of the columns that rows are grouped by; any other column is its own heading."""

_IN_WORDS = {
    "temperature": "temperature {}",
    "wording": "wording {}",
    "time": "time {}",
    "scorer": "scorer {}",
    "responder": "of {}",
    "study": "study {}",
}


def whole(value: Any) -> Any:
    """A plain Python value, a whole number without its point: temperature 1, not 1.0."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def finite(number: float) -> float | None:
    """A number of replications; None of exact distributions, which have infinitely many."""
    return None if math.isinf(number) else number


def plain(group: Mapping[str, Any]) -> Record:
    """A group as plain values."""
    return {name: whole(value) for name, value in group.items()}


def of_group(group: Mapping[str, Any], record: Record) -> Record:
    """A record that begins with the group that it is of.

    Raises:
        UserError: A column that was grouped by has the name of a number.
    """
    own = plain(group)
    if taken := [name for name in own if name in record and record[name] != own[name]]:
        raise UserError(
            f"Nothing can be grouped by {taken[0]!r}: a result has this name. Rename the column."
        )
    return own | record


def describe(group: Mapping[str, Any]) -> str:
    """A group in words: "my-judge, BBH, temperature 1"."""
    known = {name: whole(value) for name, value in group.items() if value is not None}
    words = (_IN_WORDS.get(name, "{}").format(value) for name, value in known.items())
    return ", ".join(words) or "all judgments"


def flat(found: Record) -> Record:
    """A record in which every value is a number or a text."""
    plain: Record = {}
    for name, value in found.items():
        if name.endswith(("_interval", "_bounds")):
            low, high = value or (None, None)
            stem = name.removesuffix("_interval").replace("_bounds", "_bound")
            plain |= {f"{stem}_low": low, f"{stem}_high": high}
        elif name.endswith("_floor"):
            mean, low, high = value or (None, None, None)
            plain |= {f"{name}_mean": mean, f"{name}_low": low, f"{name}_high": high}
        elif name == "not_estimable":
            plain[name] = "; ".join(f"{key}: {reason}" for key, reason in value.items())
        elif name == "cautions":
            plain[name] = " ".join(value)
        else:
            plain[name] = value
    return plain


def text(value: Any, form: str = "", missing: str = "") -> str:
    """A value in a format of `format()`; `missing` for None."""
    return missing if value is None else format(whole(value), form)


def percent(share: float) -> str:
    """A share that somebody chose, with all its digits: 99.9% is not 100%."""
    return f"{100 * share:g}%"


def field(key: str, form: str = "", missing: str = "") -> Callable[[Record], str]:
    """A column of a table that shows one key of each record."""
    return lambda record: text(record.get(key), form, missing)


def estimate(key: str, form: str = "z.2f") -> Callable[[Record], str]:
    """A column that shows an estimate with its interval; empty where a record has none."""

    def shown(record: Record) -> str:
        if key not in record:
            return ""
        value, interval = record[key], record[f"{key}_interval"]
        if value is None:
            reason = record.get("not_estimable", {}).get(key) or record.get("reason")
            return f"not estimable: {reason}"
        if interval is None:
            return f"{value:{form}} (no interval)"
        low, high = interval
        return f"{value:{form}} [{low:{form}}, {high:{form}}]"

    return shown
