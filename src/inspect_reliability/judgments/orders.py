"""What verdicts name where orders have names: a place, or the response that is first as given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UserError
from ..stats.rates import mean_share
from .columns import each_once, of_role
from .places import OPEN, PAIRS, PLACES, Pair, pair_in
from .shown import labels_as_verdicts, named_by, ordered, turned
from .table import Note
from .unclear import Unclear

if TYPE_CHECKING:
    import pandas as pd

    from .names import Told

NAMES = "verdict_names"
"""Column that says what verdicts name, once that is known."""

RESPONSE = "response"
"""Its value: what we write always names responses."""

_GIVEN = {"given", "original", "orig", "normal", "default", "forward", "ab", "false", "no", "0"}
_SWAPPED = {"swapped", "swap", "reversed", "reverse", "flipped", "flip", "backward", "ba", "true"}
_SWAPPED |= {"yes", "inverted", "switched", "exchanged", "second", "2"}
_NOT = re.compile(r"(not|no|un|non)[\s_-]*(?=swap|revers|flip|invert|switch|exchang)")

NOTHING = (
    "There is nothing to swap. Swapping needs a column 'order' with the names of two orders, and "
    "verdicts that name one of two places, such as A and B."
)

SETTLED = "What we wrote has verdicts that name responses: nothing is left to swap."

_MOST = 0.95
"""Share of the questions on which columns, or labels, must show the same."""


class NothingToSwapError(UserError):
    """The user wants verdicts exchanged, and none names a place."""


@dataclass(frozen=True)
class Meant:
    """Judgments whose verdicts name responses, as far as known; see `Judgments`."""

    table: pd.DataFrame
    notes: tuple[Note, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    other: pd.DataFrame | None = None


def swapped_in(levels: Sequence[str]) -> set[str]:
    """The names of orders that are the other way round; empty where names do not say.

    Of two orders of which no name says more, the first is the one that is given.
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


def meant(table: pd.DataFrame, told: Told) -> Meant:
    """Judgments by the responses that verdicts name, where orders have names.

    The user decides; else columns of the responses as shown, else labels. Where none of these does,
    both meanings are returned.

    Raises:
        NothingToSwapError: The user wants verdicts exchanged that name responses, or no places.
    """
    if NAMES in table:
        if told.swap:
            raise NothingToSwapError(f"{told.where}: {SETTLED}")
        return Meant(table)
    table, notes = labels_as_verdicts(table, told.where)
    table, shown = ordered(table)
    known = _Places.of(table, told.swap is not None)
    if known is None or named_by(table, "verdict"):
        if told.swap:
            raise NothingToSwapError(f"{told.where}: {NOTHING}")
        return Meant(table, (*notes, *([] if named_by(table, "verdict") else _many(table, told))))
    found = known.meant(told, shown)
    return replace(found, notes=(*notes, *found.notes))


def _many(table: pd.DataFrame, told: Told) -> list[Note]:
    """What was read where more than two orders have names that do not say which are swapped."""
    named = table["order"].map(lambda one: isinstance(one, str)) if "order" in table else None
    if named is None or len(levels := sorted({*table["order"][named]})) < 3:
        return []
    if pair_in({*table["verdict"][named].dropna()}, PLACES) is None:
        return []
    what = (
        f"verdicts under {len(levels)} named orders ({', '.join(levels[:3])}) taken for names of "
        "responses: which are swapped is not known. If they name places, give each order as the "
        "list of the responses shown"
    )
    return [Note(what, int(named.sum()), told.where)]


