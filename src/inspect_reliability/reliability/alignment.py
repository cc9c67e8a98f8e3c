"""The questions that several sets of counts share."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .counts import Counts
from .errors import ReliabilityError


class NothingSharedError(ReliabilityError):
    """Judges that have no question in common."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Counts of several judges (or temperatures) over the same questions.

    Attributes:
        tables: Verdicts per judge, question and category, J x N x K integers.
        questions: The N shared questions with at least two replications by every judge.
        left_out: Why and for whom -> questions that did not enter.
        singletons: Whether each verdict in the last column is a category of its own.
    """

    tables: NDArray[np.int64]
    questions: tuple[str, ...]
    left_out: dict[str, tuple[str, ...]]
    singletons: bool


def align(judges: Mapping[str, Counts]) -> Alignment:
    """Keep the questions that all judges judged at least twice, and name the others.

    Args:
        judges: Name -> counts. Categories are matched by name; a category that one of them does
            not declare is one it never chose.

    Raises:
        NothingSharedError: No question was judged at least twice by every judge.
        ReliabilityError: The judges handle non-response differently.
    """
    if len({counts.singletons for counts in judges.values()}) > 1:
        raise ReliabilityError(
            f"{' and '.join(judges)} cannot be compared: non-responses are categories of their "
            "own for one and not for the other. Handle them alike."
        )
    everyone = dict.fromkeys(q for counts in judges.values() for q in counts.questions)
    left_out = {}
    for name, counts in judges.items():
        left_out[f"not judged by {name}"] = tuple(q for q in everyone if q not in counts.questions)
        left_out[f"fewer than 2 replications by {name}"] = counts.unreplicated
    gone = {question for questions in left_out.values() for question in questions}
    shared = tuple(question for question in everyone if question not in gone)
    if not shared:
        reasons = "; ".join(f"{len(qs)} {why}" for why, qs in left_out.items() if qs)
        example = next(iter(everyone))
        raise NothingSharedError(
            f"{' and '.join(judges)} share no question with at least 2 replications each "
            f"({reasons}; one of them: {example!r}). Compare runs over the same questions: their "
            "ids must be equal."
        )
    # The last column keeps its place: it is the one that may hold singletons.
    *firsts, last = (c for counts in judges.values() for c in counts.categories)
    return Alignment(tables, shared, {why: qs for why, qs in left_out.items() if qs}, singletons)
