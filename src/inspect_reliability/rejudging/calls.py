"""The model calls of one replication: a hook of inspect sends its seed with each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, hooks
from inspect_ai.model import ChatMessage, ModelUsage
from inspect_ai.util import LimitExceededError

MOST_TRIES = 8
"""Attempts at a call of a dead server; inspect alone would never stop. Waits double from 3 s."""

DEAD = {
    *("APIResponseValidationError", "JSONDecodeError", "OpenAIResponseError"),
    *("APITimeoutError", "AttemptTimeoutError", "APIConnectionError"),
}
"""Kinds of failures of a server that gives no answers; a limit of the rate is none of them."""


class CallRefusedError(LimitExceededError):
    """A refused model call; the only kind of error that a hook can raise."""

    def __init__(self, why: str) -> None:
        super().__init__("custom", value=0, limit=0, message=why)


@dataclass
class RunLimits:
    """The bounds of one run, and how far it is.

    Attributes:
        cost_limit: Dollars after which no further call is made; calls under way finish.
        graders: Names of models. Each replication must call one of them first; empty if any may.
        settings: Settings of each call, instead of the grader's own.
        stopped: Why no further call is made; None while calls are made.
        spent: Dollars so far, if there is a limit.
    """

    cost_limit: float | None = None
    graders: Set[str] = frozenset()
    settings: Mapping[str, float] = field(default_factory=dict)
    stopped: str | None = None
    spent: float = 0

    def stop(self, why: str) -> None:
        """Make no further call; the first reason counts."""
        self.stopped = self.stopped or why

    def admit(self) -> None:
        """Admit a call.

        Raises:
            CallRefusedError: The run was stopped.
        """
        if self.stopped:
            raise CallRefusedError(self.stopped)

    def pay(self, model: str, usage: ModelUsage) -> None:
        """Add the price of a call, if there is a limit."""
        if self.cost_limit is None:
            return
        if usage.total_cost is None:
            self.stop(f"{model} has no price in --model-cost-config")
        self.spent += usage.total_cost or 0.0
        if self.spent >= self.cost_limit:
            self.stop(f"the cost limit of ${self.cost_limit:g} was reached")


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed sent with each.
        limits: Those of the run, which admit and count them.
        models: Names of the models called.
        prompt: Digest of the first prompt.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The refused call, since a scorer may take its error for an answer.
    """

    seed: int
    limits: RunLimits = field(default_factory=RunLimits)
    models: set[str] = field(default_factory=set)
    prompt: str = ""
    temperature: float | None = None
    cached: bool = False
    refused: CallRefusedError | None = None

    def admit(self) -> None:
        """Admit a call; a CallRefusedError if the run was stopped."""
        try:
            self.limits.admit()
        except CallRefusedError as refused:
            self.refused = refused
            raise

    def send(self, data: BeforeModelGenerate) -> None:
        """Give the next call its seed and settings, if it is admitted."""
        graders = self.limits.graders
        if not self.models:
            self.prompt = _digest(data.input)
            if graders and data.model_name not in graders:
                self.limits.stop(
                    f"the grader is {', '.join(sorted(graders))}, and {data.model_name} would "
                    "answer. Name a scorer that asks the grader it is given, or leave --model out"
                )
        self.admit()
        self.models.add(data.model_name)
        for key, value in self.limits.settings.items():
            setattr(data.config, key, value)
        self.temperature = data.config.temperature
        self.cached |= data.cache is not None
        data.config.seed = self.seed

    def retry(self, data: ModelRetry) -> None:
        """Admit another attempt at a call, if its server is not dead."""
        if data.exception_type in DEAD and data.attempt >= MOST_TRIES:
            self.limits.stop(f"the grader's server gives no answers ({data.exception_type})")
        self.admit()


_current: ContextVar[Calls] = ContextVar("calls")


@contextmanager
def hooked(calls: Calls) -> Iterator[None]:
    """Send every model call in this block as these calls, also from tasks that it starts."""
    _hook()
    token = _current.set(calls)
    try:
        yield
    finally:
        _current.reset(token)


class _SeedHook(Hooks):
    """Sets the seed of the next call, or refuses the call."""

    def enabled(self) -> bool:
        return _current.get(None) is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        _current.get().send(data)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        _current.get().limits.pay(data.model_name, data.usage)

    async def on_model_retry(self, data: ModelRetry) -> None:
        _current.get().retry(data)


def _digest(prompt: Sequence[ChatMessage]) -> str:
    said = "".join(message.model_dump_json(exclude={"id"}) for message in prompt)
    return blake2b(said.encode(), digest_size=6).hexdigest()


@cache
def _hook() -> None:
    """Register the hook at the first replication, because inspect announces hooks."""
    hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")(
        _SeedHook
    )
