"""The full text behind a judgment, read one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..judgments.replications import replications_in
from .layout import PublishedRun, published_prompt, published_runs

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


def judgment_text(row: Mapping[str, Any]) -> JudgmentText | None:
    """Read prompt and output of one row of a judgments table.

    Returns:
        The text, or None where the table does not lead back to it (a data frame, a log that was
        read from memory or has been moved since).
    """
    import pandas as pd

    place = row.get("log")
    if not isinstance(place, str):
        return None
    return (_published_text if pd.isna(row.get("epoch")) else _logged_text)(row, place)


def _logged_text(row: Mapping[str, Any], place: str) -> JudgmentText | None:
    # Inspect takes a second to import, and published texts do not need it.
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
    if "orders" in sample.metadata:  # each replication has a prompt of its own, and so a call
        calls = (event for event in sample.events if isinstance(event, ModelEvent))
        inputs = (call.input for call in calls if call.config.seed == row.get("seed"))
        messages = next(inputs, [])
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


def _published_text(row: Mapping[str, Any], place: str) -> JudgmentText | None:
    import pandas as pd

    path = Path(place)
    folder = path.parents[2] if path.parent.name == "judgment_results" else path.parents[1]
    temperature = None if pd.isna(row["temperature"]) else row["temperature"]
    for run in _runs(folder):
        outputs = run.outputs.get(row["question"])
        same = run.path == path and run.judge == row["judge"]
        if same and outputs is not None and run.temperature == temperature:
            output = outputs[int(row["replication"]) - 1]
            prompt = published_prompt(folder, run, row["question"])
            return None if output is None else JudgmentText(prompt, output)
    return None


@lru_cache(maxsize=1)
def _runs(folder: Path) -> tuple[PublishedRun, ...]:
    return tuple(published_runs(folder)[0])
