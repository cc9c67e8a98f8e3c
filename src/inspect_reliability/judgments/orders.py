"""What verdicts name where orders have names: a place, or the response that is first as given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..stats.rates import mean_share
from .columns import each_once, of_role
from .places import OPEN, PAIRS, PLACES, Pair, pair_in
from .shown import labels_as_verdicts, named_by, turned
from .table import Judgments, Note
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


def meant(table: pd.DataFrame, told: Told) -> Judgments:
    """Judgments by the responses that verdicts name, where orders have names.

    The user decides; else columns of the responses as shown, else labels. Where none of these does,
    the question stays open.
    Where the user wants verdicts exchanged and there are none, they stay, and the result says why.
    """
    if NAMES in table:
        return Judgments(table, unswapped=SETTLED if told.swap else "")
    table, notes = labels_as_verdicts(table, told.where)
    names_shown = named_by(table, "verdict") is not None
    names_places = names_shown or pair_in({*table["verdict"]}, OPEN)
    if "order" not in table and names_places and (found := turned(table)) is not None:
        table = table.assign(order=found.map({False: "given", True: "swapped"}))
    known = None if names_shown else _Places.of(table, told)
    if known is None:
        said = (*notes, *([] if names_shown else _many(table, told)))
        return Judgments(table, said, unswapped=NOTHING if told.swap else "")
    meant = known.meant()
    return replace(meant, said=(*notes, *meant.said))


def _many(table: pd.DataFrame, told: Told) -> list[Note]:
    """What was read where more than two orders have names that do not say which are swapped."""
    if "order" not in table or len(levels := sorted({*table["order"][named := _named(table)]})) < 3:
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
        told: What the user says of them.
        pair: The names of the places.
        levels: The names of the orders, given ones first.
        swapped: Whether each judgment is of a swapped order.
    """

    table: pd.DataFrame
    told: Told
    pair: Pair
    levels: Sequence[str]
    swapped: pd.Series[bool]

    @classmethod
    def of(cls, table: pd.DataFrame, told: Told) -> _Places | None:
        """These judgments; None where orders have no names or verdicts no places."""
        if "order" not in table or not (named := _named(table)).any():
            return None
        any_pair = told.swap is not None
        levels = sorted({*table["order"][named]})
        pair = pair_in({*table["verdict"][named]}, PAIRS if any_pair else PLACES)
        turned = swapped_in(levels)
        if pair is None or not turned or (len(levels) < 2 and not any_pair):
            return None
        levels.sort(key=turned.__contains__)
        return cls(table, told, pair, levels, table["order"].isin(turned) & named)

    def meant(self) -> Judgments:
        """The judgments, by what is known of them."""
        name = f"order {self.levels[-1]!r}"
        if self.told.swap is not None:
            why = f"exchanged under {name}, as you say"
            return self._settled(self.swapped, why) if self.told.swap else self._settled(None, "")
        if (shown := turned(self.table, self.swapped)) is not None:
            why = "exchanged where columns show the responses the other way round"
            return self._settled(shown, f"{why} ({self.levels[-1]!r})")
        if self._labels_turn(self.swapped):
            why = f"exchanged under {name}: the labels change places with it"
            return self._settled(self.swapped, why)
        if (right := self._by_labels()) is not None:
            takes = "names of places, and exchanged" if right < 0.5 else "names of responses"
            share = max(right, 1 - right)
            why = f"taken for {takes} under {name}: {share:.0%} of them are right so, by the "
            why += (
                f"labels, and {1 - share:.0%} otherwise; {_call(self.told, right >= 0.5)} says so"
            )
            return self._settled(self.swapped if right < 0.5 else None, why)
        if self.pair.names not in OPEN:
            why = (
                f"taken for names of responses under any order; {_call(self.told, True)} exchanges"
            )
            return self._settled(None, f"{why} them under {self.levels[-1]!r}")
        return self._open()

    def _exchanged(self, where: pd.Series[bool]) -> pd.DataFrame:
        """The judgments where verdicts name places, by the responses there; labels too."""
        names = ["verdict", *(["label"] if self._labels_turn(where) else [])]
        given = self.table[names]
        other = given.apply(each_once, args=(self.pair.exchanged,))
        return self.table.assign(**other.where(where, given))

    def _settled(self, where: pd.Series[bool] | None, why: str) -> Judgments:
        """The judgments with verdicts exchanged where they name places."""
        table = self.table if where is None else self._exchanged(where)
        table = table.assign(**{NAMES: _named(table).map({True: RESPONSE, False: None})})
        note = Note(f"verdicts {why}", self._count, self.told.where)
        return Judgments(table, (note,) if why else ())

    def _open(self) -> Judgments:
        other = self._exchanged(self.swapped)
        moved = (_moved(one, self.swapped) for one in (self.table, other))
        ends = [f"{share:.1%}" for share in moved]
        calls = (_call(self.told, True), _call(self.told, False))
        one, two = self.pair.names
        says = (
            f"verdicts ({one}, {two}) under named orders ({', '.join(self.levels)}) name places or "
            f"responses. As places ({calls[0]}), another order changes {ends[1]} of them; as "
            f"responses ({calls[1]}), {ends[0]}."
        )
        unclear = Unclear(self._count, says, calls, self.told.where)
        return Judgments(self.table, unclear=(unclear,))

    @property
    def _count(self) -> int:
        return sum(map(self.pair.has, self.table["verdict"]))

    @cached_property
    def _labelled(self) -> pd.DataFrame:
        """The places that verdicts and single labels name, where both do."""
        names = ["question", "verdict", *({"label"} & {*self.table})]
        known = self.table.reindex(columns=["question", "verdict", "label"])
        for name in names[1:]:
            known[name] = known[name].map(self.pair.place)
        return known.dropna()

    def _labels_turn(self, where: pd.Series[bool]) -> bool:
        """Whether labels name places too: those of turned judgments are the other one."""
        known = self._labelled
        first = known.groupby(["question", where[known.index]])["label"].first().unstack()
        first = first.reindex(columns=[False, True]).dropna()
        return len(first) > 0 and bool((first[False] != first[True]).mean() >= _MOST)

    def _by_labels(self) -> float | None:
        """How often verdicts under swapped orders are right as they are, where labels decide.

        None unless those under the given order are clearly right more often than not, and these
        clearly more or less often. Both labels count alike: a judge that prefers a place is no
        better than chance. Where there is one label, it could seem right.
        """
        of_swapped = self.swapped[self._labelled.index]
        given, right = (_right(self._labelled[one]) for one in (~of_swapped, of_swapped))
        if given is None or right is None or given[1] <= 0.5:
            return None
        value, low, high, labels = right
        return value if high < 0.5 or (low > 0.5 and labels > 1) else None


def _right(rows: pd.DataFrame) -> tuple[float, float, float, int] | None:
    """How often verdicts are their labels, mean over these, with its interval and their number."""
    right = (rows["verdict"] == rows["label"]).astype(float)
    each = right.groupby([rows["label"], rows["question"]]).mean()
    shares = [
        mean_share(np.asarray(own, dtype=np.float64), 0.95, 1.0)
        for _, own in each.groupby(level="label")
    ]
    known = [(one.value, one.low, one.high) for one in shares if None not in (one.low, one.high)]
    if not known:
        return None
    found = np.array(known, dtype=np.float64)
    value = found[:, 0].mean()
    below, above = np.hypot.reduce(found[:, 1:] - found[:, :1]) / len(found)
    return value, value - below, value + above, len(found)


def _named(table: pd.DataFrame) -> pd.Series[bool]:
    """Which judgments have an order with a name."""
    return table["order"].map(lambda one: isinstance(one, str))


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
