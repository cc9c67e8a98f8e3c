"""What each place of a pair gained by a verdict, and what verdicts name in another order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..shell import quote
from ..verdicts import CORRECT, INCORRECT, NO_VERDICTS, abstentions
from .columns import OF_SYSTEMS, each_once, numbers_of, of_role
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd


PLACES = (
    *(("A", "B"), ("1", "2"), ("left", "right"), ("first", "second"), ("1st", "2nd")),
    *(("top", "bottom"), ("links", "rechts"), ("linke", "rechte"), ("erste", "zweite")),
    *(("erster", "zweiter"), ("erstes", "zweites"), ("gauche", "droite"), ("premier", "second")),
    *(("premier", "deuxième"), ("première", "seconde"), ("première", "deuxième")),
    *(("izquierda", "derecha"), ("primero", "segundo"), ("primera", "segunda")),
)
"""Names of two places in English, German, French and Spanish; each may be that of a response."""

PAIRS = (*PLACES, ("0", "1"))
"""These, and what is more often wrong and right: exchanged only where the user says so."""

_THIRD = {"third", "3rd", "dritte", "dritter", "drittes", "troisième", "tercero", "tercera"}
"""Words beside such a pair that say that there are more than two."""

_BESIDE = {"0", "3", "c", "n", "t"}
"""Single characters beside such a pair; with others it is a scale, or letters of more options.

