"""What verdicts of any scale share: questions, their replications, and which go together."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .errors import NoJudgmentsError, ShapeError


class Questions:
    """Base of `Counts` and `Numbers`.

    Attributes:
        questions: Names of the N questions, in the order of the rows.
        clusters: Which rows go together, N integers; by default each row is alone. Several outputs
            of one question, each judged for itself, are rows of one cluster: other questions
            would bring other outputs, so intervals are over clusters.
        missing: Missing or excluded verdicts of each question, N integers.
    """

    questions: tuple[str, ...]
    clusters: NDArray[np.int64]
    missing: NDArray[np.int64]
    _by_question: ClassVar[tuple[str, ...]]
    """The arrays of a subclass that have a row or an element a question."""

    @property
    def replications(self) -> NDArray[np.int64]:
        """Verdicts of each question, N integers."""
        raise NotImplementedError

    def rows(self, keep: NDArray[np.bool_] | Sequence[int]) -> Self:
        """The same verdicts for some of the questions, chosen by mask or by position."""
        chosen = np.arange(len(self.questions))[np.asarray(keep)]
        return replace(  # type: ignore[type-var]
            self,
            questions=tuple(self.questions[i] for i in chosen),
            **{name: getattr(self, name)[chosen] for name in ("clusters", *self._by_question)},
        )

    @property
    def replicated(self) -> Self:
        """The questions with at least two verdicts: only they have pairs to compare.

        Raises:
            NoJudgmentsError: No question has two.
        """
        return self.rows(self.replications >= 2)

    def fewer_than(self, replications: int) -> tuple[str, ...]:
        """Questions with fewer verdicts than this."""
        few = self.replications < replications
        return tuple(name for name, left_out in zip(self.questions, few, strict=True) if left_out)

    @property
    def n_clusters(self) -> int:
        """Number of clusters: of questions, where each row is one."""
        return len(np.unique(self.clusters))

    @property
    def clustered(self) -> bool:
        """Whether several rows go together."""
        return self.n_clusters < len(self.questions)

    def together(self, belongs_to: Iterable[Hashable]) -> Self:
        """The same verdicts, with rows that belong to the same thing as one cluster.

        Args:
            belongs_to: What each row belongs to, N names.
        """
        number: dict[Hashable, int] = {}
        clusters = [number.setdefault(name, len(number)) for name in belongs_to]
        return replace(self, clusters=np.array(clusters))  # type: ignore[type-var]

    def _check_rows(self) -> None:
        """Check the names of the questions, and number the clusters.

        Raises:
            ShapeError: A question is named twice, or the clusters do not fit.
            NoJudgmentsError: There is no question.
        """
        n = len(self.questions)
        refuse_twice("question", self.questions)
        if not n:
            raise NoJudgmentsError
        clusters = whole_numbers(self.clusters if len(self.clusters) else np.arange(n))
        if clusters.shape != (n,):
            raise ShapeError(f"Got {clusters.size} clusters for {n} questions: give one each.")
        object.__setattr__(self, "clusters", clusters)


def no_integers() -> NDArray[np.int64]:
    """The default of clusters and of missing verdicts."""
    return np.zeros(0, dtype=np.int64)


def whole_numbers(values: Any) -> NDArray[np.int64]:
    """A read-only copy as integers.

    Raises:
        ShapeError: A value is no number, negative, or has a fraction.
    """
    try:
        numbers = np.array(values, dtype=np.int64)
        whole = (numbers >= 0).all() and (numbers == np.asarray(values)).all()
    except (OverflowError, TypeError, ValueError):
        whole = False
    if not whole:
        raise ShapeError("Counts of verdicts must be whole numbers from 0.")
    numbers.setflags(write=False)
    return numbers


def refuse_twice(noun: str, names: tuple[str, ...]) -> None:
    """Refuse names that are not unique.

    Raises:
        ShapeError: A name occurs twice.
    """
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"Duplicate {noun} {twice!r}: give every {noun} a name of its own.")
