"""Judges of the same questions that share no verdict: 1, 2 and 3 may be A, B and C of another."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from string import ascii_lowercase

from ..verdicts import NO_VERDICTS
from .count import NUMBER, by_value
from .pairs import PLACES, is_tie
from .reading import Code, Note, Reading

_ROWS: Sequence[Sequence[str]] = (
    ascii_lowercase,
    [str(n) for n in range(1, 27)],
    [str(n) for n in range(26)],
    ("first", "second", "third", "fourth"),
    *(tuple(map(str.casefold, names)) for names in PLACES),
)
"""Names of options in their order."""

_SIGNS: Sequence[tuple[str, str]] = (
    *(("yes", "no"), ("true", "false"), ("correct", "incorrect"), ("right", "wrong")),
    *(("pass", "fail"), ("passed", "failed"), ("win", "lose"), ("win", "loss"), ("won", "lost")),
    *(("good", "bad"), ("success", "failure"), ("accept", "reject"), ("c", "i"), ("1", "0")),
    *(("y", "n"), ("t", "f"), ("better", "worse")),
)
"""Names of two opposite verdicts, the good one first."""

_AROUND = re.compile(
    r"^\W*(?:(?:response|answer|option|assistant|model|output|candidate|system|choice)[\s_-]*)?"
    r"|\W+$"
)
"""What may stand around the name of an option."""


def asked_of_names(
    judges: Mapping[str, Mapping[str, int]],
    judged_same: Callable[[str, str], bool],
    settled: Collection[str],
    where: str,
    reading: Reading,
) -> list[Note]:
    """Ask whether two judges that share no verdict give the same ones under other names.

    Nothing is asked where the names are of no kind that is known.

    Args:
        judges: Judge -> how often it gave each verdict.
        judged_same: Whether two judges judged some question both.
        settled: Verdicts of which the user said what they mean.
        where: Their source, for the note.
        reading: How it is read.
    """
    found: list[Note] = []
    said = {name: {*words}.difference(NO_VERDICTS) for name, words in judges.items()}
    open_ = set[str]().union(*said.values()).difference(settled)
    for pair in combinations(judges, 2):
        for own, other in sorted(
            permutations(pair), key=lambda way: not _are_numbers(said[way[0]])
        ):
            names = same_in(said[own], said[other])
            # Another judge may use such a name for something else.
            alone = all(
                _without_ties(one) <= {*names} or names.keys().isdisjoint(one)
                for one in said.values()
            )
            if not (names and alone and open_ >= {*names, *names.values()} and judged_same(*pair)):
                continue
            what = (
                f"verdicts of {own!r:.40} are {_listed(names)}, and {other!r:.40} says "
                f"{_listed(said[other])} of the same questions: the same answers, or others"
            )
            meant = ", ".join(f"{one} is {of}" for one, of in names.items())
            choices = (
                reading.choice(f"the same answers: {meant}", {"map": names}),
                reading.choice("other answers", {"map": {one: one for one in names}}),
            )
            count = sum(judges[own][name] for name in names)
            found.append(Note(what, count, where, Code.NAMES_OPEN, choices))
            open_ -= {*names, *names.values()}
    return found


def same_in(own: Collection[str], other: Collection[str]) -> dict[str, str]:
    """Each verdict of a judge -> one of another that may be the same; {} if they share one."""
    mine, its = map(_without_ties, (own, other))
    if mine & its or min(len(mine), len(its)) < 2:
        return {}
    tie = {*other} - its - {*own}
    return next(_joined(mine, its, tie.pop() if len(tie) == 1 else None), {})


def _joined(own: set[str], other: set[str], tie: str | None) -> Iterator[dict[str, str]]:
    """The ways in which the first names are of the others, the surest first."""
    for kind in (_signs, _places):
        for mine, its in product(kind(own), kind(other)):
            if mine.keys() <= its.keys() and len(its) - len(mine) <= 1:
                yield _in_order({mine[n]: its[n] for n in mine})
    if tie and _are_numbers(own):
        for of in own & {"0", "3"}:
            for names in _joined(own - {of}, other, None):
                yield _in_order({**names, of: tie})


def _in_order(names: Mapping[str, str]) -> dict[str, str]:
    return {one: names[one] for one in sorted(names, key=by_value)}


def _signs(names: Collection[str]) -> Iterator[dict[int, str]]:
    """Good (0) and bad (1) -> the name of it."""
    return (one for one in _in_rows(names, _SIGNS) if len(one) == len(_SIGNS[0]))


def _places(names: Collection[str]) -> Iterator[dict[int, str]]:
    """Place of an option -> its name."""
    return _in_rows(names, _ROWS)


def _in_rows(names: Collection[str], rows: Sequence[Sequence[str]]) -> Iterator[dict[int, str]]:
    """Place in a row -> the name there, for each row that has all names."""
    plain = {_plain(one): one for one in names}
    for row in rows:
        if plain.keys() <= {*row} and len(plain) == len(names):
            yield {n: plain[one] for n, one in enumerate(row) if one in plain}


def _plain(name: str) -> str:
    return _AROUND.sub("", name.casefold())


def _without_ties(names: Collection[str]) -> set[str]:
    return {one for one in names if not is_tie(one)}


def _are_numbers(names: Collection[str]) -> bool:
    return all(map(NUMBER.fullmatch, names))


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names, key=by_value))