Beside 1 and 2, a 0 or 3 may be a tie or the end of a scale with the tie in its middle: no pair,
unless the user says that these are places.
"""

_LONGEST = 200
"""Most characters around the name of a place."""

_NEITHER = {"both", "neither", "same", "none", "both bad", "both good"}
"""Verdicts that prefer neither of two responses, beside those that decide nothing."""


_RESPONSE_SHOWN = re.compile(
    r"((?:response|model|answer|output|assistant|system|candidate|completion)[\s_-]*)(a|A|1)",
    re.IGNORECASE,
)

_SECOND = {"a": "b", "A": "B", "1": "2"}


_LETTER = r"[^\W\d_]"


class Pair:
    """The names of two places, in the forms in which verdicts give them."""

    def __init__(self, one: str, other: str) -> None:
        """Set both names."""
        self.names = (one, other)
        forms = (str.lower, str.upper, str.capitalize)
        both = ((one, other), (other, one))
        self._other = {form(here): form(there) for here, there in both for form in forms}
        name = f"({one}|{other})"
        # "Response A", "responseA" and "response_a", but not "llama"; "the first response".
        self.of_words = one.isalpha() and len(one) > 1
        before = rf"(?!not?[\s_-]){_LETTER}{{{2 if self.of_words else 3},}}"
        before += r"(?:[\s_-]+|(?-i:(?<=[a-z])(?=[A-Z\d])))"
        after = rf"(?:[\s_-]+{_LETTER}{{3,}})?" if self.of_words else ""
        self._form = re.compile(
            rf"[^\w.+-]*(?:{before})?{name}(?:\s*([<>]+)\s*{name})?{after}[^\w+-]*",
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


def pair_in(
    verdicts: Collection[str], pairs: Sequence[tuple[str, str]] = PAIRS, said: bool = False
) -> Pair | None:
    """The pair of places that verdicts name; None where they may name more, or are a scale.

    `said` is whether the user says that they name places: a number beside 1 and 2 is then a tie.
    """
    for names in pairs:
        pair = Pair(*names)
        places = {pair.place(one) for one in verdicts} - {None}
        others = {one.casefold() for one in verdicts if isinstance(one, str) and not pair.has(one)}
        short = {one for one in others if len(one) == 1 or one.isdigit()}
        numbers = names[0].isdigit()
        # 1 alone says right; C and D are more than two.
        beside = _BESIDE - {"0", "3"} if numbers and not said else _BESIDE
        # "right" beside "wrong" is no side.
        alone = pair.of_words and not all(map(is_tie, others.difference(NO_VERDICTS)))
        if len(places) >= 1 + (numbers or alone) and short <= beside and not others & _THIRD:
            return pair
    return None


@lru_cache(maxsize=1_000)
def is_tie(verdict: str | None) -> bool:
    """Whether a verdict on two responses prefers neither, in any order."""
    name = str(verdict)
    words = re.sub(r"[^a-z]+", " ", name.casefold()).strip()
    return words in _NEITHER or "=" in name or bool(abstentions([name], ()))


def alike_in(labels: Collection[str], verdicts: Collection[str]) -> Mapping[str, str]:
    """Labels of two places, or of a tie -> the verdict that names the same in another form."""
    known = {one.casefold() for one in verdicts}
    others = [one for one in labels if one.casefold() not in known]
    if not others:
        return {}
    ours, theirs = pair_in(labels, PLACES), pair_in(verdicts, PLACES)
    if ours is None or theirs is None:
        return {}
    said = {theirs.place(one): one for one in sorted(verdicts, key=len, reverse=True)}
    there = zip(ours.names, theirs.names, strict=True)
    of = {our.casefold(): said.get(their.casefold()) for our, their in there}
    if len(tie := _ties(theirs, verdicts)) == 1 and len(equal := _ties(ours, labels)) == 1:
        of[equal[0]] = tie[0]
    found = {one: of.get(ours.place(one) or one) for one in others}
    return {label: verdict for label, verdict in found.items() if verdict}


def _ties(pair: Pair, names: Collection[str]) -> list[str]:
    """The words for neither of two places."""
    others = {one for one in names if not pair.has(one)}.difference(NO_VERDICTS)
    return sorted(filter(is_tie, others))


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
                f"out.{_worth(said)}"
            ) from None

    known = {one: grade(one) for one in {*said}}
    return [known[one] for one in said]


def _worth(said: Iterable[str | None]) -> str:
    """How to say what letters are worth; empty where these are no grades."""
    letters = "".join(sorted({one for one in said if one and one not in NO_VERDICTS}))
    if letters not in LETTERS:
        return ""
    each = (mapped(one, str(len(letters) - place)) for place, one in enumerate(letters))
    return f" Or, if {letters[0]} is the best of the grades: {' '.join(each)}."


LETTERS = ("ABCD", "ABCDE", "ABCDF", "ABCDEF")
"""Letters that are grades in some countries, and options elsewhere."""

NAMES = "verdict_names"
"""Column that says what verdicts name, once that is known."""

RESPONSE = "response"
"""Its value: what we write always names responses."""

EXCHANGED = "response by place"
"""Its value where places became responses, which are still called by what are names of places."""

OPTION, GRADE = "option", "grade"
"""Its values for numbers where their user says which they are."""

OF_RESPONSES = (RESPONSE, EXCHANGED)

_GIVEN = {"given", "original", "orig", "normal", "default", "forward", "ab", "false", "no", "0"}

_SWAPPED = {"swapped", "swap", "reversed", "reverse", "flipped", "flip", "backward", "ba", "true"}

_SWAPPED |= {"yes", "inverted", "switched", "exchanged", "second", "2"}

_NOT = re.compile(r"(not|no|un|non)[\s_-]*(?=swap|revers|flip|invert|switch|exchang)")

_NOTHING = (
    "There is nothing to swap. Swapping needs a column 'order' with the names of two orders, and "
    "verdicts that name one of two places, such as A and B."
)

_NO_RESPONSE = (
    "Verdicts {} and {} name no system, and no column 'order' says which response each is. They "
    "can only be places: leave out --no-swap."
)

SETTLED = (
    "The verdicts of a file that this tool wrote name responses already: nothing is left to swap."
)

_LABELS = "labels taken for the verdict of the same response, as {!r:.40} for {!r:.40}"

_SHOWN = "verdicts exchanged where columns show the responses the other way round ({!r})"

_MEANS = "verdicts name responses: {!r} is the one that is first in order {}, {!r} the other"

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


def names_orders(table: pd.DataFrame, column: str) -> bool:
    """Whether a column says AB or BA beside verdicts A and B: which response was shown first."""
    levels = {str(one).strip().casefold() for one in table[column].drop_duplicates()}
    return levels == {"ab", "ba"} and _of_places(table)


def may_be_orders(table: pd.DataFrame, column: str) -> bool:
    """Whether a column has two levels beside verdicts on two places, as names of two orders."""
    levels = {str(one).strip() for one in table[column].drop_duplicates()}
    if len(levels) != 2 or not _of_places(table):
        return False
    return len({*map(_kind, levels)}) > 1 or pair_in(levels, PLACES) is not None


def _of_places(table: pd.DataFrame) -> bool:
    return "verdict" in table and pair_in({*table["verdict"].dropna()}, PLACES) is not None


def _kind(level: str) -> int:
    """1 for the name of a swapped order, -1 for that of the given one, 0 if it says neither."""
    plain, opposite = _NOT.subn("", level.casefold())
    words = {*re.findall(r"[a-z]+|\d+", plain)}
    if words & {"false", "true"}:
        words &= {"false", "true"}
    kind = bool(words & _SWAPPED) - bool(words & _GIVEN)
    return -kind if opposite else kind


def shown_first(
    table: pd.DataFrame, levels: Sequence[str], swap: bool | None, names: tuple[str, str]
) -> tuple[list[str | None], list[bool]] | None:
    """Which place each verdict on two responses chose, and in which rows the second stood first.

    Args:
        table: Judgments whose verdicts name responses under orders with names.
        levels: The names of all orders.
        swap: What their user says that verdicts named; None if nothing.
        names: What to call what stood first, and the other.

    Returns:
        None where it is not known: columns show the responses as they stood, names of orders do not
        tell, or other verdicts than names of two responses choose.
    """
    if (
        NAMES not in table
        or not table[NAMES].isin(OF_RESPONSES).all()
        or next(pairs_shown(table), None)
    ):
        return None
    kinds = {_kind(one) for one in levels}
    pair = pair_in({*table["verdict"]}, PAIRS if swap is not None else PLACES, swap is not None)
    swapped = swapped_in(levels)
    if pair is None or not swapped or not (swap or len(kinds) > 1):
        return None
    turned = table["order"].isin(swapped)
    if turned.all() or not turned.any():
        return None
    first = pair.names[0].casefold()

    def placed(verdict: Any, is_turned: bool) -> str | None:
        place = pair.place(verdict)
        return verdict if place is None else names[(place == first) == is_turned]

    found = map(placed, table["verdict"], turned)
    return [*found], [*turned]


def meant(table: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """Verdicts by the responses that they name, where orders have names, and what was found.

    The user decides; else columns of the responses as shown. Where neither does, it is asked.

    Raises:
        UserError: The user wants verdicts exchanged, and there are none to exchange.
    """
    if NAMES in table and table[NAMES].isin(OF_RESPONSES).any():
        if reading.swap:
            raise UserError(f"{reading.where}: {SETTLED}")
        return table, []
    of_systems = reading.words is OF_SYSTEMS
    if of_systems and turned(table, table["question"].isna()) is not None:
        return _by_columns(table, reading)
    table, notes = _labels_as_verdicts(table, reading.where)
    of_responses = named_by(table, "verdict") is not None
    if "order" not in table and (found := turned(table, table["question"].isna())) is not None:
        if of_responses or pair_in({*table["verdict"]}, PLACES):
            table = table.assign(order=found.map({False: "given", True: "swapped"}))
        else:
            notes.append(Note(_OTHERS, int(found.sum()), reading.where))
    levels = sorted({one for one in table.get("order", ()) if isinstance(one, str)})
    swapped, pair = swapped_in(levels), None
    if levels and not of_responses:
        under = table["verdict"][table["order"].isin(levels)]
        said = reading.swap is not None
        pair = pair_in({*under}, PAIRS if said else PLACES, said)
    if pair is None or not swapped or (len(levels) < 2 and reading.swap is None):
        if reading.swap:
            raise UserError(f"{reading.where}: {_NOTHING}")
        if pair and len(levels) > 2:
            what = _MANY.format(len(levels), ", ".join(levels[:3]))
            notes.append(Note(what, int(table["order"].isin(levels).sum()), reading.where))
        return table, notes
    levels.sort(key=swapped.__contains__)
    return _by_responses(table, reading, pair, levels, swapped, notes)


def _by_columns(table: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """Verdicts by place, where columns name the systems as they stood.

    Where the user says that verdicts name responses, a swapped order exchanges them.
    """
    pair = pair_in({*table["verdict"]}, PLACES)
    if reading.swap is not False or pair is None:
        return table, []
    levels = sorted({one for one in table.get("order", ()) if isinstance(one, str)})
    swapped = swapped_in(levels)
    if len(levels) < 2 or not swapped:
        raise UserError(f"{reading.where}: {_NO_RESPONSE.format(*pair.names)}")
    given = ", ".join(one for one in levels if one not in swapped)
    what = _MEANS.format(pair.names[0], given, pair.names[1])
    note = Note(what, int(_naming(table["verdict"], pair).sum()), reading.where, Code.PLACES)
    return _exchanged(table, pair, table["order"].isin(swapped)), [note]


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
    number, value = int(_naming(table["verdict"], pair).sum()), EXCHANGED
    if reading.swap:
        table = _exchanged(table, pair, there)
    elif reading.swap is not None:
        value = RESPONSE
    elif (shown := turned(table, there)) is not None:
        table = _exchanged(table, pair, shown)
        notes.append(Note(_SHOWN.format(levels[-1]), number, reading.where, Code.ORDERS))
    else:
        return table, [*notes, _open(table, reading, pair, levels, there)]
    if value == EXCHANGED:
        given = ", ".join(one for one in levels if one not in swapped)
        what = _MEANS.format(pair.names[0], given, pair.names[1])
        notes.append(Note(what, number, reading.where, Code.PLACES))
    names = table["order"].isin(levels).map({True: value, False: None})
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
    places, responses = (f"{_moved(one, swapped):.1%} of them{_right(one, pair)}" for one in both)
    ways = (
        reading.choice(f"names of places; another order changes {places}", {"swap": True}),
        reading.choice(f"names of responses; another order changes {responses}", {"swap": False}),
    )
    what = (
        f"verdicts ({', '.join(pair.names)}) under named orders ({', '.join(levels)}) name places "
        "or responses"
    )
    number = int(_naming(table["verdict"], pair).sum())
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
    places = each_once(table["label"], pair.place)
    shown = (table[[*names]].map(str) for names in pairs_shown(table))
    both = chain.from_iterable((one.min(axis=1), one.max(axis=1)) for one in shown)
    known = of_role(table, "unit", "part", without=("prompt",))  # its text may have the order
    asked = numbers_of(*(table[name] for name in known), *both)
    first = places.groupby([asked, where]).first().unstack()
    first = first.reindex(columns=[False, True]).dropna()
    return len(first) > 0 and bool((first[False] != first[True]).mean() >= _MOST)


def _naming(verdicts: pd.Series[Any], pair: Pair) -> pd.Series[bool]:
    """Which verdicts, or labels, name one of the places."""
    return each_once(verdicts, pair.has).eq(True)


def _right(table: pd.DataFrame, pair: Pair) -> str:
    """How often verdicts of places are the label, in words; empty without labels of places."""
    if "label" not in table:
        return ""
    known = table[_naming(table["label"], pair) & _naming(table["verdict"], pair)]
    same = (known["verdict"] == known["label"]).mean()
    return f", and {same:.0%} are right by the labels" if len(known) else ""


def _moved(table: pd.DataFrame, swapped: pd.Series[bool]) -> float:
    """How often verdicts of a given and a swapped order differ, mean over questions and judges."""
    known = of_role(table, "unit", "part", "facet", without=("order", "time"))
    cell = numbers_of(*(table[name] for name in known))
    counts = table.groupby([cell, swapped.to_numpy(), "verdict"]).size()
    shares = counts / counts.groupby(level=[0, 1]).transform("sum")
    wide = shares.unstack(1).fillna(0.0)
    if wide.shape[1] < 2:
        return float("nan")
    both = wide.groupby(level=0).sum().min(axis=1) > 0
    alike = (wide[False] * wide[True]).groupby(level=0).sum()[both]
    return 1 - float(alike.mean())


def turned(table: pd.DataFrame, swapped: pd.Series[bool]) -> pd.Series[bool] | None:
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


def named_by(table: pd.DataFrame, name: str) -> tuple[str, str] | None:
    """The columns of the responses as shown whose names verdicts, or labels, are; None if none."""
    places = {place.casefold() for pair in PAIRS for place in pair}
    for pair in pairs_shown(table):
        own = table[name].map(str)
        shown = (table[pair[0]].map(str) == own) | (table[pair[1]].map(str) == own)
        if {*own[shown].str.casefold()} - places:
            return pair
    return None


def _labels_as_verdicts(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Labels in the words of verdicts: places where these are, else the responses shown there."""
    if "label" not in table:
        return table, []
    single = table["label"].map(lambda one: isinstance(one, str))
    rows = table if single.all() else table[single]
    verdicts = {one for one in table["verdict"] if isinstance(one, str)}
    labels = found = rows["label"]
    if shown := named_by(rows, "verdict"):
        at = alike_in({*labels}, shown)
        for label, column in {**dict(zip(shown, shown, strict=True)), **at}.items():
            found = found.mask(labels == label, rows[column].map(str))
    elif shown := named_by(rows, "label"):
        pair = pair_in(verdicts, PLACES)
        for place, column in zip(pair.names if pair else (), shown, strict=False):
            found = found.mask(labels == rows[column].map(str), place)
    if said := alike_in({*found}, verdicts):
        found = each_once(found, lambda one: said.get(one, one))
    if found is labels or (changed := labels[found != labels]).empty:
        return table, []
    what = _LABELS.format(changed.iloc[0], found[changed.index[0]])
    known = found.reindex(table.index).where(single, table["label"])
    return table.assign(label=known), [Note(what, len(changed), where, Code.LABELS)]