@dataclass(frozen=True)
class _Places:
    """Judgments whose verdicts may name places.

    Attributes:
        table: The judgments.
        pair: The names of the places.
        levels: The names of the orders, given ones first.
        swapped: Whether each judgment is of a swapped order.
    """

    table: pd.DataFrame
    pair: Pair
    levels: Sequence[str]
    swapped: pd.Series[bool]

    @classmethod
    def of(cls, table: pd.DataFrame, any_pair: bool) -> _Places | None:
        """These judgments; None where orders have no names or verdicts no places."""
        orders = table.get("order")
        if orders is None or not (named := orders.map(lambda one: isinstance(one, str))).any():
            return None
        levels = sorted({*orders[named]})
        verdicts = {one for one in table["verdict"][named] if isinstance(one, str)}
        pair = pair_in(verdicts, PAIRS if any_pair else PLACES)
        turned = swapped_in(levels)
        if pair is None or not turned or (len(levels) < 2 and not any_pair):
            return None
        levels.sort(key=turned.__contains__)
        return cls(table, pair, levels, orders.isin(turned) & named)

    def meant(self, told: Told, shown: pd.Series[bool] | None) -> Meant:
        """The judgments, by what is known of them."""
        name = self.levels[-1]
        if told.swap is not None:
            made = self.exchanged() if told.swap else self.table
            why = f"exchanged under order {name!r}, as you say" if told.swap else ""
            return self._settled(made, why, told)
        if shown is None:
            shown = turned(self.table, self.swapped)
        if shown is not None:
            why = f"exchanged where columns show the responses the other way round ({name!r})"
            return self._settled(self.exchanged(shown), why, told)
        if self._labels_turn(self.swapped):
            why = f"exchanged under order {name!r}: the labels change places with it"
            return self._settled(self.exchanged(), why, told)
        if (right := self._by_labels()) is not None:
            takes = "names of places, and exchanged" if right < 0.5 else "names of responses"
            share = max(right, 1 - right)
            why = f"taken for {takes} under order {name!r}: {share:.0%} of them are right so, by "
            why += f"the labels, and {1 - share:.0%} otherwise; {_call(told, right >= 0.5)} says so"
            return self._settled(self.exchanged() if right < 0.5 else self.table, why, told)
        if self.pair.names not in OPEN:
            why = f"taken for names of responses under any order; {_call(told, True)} exchanges "
            return self._settled(self.table, f"{why}them under {name!r}", told)
        return self._open(told)

    def exchanged(self, where: pd.Series[bool] | None = None) -> pd.DataFrame:
        """The judgments where verdicts name places, by the responses there; labels too."""
        where = self.swapped if where is None else where
        names = ["verdict", *(["label"] if self._labels_turn(where) else [])]
        return self.table.assign(**{name: self._turned(name, where) for name in names})

    def _turned(self, name: str, where: pd.Series[bool]) -> pd.Series[Any]:
        def turned(value: Any) -> Any:
            return self.pair.exchanged(value) if isinstance(value, str) else value

        return each_once(self.table[name], turned).where(where, self.table[name])

    def _settled(self, table: pd.DataFrame, why: str, told: Told) -> Meant:
        named = table["order"].map(lambda one: isinstance(one, str))
        table = table.assign(**{NAMES: named.map({True: RESPONSE, False: None})})
        notes = [Note(f"verdicts {why}", int(self._has.sum()), told.where)] if why else []
        return Meant(table, tuple(notes))

    def _open(self, told: Told) -> Meant:
        other = self.exchanged()
        moved = (_moved(one, self.swapped) for one in (self.table, other))
        ends = [f"{share:.1%}" for share in moved]
        calls = (_call(told, True), _call(told, False))
        one, two = self.pair.names
        says = (
            f"verdicts ({one}, {two}) under named orders ({', '.join(self.levels)}) name places or "
            f"responses. As places ({calls[0]}), another order changes {ends[1]} of them; as "
            f"responses ({calls[1]}), {ends[0]}."
        )
        unclear = Unclear("order", int(self._has.sum()), says, calls, told.where)
        return Meant(self.table, unclear=(unclear,), other=other)

    @property
    def _has(self) -> pd.Series[bool]:
        return self.table["verdict"].map(lambda one: isinstance(one, str) and self.pair.has(one))

    def _labelled(self, where: pd.Series[bool]) -> pd.DataFrame:
        """Judgments whose verdicts and single labels name places."""
        labels = self.table["label"]
        known = labels.map(lambda one: isinstance(one, str) and self.pair.has(one))
        return self.table[known & self._has & where]

    def _labels_turn(self, where: pd.Series[bool]) -> bool:
        """Whether labels name places too: those of turned judgments are the other one."""
        if "label" not in self.table or self._labelled(where).empty:
            return False
        parts = (self._labelled(one).groupby("question") for one in (~where, where))
        given, turned = (part["label"].first() for part in parts)
        both = given.index.intersection(turned.index)
        differ = given[both].map(self.pair.place) != turned[both].map(self.pair.place)
        return len(both) > 0 and bool(differ.mean() >= _MOST)

    def _by_labels(self) -> float | None:
        """How often verdicts under swapped orders are right as they are, where labels decide.

        None unless those under the given order are clearly right more often than not, and these
        clearly more or less often. Both labels count alike: a judge that prefers a place is no
        better than chance. Where there is one label, it could seem right.
        """
        if "label" not in self.table:
            return None
        given, right = (self._right(self._labelled(one)) for one in (~self.swapped, self.swapped))
        if given is None or right is None or given[1] <= 0.5:
            return None
        value, low, high, labels = right
        return value if high < 0.5 or (low > 0.5 and labels > 1) else None

    def _right(self, rows: pd.DataFrame) -> tuple[float, float, float, int] | None:
        found = []
        labels = rows["label"].map(self.pair.place)
        right = rows["verdict"].map(self.pair.place) == labels
        for _, own in right.groupby(labels):
            each = own.astype(float).groupby(rows["question"]).mean()
            share = mean_share(np.asarray(each, dtype=np.float64), 0.95, 1.0)
            if share.value is not None and share.low is not None and share.high is not None:
                found.append((share.value, share.low, share.high))
        if not found:
            return None
        n = len(found)
        value = sum(one for one, *_ in found) / n
        low = value - hypot(*(one - low for one, low, _ in found)) / n
        high = value + hypot(*(high - one for one, _, high in found)) / n
        return value, low, high, n


def _call(told: Told, swap: bool) -> str:
    if told.in_python:
        return f"swap={swap}"
    return "--swap" if swap else "--no-swap"


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
