"""Verdicts that can name a system or its place, because systems are called like places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import UserError
from .columns import OF_SYSTEMS, PAIR
from .pairs import NAMES, PLACES, Pair, pair_in, pairs_shown, swapped_in, turned
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd


_FEW = 0.05
"""Share of the verdicts up to which those that name no system of their pair may be mistakes."""

_LAST = re.compile(r"(?:.*(?:[\W_]|(?<=[a-z])(?=[A-Z\d])))?([^\W_]+)\W*", re.DOTALL)
"""The last word of a name: A of "System A", of "system_a" and of "SystemA"."""

_PLAIN = re.compile(
    r"(?:(?:response|model|answer|output|assistant|system|candidate|completion|option)[\W_]*)?"
    r"[^\W_]+",
    re.IGNORECASE,
)
"""A name that may as well be that of a place."""

_ASKED = "verdicts name systems that are called like places ({}): {!r} is the system or the place"

_PLACES = "verdicts name places, not systems: {!r} is also given where {} are compared"

_SYSTEMS = "verdicts name systems, not places: {!r} is one of them"

_NEITHER = "verdicts that name no system of their pair ({!r}) left out"


@dataclass(frozen=True)
class _Named:
    """What each verdict can name, None where it names nothing.

    Attributes:
        shown: The systems of its pair.
        system: The system that it names, by the system's name.
        place: The system at the place that it names.
    """

    shown: Sequence[tuple[str, str]]
    system: Sequence[str | None]
    place: Sequence[str | None]

    @property
    def both(self) -> list[int]:
        """The rows whose verdict is one system by name, and the other by place."""
        each = enumerate(zip(self.system, self.place, strict=True))
        return [i for i, (one, other) in each if one and other and one != other]

    @property
    def only_places(self) -> list[int]:
        """The rows whose verdict can name a place alone."""
        each = enumerate(zip(self.system, self.place, strict=True))
        return [i for i, (one, other) in each if other and not one]

    @property
    def only_systems(self) -> list[int]:
        """The rows whose verdict can name a system alone."""
        each = enumerate(zip(self.system, self.place, strict=True))
        return [i for i, (one, other) in each if one and not other]


def by_name(table: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note], Reading]:
    """Verdicts on systems that are called like places, such as A and B.

    The user decides, else the data: verdicts name places if they also do where no system of the
    pair is called so, and systems if they also give names that no place has. Else it is asked.

    Returns:
        The table, where verdicts of a ranking name systems in full once that is decided; what was
        found or is asked; and the reading with what the data decided.

    Raises:
        UserError: Verdicts cannot be what the user says, or name both.
    """
    of_systems = reading.words is OF_SYSTEMS
    pairs = [*pairs_shown(table)]
    if of_systems:
        pairs = [PAIR] if {*PAIR} <= {*table} else []
    elif pairs and turned(table, table["question"].isna()) is None:
        pairs = []
    each = (_named(table, columns) for columns in pairs if NAMES not in table)
    found = next((one for one in each if one and one.both), None)
    if found is None:
        return table, [], reading
    by_place, notes = _meaning([*table["verdict"]], reading, found)
    if by_place is None or not of_systems:
        return table, notes, reading if by_place else replace(reading, swap=by_place)
    chosen = found.place if by_place else found.system
    both = zip(table["verdict"], chosen, found.place, strict=True)
    # A place without a system of its name says nothing where verdicts name systems.
    full = [new or ("none" if place else old) for old, new, place in both]
    return table.assign(verdict=full), notes, reading


def _named(table: pd.DataFrame, columns: tuple[str, str]) -> _Named | None:
    """What verdicts name by two columns of systems; None if they name no places."""
    shown = [*zip(*(table[name].map(str) for name in columns), strict=True)]
    verdicts = [one if isinstance(one, str) else "" for one in table["verdict"]]
    last = {one: _last(one) for one in {name for of in shown for name in of}}
    if not any(one.casefold() in last.values() for names in PLACES for one in names):
        return None
    # "better C" is a system where C is one, and always one of the pair.
    more = {one for one in last.values() if len(one) == 1 and one not in "ab12"}
    letters = {
        one: letter for letter in more for one in {*verdicts} if Pair(letter, letter).has(one)
    }
    rows = [*zip(verdicts, shown, strict=True)]
    absent = {one for one, of in rows if one in letters and letters[one] not in map(last.get, of)}
    own = {one for one in {*verdicts} & {*last} if not _PLAIN.fullmatch(one)}
    pair = pair_in({*verdicts} - {*letters} - own, PLACES)
    if pair is None:
        return None
    places = {one: None if one in own else pair.place(one) for one in {*verdicts}}
    called = {one: letters.get(one) or places[one] for one in {*verdicts} - absent}
    first, flipped = pair.names[0].casefold(), _flipped(table)
    system: list[str | None] = []
    place: list[str | None] = []
    for (verdict, of), other in zip(rows, flipped, strict=True):
        named = [one for one in of if one == verdict and not places[verdict]]
        named = named or [one for one in of if last[one] == called.get(verdict)]
        system.append(named[0] if len({*named}) == 1 else None)
        at = places[verdict]
        place.append(of[(at != first) != other] if at else None)
    return _Named(shown, system, place)


def _last(name: str) -> str:
    """The last word of a name, in small letters; empty if it has none."""
    found = _LAST.fullmatch(name)
    return found[1].casefold() if found else ""


def _flipped(table: pd.DataFrame) -> list[bool]:
    """Where the second of a pair stood first: under a swapped order, if columns do not say so."""
    levels = sorted({one for one in table.get("order", ()) if isinstance(one, str)})
    if len(levels) != 2 or turned(table, table["question"].isna()) is not None:
        return [False] * len(table)
    return [*table["order"].isin(swapped_in(levels))]


def _meaning(
    verdicts: Sequence[str], reading: Reading, found: _Named
) -> tuple[bool | None, list[Note]]:
    """Whether verdicts name places, None if nothing decides; what is said or asked of it."""
    strange, own = found.only_places, found.only_systems
    naming = sum(map(bool, found.place)) + len(own)
    many = len(strange) > _FEW * naming
    placed = systems = ""
    if strange:
        placed = verdicts[strange[0]]
        systems = " and ".join(found.shown[strange[0]])
    named = verdicts[own[0]] if own else ""
    where, swap = reading.where, reading.swap
    if own and (swap or many):
        both = f", and {placed!r} no system where {systems} are compared" * many
        raise UserError(
            f"{where}: verdict {named!r} names a system and no place{both}. Write the full name of "
            "the system that is better in each row."
        )
    if many and swap is False:
        raise UserError(
            f"{where}: verdict {placed!r} names no system where {systems} are compared, so "
            f"verdicts name places. Say so: {reading.call({'swap': True})}."
        )
    if swap is None and not many and not own:
        return None, [_asked(verdicts, reading, found)]
    notes = []
    if swap is None:
        what = _PLACES.format(placed, systems) if many else _SYSTEMS.format(named)
        notes.append(Note(what, len(strange if many else own), where, Code.PLACES))
    by_place = many if swap is None else swap
    if strange and not by_place:
        notes.append(Note(_NEITHER.format(placed), len(strange), where))
    return by_place, notes


def _asked(verdicts: Sequence[str], reading: Reading, found: _Named) -> Note:
    """The question whether a verdict is the system, or what stood at the place."""
    one = found.both[0]
    names = ", ".join(sorted({name for name in found.system if name})[:3])
    system, place = (f"{verdicts[one]!r} is {of[one]}" for of in (found.system, found.place))
    pair = " and ".join(found.shown[one])
    ways = (
        reading.choice(f"names of places: of {pair}, {place}", {"swap": True}),
        reading.choice(f"names of systems: of {pair}, {system}", {"swap": False}),
    )
    what = _ASKED.format(names, verdicts[one])
    return Note(what, len(found.both), reading.where, Code.ORDERS_OPEN, ways)
