"""What verdicts name where orders have names: a place, or the response that is first as given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import UserError
from .columns import OF_SYSTEMS, each_once, of_role
from .outcomes import OPEN, PAIRS, PLACES, Pair, alike_in, pair_in, pairs_shown
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd


NAMES = "verdict_names"
"""Column that says what verdicts name, once that is known."""

RESPONSE = "response"
"""Its value: what we write always names responses."""

_GIVEN = {"given", "original", "orig", "normal", "default", "forward", "ab", "false", "no", "0"}

_SWAPPED = {"swapped", "swap", "reversed", "reverse", "flipped", "flip", "backward", "ba", "true"}

_SWAPPED |= {"yes", "inverted", "switched", "exchanged", "second", "2"}

_NOT = re.compile(r"(not|no|un|non)[\s_-]*(?=swap|revers|flip|invert|switch|exchang)")

_NOTHING = (
    "There is nothing to swap. Swapping needs a column 'order' with the names of two orders, and "
    "verdicts that name one of two places, such as A and B."
)

SETTLED = (
    "The verdicts of a file that this tool wrote name responses already: nothing is left to swap."
)

_LABELS = "labels taken for the verdict of the same response, as {!r:.40} for {!r:.40}"

_SHOWN = "verdicts exchanged where columns show the responses the other way round ({!r})"

_TAKEN = (
    "verdicts taken for names of responses under any order; {} exchanges them under {!r}, if they "
    "name places"
)

_OTHERS = (
    "verdicts left as they are where columns show the responses the other way round: if they say "
    "which is better, write A, B or tie"
)

_MANY = (
    "verdicts under {} named orders ({}) taken for names of responses: which are swapped is not "
    "known. If they name places, give each order as the list of the responses shown"
)

_MOST = 0.95
"""Share of the questions on which labels must change places with the order."""


def swapped_in(levels: Sequence[str]) -> set[str]:
    """The names of orders that are the other way round; empty where names do not say.

    If the names of two orders do not tell, the first is the order as given.
    """
    kinds = {level: _kind(level) for level in levels}
    if len(levels) == 2 and len({*kinds.values()}) < 2:
        return {levels[1]}
    if len(levels) == 2:
        first, second = levels
        return {first if kinds[first] > kinds[second] else second}
    return {one for one, kind in kinds.items() if kind > 0} if all(kinds.values()) else set()


def _kind(level: str) -> int:
    """1 for the name of a swapped order, -1 for that of the given one, 0 if it says neither."""
    plain, opposite = _NOT.subn("", level.casefold())
    words = {*re.findall(r"[a-z]+|\d+", plain)}
    if words & {"false", "true"}:
        words &= {"false", "true"}
    kind = bool(words & _SWAPPED) - bool(words & _GIVEN)
    return -kind if opposite else kind


def meant(table: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """Verdicts by the responses that they name, where orders have names, and what was found.

    The user decides; else columns of the responses as shown. Where neither does, the question stays
    open, but for names such as "first", which are taken for responses.

    Raises:
        UserError: The user wants verdicts exchanged, and there are none to exchange.
    """
    if NAMES in table:
        if reading.swap:
            raise UserError(f"{reading.where}: {SETTLED}")
        return table, []
    of_systems = reading.words is OF_SYSTEMS
    if of_systems and _turned(table, table["question"].isna()) is not None:
        return table, []  # places are those of the columns that name the systems
    table, notes = _labels_as_verdicts(table, reading.where)
    of_responses = _named_by(table, "verdict") is not None
    if "order" not in table and (found := _turned(table, table["question"].isna())) is not None:
        if of_responses or pair_in({*table["verdict"]}, PLACES):
            table = table.assign(order=found.map({False: "given", True: "swapped"}))
        else:
            notes.append(Note(_OTHERS, int(found.sum()), reading.where))
    levels = sorted({one for one in table.get("order", ()) if isinstance(one, str)})
    swapped, pair = swapped_in(levels), None
    if levels and not of_responses:
        under = table["verdict"][table["order"].isin(levels)]
        pair = pair_in({*under}, PLACES if reading.swap is None else PAIRS)
    if pair is None or not swapped or (len(levels) < 2 and reading.swap is None):
        if reading.swap:
            raise UserError(f"{reading.where}: {_NOTHING}")
        if pair and len(levels) > 2:
            what = _MANY.format(len(levels), ", ".join(levels[:3]))
            notes.append(Note(what, int(table["order"].isin(levels).sum()), reading.where))
        return table, notes
    levels.sort(key=swapped.__contains__)
    return _by_responses(table, reading, pair, levels, swapped, notes)


def _by_responses(
    table: pd.DataFrame,
    reading: Reading,
    pair: Pair,
    levels: Sequence[str],
    swapped: set[str],
    notes: list[Note],
) -> tuple[pd.DataFrame, list[Note]]:
    """Verdicts that are names of two places, under named orders, by their responses."""
    there = table["order"].isin(swapped)
    number = sum(map(pair.has, table["verdict"]))
    if reading.swap is not None:
        table = _exchanged(table, pair, there) if reading.swap else table
    elif (shown := _turned(table, there)) is not None:
        table = _exchanged(table, pair, shown)
        notes.append(Note(_SHOWN.format(levels[-1]), number, reading.where, Code.ORDERS))
    elif pair.names in OPEN:
        return table, [*notes, _open(table, reading, pair, levels, there)]
    else:
        notes.append(
            Note(_TAKEN.format(reading.call({"swap": True}), levels[-1]), number, reading.where)
        )
    names = table["order"].isin(levels).map({True: RESPONSE, False: None})
    return table.assign(**{NAMES: names}), notes


def _open(
    table: pd.DataFrame,
    reading: Reading,
    pair: Pair,
    levels: Sequence[str],
    swapped: pd.Series[bool],
) -> Note:
    """The question what verdicts name, with what either answer would give."""
    both = (_exchanged(table, pair, swapped), table)
    places, responses = (f"{_moved(one, swapped):.1%}" for one in both)
    ways = (
        reading.choice(f"names of places; another order changes {places} of them", {"swap": True}),
        reading.choice(f"names of responses; another order changes {responses}", {"swap": False}),
    )
    what = (
        f"verdicts ({', '.join(pair.names)}) under named orders ({', '.join(levels)}) name places "
        "or responses"
    )
    number = sum(map(pair.has, table["verdict"]))
    return Note(what, number, reading.where, Code.ORDERS_OPEN, ways)


def _exchanged(table: pd.DataFrame, pair: Pair, where: pd.Series[bool]) -> pd.DataFrame:
    """The judgments with the other place in these rows; also of labels that are places."""
    names = ["verdict", *(["label"] if _labels_turn(table, pair, where) else [])]
    other = table[names].apply(each_once, args=(pair.exchanged,))
    return table.assign(**other.where(where, table[names]))


def _labels_turn(table: pd.DataFrame, pair: Pair, where: pd.Series[bool]) -> bool:
    """Whether labels name places: those of exchanged rows are the other one."""
    if "label" not in table:
        return False
    places = table["label"].map(pair.place)
    first = places.groupby([table["question"], where]).first().unstack()
    first = first.reindex(columns=[False, True]).dropna()
    return len(first) > 0 and bool((first[False] != first[True]).mean() >= _MOST)


def _moved(table: pd.DataFrame, swapped: pd.Series[bool]) -> float:
    """How often verdicts of a given and a swapped order differ, mean over questions and judges."""
    known = of_role(table, "unit", "part", "facet", without=("order", "time"))
    cell = table.groupby(known, dropna=False).ngroup()
    counts = table.groupby([cell, swapped.to_numpy(), "verdict"]).size()
    shares = counts / counts.groupby(level=[0, 1]).transform("sum")
    wide = shares.unstack(1).fillna(0.0)
    if wide.shape[1] < 2:
        return float("nan")
    both = wide.groupby(level=0).sum().min(axis=1) > 0
    alike = (wide[False] * wide[True]).groupby(level=0).sum()[both]
    return 1 - float(alike.mean())


def _turned(table: pd.DataFrame, swapped: pd.Series[bool]) -> pd.Series[bool] | None:
    """Which rows show two responses of their question the other way round, by columns of these.

    The first row that is not swapped shows them as given; of several, the first by name.
    """
    for pair in pairs_shown(table):
        shown = table[[*pair]].map(str).set_axis(["one", "other"], axis=1)
        both = [table["question"], shown.min(axis=1), shown.max(axis=1)]
        ranked = shown.assign(swapped=swapped).sort_values(["swapped", "one", "other"])
        given = ranked["one"].groupby(both).transform("first").loc[table.index]
        found = shown["one"] != given
        if found.any():
            return found
    return None


def _named_by(table: pd.DataFrame, name: str) -> tuple[str, str] | None:
    """The columns of the responses as shown whose names verdicts, or labels, are; None if none."""
    places = {place.casefold() for pair in PAIRS for place in pair}
    own = table[name].map(str)
    for pair in pairs_shown(table):
        shown = (table[pair[0]].map(str) == own) | (table[pair[1]].map(str) == own)
        if {*own[shown].str.casefold()} - places:
            return pair
    return None


def _labels_as_verdicts(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Labels in the words of verdicts: places where these are, else the responses shown there."""
    if "label" not in table:
        return table, []
    single = table["label"].map(lambda one: isinstance(one, str))
    rows = table[single]
    verdicts = {one for one in table["verdict"] if isinstance(one, str)}
    labels, found = rows["label"], rows["label"]
    if shown := _named_by(rows, "verdict"):
        at = alike_in({*labels}, shown)
        for label, column in {**dict(zip(shown, shown, strict=True)), **at}.items():
            found = found.mask(labels == label, rows[column].map(str))
    elif shown := _named_by(rows, "label"):
        pair = pair_in(verdicts, OPEN)
        for place, column in zip(pair.names if pair else (), shown, strict=False):
            found = found.mask(labels == rows[column].map(str), place)
    said = alike_in({*found}, verdicts)
    found = each_once(found, lambda one: said.get(one, one))
    changed = labels[found != labels]
    if changed.empty:
        return table, []
    what = _LABELS.format(changed.iloc[0], found[changed.index[0]])
    known = found.reindex(table.index).where(single, table["label"])
    return table.assign(label=known), [Note(what, len(changed), where, Code.LABELS)]
