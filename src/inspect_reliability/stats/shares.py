"""Exact distributions of verdicts: what counts tend to with ever more replications."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .errors import NoJudgmentsError, ShapeError
from .questions import Questions, no_integers, refuse_twice

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-9

_SAME = 1e-6
"""Distributions that differ by less are the same one, computed again."""


@dataclass(frozen=True, eq=False)
class Shares(Questions):
    """How likely each verdict is on each question.

    Attributes:
        table: Probability of each verdict, N x K, without what is open; no row sums to more than 1.
        questions: Names of the N questions, in the order of the rows.
        categories: Names of the K declared categories, in the order of the columns.
        tails: How many draws from what is open were each verdict, N x K integers. Of a question
            without any, what is open agrees with nothing, as a verdict of its own each time.
        samples: Where a question's distribution is the mean of several that were sampled, as after
            several reasonings or orders: these, with what their open part was drawn to be,
            N x S x K; NaN where a question has fewer. Empty where distributions are not sampled.
        singletons: Whether each verdict in the last column is a category of its own.
        numbers: The K categories as numbers, where they are taken for numbers; else empty.
        coverage: Mean of the weights, questions included that have none of these verdicts.
        weights: Probability of these verdicts before others were left out, N; by default 1.
        clusters: Which rows go together (`Questions`), N integers.

    Raises:
        ShapeError: The parts do not fit each other, or a probability is no probability.
        NoJudgmentsError: There is no question.
    """

    table: FloatArray
    questions: tuple[str, ...]
    categories: tuple[str, ...]
    tails: NDArray[np.int64]
    singletons: bool = False
    numbers: tuple[float, ...] = ()
    coverage: float = 1.0
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    clusters: NDArray[np.int64] = field(default_factory=no_integers)
    samples: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 0)))
    _by_question = ("table", "tails", "weights", "samples")

    def __post_init__(self) -> None:
        table = np.array(self.table, dtype=np.float64)
        shape = len(self.questions), len(self.categories)
        if table.shape != shape or self.tails.shape != shape:
            raise ShapeError(
                f"The tables of shares and tails have shapes {table.shape} and {self.tails.shape}, "
                f"which do not both fit {shape[0]} questions and {shape[1]} categories."
            )
        if not (table >= 0).all() or (table.sum(axis=1) > 1 + _ROUNDING).any():
            raise ShapeError("Shares must be 0 or more, and those of a question at most 1 in all.")
        refuse_twice("category", self.categories)
        self._check_rows()
        table.setflags(write=False)
        object.__setattr__(self, "table", table)
        if not len(self.weights):
            object.__setattr__(self, "weights", np.ones(len(table)))
        if not self.samples.size:
            object.__setattr__(self, "samples", np.zeros((len(table), 0, table.shape[1])))

    @classmethod
    def from_long(
        cls,
        questions: Sequence[str],
        verdicts: Sequence[str | None],
        weights: Sequence[float],
        tails: Sequence[bool | None],
        starts: Sequence[bool],
        categories: Sequence[str],
    ) -> Self:
        """Arrange a long table of weighted verdicts, one row a verdict or a draw.

        Several distributions of a question become their mean; where they differ, as after several
        reasonings, they are kept as `samples`.

        Args:
            questions: The question of each row.
            verdicts: The verdict of each row.
            weights: Its probability; draws from what is open share that of the open part.
            tails: Whether it is such a draw.
            starts: Whether the row is the first of its distribution.
            categories: The declared categories.

        Raises:
            NoJudgmentsError: There is no row.
        """
        names = tuple(dict.fromkeys(questions))
        if not names:
            raise NoJudgmentsError
        row = {name: i for i, name in enumerate(names)}
        column = {name: k for k, name in enumerate(categories)}
        number, drawn = np.zeros(len(names)), np.zeros((len(names), len(categories)), np.int64)
        most = max(
            Counter(q for q, start in zip(questions, starts, strict=True) if start).values(),
            default=1,
        )
        table, samples = np.zeros(drawn.shape), np.zeros((len(names), most, len(categories)))
        known = np.zeros(samples.shape)
        for question, verdict, weight, tail, start in zip(
            questions, verdicts, weights, tails, starts, strict=True
        ):
            i = row[question]
            number[i] += start
            if verdict is not None:
                place = i, column[verdict]
                one = i, max(int(number[i]) - 1, 0), column[verdict]
                samples[one] += weight
                if tail:
                    drawn[place] += 1
                else:
                    table[place] += weight
                    known[one] += weight
        number = np.maximum(number, 1)  # a question may lack the first row of its distribution
        absent = np.arange(most) >= number[:, None]
        known[absent] = samples[absent] = np.nan
        alike = np.nanmax(known, axis=1) - np.nanmin(known, axis=1) < _SAME
        return cls(
            table / number[:, None],
            names,
            tuple(categories),
            drawn,
            samples=np.zeros((0, 0, 0)) if alike.all() else samples,
        )

    @property
    def open_mass(self) -> FloatArray:
        """Probability of each question that was not followed to a verdict, N."""
        left = 1.0 - self.table.sum(axis=1)
        return np.where(left > _ROUNDING, left, 0.0)

    @property
    def draws(self) -> NDArray[np.int64]:
        """Draws from what is open, N."""
        return np.asarray(self.tails.sum(axis=1))

    @property
    def tail_shares(self) -> FloatArray:
        """Share of each verdict among the draws from what is open, N x K."""
        return np.asarray(self.tails / np.maximum(self.draws, 1)[:, None])

    @property
    def shares(self) -> FloatArray:
        """Unbiased probability of each verdict, N x K: what is known and what was drawn."""
        if self.samples.size:
            return np.asarray(np.nanmean(self.samples, axis=1))
        return np.asarray(self.table + self.open_mass[:, None] * self.tail_shares)

    def excess(self, values: FloatArray) -> FloatArray:
        """What the square of a question's mean value has too much: a draw paired with itself.

        Two verdicts come from two draws from the open part, or from two samples. A single draw
        leaves their product unknown, and it counts as 0; a single sample counts as exact.

        Args:
            values: Values of the categories, K x J.

        Returns:
            Shape (N, J).
        """
        if self.samples.size:
            found = self.samples @ values
            n = np.sum(~np.isnan(found), axis=1)
            spread = np.nanmean(found**2, axis=1) - np.nanmean(found, axis=1) ** 2
            return np.where(n > 1, spread / np.maximum(n - 1, 1), 0.0)
        square, mean = self.tail_shares @ values**2, self.tail_shares @ values
        others = (self.draws - 1)[:, None]
        apart = np.where(others > 0, (square - mean**2) / np.maximum(others, 1), mean**2)
        return np.asarray(self.open_mass[:, None] ** 2 * apart)

    @property
    def at_verdict(self) -> float | None:
        """How often two verdicts after the same sampled text differ; None where nothing is sampled.

        The rest of the disagreement lies between samples.
        """
        if not self.samples.size:
            return None
        alike = np.nanmean((self.samples**2).sum(axis=2), axis=1)
        return float(1 - alike.mean())

    @property
    def unknown(self) -> FloatArray:
        """Probability of each question that is open and was not drawn from, N."""
        return np.where(self.draws > 0, 0.0, self.open_mass)

    @property
    def replications(self) -> FloatArray:  # type: ignore[override]
        """Infinity for each question."""
        return np.full(len(self.questions), np.inf)

    @property
    def missing(self) -> NDArray[np.int64]:  # type: ignore[override]
        """No verdict is missing."""
        return np.zeros(len(self.questions), np.int64)

    def columns(self, names: Iterable[str]) -> Self:
        """The same distributions with the categories in this order; an unknown one has share 0."""
        names = tuple(names)
        place = {name: k for k, name in enumerate(self.categories)}
        known = [k for k, name in enumerate(names) if name in place]
        table = np.zeros((len(self.questions), len(names)))
        tails = np.zeros(table.shape, np.int64)
        chosen = [place[names[k]] for k in known]
        table[:, known], tails[:, known] = self.table[:, chosen], self.tails[:, chosen]
        samples = np.zeros((*self.samples.shape[:2], len(names)))
        samples[:, :, known] = self.samples[:, :, chosen]
        return replace(self, table=table, tails=tails, categories=names, samples=samples)

    def only(self, names: Iterable[str]) -> Self:
        """The distributions of a verdict that is one of these; questions that have none go."""
        kept = self.columns(names)
        drawn = kept.draws / np.maximum(self.draws, 1)
        still_open = self.open_mass * np.where(self.draws > 0, drawn, 1.0)
        likely = kept.table.sum(axis=1) + still_open
        if not likely.any():
            raise NoJudgmentsError
        scale = np.where(likely > 0, likely, 1.0)
        table, samples = kept.table / scale[:, None], kept.samples / scale[:, None, None]
        weights = self.weights * likely
        found = replace(
            kept, table=table, samples=samples, weights=weights, coverage=float(weights.mean())
        )
        return found.rows(likely > 0)

    def as_numbers(self, values: Mapping[str, float]) -> Self:
        """The verdicts that are numbers, taken as numbers."""
        found = self.only(name for name in self.categories if name in values)
        return replace(found, numbers=tuple(values[name] for name in found.categories))
