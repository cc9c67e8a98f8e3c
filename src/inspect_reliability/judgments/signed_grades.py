"""School grades with a sign, as 2+ and 2- or A- and B+: numbers or names, which is asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from ..verdicts import NO_VERDICTS
from .count import NUMBER
from .noted_grades import asked_of_noted_labels, grade_in
from .reading import Code, Note, Reading

_SIGNED = re.compile(r"(?P<grade>\d{1,2}|[A-F])\s*(?P<sign>[+\-–—−])", re.IGNORECASE)

_LETTER = re.compile("[A-F]", re.IGNORECASE)

_THIRD = 0.3
"""What a sign adds or takes off, as German and American schools count."""

_LAST = 6
"""The last grade of scales of which 1 may be the best."""

_FEWEST = 3
"""Grades that make a scale."""

_MOSTLY = 0.5
"""Share of the verdicts that are grades where a sign belongs to one."""

_WHAT = (
    "different verdicts or labels with a sign, as {!r}, are grades, or names of which none is "
    "nearer than another"
)

Ways = Sequence[tuple[str, Mapping[str, str]]]
"""What grades can mean: in words, and what each means as it is written."""


def ways_of_signs(
    judges: Iterable[Mapping[str, int]], labels: Collection[str], settled: Collection[str]
) -> tuple[Ways, dict[str, str]]:
    """What grades with signs can mean, the likeliest first, and the number of each text.

    A sign of a number is a third, on a scale whose best grade is 1 or the highest. Where all signs
    are alike, and no such number is without one, as in 0, 1+, 2+ and 3+, it says nothing. Letters
    are points, of which A has most. What is between two numbers, as 2-3, is a grade, too.

    Args:
        judges: How often each judge gave each verdict.
        labels: What people said.
        settled: Verdicts and labels of which the user says what they mean.

    Returns:
        The ways, and for each text that is asked about its number in the first of them; the text
        itself where it is a letter.
    """
    given = [one for times in judges for one in times.items()]
    texts = {*labels, *(text for text, _ in given)}.difference(settled, NO_VERDICTS)
    signed = {text: found for text in texts if (found := _SIGNED.fullmatch(text.strip()))}
    letters = {one["grade"].isalpha() for one in signed.values()}
    if len(letters) != 1:
        return [], {}
    form = _LETTER if letters == {True} else NUMBER
    plain = {one: one.strip().replace(",", ".").upper() for one in texts}
    plain = {one: of for one, of in plain.items() if form.fullmatch(of)}
    noted = {one: of for one in texts.difference(signed, plain) if (of := grade_in(one, plain))}
    known = {*signed, *plain, *noted}
    graded = sum(n for text, n in given if text in known)
    if len(known) < _FEWEST or graded < _MOSTLY * sum(n for text, n in given if text in texts):
        return [], {}
    grades = {*plain.values(), *(one["grade"].upper() for one in signed.values())}
    own = {one: one for one in sorted({*signed, *noted})}
    names = ("names", own)
    if letters == {True}:
        points = _points(grades)
        alone = {one: f"{points[of]:g}" for one, of in sorted(plain.items())}
        return [("grades in points", alone | _signed(signed, points, _THIRD)), names], own
    numbers = {one: float(one) for one in grades}
    signs = {one["sign"] == "+" for one in signed.values()}
    if len(signs) == 1 and {*plain.values()}.isdisjoint(one["grade"] for one in signed.values()):
        whole = _signed(signed, numbers, 0) | noted
        return [("grades, whatever the sign", whole), names], whole
    ways = [
        ("grades, of which 1 is the best", _signed(signed, numbers, -_THIRD) | noted),
        ("grades, of which the highest is the best", _signed(signed, numbers, _THIRD) | noted),
    ]
    ways = ways if max(numbers.values()) <= _LAST else ways[::-1]
    return [*ways, names], ways[0][1]


def asked_of_signs(ways: Ways, where: str, reading: Reading) -> list[Note]:
    """Ask what grades with signs mean."""
    if not ways:
        return []
    names = ways[-1][1]
    text = next(one for one in names if _SIGNED.fullmatch(one.strip()))
    choices = tuple(reading.choice(means, {"map": of}) for means, of in ways)
    return [Note(_WHAT.format(text), len(names), where, Code.NUMBERS_OPEN, choices)]


def asked_beside_grades(
    labels: Collection[str], verdicts: Collection[str], where: str, reading: Reading
) -> list[Note]:
    """Ask about labels beside grades that have a sign, are days, or are between two grades."""
    ways, noted = ways_of_signs([dict.fromkeys(verdicts, 1)], labels, reading.map)
    others = {*labels}.difference(noted)
    of_others = asked_of_noted_labels(others, verdicts, where, reading)
    return [*asked_of_signs(ways, where, reading), *of_others]


def _points(letters: Collection[str]) -> dict[str, float]:
    """What letters are in points: A is 4 and F nothing, or 5 where E is a grade as well."""
    scale = "FEDCBA" if "E" in letters else "FDCBA"
    return {one: float(n) for n, one in enumerate(scale)}


def _signed(
    signed: Mapping[str, re.Match[str]], grades: Mapping[str, float], third: float
) -> dict[str, str]:
    """Each grade with its sign; a plus adds a third."""
    return {
        text: f"{grades[one['grade'].upper()] + (third if one['sign'] == '+' else -third):.12g}"
        for text, one in sorted(signed.items())
    }
