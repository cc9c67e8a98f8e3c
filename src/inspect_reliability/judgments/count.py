"""From judgments to counts: which categories there are, and how often each was chosen."""

import math
import re
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..stats import Cells, ReliabilityError
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE
from .judgment import Judgment

# A scorer that gave one of these could have given the other.
_OPPOSITES = (("C", "I"), ("true", "false"), (CORRECT, INCORRECT))

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass
class Judged:
    """Judgments of one judge under one condition, as columns of equal length (see `Judgment`)."""

    questions: Sequence[str]
    clusters: Sequence[Hashable]
    verdicts: Sequence[str | None]
    replications: Sequence[int | None]
    categories: Sequence[Sequence[str] | None]
    orders: Sequence[Sequence[str] | None]
    responders: Sequence[str | None]
    shares: Sequence[float | None]
    places: Sequence[int | None]
    tails: Sequence[bool | None]

    @classmethod
    def of(cls, judgments: Iterable[Judgment]) -> "Judged":
        """The columns of judgments."""
        # `zip(*judgments)` would make an iterator a judgment, and set the garbage collector off.
        flat: list[Any] = list(chain.from_iterable(judgments))
        width = len(Judgment._fields)
        q, c, _, v, r, _, k, o, w, s, p, t, *_ = (flat[place::width] for place in range(width))
        return cls(q, c, v, r, k, o, w, s, p, t)

    @cached_property
    def exact(self) -> bool:
        """Whether these are exact distributions, not draws.

        Raises:
            ReliabilityError: Some are and some are not.
        """
        kinds = set(map(type, self.shares))
        if len(kinds) > 1 and type(None) in kinds:
            raise ReliabilityError(
                "Exact and sampled verdicts cannot be counted together. Name the logs of one kind."
            )
        return type(None) not in kinds

    @property
    def weights(self) -> list[float]:
        """How many judgments each counts for."""
        return [1.0 if share is None else share for share in self.shares]

    @cached_property
    def shown(self) -> set[tuple[str, ...]]:
        """Each question with each order in which its options were shown."""
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
        """What each judgment chose, as a category that means the same in every replication.

        That is the verdict while each question's options keep their order, and the responder
        behind a label where the order varies; "non-response" and "invalid" stay what they are.
        """
        return self.chosen(self.order_varies)

    def chosen(self, by_responder: bool) -> Sequence[str | None]:
        """Each verdict, or the responder behind it where it is a label."""
        if not by_responder:
            return self.verdicts
        places: dict[str | None, int] = {label: k for k, label in enumerate(self.labels)}
        return [
            verdict if (k := places.get(verdict)) is None else responder or _at(order, k)
            for verdict, responder, order in zip(
                self.verdicts, self.responders, self.orders, strict=True
            )
        ]

    @cached_property
    def declared(self) -> tuple[str, ...] | None:
        """Categories that a judgment could have fallen into; None if that is not known."""
        if self.order_varies:
            shown = {name for order in self.orders if order is not None for name in order}
            also = set(self._own_categories or ()) - {*self.labels, NON_RESPONSE, INVALID}
            return (*sorted(shown), *sorted(also), NON_RESPONSE, INVALID)
        own = self._own_categories
        if own is None and self.labels:
            own = (*self.labels, NON_RESPONSE, INVALID)
        # A scorer of another kind may have been run on a judge's task as well.
        occurring = set(self.verdicts) - {None}
        return own if own is not None and occurring <= set(own) else None

    @cached_property
    def _own_categories(self) -> tuple[str, ...] | None:
        found = {None if own is None else tuple(own) for own in self.categories}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def values(self) -> dict[str, float] | None:
        """Verdict -> number, where every verdict is a number; else None.

        Non-responses and invalid verdicts may be among them, and have no number.
        """
        if self.labels:
            return None  # names of options
        given = set(self.verdicts) - {None, NON_RESPONSE, INVALID}
        found = {name: float(name) for name in given if name and NUMBER.fullmatch(name)}
        finite = all(map(math.isfinite, found.values()))
        return found if given and finite and len(found) == len(given) else None

    def counts(self, categories: Sequence[str] = ()) -> Cells:
        """The judgments counted by question and category; exact ones as shares.

        Args:
            categories: Declared categories; by default those that the judgments declare, else
                those that occur, with the opposites of C, true and correct.

        Raises:
            ReliabilityError: There is no verdict, or only some of them are exact.
        """
        return self._counted(tuple(dict.fromkeys(categories))) if categories else self._counts

    @cached_property
    def _counts(self) -> Cells:
        return self._counted(self.declared)

    def _counted(self, first: tuple[str, ...] | None) -> Cells:
        """The judgments counted, with these categories before any other that occurs."""
        occurring = set(self.choices) - {None}
        if first is None:
            first = next((pair for pair in _OPPOSITES if occurring & set(pair)), ())
        return self.count(self.choices, (*first, *sorted(map(str, occurring.difference(first)))))

    def count(self, values: Sequence[str | None], categories: Sequence[str] | None = None) -> Cells:
        """Any values of the judgments counted by question and category.

        Args:
            values: One value a judgment.
            categories: The categories; by default those that occur, sorted.

        Raises:
            ReliabilityError: There is no value, or only some of the judgments are exact.
        """
        names = categories or sorted({name for name in values if name is not None})
        if self.exact:
            starts = [place == 1 for place in self.places]
            known = (self.questions, values, self.weights, self.tails, starts)
            counts = Cells.of_distributions(*known, names)
        else:
            counts = Cells.from_long(self.questions, values, categories)
        return counts.together(map(self._cluster.get, counts.questions))

    def numbers(self) -> Cells | None:
        """The verdicts as numbers, where every verdict is one; else None."""
        if self.values is None:
            return None
        counts = self.counts()
        if counts.exact and not self.values.keys().isdisjoint(self.verdicts):
            return counts.as_numbers(self.values)
        given = [math.nan if v is None else self.values.get(v, math.nan) for v in self.verdicts]
        names = tuple(dict.fromkeys(self.questions))
        numbers = Cells.of_numbers(self.matrix(given).astype(np.float64), names)
        return numbers.together(map(self._cluster.get, names))

    @cached_property
    def _cluster(self) -> dict[str, Hashable]:
        return dict(zip(self.questions, self.clusters, strict=True))

    def matrix(self, values: Sequence[Any]) -> NDArray[Any]:
        """Values of the judgments as an array of questions x replications; None where none is.

        The column is the number of the replication, so that a judgment that is not there leaves
        its place empty and moves no other. Where numbers repeat within a question, as where runs
        with different seeds are put together, or are not known, it is the rank within the question.

        Args:
            values: One value a judgment.
        """
        row = {name: i for i, name in enumerate(dict.fromkeys(self.questions))}
        rows = np.array([row[name] for name in self.questions], dtype=np.int64)
        known = self.replications
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
    """Whether any question is among these in more than one order; see `Judged.shown`."""
    return len(shown) > len({question for question, *_ in shown})


def _at(order: Sequence[str] | None, place: int) -> str | None:
    return order[place] if order is not None and place < len(order) else None
