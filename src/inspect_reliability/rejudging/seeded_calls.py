"""A seed for every model call of a scorer that somebody else wrote.

Where replications share a call, the first call of each gets its choice here.

Importing this module registers a hook. Inspect announces hooks that are registered when it starts,
so it is imported when the first replication begins.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, hooks
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from ..errors.inspect_error import PrerequisiteError
from ..verdicts import NON_RESPONSE
from .run import NOT_MADE, CallRefusedError, Run
from .summary import Replication

logger = logging.getLogger(__name__)

Answer = Callable[["Calls", Any, Callable[[], Awaitable[ModelOutput]]], Awaitable[ModelOutput]]
"""Answers the first call of a replication, or makes it: see `FirstCalls.answer`."""

_generate = Model.generate


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed that each of them is sent with; None where each sets its own.
        run: Admits and counts them.
        first: What answers the first of them; None if that is a call like any other.
        models: Names of the models called.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The call that was not made. A scorer may take its error for an answer.
    """

    seed: int | None
    run: Run
    first: Answer | None = None
    models: set[str] = field(default_factory=set)
    temperature: float | None = None
    cached: bool = False
    refused: CallRefusedError | None = None


_current: ContextVar[Calls | None] = ContextVar("calls", default=None)


@contextmanager
def seeded_calls(seed: int | None, run: Run, first: Answer | None = None) -> Iterator[Calls]:
    """Send every model call made within, on this task or one it starts, with a seed."""
    calls = Calls(seed, run, first)
    token = _current.set(calls)
    try:
        yield calls
    finally:
        _current.reset(token)


@hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")
class SeedHook(Hooks):
    """Sets the seed of the call that is about to be made, or refuses it."""

    def enabled(self) -> bool:
        """Only while a replication is under way."""
        return _current.get() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Set the seed; the configuration belongs to this one call."""
        calls = _current.get()
        if calls is None:
            return
        try:
            calls.run.admit(data.model_name, data.config.num_choices or 1)
        except CallRefusedError as refused:
            calls.refused = refused
            raise
        calls.models.add(data.model_name)
        calls.temperature = data.config.temperature
        calls.cached |= data.cache is not None
        if calls.seed is not None:
            data.config.seed = calls.seed

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Count a call that will be made again."""
        if (calls := _current.get()) is not None:
            calls.run.retry()


async def _generate_or_share(
    model: Model, input: str | list[ChatMessage], *args: Any, **options: Any
) -> ModelOutput:
    calls = _current.get()
    make = partial(_generate, model, input, *args, **options)
    if calls is None or calls.first is None:
        return await make()
    first, calls.first = calls.first, None
    if not isinstance(input, str):
        input = [message.model_copy(update={"id": None}) for message in input]
    with_tools = bool(args or options.keys() - {"config"})
    asked = (model, input, options.get("config", GenerateConfig()))
    return await first(calls, None if with_tools else asked, make)


# A hook can change or refuse a call; none can answer it.
Model.generate = _generate_or_share  # type: ignore[method-assign, assignment]


async def replicate(
    run: Run,
    scorer: Scorer,
    state: TaskState,
    target: Target,
    seed: int,
    first: Answer | None = None,
) -> Replication:
    """Run a scorer once, its model calls with this seed.

    Raises:
        PrerequisiteError: Something is set up wrongly, which no repetition would mend.
    """
    with seeded_calls(seed, run, first) as calls:
        try:
            score = await scorer(state, target)
            if calls.refused:
                raise calls.refused
        except PrerequisiteError:
            raise
        except CallRefusedError as refused:
            return Replication(seed, None, error=f"{NOT_MADE}: {refused.message}")
        except Exception as error:  # the other replications must not be lost with it
            message = f"{type(error).__name__}: {error}"
            logger.info("A replication with seed %d failed: %s", seed, message)
            return Replication(seed, None, error=message, models=frozenset(calls.models))
    score = Score.unscored() if score is None else score
    return Replication(
        seed=seed,
        verdict=_verdict(score.value),
        explanation=score.explanation or "",
        answer=score.answer,
        models=frozenset(calls.models),
        temperature=calls.temperature,
        cached=calls.cached,
    )


def _verdict(value: Any) -> Any:
    """A score's value, where NaN (unscored) is a grade that the grader did not give."""
    if isinstance(value, Mapping):
        return {key: _verdict(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_verdict(part) for part in value]
    return NON_RESPONSE if value is None or value != value else value
