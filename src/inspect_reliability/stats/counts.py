"""Judgments reduced to counts: all that a label-invariant coefficient needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .errors import NoJudgmentsError, ShapeError, UnknownCategoryError
from .questions import Questions, no_integers, refuse_twice, whole_numbers


@dataclass(frozen=True, eq=False)
class Counts(Questions):
    """How often each question received each verdict.

    Replications of one prompt are exchangeable, so their order carries nothing.

    Attributes:
        table: Verdicts per question and category, N x K integers, read-only. Rows may have
            different sums (a run under way, missing verdicts).
        questions: Names of the N questions, in the order of the rows.
        categories: Names of the K declared categories, in the order of the columns. Declare them
            all, used or not: AC1, Brennan-Prediger and the normalised entropy depend on K.
            Ordinal coefficients read the columns from lowest to highest.
        missing: Verdicts per question that are not in the table because they were missing or
            were excluded, N integers; none by default.
        singletons: Whether each verdict in the last column is a category of its own.
        clusters: Which rows go together (`Questions`), N integers.

    Raises:
        ShapeError: The table does not fit its questions and categories, or a name occurs twice.
        NoJudgmentsError: There is no question.
    """

    table: NDArray[np.int64]
    questions: tuple[str, ...]
    categories: tuple[str, ...]
    missing: NDArray[np.int64] = field(default_factory=no_integers)
    singletons: bool = False
    clusters: NDArray[np.int64] = field(default_factory=no_integers)
    _by_question = ("table", "missing")

    def __post_init__(self) -> None:
        n, k = len(self.questions), len(self.categories)
        table = whole_numbers(self.table)
        missing = whole_numbers(self.missing if len(self.missing) else [0] * n)
        if table.shape != (n, k):
            raise ShapeError(
                f"The table of counts has shape {table.shape}, which does not fit {n} questions "
                f"and {k} categories."
            )
        if missing.shape != (n,):
            raise ShapeError(f"Got {missing.size} missing counts for {n} questions: give one each.")
        refuse_twice("category", self.categories)
        self._check_rows()
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "missing", missing)

    @classmethod
    def from_long(
        cls,
        questions: Iterable[object],
        verdicts: Iterable[object],
        categories: Sequence[str] | None = None,
    ) -> Self:
        """Count a long table of judgments, one row per replication.

        Args:
            questions: The question of each judgment.
            verdicts: The verdict of each judgment: a string, number or boolean; None, NaN and
                pandas' NA are missing.
            categories: The declared categories; by default those that occur, sorted.

        Raises:
            ShapeError: Questions and verdicts differ in number, or a verdict is a list.
            UnknownCategoryError: A verdict is not among the declared categories.
            NoJudgmentsError: No verdict is given, or all are missing.
        """
        asked, given = [str(question) for question in _plain(questions)], _plain(verdicts)
        if len(asked) != len(given):
            raise ShapeError(
                f"Got {len(asked)} questions for {len(given)} verdicts: give one each."
            )
        row = {name: i for i, name in enumerate(dict.fromkeys(asked))}
        return cls._count(tuple(row), [row[name] for name in asked], given, categories)

    @classmethod
    def from_array(
        cls,
        array: Iterable[Iterable[object]],
        questions: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
    ) -> Self:
        """Count an array of verdicts, N questions x R replications.

        Args:
            array: One row of verdicts per question; rows of a list may differ in length.
            questions: Names of the rows; by default "1" to "N".
            categories: The declared categories; by default those that occur, sorted.

        Raises:
            ShapeError: The array is not two-dimensional, or names and rows differ in number.
            UnknownCategoryError: A verdict is not among the declared categories.
            NoJudgmentsError: No verdict is given, or all are missing.
        """
        rows = _plain(array)
        if any(isinstance(row, str) or not isinstance(row, Iterable) for row in rows):
            raise ShapeError(
                "Verdicts must form an array of questions x replications: one row per question."
            )
        filled = [_plain(row) for row in rows]
        names = range(1, len(filled) + 1) if questions is None else questions
        if len(names) != len(filled):
            raise ShapeError(
                f"Got {len(names)} names for {len(filled)} rows of verdicts: give one each."
            )
        return cls._count(
            tuple(str(name) for name in names),
            [i for i, row in enumerate(filled) for _ in row],
            [verdict for row in filled for verdict in row],
            categories,
        )

    @classmethod
    def _count(
        cls,
        questions: tuple[str, ...],
        rows: list[int],
        verdicts: list[Any],
        categories: Sequence[str] | None,
    ) -> Self:
        # Thousands of verdicts share a handful of values: each value is named once.
        try:
            label = {value: category_name(value) for value in set(verdicts)}
        except TypeError:
            raise ShapeError("Each verdict must be a name or a number, not a list.") from None
        found = {name for name in label.values() if name is not None}
        names = tuple(sorted(found)) if categories is None else tuple(categories)
        if unknown := sorted(found.difference(names)):
            raise UnknownCategoryError(unknown, names)
        if not found:
            raise NoJudgmentsError
        position = {name: k for k, name in enumerate(names)}
        column = {
            value: len(names) if name is None else position[name] for value, name in label.items()
        }
        cells = np.zeros((len(questions), len(names) + 1), dtype=np.int64)
        np.add.at(cells, (rows, [column[verdict] for verdict in verdicts]), 1)
        return cls(cells[:, :-1], questions, names, missing=cells[:, -1])

    @property
    def replications(self) -> NDArray[np.int64]:
        """Verdicts per question, N integers."""
        return np.asarray(self.table.sum(axis=1))

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of each verdict on each question, N x K; 0 where a question has none."""
        return np.asarray(self.table / np.maximum(self.replications, 1)[:, None])

    @property
    def coverage(self) -> float:
        """Share of the verdicts asked for that are in the table."""
        kept = int(self.table.sum())
        return kept / (kept + int(self.missing.sum()))


def _plain(values: Iterable[Any]) -> list[Any]:
    """A list of Python objects, whatever array or frame they came in."""
    return list(np.asarray(values).tolist() if hasattr(values, "__array__") else values)


def category_name(verdict: object) -> str | None:
    """The name of a verdict's category; None if the verdict is missing."""
    # NaN does not equal itself; whether pandas' NA does has no truth value.
    if verdict is None or str(verdict == verdict) != "True":
        return None
    if isinstance(verdict, float) and verdict.is_integer():
        return str(int(verdict))
    return str(verdict)
