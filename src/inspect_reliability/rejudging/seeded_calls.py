"""A seed for every model call of a scorer that somebody else wrote.

Importing this module registers a hook. Inspect announces hooks that are registered when it starts,
so it is imported when the first replication begins.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from inspect_ai.hooks import BeforeModelGenerate, Hooks, hooks


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed that each of them is sent with.
        models: Names of the models called.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
    """

    seed: int
    models: set[str] = field(default_factory=set)
    temperature: float | None = None
    cached: bool = False


_current: ContextVar[Calls | None] = ContextVar("calls", default=None)


@contextmanager
def seeded_calls(seed: int) -> Iterator[Calls]:
    """Send every model call made within, on this task or one it starts, with a seed."""
    calls = Calls(seed)
    token = _current.set(calls)
    try:
        yield calls
    finally:
        _current.reset(token)


@hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")
class SeedHook(Hooks):
    """Sets the seed of the call that is about to be made."""

    def enabled(self) -> bool:
        """Only while a replication is under way."""
        return _current.get() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Set the seed; the configuration belongs to this one call."""
        calls = _current.get()
        if calls is not None:
            calls.models.add(data.model_name)
            calls.temperature = data.config.temperature
            calls.cached |= data.cache is not None
            data.config.seed = calls.seed
