"""The questions that several judges share."""

from collections.abc import Mapping

from .cells import Cells
from .errors import ReliabilityError


class NothingSharedError(ReliabilityError):
    """Judges without a question in common."""


def shared_questions(
    judges: Mapping[str, Cells], replications: int = 2
) -> tuple[dict[str, Cells], dict[str, tuple[str, ...]]]:
    """Keep the questions that all judges judged often enough, and name the others.

    Args:
        judges: Name -> verdicts. Categories are matched by name; one that a judge does not declare
            is one that it never chose.
        replications: How many verdicts each judge must have given on a question.

    Returns:
        Name -> verdicts on the same questions, in the same categories and order; and reason -> the
        questions that did not enter because of it.

    Raises:
        NothingSharedError: No question is shared.
        ReliabilityError: The judges' non-responses are handled differently.
    """
    categories = _categories(judges)
    asked = dict.fromkeys(name for given in judges.values() for name in given.questions)
    left_out = {}
    for judge, given in judges.items():
        judged = set(given.questions)
        left_out[f"not judged by {judge}"] = tuple(q for q in asked if q not in judged)
        few = given.fewer_than(replications)
        left_out[f"fewer than {replications} replications by {judge}"] = few
    left_out = {reason: absent for reason, absent in left_out.items() if absent}
    gone = {question for absent in left_out.values() for question in absent}
    shared = tuple(question for question in asked if question not in gone)
    if not shared:
        why = "; ".join(f"{len(absent)} {reason}" for reason, absent in left_out.items())
        raise NothingSharedError(
            f"{' and '.join(judges)} share no question with at least {replications} replications "
            f"each ({why}). Questions are matched by name, such as {next(iter(asked))!r}."
        )
    alike = {}
    for judge, given in judges.items():
        row = {name: i for i, name in enumerate(given.questions)}
        chosen = given.rows([row[name] for name in shared])
        alike[judge] = chosen if given.numeric else chosen.columns(categories)
    return alike, left_out


def _categories(judges: Mapping[str, Cells]) -> tuple[str, ...]:
    """All categories of the judges.

    Raises:
        ReliabilityError: The judges' non-responses are handled differently.
    """
    counted = judges.values()
    singletons = {counts.categories[-1] for counts in counted if counts.singletons}
    if singletons and not all(
        counts.singletons and {counts.categories[-1]} == singletons for counts in counted
    ):
        raise ReliabilityError(
            f"{' and '.join(judges)} cannot be compared: each non-response is a category of its "
            "own for one and not for another. Handle non-response alike."
        )
    every = dict.fromkeys(name for counts in counted for name in counts.categories)
    # The column of singletons must stay the last.
    return tuple(sorted(every, key=singletons.__contains__))
