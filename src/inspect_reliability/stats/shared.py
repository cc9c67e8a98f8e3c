"""The questions that several judges share."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .cells import Cells, FloatArray
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


def crossed(judges: Mapping[str, Cells], facet: str = "judge") -> Cells:
    """The verdicts of several judges as cells, with the judge as a facet.

    Args:
        judges: Name -> verdicts in the same categories; see `shared_questions`. Rows of one name
            are one question, and in the cluster that the first judge has it in.
        facet: Name of the facet.

    Raises:
        ReliabilityError: Only some judges are known exactly, or some are taken for numbers.
    """
    parts = list(judges.values())
    first = parts[0]
    if any((one.exact, one.numeric) != (first.exact, first.numeric) for one in parts):
        raise ReliabilityError(
            "Judges can only be crossed if their verdicts are all exact or all sampled, and all "
            "names or all numbers."
        )
    if any(one.samples.size for one in parts):  # a single distribution is one sample
        parts = [
            one if one.samples.size else replace(one, samples=one.shares[:, None]) for one in parts
        ]
    widest = {name: max(getattr(one, name).shape[1] for one in parts) for name in _WIDTHS}

    def joined(name: str) -> Any:
        arrays = [getattr(one, name) for one in parts]
        if name in _WIDTHS:
            arrays = [_wide(array, widest[name]) for array in arrays]
        return np.concatenate(arrays)

    names = ("table", "missing", "tails", "weights", *_WIDTHS)
    cluster: dict[str, int] = {}
    for one in parts:
        most = max(cluster.values(), default=-1) + 1
        for name, number in zip(one.questions, one.clusters.tolist(), strict=True):
            cluster.setdefault(name, most + number)
    questions = tuple(name for one in parts for name in one.questions)
    levels = np.repeat(np.arange(len(parts)), [len(one.questions) for one in parts])
    arrays = {name: joined(name) for name in names}
    arrays["clusters"] = np.array([cluster[name] for name in questions])
    return replace(first, questions=questions, facets={facet: levels}, **arrays)


_WIDTHS = ("samples", "scores")
"""Arrays that are as wide as there are samples or replications, NaN where there are fewer."""


def _wide(array: FloatArray, width: int) -> FloatArray:
    more = np.full((len(array), width - array.shape[1], *array.shape[2:]), np.nan)
    return np.concatenate([array, more], axis=1)


def _categories(judges: Mapping[str, Cells]) -> tuple[str, ...]:
    """All categories of the judges, that of singletons last."""
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
    return tuple(sorted(every, key=singletons.__contains__))
