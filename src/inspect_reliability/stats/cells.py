"""Judgments as cells: how often each question got each verdict, numbered, checked and counted."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .estimate import NoJudgmentsError, ShapeError, UnknownCategoryError
from .shapes import check_shape, one_each, refuse_twice

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Flags = NDArray[np.bool_]

ROUNDING = 1e-9
"""Numbers that differ by less are equal."""

_SAME = 1e-6
"""Distributions with smaller differences are the same one, recomputed."""


def plain_list(values: Iterable[Any]) -> list[Any]:
    """A list of Python's own values."""
    return list(np.asarray(values).tolist() if hasattr(values, "__array__") else values)


def arranged(
    questions: Sequence[str], facets: Mapping[str, Iterable[Hashable]]
) -> tuple[tuple[str, ...], list[int], dict[str, IntArray]]:
    """The question of each cell, the cell of each judgment, and the levels of each cell."""
    levels = {name: codes(plain_list(given)) for name, given in facets.items()}
    for name, each in levels.items():
        one_each(f"levels of {name!r}", each, "verdicts", questions)
    if not levels:
        row = {name: i for i, name in enumerate(dict.fromkeys(questions))}
        return tuple(row), list(map(row.__getitem__, questions)), {}
    cells = list(zip(questions, *(each.tolist() for each in levels.values()), strict=True))
    at = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    found = {name: np.array([cell[k] for cell in at]) for k, name in enumerate(levels, 1)}
    return tuple(cell[0] for cell in at), list(map(at.__getitem__, cells)), found


def codes(values: Iterable[Hashable]) -> IntArray:
    """The number of each value, in order of first appearance."""
    given = list(values)
    number = {value: n for n, value in enumerate(dict.fromkeys(given))}
    return np.array(list(map(number.__getitem__, given)), np.int64)


def category_name(verdict: object) -> str | None:
    """The name of a verdict's category; None if the verdict is missing."""
    # NaN does not equal itself; whether pandas' NA does has no truth value.
    if verdict is None or str(verdict == verdict) != "True":
        return None
    if isinstance(verdict, float) and verdict.is_integer():
        return str(int(verdict))
    return str(verdict)


def table_of_numbers(values: ArrayLike) -> FloatArray:
    """A read-only copy as a table of numbers.

    Raises:
        ShapeError: It is no such table, or a value is infinite.
    """
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.ndim != 2 or np.isinf(numbers).any():
        raise ShapeError(
            "Expected a table of finite numbers, questions x replications, NaN where missing."
        )
    numbers.setflags(write=False)
    return numbers


def whole_numbers(values: Any) -> IntArray:
    """A read-only copy as integers; ShapeError if a value is not a whole number from 0."""
    try:
        numbers = np.array(values, dtype=np.int64)
        whole = (numbers >= 0).all() and (numbers == np.asarray(values)).all()
    except (OverflowError, TypeError, ValueError):
        whole = False
    if not whole:
        raise ShapeError("Counts of verdicts must be whole numbers from 0.")
    numbers.setflags(write=False)
    return numbers


def counted(
    n: int,
    rows: Sequence[int],
    verdicts: Sequence[Any],
    categories: Iterable[object] | None,
    times: ArrayLike = 1,
) -> tuple[IntArray, tuple[str, ...]]:
    """Counts of each verdict in each of n rows, missing ones last, and the categories.

    Each verdict counts `times` (one number each, or one for all).

    Raises:
        ShapeError: A verdict is a list, or a category is missing.
        UnknownCategoryError: A verdict is not among the declared categories.
        NoJudgmentsError: There is none.
    """
    # Thousands of verdicts share a handful of values: each value is named once.
    try:
        label = {value: category_name(value) for value in set(verdicts)}
    except TypeError:
        raise ShapeError("Each verdict must be a name or a number, not a list.") from None
    found = {name for name in label.values() if name is not None}
    names = tuple(sorted(found)) if categories is None else _declared(categories)
    if unknown := sorted(found.difference(names)):
        raise UnknownCategoryError(unknown, names)
    if not found:
        raise NoJudgmentsError
    position = {name: k for k, name in enumerate(names)}
    column = {
        value: len(names) if name is None else position[name] for value, name in label.items()
    }
    cells = np.zeros((n, len(names) + 1), dtype=np.int64)
    np.add.at(cells, (rows, [column[verdict] for verdict in verdicts]), times)
    return cells, names


