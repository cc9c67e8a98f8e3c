"""The full text behind a judgment, read one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .replications import replications_in

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.scorer import Score


@dataclass(frozen=True)
class JudgmentText:
    """What a judge was shown and what it said.

    Attributes:
        prompt: The prompt; None where it is not known.
        output: The judge's whole output.
    """

    prompt: str | None
    output: str


TextOf = Callable[[Mapping[str, Any]], JudgmentText | None]
"""Reads the text behind one row of a judgments table; None where nothing leads back to it."""


def judgment_text(row: Mapping[str, Any]) -> JudgmentText | None:
    """Read prompt and output of one row of a judgments table from its log.

    Returns:
        The text, or None where the table does not lead back to it (a data frame, a log that was
        read from memory or has been moved since).
    """
    import pandas as pd

    place = row.get("log")
    if not isinstance(place, str) or pd.isna(row.get("epoch")):
        return None
    # Inspect takes a second to import.
    from inspect_ai.event import ModelEvent
    from inspect_ai.log import read_eval_log_sample

    from ..judging.replicate import replications_of

    try:
        sample = read_eval_log_sample(
            place, id=row["sample"], epoch=int(row["epoch"]), resolve_attachments=True
        )
        texts = replications_of(sample.metadata, sample.output)
        said = _said_by_grader(sample.scores or {}, str(row.get("scorer")))
    except Exception:  # a sample can be broken in as many ways as it has bytes
        return None
    if said is not None:
        number = int(row["replication"])
        return JudgmentText(None, str(said[number - 1])) if number <= len(said) else None
    if not texts:
        return JudgmentText(_prompt(sample.messages), sample.output.completion)
    output, messages = texts.get(int(row["replication"])), sample.messages
    if "orders" in sample.metadata:  # choice i of a call of seed s is the replication of s + i
        calls = [
            (event.config, event.input) for event in sample.events if isinstance(event, ModelEvent)
        ]
        made = [
            (row["seed"] - config.seed, shown) for config, shown in calls if config.seed is not None
        ]
        messages = min(
            (one for one in made if one[0] >= 0), key=lambda one: one[0], default=(0, [])
        )[1]
    return None if output is None else JudgmentText(_prompt(messages), output)


def _said_by_grader(scores: Mapping[str, Score], scorer: str) -> Sequence[object] | None:
    """What the grader said in each replication of a score that `rejudge` made; else None."""
    own = (score for name, score in scores.items() if f"{scorer}.".startswith(f"{name}."))
    score = next(own, None)
    kept = replications_in(score) if score else None
    if score is None or kept is None or kept.scorer is None:
        return None
    said = (score.metadata or {}).get("explanations")
    return said if isinstance(said, list) else []


def _prompt(messages: Sequence[ChatMessage]) -> str | None:
    shown = (message.text for message in messages if message.role in ("system", "user"))
    return "\n\n".join(shown) or None
