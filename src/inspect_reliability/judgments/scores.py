"""Score values as verdicts."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_ai.scorer import SampleScore, Score

from ..verdicts import NON_RESPONSE
from .replications import REPLICATION_KEYS, replications_in
from .table import Judgments, Note, make_table

_TYPES: Mapping[str, Any] = {
    "judge": str,
    "benchmark": str,
    "temperature": int | float,
    "question": str,
    "replication": int,
    "responder": str,
    "order": list | tuple,
    "verdict": (),  # the score's value, not something its metadata says
    "scorer": (),
}


def judgments_from_scores(
    scores: Sequence[SampleScore], *, judge: str | None = None, temperature: float | None = None
) -> Judgments:
    """Judgments of inspect scores, one a sample and replication (un-reduced).

    Args:
        scores: As an un-reduced metric receives them, in any order.
        judge: Name of the judge, which scores do not hold.
        temperature: Sampling temperature, which scores do not hold either.

    Returns:
        The table. A replication that the score's metadata does not name is counted up.
    """
    seen: dict[tuple[str, str], int] = {}
    rows: list[dict[str, Any]] = []
    unreadable = 0
    for number, sample in enumerate(scores):
        question = str(sample.sample_id)
        if replications_in(sample.score) is not None:
            # Of several outputs of one sample each is judged on its own.
            question = f"{question}, output {number}"
        for row in score_rows(sample.scorer, sample.score):
            if row["verdict"] is None:
                unreadable += 1
            asked = (row.setdefault("question", question), row["scorer"])
            seen[asked] = seen.get(asked, 0) + 1
            row.setdefault("replication", seen[asked])
            row.setdefault("judge", judge)
            row.setdefault("temperature", temperature)
            rows.append(row)
    notes = (Note("scores without a verdict", unreadable, "scores"),) if unreadable else ()
    return Judgments(make_table(rows), notes)


def score_rows(scorer: str | None, score: Score) -> Iterator[dict[str, Any]]:
    """One row a verdict in a score, with the scalar values of its metadata.

    A score of several parts holds one verdict a part; its key (see `by_key`) joins the scorer's
    name. One that holds replications of a grader has a row, or one a part, for each of them.
    """
    metadata = score.metadata or {}
    kept = replications_in(score)
    if kept is None:
        yield from _rows(scorer or "score", score.value, dict(_known(metadata)))
        return
    named = dict(_known({k: v for k, v in metadata.items() if k not in REPLICATION_KEYS}))
    named |= {"judge": kept.grader or None, "temperature": named.get("temperature")}
    for replication, (verdict, seed) in enumerate(zip(kept.verdicts, kept.seeds, strict=True), 1):
        own = {"replication": replication, "seed": seed, "tokens": None}
        yield from _rows(scorer or "score", verdict, named | own)


def _rows(scorer: str, value: object, named: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key, part in by_key(value):
        name = f"{scorer}.{key}" if key else scorer
        yield {"scorer": name, "verdict": verdict_name(part), **named}


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
    """Name of the category a score value stands for; None where it stands for none.

    Strings and booleans are names; so are numbers, written out (`1.0` is "1"). NaN is inspect's
    "unscored": a grade that the grader did not give.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        if math.isnan(value):
            return NON_RESPONSE
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return None


def _known(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Metadata as columns; what has a column's name but not its type is no such column."""
    for name, value in metadata.items():
        if value is None or not isinstance(value, _TYPES.get(name, object)):
            continue
        if name == "order":
            yield name, tuple(map(str, value))
        elif isinstance(value, str | int | float):
            yield name, value
        else:
            yield name, json.dumps(value, ensure_ascii=False, default=str)
