"""Inspect's early stopping: asks a question no further once its verdict is settled."""

from collections import defaultdict
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from ..errors import UserError
from ..judgments.score import judgments_in
from ..stats import settled

_Id = int | str


@dataclass(frozen=True)
class _Run:
    given: dict[_Id, dict[int, dict[str, list[str]]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    settled: dict[_Id, dict[str, Any]] = field(default_factory=dict)


_run: ContextVar[_Run] = ContextVar("_run")
"""Per context: one early stopping serves an eval of one task by several models."""


class StopWhenSettled(EarlyStopping):
    """Skips the epochs of a question whose most frequent verdict is settled.

    Epochs count in their own order, not as they end, because quick outputs may differ from slow
    ones. A question with a failed epoch is asked to the end. The log's results name the settled
    questions (`early_stopping`), each with its verdict.
    """

    def __init__(self, error: float) -> None:
        if not isinstance(error, float) or not 0 < error < 1:
            raise UserError(
                f"settle={error!r} is no probability of error. Use for example -T settle=0.05."
            )
        self._error = error

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Start afresh; the returned name includes the error."""
        _run.set(_Run())
        return f"settle={self._error:g}"

    async def schedule_sample(self, id: _Id, epoch: int) -> EarlyStop | None:
        """Skip an epoch of a settled question."""
        if (found := _run.get().settled.get(id)) is None:
            return None
        return EarlyStop(id=id, epoch=epoch, reason="Its verdict is settled.", metadata=found)

    async def complete_sample(self, id: _Id, epoch: int, scores: dict[str, SampleScore]) -> None:
        """Check whether all epochs so far settle the question."""
        own: dict[str, list[str]] = defaultdict(list)
        for scorer, one in scores.items():
            for judgment in judgments_in(one.score, str(id), scorer):
                if judgment.verdict is not None:
                    # In another order a label is another response.
                    named = judgment.responder if judgment.order else None
                    own[judgment.scorer].append(named or judgment.verdict)
        run = _run.get()
        given = run.given[id]
        given[epoch] = own
        made = list(takewhile(given.__contains__, count(1)))
        parts = {part: [one for n in made for one in given[n][part]] for part in given.get(1, ())}
        after = {part: settled(verdicts, self._error) for part, verdicts in parts.items()}
        if id not in run.settled and after and all(after.values()):
            first = {part: parts[part][: after[part]] for part in parts}
            run.settled[id] = {
                part: max(dict.fromkeys(one), key=one.count) for part, one in first.items()
            } | {"epochs": len(made)}

    async def complete_task(self) -> dict[str, JsonValue]:
        """The settled questions."""
        return {"settled": {str(id): found for id, found in _run.get().settled.items()}}
