"""The model calls of somebody else's scorer: each gets a seed, and equal ones are shared."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2b
from typing import Any, NamedTuple

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, hooks
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model, model_roles
from inspect_ai.util import LimitExceededError

from ..judging.bounds import bound_answers
from ..judging.provider_check import QUESTIONS, ProviderCheck, one_asks
from ..judging.replicate import Replication, make_calls
from ..judging.trials import Prompt
from .run import CallRefusedError, Run

LONGEST = 1_000_000
"""Most characters of an answer; a longer one is no grade."""


class Asked(NamedTuple):
    """A call: its model, its own settings, its messages and its other arguments."""

    model: str
    own: GenerateConfig
    prompt: Prompt
    config: GenerateConfig


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed sent with each; None if each sets its own.
        run: Admits and counts them.
        first: Answers the first of them; None if it is a call like any other.
        models: Names of the models called.
        prompt: Digest of the first prompt.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The refused call, since a scorer may take its error for an answer.
    """

    seed: int | None
    run: Run
    first: FirstCalls | None = None
    models: set[str] = field(default_factory=set)
    prompt: str = ""
    temperature: float | None = None
    cached: bool = False
    refused: CallRefusedError | None = None


_current: ContextVar[Calls | None] = ContextVar("calls", default=None)


@contextmanager
def seeded_calls(seed: int | None, run: Run, first: FirstCalls | None = None) -> Iterator[Calls]:
    """Send every model call in this block with a seed, also from tasks that it starts."""
    calls = Calls(seed, run, first)
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

    async def on_model_usage(self, data: ModelUsageData) -> None:
        if (calls := _current.get()) is not None:
            calls.run.pay(data.model_name, data.usage)

    async def on_model_retry(self, data: ModelRetry) -> None:
        if (calls := _current.get()) is not None:
            calls.run.retry(data.exception_type or "", data.attempt)
            if calls.run.stopped:
                calls.refused = CallRefusedError(calls.run.stopped)
                raise calls.refused  # its wait doubles each time


def _digest(prompt: Sequence[ChatMessage]) -> str:
    said = "".join(message.model_dump_json(exclude={"id"}) for message in prompt)
    return blake2b(said.encode(), digest_size=6).hexdigest()


@cache
def _hooked() -> None:
    """Register the hook at the first replication, because inspect announces hooks."""
    hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")(
        _SeedHook
    )


class SharingModel(Model):
    """A model whose first call in a replication may be shared with other replications.

    A hook can change or refuse a call, but cannot answer it.
    """

    async def generate(
        self, input: str | list[ChatMessage], *args: Any, **options: Any
    ) -> ModelOutput:
        """Make a call, or take its output from a call that other replications share."""
        calls = _current.get()
        make = partial(super().generate, input, *args, **options)
        if calls is None:
            return await make()
        bound_answers(self, stop_run)
        make = partial(_readable, str(self), make)
        if calls.first is None:
            return await make()
        first, calls.first = calls.first, None
        if not isinstance(input, str):
            input = [message.model_copy(update={"id": None}) for message in input]
        asked = Asked(str(self), self.config, input, options.get("config", GenerateConfig()))
        with_tools = bool(args or options.keys() - {"config"})
        return await first.answer(calls, self, None if with_tools else asked, make)


async def _readable(model: str, make: Callable[[], Awaitable[ModelOutput]]) -> ModelOutput:
    """The output of a call, or an error that says what is wrong with the server's answer."""
    try:
        output = await make()
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{model} gave an answer that cannot be read ({why}).") from None
    if not output.choices:
        raise ValueError(f"{model} gave an answer without choices.")
    if (longest := max(len(choice.message.text) for choice in output.choices)) > LONGEST:
        stop_run(f"{model} gave an answer of {longest:,} characters")  # inspect keeps each of them
        raise ValueError(f"{model} gave an answer of {longest:,} characters.")
    return output


def stop_run(why: str) -> None:
    """Make no more calls in the run of the current call."""
    if (calls := _current.get()) is not None:
        calls.run.stopped = calls.run.stopped or why


def share(model: Model) -> None:
    """Share the calls of a model; outside replications nothing changes."""
    model.__class__ = SharingModel


