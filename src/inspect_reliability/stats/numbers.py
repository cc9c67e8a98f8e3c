"""Verdicts that are numbers, taken as numbers: an interval scale."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ShapeError
from .questions import Questions, no_integers


@dataclass(frozen=True, eq=False)
class Numbers(Questions):
    """The verdicts of each question, as numbers.

    Attributes:
        values: Verdicts, N questions x R replications, NaN where missing, read-only.
        questions: Names of the N questions; by default "1" to "N".
        clusters: Which rows go together (`Questions`), N integers.

    Raises:
        ShapeError: The values are no table of numbers, or do not fit the questions.
        NoJudgmentsError: There is no question.
    """

    values: NDArray[np.float64]
    questions: tuple[str, ...] = ()
    clusters: NDArray[np.int64] = field(default_factory=no_integers)
    _by_question = ("values",)

    def __post_init__(self) -> None:
        values = table_of_numbers(self.values)
        names = self.questions or tuple(str(i + 1) for i in range(len(values)))
        if len(names) != len(values):
            raise ShapeError(f"Got {len(names)} questions for {len(values)} rows: give one each.")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "questions", names)
        self._check_rows()

    @property
    def replications(self) -> NDArray[np.int64]:
        """Verdicts of each question, N integers."""
        return np.asarray((~np.isnan(self.values)).sum(axis=1))

    @property
    def missing(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Missing verdicts of each question, N integers."""
        return np.asarray(np.isnan(self.values).sum(axis=1))


def table_of_numbers(values: ArrayLike) -> NDArray[np.float64]:
    """A read-only copy as a table of numbers.

    Raises:
        ShapeError: The values are no table, or not numbers, or infinite.
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