def _declared(categories: Iterable[object]) -> tuple[str, ...]:
    """The names of declared categories, made as those of verdicts are."""
    names = [category_name(one) for one in plain_list(categories)]
    if None in names:
        raise ShapeError("A declared category is missing (None or NaN): name each of them.")
    return tuple(name for name in names if name is not None)


def weighted(
    n: int,
    given: Iterable[tuple[int, str | None, float, bool | None, bool]],
    categories: Sequence[str],
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Mean known shares, samples and draws of n rows; see `Cells.of_distributions`.

    `given` has the row, verdict, weight, whether it is a draw, and whether it starts a
    distribution.
    """
    given = list(given)
    column = {name: k for k, name in enumerate(categories)}
    number, drawn = [0] * n, np.zeros((n, len(categories)), np.int64)
    most = max(Counter(i for i, *_, start in given if start).values(), default=1)
    known, samples = np.zeros((2, n, most, len(categories)))
    for i, verdict, weight, tail, start in given:
        number[i] += start
        if verdict is not None:
            k = column[verdict]
            one = i, max(number[i] - 1, 0), k
            samples[one] += weight
            if tail:
                drawn[i, k] += 1
            else:
                known[one] += weight
    each = np.maximum(number, 1)[:, None]  # a question may lack the first row of one
    table = known.sum(axis=1) / each
    known[np.arange(most) >= each] = samples[np.arange(most) >= each] = np.nan
    alike = np.nanmax(known, axis=1) - np.nanmin(known, axis=1) < _SAME
    return table, samples[:, :0] if alike.all() else samples, drawn


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
        variants: The same verdicts by question and by what a try draws at random, such as the
            order of the options; None where each try of a question is asked alike.
        mirrored: Verdict -> the verdict that it would be if the two responses of a pair had each
            other's name, where it is arbitrary which of them is called first; else empty.
        turned: Facet -> the level that each of its levels would then be: the other order.

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
    variants: "Cells | None" = None
    mirrored: Mapping[str, str] = field(default_factory=dict)
    turned: Mapping[str, IntArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n, k = len(self.questions), len(self.categories)
        table = np.array(self.table, np.float64) if self.exact else whole_numbers(self.table)
        tails = self.tails if self.tails.size else np.zeros((n, k), np.int64)
        check_shape("counts", table, n, k)
        check_shape("tails", tails, n, k)
        if self.exact and (not (table >= 0).all() or (table.sum(axis=1) > 1 + ROUNDING).any()):
            raise ShapeError("Shares must be 0 or more, and those of a question at most 1 in all.")
        refuse_twice("category", self.categories)
        levels = zip(self.questions, *self.facets.values(), strict=True)
        refuse_twice("question", list(levels) if self.facets else self.questions)
        if not n:
            raise NoJudgmentsError
        missing = whole_numbers(self.missing if len(self.missing) else [0] * n)
        own = codes(self.questions) if self.facets else np.arange(n)
        clusters = whole_numbers(self.clusters if len(self.clusters) else own)
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
        categories: Iterable[object] | None = None,
        facets: Mapping[str, Iterable[Hashable]] | None = None,
        times: Sequence[int] | None = None,
    ) -> Self:
        """Count a long table of judgments: the question, verdict and levels of each.

        Args:
            questions: The question of each judgment.
            verdicts: Strings, numbers or booleans; None, NaN and pandas' NA are missing.
            categories: The declared categories, named or numbered as verdicts are, used or not; by
                default those that occur, sorted.
            facets: Name -> level of each judgment, such as the wording of its prompt.
            times: How often each of these judgments was made; by default once.

        Raises:
            ShapeError: Questions, verdicts or times differ in number, a verdict is a list, or a
                category is missing or declared twice.
            UnknownCategoryError: A verdict is not among the declared categories.
            NoJudgmentsError: No verdict is given, or all are missing.
        """
        asked, given = (
            [str(question) for question in plain_list(questions)],
            plain_list(verdicts),
        )
        one_each("questions", asked, "verdicts", given)
        each = [1] * len(given) if times is None else times
        one_each("times", each, "verdicts", given)
        names, rows, levels = arranged(asked, facets or {})
        cells, found = counted(len(names), rows, given, categories, each)
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
        given = table_of_numbers(values)
        names = tuple(questions) or tuple(str(i + 1) for i in range(len(given)))
        one_each("questions", names, "rows", given)
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
        names, rows, levels = arranged(questions, facets or {})
        if not names:
            raise NoJudgmentsError
        given = zip(rows, verdicts, weights, tails, starts, strict=True)
        table, samples, drawn = weighted(len(names), given, categories)
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

        Variants weigh the same, however many verdicts each has. For exact distributions, the
        unbiased probability: the known part plus draws from the open mass.
        """
        if not self.exact:
            own = np.asarray(self.table / np.maximum(self.replications, 1)[:, None])
            if not self.uneven.any():
                return own
            cells, of = self.by_variant
            found = np.zeros_like(own)
            np.add.at(found, of, cells.shares / np.bincount(of)[of, None])
            return np.where(self.uneven[:, None], found, own)
        if self.samples.size:
            return np.asarray(np.nanmean(self.samples, axis=1))
        return np.asarray(self.table + self.open_mass[:, None] * self._tail_shares)

    @property
    def by_variant(self) -> tuple["Cells", IntArray]:
        """The variants that have verdicts, and the row of each; without variants, the rows."""
        if self.variants is None:
            return self, np.arange(len(self.questions))
        cells = self.variants.rows(self.variants.replications > 0)
        row = {name: i for i, name in enumerate(self.questions)}
        return cells, np.array([row[name] for name in cells.questions])

    @cached_property
    def uneven(self) -> Flags:
        """Which cells have variants with different numbers of verdicts, N."""
        if self.exact or self.variants is None or not self.variants.table.any():
            return np.zeros(len(self.questions), dtype=bool)
        cells, of = self.by_variant
        n, size = cells.replications, len(self.questions)
        squares = np.bincount(of, minlength=size) * np.bincount(of, n**2, size)
        return np.asarray(squares > np.bincount(of, n, size) ** 2)

    def share_of(self, category: str) -> FloatArray:
        """Share of one category in each cell, N; 0 for an unknown name."""
        marked = [float(name == category) for name in self.categories]
        return np.asarray(self.shares @ np.array(marked))

    @property
    def mirror(self) -> IntArray:
        """The category that each becomes with the names of a pair exchanged, K places."""
        place = {name: k for k, name in enumerate(self.categories)}
        each = (place.get(self.mirrored.get(name, name), k) for name, k in place.items())
        return np.fromiter(each, np.int64)

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
        if self.variants is not None:
            within = {*kept}
            arrays["variants"] = self.variants.rows([q in within for q in self.variants.questions])
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
        if self.variants is not None:
            arrays["variants"] = self.variants.columns(names)
        return replace(self, categories=names, **arrays)

    def only(self, names: Iterable[str]) -> Self:
        """The verdicts in these categories; all others count as missing.

        Exact distributions are renormalised to these verdicts. Rows without any are dropped; if all
        would be, each stays with one missing verdict.
        """
        names = tuple(names)
        kept = self.columns(names)
        if self.variants is not None:
            kept = replace(kept, variants=self.variants.only(names))
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
        return found.valued(tuple(values[name] for name in found.categories))

    def valued(self, values: tuple[float, ...]) -> Self:
        """The same verdicts, with these values of the categories."""
        variants = None if self.variants is None else self.variants.valued(values)
        return replace(self, values=values, variants=variants)

    @property
    def ranked(self) -> Self:
        """Ordered names as numbers: each the mid-rank of its verdicts (Krippendorff 2019)."""
        pooled = self.weighted.sum(axis=0)
        return self.valued(tuple((pooled.cumsum() - pooled / 2).tolist()))

    @property
    def weighted(self) -> NDArray[Any]:
        """Weight of each verdict of each cell, N x K: a count, or a probability."""
        return self.weights[:, None] * self.shares if self.exact else self.table


Counts = Cells
"""For judgments without facets: `Counts(table, questions, categories)`."""
