"""From judgments to counts: which categories there are, and how often each was chosen."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..stats import Cells, ReliabilityError
from ..stats.cells import IntArray
from ..verdicts import CORRECT, INCORRECT, INVALID, NO_VERDICTS, NON_RESPONSE, abstentions
from .columns import N_JUDGMENTS, SETTLED_LABEL, by_rater
from .mirrored import mirrored
from .pairs import NAMES, OPTION, pairs_shown

if TYPE_CHECKING:
    import pandas as pd


# One recorded verdict.


class Judgment(NamedTuple):
    """One decision of a judge, as a score records it. Fields are the columns of the same names.

    A field is None if the score does not say. `question` is the unit judged: a question, or one of
    several outputs of it; `cluster` is the question itself, whose outputs belong together.
    """

    question: str
    cluster: str
    scorer: str
    verdict: str | None
    replication: int | None = None
    seed: int | None = None
    categories: Sequence[str] | None = None
    order: Sequence[str] | None = None
    responder: str | None = None
    share: float | None = None
    place: int | None = None
    tail: bool | None = None
    temperature: float | None = None
    read_by: str | None = None
    wording: str | None = None
    answer_form: str | None = None
    best: str | None = None
    label: str | None = None
    missing: bool | None = None
    answer_change: str | None = None
    changed_response: str | None = None
    spoils: bool | None = None


OPPOSITES = (("C", "I"), ("true", "false"), (CORRECT, INCORRECT))

_GRADES = {"C", "P", "I", "N"}

SHOWN = ("order", "wording", "answer_form")
"""Columns that say how a question was shown."""

MOSTLY = 0.75
"""Share of the questions shown in several ways, of which each way was tried again. Of two orders
drawn anew for each try, so many have that from 6 tries, which then seldom miss one of the two."""

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def opposites(given: Collection[str | None]) -> tuple[str, ...]:
    """The two verdicts of a scorer that gives one or the other; () if none.

    "C" is a grade, but beside another letter, such as "A", it is the label of an option.
    """
    letters = {one for one in given if one and len(one) == 1 and one.isalpha()}
    known = {*given} - (letters if letters - _GRADES else set())
    return next((pair for pair in OPPOSITES if known & {*pair}), ())


def by_value(name: str) -> tuple[float, str]:
    """Numbers by their value, other names after them."""
    return float(name) if NUMBER.fullmatch(name) else math.inf, name


@dataclass(eq=False)
class Judged:
    """Judgments of one judge under one condition, ready to be counted.

    Attributes:
        table: A judgments table, or its columns as lists, which need no pandas.
    """

    table: "pd.DataFrame | Mapping[str, list[Any]]"

    @classmethod
    def of(cls, judgments: Iterable[Judgment]) -> "Judged":
        """Judgments of scores."""
        # `zip(*judgments)` would make an iterator a judgment, and set the garbage collector off.
        flat: list[Any] = list(chain.from_iterable(judgments))
        names = Judgment._fields
        table = {name: flat[place :: len(names)] for place, name in enumerate(names)}
        return cls({"sample": table.pop("cluster"), **table})

    def column(self, name: str) -> list[Any]:
        """The values of a column, None where missing."""
        if name not in self.table:
            return [None] * len(self.table["question"])
        values = self.table[name]
        if isinstance(values, list):
            return values
        import pandas as pd

        found = values.to_numpy(dtype=object, copy=True)
        found[pd.isna(found)] = None  # of an array: a series takes five times as long
        return found.tolist()

    @cached_property
    def questions(self) -> list[str]:
        """The unit of each judgment: a question, or one of several outputs of it."""
        return list(map(str, self.column("question")))

    @cached_property
    def verdicts(self) -> list[str | None]:
        """The verdict of each."""
        return self.column("verdict")

    @cached_property
    def responders(self) -> list[str | None]:
        """The responder whose response each judgment chose or judged."""
        return self.column("responder")

    @cached_property
    def orders(self) -> list[tuple[str, ...] | None]:
        """The responses shown to each, in the order of the labels; None without labels.

        Under a named order, the verdict itself names the response chosen.
        """
        given = self.column("order")
        return [None if one is None or isinstance(one, str) else tuple(one) for one in given]

    @cached_property
    def exact(self) -> bool:
        """Whether these are exact distributions instead of draws.

        Raises:
            ReliabilityError: Some are and some are not.
        """
        kinds = {type(share) for share in self.column("share")}
        if len(kinds) > 1 and type(None) in kinds:
            raise ReliabilityError(
                "Exact and sampled verdicts cannot be counted together. Name the logs of one kind."
            )
        return type(None) not in kinds

    @cached_property
    def times(self) -> list[int] | None:
        """How many judgments each row counts for; None where each is one."""
        return self.column(N_JUDGMENTS) if N_JUDGMENTS in self.table else None

    @cached_property
    def shown(self) -> set[tuple[str, ...]]:
        """Each question with each order of its options that was shown."""
        if self.orders.count(None) == len(self.orders):
            return set()
        return {
            (question, *order)
            for question, order in zip(self.questions, self.orders, strict=True)
            if order is not None
        }

    @property
    def orders_shown(self) -> set[tuple[str, ...]]:
        """Every order in which the options of any question were shown."""
        return {tuple(order) for _, *order in self.shown}

    @cached_property
    def order_varies(self) -> bool:
        """Whether any question was shown with its options in more than one order."""
        return orders_vary(self.shown)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the options that the judge was shown; empty where it was shown none."""
        longest = max((len(order) for order in self.orders if order is not None), default=0)
        own = [name for name in self._own_categories or () if name not in (NON_RESPONSE, INVALID)]
        return tuple(own[:longest] if len(own) >= longest else ascii_uppercase[:longest])

    @cached_property
    def choices(self) -> Sequence[str | None]:
        """The choice of each judgment, by a name that means the same in every cell.

        That is the verdict if each question's options keep their places. If any question's options
        change places, it is the responder behind the label, for all questions: "A" on one question
        and a responder on another could not be compared.
        """
        return self.chosen(self.order_varies)

    def chosen(self, by_responder: bool) -> Sequence[str | None]:
        """Each verdict, or the responder behind it if it is a label.

        None where the order is not known; a question without any order keeps its labels.
        """
        if not by_responder:
            return self.verdicts
        places: dict[str | None, int] = {label: k for k, label in enumerate(self.labels)}
        ordered = {question for question, *_ in self.shown}
        return [
            verdict
            if (k := places.get(verdict)) is None
            else responder or _at(order, k) or (None if question in ordered else verdict)
            for question, verdict, responder, order in zip(
                self.questions, self.verdicts, self.responders, self.orders, strict=True
            )
        ]

    @cached_property
    def mirrored(self) -> Mapping[str, str]:
        """Verdict -> the verdict with the names of a pair exchanged; see `mirrored.mirrored`."""
        if NAMES not in self.table:
            return {}
        shown = chain.from_iterable(pairs_shown([*self.table]))
        return mirrored({name: self.column(name) for name in (NAMES, "verdict", *shown)})

    @cached_property
    def right(self) -> list[Any]:
        """The label of each judgment, else the response known to be best, else None."""
        if any(labels := self.column("label")) or "best" not in self.table:
            return labels
        # Beside options whose places are not known, the name of a response is no verdict.
        best = [one if isinstance(one, str) else None for one in self.column("best")]
        named = not {*self.choices}.isdisjoint({*best} - {None})
        shown = zip(best, self.orders, strict=True)
        return [one if named or order is not None else None for one, order in shown]

    @cached_property
    def undecided(self) -> frozenset[str]:
        """The verdicts that are neither right nor wrong: as declared, else by their names."""
        declared = [names for names in self.column("abstain") if names is not None]
        if declared:
            return frozenset(chain.from_iterable(declared))
        given = {name for name in self.choices if name is not None}
        return frozenset([*abstentions(given, self.ever_right), *NO_VERDICTS])

    @cached_property
    def ever_right(self) -> set[str]:
        """The verdicts that are right somewhere, by any rater."""
        right = {*self.right, *self.column(SETTLED_LABEL)} - {None}
        return {one for given in right for one, _ in by_rater(given, None)}

    @cached_property
    def rated(self) -> list[tuple[str, Any, str]]:
        """Each person's label once: its question, its rater, the verdict, named as in `choices`.

        Without labels that settle where people differ: see `settled`.
        """
        return self._each_label(self.right) if any(self.right) else []

    @cached_property
    def settled(self) -> list[tuple[str, str]]:
        """A question and the label that decides it whatever people said, named as in `choices`."""
        given = self.column(SETTLED_LABEL)
        found = self._each_label(given) if any(given) else []
        return [(question, label) for question, _, label in found]

    def _each_label(self, labels: Sequence[Any]) -> list[tuple[str, Any, str]]:
        orders = Counter(question for question, *_ in self.shown)
        known: dict[tuple[str, Any, str], None] = {}
        units = zip(self.questions, labels, self.column("rater"), self.orders, strict=True)
        for question, given, raters, order in dict.fromkeys(units):
            if given is None:
                continue
            for label, rater in by_rater(given, raters):
                named = self._named(label, order, orders[question] < 2)
                if named is not None:
                    known[question, rater, named] = None
        return list(known)

    @cached_property
    def truth(self) -> Cells | None:
        """The right verdicts of each question, named as in `choices`; None without labels.

        One per rater, or those that settle it.
        """
        if not self.rated:
            return None
        decided = {name for name, _ in self.settled}
        open_ = [(name, label) for name, _, label in self.rated if name not in decided]
        asked, verdicts = zip(*open_, *self.settled, strict=True)
        return Cells.from_long(asked, verdicts)

    @cached_property
    def people(self) -> Cells | None:
        """The labels of each question by people, one per rater, named as in `choices`; or None."""
        if not self.rated:
            return None
        asked, _, verdicts = zip(*self.rated, strict=True)
        return Cells.from_long(asked, verdicts)

    def _named(self, label: str, order: Sequence[str] | None, one_order: bool) -> str | None:
        """A label by its name in `choices`; None if its place says nothing."""
        if order is None:
            return label
        place = self.labels.index(label) if label in self.labels else None
        if not self.order_varies:
            if not {*self.labels}.isdisjoint(self.verdicts):
                return self.labels[order.index(label)] if label in order else label
            return label if place is None else _at(order, place)  # verdicts name responses
        return label if place is None else _at(order, place) if one_order else None

    @cached_property
    def declared(self) -> tuple[str, ...] | None:
        """All categories that a judgment could fall into; None if not known."""
        if self.order_varies:
            shown = {name for order in self.orders if order is not None for name in order}
            also = set(self._own_categories or ()) - {*self.labels, NON_RESPONSE, INVALID}
            return (*sorted(shown), *sorted(also), NON_RESPONSE, INVALID)
        own = self._own_categories
        if own is None and self.labels:
            own = (*self.labels, NON_RESPONSE, INVALID)
        # A scorer of another kind may have been run on a judge's task as well.
        occurring = set(self.verdicts) - {None, *NO_VERDICTS}
        return own if own is not None and occurring <= set(own) else None

    @cached_property
    def _own_categories(self) -> tuple[str, ...] | None:
        found = {None if own is None else tuple(own) for own in self.column("categories")}
        return next(iter(found)) if len(found) == 1 else None

    @property
    def correctness(self) -> bool:
        """Whether verdicts are "correct" and "incorrect"."""
        return {*self.counts().categories} - {NON_RESPONSE, INVALID} == {CORRECT, INCORRECT}

    @property
    def of_options(self) -> bool:
        """Whether verdicts are names of options: as read, of those shown, or of a known best."""
        known = bool(self.labels) or OPTION in self.column(NAMES)
        return known or (not any(self.column("label")) and any(self.right))

    @cached_property
    def values(self) -> dict[str, float] | None:
        """Verdict -> number if every verdict is one, or none was read; else None."""
        if self.of_options:
            return None
        given = set(self.verdicts) - {None, NON_RESPONSE, INVALID}
        found = {name: float(name) for name in given if name and NUMBER.fullmatch(name)}
        finite = all(map(math.isfinite, found.values()))
        return found if given and finite and len(found) == len(given) else None

    @property
    def scale(self) -> dict[str, float] | None:
        """Verdict -> number, where these are more than two: how far they are apart counts."""
        return self.values if len(self.values or ()) > 2 else None

    def counts(self, categories: Sequence[str] = ()) -> Cells:
        """The judgments counted by question and category, as `cells` counts them."""
        return self.cells((), categories) if categories else self._counts

    @cached_property
    def _counts(self) -> Cells:
        return self.cells()

    def cells(self, facets: Iterable[str] = (), categories: Sequence[str] = ()) -> Cells:
        """The judgments counted by question, level of each facet and category; exact as shares.

        Args:
            facets: Columns of the table. Levels of `order` are permutations of the responders.
            categories: Declared categories; by default those that the judgments declare, else
                those that occur, with their `opposites`.

        Raises:
            ReliabilityError: There is no verdict, only some are exact, or a facet is no column.
        """
        first = tuple(dict.fromkeys(categories)) or self.declared
        occurring = set(self.choices) - {None}
        if first is None:
            first = opposites(occurring)
        occurring.update(other for name, other in self.mirrored.items() if name in occurring)
        others = sorted(map(str, occurring.difference(first)), key=by_value)
        return self.count(self.choices, (*first, *others), facets)

    def count(
        self,
        values: Sequence[str | None],
        categories: Sequence[str] | None = None,
        facets: Iterable[str] = (),
    ) -> Cells:
        """Any values of the judgments counted by question, level of each facet and category.

        Without facets, verdicts `as_shown` are counted by these as well.

        Args:
            values: One value a judgment.
            categories: The categories; by default those that occur, sorted.
            facets: Columns of the table.

        Raises:
            ReliabilityError: There is no value, or only some of the judgments are exact.
        """
        levels = {name: self._levels(name) for name in facets}
        counts = self._counted(values, categories, levels)
        if not levels and self.as_shown:
            by_shown = self._counted(values, counts.categories, {"shown": self.as_shown})
            counts = replace(counts, variants=by_shown)
        if self.mirrored and {*counts.categories} & {*self.mirrored}:
            counts = replace(counts, mirrored=self.mirrored)
        if self.mirrored and "order" in levels:
            counts = replace(counts, turned={"order": self._turned("order")})
        within = self._cluster
        return counts.together(map(within.get, counts.questions)) if within else counts

    def _counted(
        self,
        values: Sequence[str | None],
        categories: Sequence[str] | None,
        levels: Mapping[str, Sequence[Hashable]],
    ) -> Cells:
        if not self.exact:
            return Cells.from_long(self.questions, values, categories, levels, self.times)
        names = categories or sorted({name for name in values if name is not None})
        starts = [place == 1 for place in self.column("place")]
        known = (self.questions, values, self.column("share"), self.column("tail"), starts)
        return Cells.of_distributions(*known, names, levels)

    @cached_property
    def as_shown(self) -> list[Hashable]:
        """How each judgment's question was shown: the order of its options, wording and form.

        Empty unless questions were shown in several ways and, in most of these, each way was tried
        again (`MOSTLY`): two tries then draw their ways, whatever the number of tries of each.
        Otherwise the ways were drawn anew for each try, or tried once each, and all pairs of
        verdicts count alike.
        """
        ways = [one for name in SHOWN if len({*(one := self.ways(name))}) > 1]
        shown: list[Hashable] = list(zip(*ways, strict=True))
        tries: defaultdict[str, Counter[Hashable]] = defaultdict(Counter)
        for question, way, n in zip(self.questions, shown, self.times or repeat(1), strict=False):
            tries[question][way] += n
        several = [each for each in tries.values() if len(each) > 1]
        again = [each for each in several if self.exact or min(each.values()) > 1]
        return shown if several and len(again) >= MOSTLY * len(several) else []

    def ways(self, name: str) -> list[Hashable]:
        """A column with lists, such as orders of the options, as tuples."""
        return [tuple(one) if isinstance(one, list) else one for one in self.column(name)]

    def levels(self, facet: str) -> list[str]:
        """Names of a facet's levels, in the order of their numbers in `cells`."""
        named: dict[Hashable, str] = {}
        several = len({frozenset(order) for order in self.orders if order is not None}) > 1
        for value in self.column(facet):
            level = _level(value)
            if isinstance(level, tuple):  # places among the names, where questions differ in these
                value = ", ".join(map(str, (i + 1 for i in level) if several else value))
            named.setdefault(level, str(value))
        return list(named.values())

    def _levels(self, facet: str) -> list[Hashable]:
        if facet not in self.table:
            raise ReliabilityError(f"The judgments have no column {facet!r}.")
        values = self.column(facet)
        return list(map(_level, values)) if facet == "order" else values

    def _turned(self, facet: str) -> IntArray:
        """The other of two orders with names, for the number of each level in `cells`."""
        levels = [*dict.fromkeys(self._levels(facet))]
        named = [place for place, one in enumerate(levels) if isinstance(one, str)]
        found = np.arange(len(levels))
        if len(named) == 2:
            found[named] = found[named[::-1]]
        return found

    def numbers(self) -> Cells | None:
        """The verdicts as numbers if every verdict is one; else None."""
        if self.values is None:
            return None
        return self.counts().as_numbers(self.values)

    @cached_property
    def _cluster(self) -> dict[str, Hashable]:
        """The sample that each question is of; empty where each question is all of its own."""
        samples = self.column("sample")
        if samples.count(None) == len(samples):
            return {}
        within = zip(self.column("benchmark"), samples, strict=True)
        known = dict(zip(self.questions, within, strict=True))
        return {
            name: (benchmark, name if sample is None else sample)
            for name, (benchmark, sample) in known.items()
        }

    def matrix(self, values: Sequence[Any]) -> NDArray[Any]:
        """Values of the judgments as an array, questions x replications; None where missing.

        The column is the number of the replication; its rank within the question where numbers
        repeat, as in runs put together, or are not known.

        Args:
            values: One value per judgment.
        """
        row = {name: i for i, name in enumerate(dict.fromkeys(self.questions))}
        rows = np.array([row[name] for name in self.questions], dtype=np.int64)
        known = self.column("replication")
        numbers = np.array([number or 0 for number in known], dtype=np.int64)
        order = np.lexsort((numbers, rows))
        ordered = rows[order]
        again = (np.diff(ordered) == 0) & (np.diff(numbers[order]) == 0)
        if None in known or again.any():
            numbers[order] = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
        found, columns = np.unique(numbers, return_inverse=True)
        matrix = np.full((len(row), len(found)), None, dtype=object)
        matrix[rows, columns] = values
        return matrix


def orders_vary(shown: Collection[tuple[str, ...]]) -> bool:
    """Whether any question occurs here in more than one order; see `Judged.shown`."""
    return len(shown) > len({question for question, *_ in shown})


def _level(value: Any) -> Hashable:
    """A facet's level; for an order, how it permutes the names."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return cast("Hashable", value)
    names = sorted(value)
    return tuple(names.index(name) for name in value)


def _at(order: Sequence[str] | None, place: int) -> str | None:
    return order[place] if order is not None and place < len(order) else None
