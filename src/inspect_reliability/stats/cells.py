"""Judgments as cells: how often each question got each verdict, under each condition."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import long
from .estimate import NoJudgmentsError, ShapeError
from .long import ROUNDING, FloatArray, IntArray, codes


def _nothing() -> Any:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each question got each verdict: all that the statistics need.

    A row is a cell: one question at one level of each facet. Without facets it is a question.
    Replications within a cell are exchangeable, so their order carries nothing. Arrays are
    read-only.

    Attributes:
        table: Verdicts of each cell and category, N x K: counts or, for exact distributions,
            probabilities without the open mass. Row sums may differ.
        questions: The question of each of the N cells.
        categories: Names of the K declared categories, used or not; ranks from low to high.
        missing: Verdicts of each cell that are missing or were excluded, N integers.
        clusters: Cluster of each row, N integers, stored as numbers from 0; by default its
            question. Intervals are over clusters, such as the several outputs of a question.
        facets: Name -> level of each cell, N integers.
        exact: Whether rows are distributions, each equal to infinitely many verdicts.
        tails: Exact: number of draws from the open mass per verdict, N x K integers. In a cell
            without draws, the open mass agrees with nothing.
        samples: Exact: the sampled distributions whose mean is the row, N x S x K (S may be 0); NaN
            if a cell has fewer.
        weights: Exact: probability of these verdicts before others were excluded, N; else 1.
        kept: Exact: mean weight, including cells with none of these verdicts.
        values: The K categories as numbers on an interval scale; None for names.

    Raises:
        ShapeError: The parts do not fit each other, a name occurs twice, or a value is no count or
            no probability.
        NoJudgmentsError: There is no row.

    Example:
        >>> from inspect_reliability import Counts, omega
        >>> counts = Counts([[4, 0], [1, 3], [0, 4]], ["q1", "q2", "q3"], ["A", "B"])
        >>> round(omega(counts).value, 2)
        0.75
    """

    table: NDArray[Any]
    questions: tuple[str, ...]
    categories: tuple[str, ...]
    missing: IntArray = field(default_factory=_nothing)
    clusters: IntArray = field(default_factory=_nothing)
    facets: Mapping[str, IntArray] = field(default_factory=dict)
    exact: bool = False
    tails: IntArray = field(default_factory=_nothing)
    samples: FloatArray = field(default_factory=_nothing)
    weights: FloatArray = field(default_factory=_nothing)
    kept: float = 1.0
    values: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        n, k = len(self.questions), len(self.categories)
        table = np.array(self.table, np.float64) if self.exact else long.whole_numbers(self.table)
        tails = self.tails if self.tails.size else np.zeros((n, k), np.int64)
        long.check_shape("counts", table, n, k)
        long.check_shape("tails", tails, n, k)
        if self.exact and (not (table >= 0).all() or (table.sum(axis=1) > 1 + ROUNDING).any()):
            raise ShapeError("Shares must be 0 or more, and those of a question at most 1 in all.")
        long.refuse_twice("category", self.categories)
        levels = zip(self.questions, *self.facets.values(), strict=True)
        long.refuse_twice("question", list(levels) if self.facets else self.questions)
        if not n:
            raise NoJudgmentsError
        missing = long.whole_numbers(self.missing if len(self.missing) else [0] * n)
        belongs_to = self.clusters if len(self.clusters) else codes(self.questions)
        clusters = long.whole_numbers(belongs_to)
        for noun, each in (("missing counts", missing), ("clusters", clusters)):
            if each.shape != (n,):
                raise ShapeError(f"Got {each.size} {noun} for {n} questions: give one each.")
        table.setflags(write=False)
        arrays = {"table": table, "tails": tails, "missing": missing}
        arrays["clusters"] = np.unique(clusters, return_inverse=True)[1]
        arrays["samples"] = self.samples if self.samples.size else np.zeros((n, 0, k))
        arrays["weights"] = self.weights if len(self.weights) else np.ones(n)
        for name, array in arrays.items():
            object.__setattr__(self, name, array)

    @classmethod
    def from_long(
        cls,
        questions: Iterable[object],
        verdicts: Iterable[object],
        categories: Sequence[str] | None = None,
        facets: Mapping[str, Iterable[Hashable]] | None = None,
        times: Sequence[int] | None = None,
    ) -> Self:
        """Count a long table of judgments: the question, verdict and levels of each.

        Args:
            questions: The question of each judgment.
            verdicts: Strings, numbers or booleans; None, NaN and pandas' NA are missing.
            categories: The declared categories; by default those that occur, sorted.
            facets: Name -> level of each judgment, such as the wording of its prompt.
            times: How often each of these judgments was made; by default once.

        Raises:
            ShapeError: Questions, verdicts or times differ in number, or a verdict is a list.
            UnknownCategoryError: A verdict is not among the declared categories.
            NoJudgmentsError: No verdict is given, or all are missing.
        """
        asked, given = (
            [str(question) for question in long.plain_list(questions)],
            long.plain_list(verdicts),
        )
        long.one_each("questions", asked, "verdicts", given)
        each = [1] * len(given) if times is None else times
        long.one_each("times", each, "verdicts", given)
        names, rows, levels = long.arranged(asked, facets or {})
        cells, found = long.counted(len(names), rows, given, categories, each)
        return cls(cells[:, :-1], names, found, missing=cells[:, -1], facets=levels)

    @classmethod
    def of_numbers(cls, values: ArrayLike, questions: Sequence[str] = (), **known: Any) -> Self:
        """Verdicts that are numbers, taken as numbers: an interval scale.

        Args:
            values: Verdicts, N questions (or cells) x R replications, finite, NaN where missing.
            questions: Names of the questions; by default "1" to "N".
            known: Clusters and facets of the rows.

        Raises:
            ShapeError: The values are no such table, or do not fit the questions.
        """
        given = long.table_of_numbers(values)
        names = tuple(questions) or tuple(str(i + 1) for i in range(len(given)))
        long.one_each("questions", names, "rows", given)
        row, _ = np.nonzero(~np.isnan(given))
        numbers, column = np.unique(given[~np.isnan(given)], return_inverse=True)
        table = np.zeros((len(names), len(numbers)), np.int64)
        np.add.at(table, (row, column), 1)
        different = tuple(numbers.tolist())
        missing = np.isnan(given).sum(axis=1)
        return cls(table, names, tuple(map(str, different)), missing, values=different, **known)

    @classmethod
    def of_distributions(
        cls,
        questions: Sequence[str],
        verdicts: Sequence[str | None],
        weights: Sequence[float],
        tails: Sequence[bool | None],
        starts: Sequence[bool],
        categories: Sequence[str],
        facets: Mapping[str, Iterable[Hashable]] | None = None,
    ) -> Self:
        """Arrange a long table of weighted verdicts, one row per verdict or draw.

        Each row has its question, verdict, probability and levels. It says whether it is a draw
        from the open mass (such draws share that mass), and whether its distribution starts with
        it. Several distributions of a question become their mean; they are kept as `samples` if
        they differ.

        Raises:
            NoJudgmentsError: There is no row.
        """
        names, rows, levels = long.arranged(questions, facets or {})
        if not names:
            raise NoJudgmentsError
        given = zip(rows, verdicts, weights, tails, starts, strict=True)
        table, samples, drawn = long.weighted(len(names), given, categories)
        known: dict[str, Any] = {"tails": drawn, "samples": samples, "facets": levels}
        return cls(table, names, tuple(categories), exact=True, **known)

    @property
    def numeric(self) -> bool:
        """Whether verdicts are numbers on an interval scale."""
        return self.values is not None

    @property
    def replications(self) -> NDArray[Any]:
        """Verdicts of each cell, N integers; infinity for exact distributions."""
        if self.exact:
            return np.full(len(self.questions), np.inf)
        return np.asarray(self.table.sum(axis=1))

    @property
    def coverage(self) -> float:
        """Share of the verdicts asked for that are in the table."""
        if self.exact:
            return self.kept
        kept = int(self.replications.sum())
        return kept / (kept + int(self.missing.sum()))

    @property
    def shares(self) -> FloatArray:
        """Share of each verdict in each cell, N x K; 0 if it has none.

        For exact distributions, the unbiased probability: the known part plus draws from the open
        mass.
        """
        if not self.exact:
            return np.asarray(self.table / np.maximum(self.replications, 1)[:, None])
        if self.samples.size:
            return np.asarray(np.nanmean(self.samples, axis=1))
        return np.asarray(self.table + self.open_mass[:, None] * self._tail_shares)

    def share_of(self, category: str) -> FloatArray:
        """Share of one category in each cell, N; 0 for an unknown name."""
        marked = [float(name == category) for name in self.categories]
        return np.asarray(self.shares @ np.array(marked))

    @property
    def open_mass(self) -> FloatArray:
        """Exact: probability not followed to a verdict, N."""
        left = 1.0 - self.table.sum(axis=1)
        return np.where(left > ROUNDING, left, 0.0)

    @property
    def unknown(self) -> FloatArray:
        """Exact: open probability without draws, N."""
        return np.where(self._draws > 0, 0.0, self.open_mass)

    @property
    def _draws(self) -> IntArray:
        return np.asarray(self.tails.sum(axis=1))

    @property
    def _tail_shares(self) -> FloatArray:
        return np.asarray(self.tails / np.maximum(self._draws, 1)[:, None])

    def excess(self, values: FloatArray) -> FloatArray:
        """Exact: bias of a squared mean from pairing a draw with itself.

        With a single draw the product of two is unknown and counts as 0; a single sample counts as
        exact. Values are those of the categories, K x J; returns N x J.
        """
        if self.samples.size:
            found = self.samples @ values
            n = np.sum(~np.isnan(found), axis=1)
            spread = np.nanmean(found**2, axis=1) - np.nanmean(found, axis=1) ** 2
            return np.where(n > 1, spread / np.maximum(n - 1, 1), 0.0)
        square, mean = self._tail_shares @ values**2, self._tail_shares @ values
        others = (self._draws - 1)[:, None]
        apart = np.where(others > 0, (square - mean**2) / np.maximum(others, 1), mean**2)
        return np.asarray(self.open_mass[:, None] ** 2 * apart)

    @property
    def at_verdict(self) -> float | None:
        """How often two verdicts after one sampled text differ; None if nothing is sampled."""
        if not self.samples.size:
            return None
        alike = np.nanmean((self.samples**2).sum(axis=2), axis=1)
        return float(1 - alike.mean())

    def rows(self, keep: NDArray[np.bool_] | Sequence[int]) -> Self:
        """Select rows by mask or position."""
        chosen = np.arange(len(self.questions))[np.asarray(keep)]
        if np.array_equal(chosen, np.arange(len(self.questions))):
            return self
        names = ("table", "missing", "clusters", "tails", "samples", "weights")
        arrays: dict[str, Any] = {name: getattr(self, name)[chosen] for name in names}
        facets = {name: levels[chosen] for name, levels in self.facets.items()}
        kept = tuple(self.questions[i] for i in chosen)
        return replace(self, questions=kept, facets=facets, **arrays)

    @property
    def replicated(self) -> Self:
        """The rows with at least two verdicts.

        Raises:
            NoJudgmentsError: No row has two.
        """
        return self.rows(self.replications >= 2)

    def fewer_than(self, replications: int) -> tuple[str, ...]:
        """Questions with fewer verdicts than this."""
        few = self.replications < replications
        return tuple(compress(self.questions, few.tolist()))

    @property
    def n_clusters(self) -> int:
        """Number of clusters: of questions, where each row is one."""
        return int(self.clusters.max()) + 1

    @property
    def clustered(self) -> bool:
        """Whether clusters have several rows."""
        return self.n_clusters < len(self.questions)

    def together(self, belongs_to: Iterable[Hashable]) -> Self:
        """Cluster rows by what each belongs to (N names), as outputs to a question."""
        return replace(self, clusters=codes(belongs_to))

    def columns(self, names: Iterable[str]) -> Self:
        """Arrange categories in this order; one that is unknown gets no verdict."""
        names = tuple(names)
        place = {name: k for k, name in enumerate(self.categories)}
        chosen = [place.get(name, len(place)) for name in names]

        def arranged(given: NDArray[Any]) -> NDArray[Any]:
            empty = np.zeros((*given.shape[:-1], 1), given.dtype)
            return np.asarray(np.concatenate([given, empty], axis=-1)[..., chosen])

        parts = ("table", "tails", "samples")
        arrays: dict[str, Any] = {name: arranged(getattr(self, name)) for name in parts}
        return replace(self, categories=names, **arrays)

    def only(self, names: Iterable[str]) -> Self:
        """The verdicts in these categories; all others count as missing.

        Exact distributions are renormalised to these verdicts. Rows without any are dropped; if all
        would be, each stays with one missing verdict.
        """
        kept = self.columns(names)
        if not self.exact:
            gone = self.table.sum(axis=1) - kept.table.sum(axis=1)
            return replace(kept, missing=self.missing + gone)
        drawn = kept._draws / np.maximum(self._draws, 1)
        still_open = self.open_mass * np.where(self._draws > 0, drawn, 1.0)
        likely = kept.table.sum(axis=1) + still_open
        if not likely.any():
            none = np.zeros(kept.table.shape, np.int64)
            missing = np.ones(len(none), np.int64)
            where: dict[str, Any] = {"clusters": self.clusters, "facets": self.facets}
            return type(self)(none, self.questions, kept.categories, missing, **where)
        scale = np.where(likely > 0, likely, 1.0)
        weights = self.weights * likely
        found = replace(
            kept,
            table=kept.table / scale[:, None],
            samples=kept.samples / scale[:, None, None],
            weights=weights,
            kept=float(weights.mean()),
        )
        return found.rows(likely > 0)

    def without(self, category: str) -> Self:
        """The verdicts in all other categories (`coverage` is their share); see `only`."""
        if category not in self.categories:
            return self
        return self.only(name for name in self.categories if name != category)

    def as_numbers(self, values: Mapping[str, float]) -> Self:
        """The verdicts with a numeric value, as numbers."""
        found = self.only(name for name in self.categories if name in values)
        return replace(found, values=tuple(values[name] for name in found.categories))

    @property
    def ranked(self) -> Self:
        """Ordered names as numbers: each the mid-rank of its verdicts (Krippendorff 2019)."""
        pooled = self.weighted.sum(axis=0)
        return replace(self, values=tuple((pooled.cumsum() - pooled / 2).tolist()))

    @property
    def weighted(self) -> NDArray[Any]:
        """Weight of each verdict of each cell, N x K: a count, or a probability."""
        return self.weights[:, None] * self.shares if self.exact else self.table


Counts = Cells
"""For judgments without facets: `Counts(table, questions, categories)`."""
