"""The grade that a person or a judge noted with something beside it, as 4 (unsure) or 4-5."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ..verdicts import NON_RESPONSE
from .count import NUMBER
from .days import asked_of_day_labels
from .reading import Code, Note, Reading

_REMARKED = re.compile(r"(?P<number>\d+(?:[.,]\d+)?)(?:\s*[(\[;:].*|,?\s+[^\W\d].*)", re.DOTALL)
"""A grade with a remark after it, as 4 (unsure)."""

_BETWEEN = re.compile(
    r"(?P<low>\d+(?:[.,]\d+)?)\s*(?:[-–—]|to|or|bis|à)\s*(?P<high>\d+(?:[.,]\d+)?)",
    re.IGNORECASE,
)
"""Two grades between which a third is meant, as 4-5 or 4 bis 5."""


def asked_of_noted_labels(
    labels: Iterable[str], verdicts: Collection[str], where: str, reading: Reading
) -> list[Note]:
    """Ask about labels beside grades that are days, or between two grades, as 4-5.

    A label between two that is a verdict, too, is asked about there. One of which the user says
    what it means is settled.
    """
    given = {*labels}
    of_days = asked_of_day_labels(given, verdicts, where, reading)
    names = given.difference(verdicts, reading.map)
    between = sorted(one for one in names if _BETWEEN.fullmatch(one.strip()))
    found = {one: grade for one in between if (grade := grade_in(one, {*verdicts, *names}))}
    if not found:
        return of_days
    each = ", ".join(f"{grade} of {text!r:.40}" for text, grade in found.items())
    ways = (
        reading.choice(f"grades between two, {each}", {"map": found}),
        reading.choice("no labels", {"map": dict.fromkeys(found, NON_RESPONSE)}),
    )
    text = next(iter(found))
    what = f"different labels such as {text!r:.40} beside grades are grades, or no labels"
    return [*of_days, Note(what, len(found), where, Code.NUMBERS_OPEN, ways)]


def grade_in(text: str, verdicts: Collection[str]) -> str:
    """The grade that a text says beside these: that before a remark, or the middle of two.

    Two are grades that were given and are neighbours: no other is between them, but for a half
    between whole grades. Of whole neighbours one is enough, since few give the end of a scale.
    Empty if it says none.
    """
    if two := _BETWEEN.fullmatch(text.strip()):
        numbers = (one.replace(",", ".") for one in verdicts)
        given = {float(one) for one in numbers if NUMBER.fullmatch(one)}
        low, high = (float(one.replace(",", ".")) for one in two.groups())
        middle = (low + high) / 2
        whole = low.is_integer() and high == low + 1
        inside = {one for one in given if low < one < high} - ({middle} if whole else set())
        known = len({low, high} & given) >= (1 if whole else 2)
        neighbours = low < high and known and not inside
        return f"{middle:.12g}" if neighbours else ""
    begins = _REMARKED.fullmatch(text)
    return begins["number"] if begins and begins["number"] in verdicts else ""
