"""A seed for every model call of a scorer that somebody else wrote.

Importing this module registers a hook. Inspect announces hooks that are registered when it starts,
so it is imported when the first replication begins.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, hooks

from .refused import CallRefusedError


class Admits(Protocol):
    """Counts calls, and says which may be made."""

    def admit(self, model: str) -> None:
        """Let a call of a model pass, or raise `CallRefusedError`."""

    def retry(self) -> None:
        """Count a call that failed and is made again."""


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed that each of them is sent with.
        run: Admits and counts them.
        models: Names of the models called.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The call that was not made. A scorer may take its error for an answer.
    """

    seed: int
    run: Admits
    models: set[str] = field(default_factory=set)
    temperature: float | None = None
    cached: bool = False
    refused: CallRefusedError | None = None


_current: ContextVar[Calls | None] = ContextVar("calls", default=None)


@contextmanager
def seeded_calls(seed: int, run: Admits) -> Iterator[Calls]:
    """Send every model call made within, on this task or one it starts, with a seed."""
    calls = Calls(seed, run)
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
            calls.run.admit(data.model_name)
        except CallRefusedError as refused:
            calls.refused = refused
            raise
        calls.models.add(data.model_name)
        calls.temperature = data.config.temperature
        calls.cached |= data.cache is not None
        data.config.seed = calls.seed

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Count a call that will be made again."""
        if (calls := _current.get()) is not None:
            calls.run.retry()
