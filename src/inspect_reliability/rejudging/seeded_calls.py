"""A seed for every model call of a scorer that somebody else wrote.

Where replications share a call, the first call of each gets its choice here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, hooks
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model, model_roles

from .run import CallRefusedError, Run

LONGEST = 1_000_000
"""Characters of an answer: whoever says more grades nothing."""


class Asked(NamedTuple):
    """Whom a call asks, with which settings of its own, what, and with which others."""

    model: str
    own: GenerateConfig
    prompt: str | list[ChatMessage]
    config: GenerateConfig


Make = Callable[[], Awaitable[ModelOutput]]

Answer = Callable[["Calls", Model, Asked | None, Make], Awaitable[ModelOutput]]
"""Answers the first call of a replication, or makes it: see `FirstCalls.answer`."""


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed that each of them is sent with; None where each sets its own.
        run: Admits and counts them.
        first: What answers the first of them; None if that is a call like any other.
        models: Names of the models called.
        prompt: Digest of what the first of them asked.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The call that was not made. A scorer may take its error for an answer.
    """

    seed: int | None
    run: Run
    first: Answer | None = None
    models: set[str] = field(default_factory=set)
    prompt: str = ""
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


class _SeedHook(Hooks):
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
        if not calls.models:
            calls.prompt = _digest(data.input)
        calls.models.add(data.model_name)
        for key, value in calls.run.settings.items():
            setattr(data.config, key, value)
        calls.temperature = data.config.temperature
        calls.cached |= data.cache is not None
        if calls.seed is not None:
            data.config.seed = calls.seed

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Count a call that will be made again."""
        if (calls := _current.get()) is not None:
            calls.run.retry(data.exception_type or "", data.attempt)


def _digest(prompt: Sequence[ChatMessage]) -> str:
    said = "".join(message.model_dump_json(exclude={"id"}) for message in prompt)
    return blake2b(said.encode(), digest_size=6).hexdigest()


@cache
def _hooked() -> None:
    """Register the hook: with the first replication, since inspect announces those it finds."""
    hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")(
        _SeedHook
    )


class SharingModel(Model):
    """A model whose first call in a replication may be shared with other replications.

    A hook can change or refuse a call; none can answer it.
    """

    async def generate(
        self, input: str | list[ChatMessage], *args: Any, **options: Any
    ) -> ModelOutput:
        """Make a call, or take its output from one that other replications share."""
        calls = _current.get()
        make = partial(super().generate, input, *args, **options)
        if calls is None:
            return await make()
        make = partial(_readable, str(self), make)
        if calls.first is None:
            return await make()
        first, calls.first = calls.first, None
        if not isinstance(input, str):
            input = [message.model_copy(update={"id": None}) for message in input]
        asked = Asked(str(self), self.config, input, options.get("config", GenerateConfig()))
        with_tools = bool(args or options.keys() - {"config"})
        return await first(calls, self, None if with_tools else asked, make)


async def _readable(model: str, make: Make) -> ModelOutput:
    """The output of a call, or an error that says what is wrong with the server's answer."""
    try:
        output = await make()
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{model} gave an answer that cannot be read ({why}).") from None
    if not output.choices:
        raise ValueError(f"{model} gave an answer without choices.")
    if (longest := max(len(choice.message.text) for choice in output.choices)) > LONGEST:
        raise ValueError(f"{model} gave an answer of {longest:,} characters.")
    return output


def share(model: Model) -> None:
    """Let the calls of a model be shared; outside of replications nothing changes."""
    model.__class__ = SharingModel


def share_graders() -> None:
    """Let the calls of every grader be shared that a scorer looks up, by its role or by none."""
    _hooked()
    share(get_model())
    for bound in model_roles().values():
        for model in bound if isinstance(bound, list) else [bound]:
            share(model)
