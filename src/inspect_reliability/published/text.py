"""The full text behind a judgment, read one at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import read_eval_log_sample
from inspect_ai.model import ChatMessage

from ..judging.replicate import replications_of
from .layout import PublishedRun, published_prompt, published_runs


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
    if pd.isna(row.get("epoch")):
        return _published_text(row, Path(place))
    try:
        sample = read_eval_log_sample(
            place, id=row["sample"], epoch=int(row["epoch"]), resolve_attachments=True
        )
        texts = replications_of(sample.metadata, sample.output)
    except (OSError, TypeError, ValueError, IndexError, KeyError):
        return None
    if not texts:
        return JudgmentText(_prompt(sample.messages), sample.output.completion)
    output, messages = texts.get(int(row["replication"])), sample.messages
    if "orders" in sample.metadata:  # each replication has a prompt of its own, and so a call
        calls = (event for event in sample.events if isinstance(event, ModelEvent))
        inputs = (call.input for call in calls if call.config.seed == row.get("seed"))
        messages = next(inputs, [])
    return None if output is None else JudgmentText(_prompt(messages), output)


def _prompt(messages: Sequence[ChatMessage]) -> str | None:
    shown = (message.text for message in messages if message.role in ("system", "user"))
    return "\n\n".join(shown) or None


def _published_text(row: Mapping[str, Any], path: Path) -> JudgmentText | None:
    import pandas as pd

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
