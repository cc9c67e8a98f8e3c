"""The questions that several judges share."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .counts import Counts
from .errors import ReliabilityError


class NothingSharedError(ReliabilityError):
    """Judges without a question in common."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Counts of several judges, or one judge under several conditions, over the same questions.

    Attributes:
        tables: Verdicts per judge, question and category, J x N x K integers.
        questions: The N questions that every judge judged at least twice.
        categories: The K categories that any judge declares.
        left_out: Reason -> the questions that did not enter because of it.
        singletons: Whether each verdict in the last column is a category of its own.
        clusters: Which questions go together (`Counts`), N integers.
    """

    tables: NDArray[np.int64]
    questions: tuple[str, ...]
    categories: tuple[str, ...]
    left_out: dict[str, tuple[str, ...]]
    singletons: bool
    clusters: NDArray[np.int64]

    @property
    def replications(self) -> tuple[float, ...]:
        """Verdicts per question of each judge, means over the questions."""
        per_judge = self.tables.sum(axis=-1).mean(axis=-1)
        return tuple(float(mean) for mean in per_judge)


def align(judges: Mapping[str, Counts]) -> Alignment:
    """Keep the questions that all judges judged at least twice, and name the others.

    Args:
        judges: Name -> counts. Categories are matched by name; one that a judge does not declare
            is one that it never chose.

    Raises:
        NothingSharedError: There is no such question.
        ReliabilityError: The judges' non-responses are handled differently.
    """
    names = " and ".join(judges)
    singletons = {counts.categories[-1] for counts in judges.values() if counts.singletons}
    if singletons and not all(
        counts.singletons and {counts.categories[-1]} == singletons for counts in judges.values()
    ):
        raise ReliabilityError(
            f"{names} cannot be compared: each non-response is a category of its own for one and "
            "not for another. Handle non-response alike."
        )
    questions = dict.fromkeys(name for counts in judges.values() for name in counts.questions)
    left_out = {}
    for judge, counts in judges.items():
        judged = set(counts.questions)
        left_out[f"not judged by {judge}"] = tuple(q for q in questions if q not in judged)
        left_out[f"fewer than 2 replications by {judge}"] = counts.unreplicated
    left_out = {reason: absent for reason, absent in left_out.items() if absent}
    gone = {question for absent in left_out.values() for question in absent}
    shared = tuple(question for question in questions if question not in gone)
    if not shared:
        why = "; ".join(f"{len(absent)} {reason}" for reason, absent in left_out.items())
        raise NothingSharedError(
            f"{names} share no question with at least 2 replications each ({why}). Questions are "
            f"matched by name, such as {next(iter(questions))!r}."
        )
    every = dict.fromkeys(name for counts in judges.values() for name in counts.categories)
    # The column of singletons must stay the last.
    categories = tuple(sorted(every, key=singletons.__contains__))
    tables = np.zeros((len(judges), len(shared), len(categories)), dtype=np.int64)
    for table, counts in zip(tables, judges.values(), strict=True):
        rows = [counts.questions.index(question) for question in shared]
        columns = [categories.index(category) for category in counts.categories]
        table[:, columns] = counts.table[rows]
    # Judges of the same outputs know the same clusters.
    first = next(iter(judges.values()))
    clusters = first.clusters[[first.questions.index(question) for question in shared]]
    return Alignment(tables, shared, categories, left_out, bool(singletons), clusters)
