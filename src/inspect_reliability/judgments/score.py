"""From a score to its judgments: the one place that says what a score means."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Score

from ..verdicts import NON_RESPONSE
from .judgment import Judgment
from .replications import replications_in


def judgments_in(
    score: Score, question: str, scorer: str = "", output: str | None = None
) -> list[Judgment]:
    """The judgments that a score records.

    A score of several parts has one judgment a part, whose key (see `by_key`) joins the scorer's
    name. A score with replications of a grader has one judgment, or one a part, for each of them.

    Args:
        score: The score.
        question: Id of the question.
        scorer: Name of the scorer; without it, parts are named by their keys alone.
        output: Name of the output that was judged, for a score with replications of a grader:
            each output is judged on its own.
    """
    facts: Mapping[str, Any] = score.metadata or {}
    kept = replications_in(score)
    if kept is None:
        replication = _whole(facts.get("replication"))
        rest = (
            replication,
            # A seed beside no replication may be that of somebody's dataset.
            None if replication is None else _whole(facts.get("seed")),
            _names(facts.get("categories")),
            _names(facts.get("order")),
            _name(facts.get("responder")),
        )
        value = score.value
        if isinstance(value, str):  # most scores: no need to look for parts
            return [Judgment(question, question, scorer, value, *rest)]
        return [
            Judgment(question, question, _joined(scorer, key), name, *rest)
            for key, name in _verdicts(value)
        ]
    judged = output or question
    return [
        Judgment(judged, question, _joined(scorer, key), name, replication, _whole(seed))
        for replication, (value, seed) in enumerate(zip(kept.verdicts, kept.seeds, strict=True), 1)
        for key, name in _verdicts(value)
    ]


def _joined(scorer: str, key: str) -> str:
    return f"{scorer}.{key}" if scorer and key else scorer or key


def _verdicts(value: object) -> Iterator[tuple[str, str | None]]:
    return ((key, verdict_name(part)) for key, part in by_key(value))


def by_key(value: object) -> list[tuple[str, object]]:
    """The parts of a score's value: by the keys of a mapping, the places in a list (from 1).

    Any other value is one part, whose key is empty; so is a value of no parts.
    """
    if isinstance(value, Mapping) and value:
        return [(str(key), part) for key, part in value.items()]
    if isinstance(value, list | tuple) and value:
        return [(str(place), part) for place, part in enumerate(value, 1)]
    return [("", value)]


def verdict_name(value: object) -> str | None:
    """Name of the category that a score's value means; None where it means none.

    Strings and booleans are names; so are numbers, written out (`1.0` is "1"). NaN is inspect's
    "unscored": a grade that the grader did not give.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if math.isnan(value):
            return NON_RESPONSE
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:  # more digits than Python writes
            return None
    return None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _name(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _names(value: object) -> Sequence[str] | None:
    return value if isinstance(value, list | tuple) and value else None