def share_graders() -> None:
    """Share the calls of every grader that a scorer looks up, with or without a role."""
    _hooked()
    share(get_model())
    for bound in model_roles().values():
        for model in bound if isinstance(bound, list) else [bound]:
            share(model)


class Choices:
    """Lets replications of a scorer share a call, if the first output shows that they can.

    On that output each replication makes its own call. If these calls are equal, those of every
    later output share one, where the provider draws choice i of seed s as it draws seed s + i.
    """

    def __init__(self) -> None:
        self._check: ProviderCheck | None = None
        self._trials = QUESTIONS

    @asynccontextmanager
    async def of_output(
        self, seeds: Mapping[int, int], run: Run
    ) -> AsyncIterator[FirstCalls | None]:
        """Answers the first calls of replications; None if each makes its own.

        `seeds` has the seed of each replication to make, by number.
        """
        if len(seeds) < 2:
            yield None
            return
        async with one_asks(self, lambda: self._trials > 0) as first:
            if first:
                calls = FirstCalls(seeds, None, run)
                yield calls
                self._check = calls.check()
                # A scorer may need no grader for some outputs.
                self._trials = 0 if calls.made else self._trials - 1
                return
        yield FirstCalls(seeds, self._check, run) if self._check else None


class FirstCalls:
    """The first calls of one output's replications; each makes its other calls itself."""

    def __init__(self, seeds: Mapping[int, int], check: ProviderCheck | None, run: Run) -> None:
        self.made: list[Asked | None] = []
        self._seeds, self._check, self._run = seeds, check, run
        self._asked: Asked | None = None
        self._drawn: dict[int, ModelOutput | Exception] = {}
        self._facts: tuple[str, float | None] = ("", None)

    def check(self) -> ProviderCheck | None:
        """A provider check with the settings of these calls; None if the calls differ."""
        asked = self.made[0] if len(self.made) > 1 else None
        if asked is None or any(one != asked for one in self.made):
            return None  # one that is None is never shared
        return ProviderCheck(asked.config, options=False)

    async def answer(
        self,
        calls: Calls,
        model: Model,
        asked: Asked | None,
        make: Callable[[], Awaitable[ModelOutput]],
    ) -> ModelOutput:
        """The output of a replication's first call; `make` makes it if it is not shared."""
        if self._check is None:
            output = await make()
            is_plain = len(output.choices) == 1 and not calls.cached
            self.made.append(asked if is_plain else None)
            return output
        if asked is None or asked.config != self._check.wanted:
            return await make()
        async with one_asks(self, lambda: self._asked is None) as first:
            if first:
                self._asked = asked
                await self._draw(self._check, model, asked.prompt)
        drawn = self._drawn.pop(calls.seed or 0, None) if asked == self._asked else None
        if drawn is None:
            return await make()
        calls.models.add(asked.model)
        calls.prompt, calls.temperature = self._facts
        if isinstance(drawn, Exception):
            raise drawn
        return drawn

    async def _draw(self, check: ProviderCheck, model: Model, prompt: Prompt) -> None:
        # What a limit leaves is for calls of one replication each.
        if not self._run.has_room(len(self._seeds)):
            return
        first = next(iter(self._seeds.values()))
        asked = {number: Replication(prompt, seed) for number, seed in self._seeds.items()}
        with seeded_calls(None, self._run) as calls:
            try:
                requests = await check.requests(model, prompt, first, several=True)
            except LimitExceededError:
                return
            if requests.most_choices == 1:
                return
            made = await make_calls(model, requests, asked)
        self._facts = (calls.prompt, calls.temperature)
        for numbers, output in made:
            seeds = [self._seeds[number] for number in numbers]
            if isinstance(output, LimitExceededError):
                continue  # each replication is refused by itself
            if isinstance(output, Exception):
                self._drawn |= dict.fromkeys(seeds, output)
                continue
            for seed, choice in zip(seeds, output.choices, strict=False):
                own: dict[str, Any] = {"choices": [choice], "completion": choice.message.text}
                if output.metadata and "seed" in output.metadata:
                    own["metadata"] = output.metadata | {"seed": seed}
                self._drawn[seed] = output.model_copy(update=own)
