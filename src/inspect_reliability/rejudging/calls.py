"""The model calls of one replication: a hook of inspect sends its seed with each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, hooks
from inspect_ai.model import ChatMessage

from .limits import CallRefusedError, Limits


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed sent with each.
        limits: Admit and count them.
        settings: Settings of each, instead of the grader's own.
        graders: Names of models of which one must be called first; empty if any may.
        models: Names of the models called.
        prompt: Digest of the first prompt.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The refused call, since a scorer may take its error for an answer.
    """

    seed: int
    limits: Limits
    settings: Mapping[str, float] = field(default_factory=dict)
    graders: Set[str] = frozenset()
    models: set[str] = field(default_factory=set)
    prompt: str = ""
    temperature: float | None = None
    cached: bool = False
    refused: CallRefusedError | None = None


_current: ContextVar[Calls | None] = ContextVar("calls", default=None)


@contextmanager
def hooked(calls: Calls) -> Iterator[Calls]:
    """Send every model call in this block as these calls, also from tasks that it starts."""
    _hook()
    token = _current.set(calls)
    try:
        yield calls
    finally:
        _current.reset(token)


class _SeedHook(Hooks):
    """Sets the seed of the next call, or refuses the call."""

    def enabled(self) -> bool:
        return _current.get() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        calls = _current.get()
        if calls is None:
            return
        if not calls.models:
            calls.prompt = _digest(data.input)
            if calls.graders and data.model_name not in calls.graders:
                expected = ", ".join(sorted(calls.graders))
                calls.limits.stop(
                    f"the grader is {expected}, and {data.model_name} would answer. Name a scorer "
                    "that asks the grader it is given, or leave --model out"
                )
        with _noting(calls):
            calls.limits.admit()
        calls.models.add(data.model_name)
        for key, value in calls.settings.items():
            setattr(data.config, key, value)
        calls.temperature = data.config.temperature
        calls.cached |= data.cache is not None
        data.config.seed = calls.seed

    async def on_model_usage(self, data: ModelUsageData) -> None:
        if (calls := _current.get()) is not None:
            calls.limits.pay(data.model_name, data.usage)

    async def on_model_retry(self, data: ModelRetry) -> None:
        if (calls := _current.get()) is not None:
            with _noting(calls):
                calls.limits.retry(data.exception_type or "", data.attempt)


@contextmanager
def _noting(calls: Calls) -> Iterator[None]:
    try:
        yield
    except CallRefusedError as refused:
        calls.refused = refused
        raise


def _digest(prompt: Sequence[ChatMessage]) -> str:
    said = "".join(message.model_dump_json(exclude={"id"}) for message in prompt)
    return blake2b(said.encode(), digest_size=6).hexdigest()


@cache
def _hook() -> None:
    """Register the hook at the first replication, because inspect announces hooks."""
    hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")(
        _SeedHook
    )
