"""What each place of a pair gained by a verdict: winners, ties, and the words for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from ..errors import UserError
from ..verdicts import CORRECT, INCORRECT, NO_VERDICTS, abstentions

PAIRS = (("A", "B"), ("1", "2"), ("left", "right"), ("first", "second"), ("0", "1"))
"""Names of two places; those of the last pairs are only exchanged where the user says so."""

OPEN = PAIRS[:3]
"""Pairs that name a place as often as a response."""

PLACES = PAIRS[:4]
"""Pairs that name nothing else: 0 and 1 may be wrong and right."""

_BESIDE = {"0", "3", "c", "n", "t"}
"""Single characters beside such a pair; with others it is a scale, or letters of more options."""

_LONGEST = 200
"""Most characters around the name of a place."""

_TIES = {"both", "neither", "same", "none", "both bad", "both good"}
"""Verdicts that prefer neither of two responses, beside those that decide nothing."""


_RESPONSE_SHOWN = re.compile(
    r"((?:response|model|answer|output|assistant|system|candidate|completion)[\s_-]*)(a|A|1)",
    re.IGNORECASE,
)

_SECOND = {"a": "b", "A": "B", "1": "2"}


class Pair:
    """The names of two places, in the forms in which verdicts give them."""

    def __init__(self, one: str, other: str) -> None:
        """Set both names."""
        self.names = (one, other)
        forms = (str.lower, str.upper, str.capitalize)
        both = ((one, other), (other, one))
        self._other = {form(here): form(there) for here, there in both for form in forms}
        name = f"({one}|{other})"
        # "Response A", "responseA" and "response_a", but not "llama".
        before = r"[a-z]{3,}(?:[\s_-]+|(?-i:(?<=[a-z])(?=[A-Z\d])))"
        self._form = re.compile(
            rf"[^\w.+-]*(?:{before})?{name}(?:\s*([<>]+)\s*{name})?[^\w+-]*",
            re.IGNORECASE,
        )

    def has(self, verdict: Any) -> bool:
        """Whether a verdict names one of the places."""
        return self.place(verdict) is not None

    def place(self, verdict: Any) -> str | None:
        """The place that a verdict names, without its form; None for others."""
        found = self._named(verdict)
        return found and found[3 if "<" in (found[2] or "") else 1].casefold()

    def exchanged(self, verdict: Any) -> Any:
        """A verdict that names the other place; others stay as they are."""
        if (found := self._named(verdict)) is None:
            return verdict
        for place in (3, 1):
            if (old := found[place]) is not None:
                new = self._other.get(old) or self._other[old.casefold()]
                verdict = verdict[: found.start(place)] + new + verdict[found.end(place) :]
        return verdict

    def _named(self, verdict: Any) -> re.Match[str] | None:
        short = isinstance(verdict, str) and len(verdict) <= _LONGEST
        return self._form.fullmatch(verdict) if short else None


def pair_in(verdicts: Collection[str], pairs: Sequence[tuple[str, str]] = PAIRS) -> Pair | None:
    """The pair of places that verdicts name; None where they may name more, or are a scale."""
    for names in pairs:
        pair = Pair(*names)
        places = {pair.place(one) for one in verdicts} - {None}
        others = {one.casefold() for one in verdicts if isinstance(one, str) and not pair.has(one)}
        short = {one for one in others if len(one) == 1 or one.isdigit()}
        # 0 and 1 alone say wrong and right; 0 to 3, or C and D, are more than two.
        enough = 2 if names[0].isdigit() else 1
        if len(places) >= enough and short <= _BESIDE and not {"0", "3"} <= short:
            return pair
    return None


def is_tie(verdict: str | None) -> bool:
    """Whether a verdict on two responses prefers neither, in any order."""
    name = str(verdict)
    words = re.sub(r"[^a-z]+", " ", name.casefold()).strip()
    return words in _TIES or "=" in name or bool(abstentions([name], ()))


def alike_in(labels: Collection[str], verdicts: Collection[str]) -> Mapping[str, str]:
    """Labels of two places -> the verdict that names the same one in another form."""
    ours, theirs = pair_in(labels, PLACES), pair_in(verdicts, PLACES)
    if ours is None or theirs is None:
        return {}
    said = {theirs.place(one): one for one in sorted(verdicts, key=len, reverse=True)}
    there = zip(ours.names, theirs.names, strict=True)
    of = {our.casefold(): said.get(their.casefold()) for our, their in there}
    known = {one.casefold() for one in verdicts}
    found = {one: of.get(ours.place(one) or "") for one in labels if one.casefold() not in known}
    return {label: verdict for label, verdict in found.items() if verdict}


def pairs_shown(table: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Two columns of the user's own that tell the responses as shown, by their names."""
    for first in map(str, table):
        if found := _RESPONSE_SHOWN.fullmatch(first):
            second = found[1] + _SECOND[found[2]]
            if second in table:
                yield first, second


# What systems gained by a verdict.


_RIGHT = {**dict.fromkeys((CORRECT, "c", "right", "true", "yes", "pass"), 1.0), "p": 0.5}

_GRADES = _RIGHT | dict.fromkeys((INCORRECT, "i", "wrong", "false", "no", "fail"), 0.0)


def pair_gains(said: Sequence[str | None], pairs: Sequence[tuple[Any, Any]]) -> list[float | None]:
    """What the first of each pair gained: 1, 0, or half.

    Raises:
        UserError: A verdict names neither.
    """
    places = [Pair(*names) for names in PLACES]
    place = {one: next(filter(None, (of.place(one) for of in places)), None) for one in {*said}}
    ties = {one for one in place if is_tie(one)}
    first = {names[0].casefold() for names in PLACES}
    unknown: dict[str, int] = {}

    def gained(one: str | None, pair: tuple[Any, Any]) -> float | None:
        if one is None or one in NO_VERDICTS or one == "none":
            return None
        if one in pair:
            return float(one == pair[0])
        if one in ties:
            return 0.5
        if found := place[one]:
            return float(found in first)
        unknown[one] = unknown.get(one, 0) + 1
        return None

    won = [gained(one, pair) for one, pair in zip(said, pairs, strict=True)]
    if unknown:
        name, n = max(unknown.items(), key=lambda item: item[1])
        raise UserError(
            f"Verdict {name!r} ({n:,} rows) names neither system. Say what it means: "
            f"{mapped(name, 'tie')}, {mapped(name, 'A')} (the first shown), or "
            f"{mapped(name, 'none')} to leave it out."
        )
    return won


def mapped(verdict: str, meaning: str) -> str:
    """The option that gives a verdict a meaning; a shell runs nothing of it."""
    return f"--map {quote(f'{verdict}={meaning}')}"


def gains(said: Sequence[str | None]) -> list[float | None]:
    """What single systems gained: a number, or right and wrong.

    Raises:
        UserError: A verdict is neither.
    """

    def grade(one: str | None) -> float | None:
        if one is None or one in NO_VERDICTS or one == "none":
            return None
        try:
            return _GRADES.get(one.casefold()) if one.casefold() in _GRADES else float(one)
        except ValueError:
            raise UserError(
                f"Verdict {one!r} on a single system is neither a number nor right or wrong. Say "
                f"what it means: {mapped(one, 'correct')}, or {mapped(one, 'none')} to leave it "
                "out."
            ) from None

    known = {one: grade(one) for one in {*said}}
    return [known[one] for one in said]
