"""Columns with which inspect's `samples_df` makes a frame that is read as judgments."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.analysis import Column, EvalColumn, SampleColumn
from inspect_ai.log import EvalLog


def judgment_columns(scorer: str = "") -> list[Column]:
    """Columns of `samples_df` for `judgments_from_frame`: a row a sample, its score the verdict.

    The benchmark is the name of the task.

    Args:
        scorer: Whose score it is, where a task has several scorers; by default the first.
    """

    def verdict(scores: Any) -> Any:
        known = scores if isinstance(scores, Mapping) else {}
        score = known.get(scorer) if scorer else next(iter(known.values()), None)
        return score.get("value") if isinstance(score, Mapping) else None

    return [
        EvalColumn("judge", path="eval.model"),
        EvalColumn("benchmark", path="eval.task", value=_last_part),
        EvalColumn("temperature", path=temperature_of),
        SampleColumn("question", path="id", type=str),
        SampleColumn("replication", path="epoch"),
        SampleColumn("verdict", path="scores", value=verdict),
    ]


def temperature_of(log: EvalLog) -> float | None:
    """What the run asked for, else what its model was set to."""
    asked = log.plan.config.temperature
    return log.eval.model_generate_config.temperature if asked is None else asked


def _last_part(task: Any) -> Any:
    """The name of a task without its package."""
    return str(task).rsplit("/", 1)[-1]
