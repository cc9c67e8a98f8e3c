"""The full text behind a judgment, read one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..record.cells import cells_in
from ..record.replications import replications_in
from ..record.sample import texts_of
from ..record.seeds import SEED_LIMIT

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.scorer import Score


@dataclass(frozen=True)
class JudgmentText:
    """What a judge was shown and what it said.

    Attributes:
        prompt: The prompt; None if not known.
        output: The judge's whole output.
    """

    prompt: str | None
    output: str


def judgment_text(row: Mapping[str, Any]) -> JudgmentText | None:
    """Read prompt and output of one row of a judgments table from its log.

    Returns:
        The text; None if the table does not lead back to it (a data frame, or a log that was read
        from memory or has moved since).
    """
    import pandas as pd

    place = row.get("log")
    if not isinstance(place, str) or pd.isna(row.get("epoch")):
        return None
    # Inspect takes a second to import.
    from inspect_ai.event import ModelEvent
    from inspect_ai.log import read_eval_log_sample

    try:
        known = {"id": row["sample"], "epoch": int(row["epoch"])}
        if isinstance(own := row.get("uuid"), str):  # of a rejudging, a sample has another id
            known = {"uuid": own}
        sample = read_eval_log_sample(place, **known, resolve_attachments=True)
        texts = texts_of(sample.metadata, sample.output)
        said, first = _said_by_grader(sample.scores or {}, str(row.get("scorer")))
    except Exception:  # a sample can be broken in as many ways as it has bytes
        return None
    if said is not None:
        place_of = int(row["replication"]) - first
        return JudgmentText(None, str(said[place_of])) if place_of < len(said) else None
    messages = sample.messages
    output: str | None = sample.output.completion
    if texts:
        output = texts.get(_number(row, sample.metadata))
    if sample.metadata.keys() & {"orders", "cells"}:
        # Choice i of a call of seed s is the replication of s + i.
        calls = (one for one in sample.events if isinstance(one, ModelEvent))
        since = [
            (row["seed"] - one.config.seed, one) for one in calls if one.config.seed is not None
        ]
        before = [one for one in since if one[0] >= 0]
        call = min(before, key=itemgetter(0))[1] if before else None
        messages = call.input if call else []
        output = output if texts or call is None else call.output.completion
    return None if output is None else JudgmentText(_prompt(messages), output)


def _number(row: Mapping[str, Any], metadata: Mapping[str, Any]) -> int:
    number, first = int(row["replication"]), int(metadata["replication"])
    if (cells := cells_in(metadata)) is None:
        return number
    each = int(metadata["replications"]) // len(cells.seeds)
    own = (int(row["seed"]) - (number - first)) % SEED_LIMIT
    return number + each * cells.seeds.index(own)


def _said_by_grader(
    scores: Mapping[str, Score], scorer: str
) -> tuple[Sequence[object] | None, int]:
    """A grader's texts in the replications of a score of `rejudge`, else None; the first number."""
    own = (score for name, score in scores.items() if f"{scorer}.".startswith(f"{name}."))
    score = next(own, None)
    kept = replications_in(score) if score else None
    if score is None or kept is None or kept.scorer is None:
        return None, 1
    said = (score.metadata or {}).get("explanations")
    return (said if isinstance(said, list) else []), kept.first


def _prompt(messages: Sequence[ChatMessage]) -> str | None:
    shown = (message.text for message in messages if message.role in ("system", "user"))
    return "\n\n".join(shown) or None
