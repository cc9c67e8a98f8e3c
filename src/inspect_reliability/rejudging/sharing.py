"""Replications of a scorer share its first call, where the first output shows that they can."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, NamedTuple

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
    model_roles,
)

# The graders of one task can be replaced by nothing public without changing those of others.
from inspect_ai.model import _model as inspects
from inspect_ai.util import LimitExceededError

from ..judging.provider_check import QUESTIONS, ProviderCheck, one_asks
from ..judging.replicate import Replication, make_calls
from ..judging.requests import Requests
from ..judging.trials import Prompt
from .calls import Calls, current_calls, hooked


class Asked(NamedTuple):
    """A call: its model, its own settings, its messages and its other arguments."""

    model: str
    own: GenerateConfig
    prompt: Prompt
    config: GenerateConfig


class SharingModel(Model):
    """A model beside another one, whose first call in a replication may be shared with others.

    A hook can change or refuse a call, but cannot answer it.
    """

    async def generate(
        self, input: str | list[ChatMessage], *args: Any, **options: Any
    ) -> ModelOutput:
        """Make a call, or take its output from a call that other replications share."""
        calls = current_calls()
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
        found: ModelOutput = await first.answer(calls, self, None if with_tools else asked, make)
        return found


async def _readable(model: str, make: Callable[[], Awaitable[ModelOutput]]) -> ModelOutput:
    """The output of a call, or an error that says what is wrong with the server's answer."""
    try:
        output = await make()
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{model} gave an answer that cannot be read ({why}).") from None
    if not output.choices:
        raise ValueError(f"{model} gave an answer without choices.")
    return output


def sharing(model: Model) -> Model:
    """A model that shares calls, with the provider and the settings of another."""
    if isinstance(model, SharingModel):
        return model
    shared = SharingModel(model.api, model.config, model.model_args)
    if model.role is not None:
        shared._set_role(model.role)
    return shared


@contextmanager
def sharing_graders() -> Iterator[None]:
    """In this block a scorer that looks up its grader, by a role or not, finds one that shares."""
    roles: dict[str, Any] = {**model_roles()}
    shared = {
        role: [*map(sharing, bound)] if isinstance(bound, list) else sharing(bound)
        for role, bound in roles.items()
    }
    token = inspects.active_model_context_var.set(sharing(get_model()))
    inspects.init_model_roles(shared)
    try:
        yield
    finally:
        inspects.init_model_roles(roles)
        inspects.active_model_context_var.reset(token)


class Choices:
    """Lets replications of a scorer share a call, if the first output shows that they can.

    On that output each replication makes its own call. If these calls are equal, those of every
    later output share one, where the provider draws choice i of seed s as it draws seed s + i.
    """

    def __init__(self) -> None:
        self._check = ProviderCheck()
        self._config: GenerateConfig | None = None
        self._trials = QUESTIONS

    @asynccontextmanager
    async def of_output(self, seeds: Mapping[int, int]) -> AsyncIterator["FirstCalls | None"]:
        """Answers the first calls of replications; None if each makes its own.

        `seeds` has the seed of each replication to make, by number.
        """
        if len(seeds) < 2:
            yield None
            return
        async with one_asks(self, lambda: self._trials > 0) as first:
            if first:
                calls = FirstCalls(seeds, self._check, None)
                yield calls
                self._config = calls.config()
                # A scorer may need no grader for some outputs.
                self._trials = 0 if calls.made else self._trials - 1
                return
        yield FirstCalls(seeds, self._check, self._config) if self._config else None


class FirstCalls:
    """The first calls of one output's replications; each makes its other calls itself."""

    def __init__(
        self, seeds: Mapping[int, int], check: ProviderCheck, config: GenerateConfig | None
    ) -> None:
        self.made: list[Asked | None] = []
        self._seeds, self._check, self._config = seeds, check, config
        self._asked: Asked | None = None
        self._drawn: dict[int, ModelOutput | Exception] = {}
        self._facts: tuple[str, float | None] = ("", None)

    def config(self) -> GenerateConfig | None:
        """The settings that all these calls have; None if the calls differ."""
        asked = self.made[0] if len(self.made) > 1 else None
        if asked is None or any(one != asked for one in self.made):
            return None  # one that is None is never shared
        return asked.config

    async def answer(
        self,
        calls: Calls,
        model: Model,
        asked: Asked | None,
        make: Callable[[], Awaitable[ModelOutput]],
    ) -> ModelOutput:
        """The output of a replication's first call; `make` makes it if it is not shared."""
        if self._config is None:
            output = await make()
            is_plain = len(output.choices) == 1 and not calls.cached
            self.made.append(asked if is_plain else None)
            return output
        if asked is None or asked.config != self._config:
            return await make()
        async with one_asks(self, lambda: self._asked is None) as first:
            if first:
                self._asked = asked
                await self._draw(calls, model, asked)
        drawn = self._drawn.pop(calls.seed or 0, None) if asked == self._asked else None
        if drawn is None:
            return await make()
        calls.models.add(asked.model)
        calls.prompt, calls.temperature = self._facts
        if isinstance(drawn, Exception):
            raise drawn
        return drawn

    async def _draw(self, asking: Calls, model: Model, shared: Asked) -> None:
        # What a limit leaves is for calls of one replication each.
        if not asking.limits.has_room(len(self._seeds)):
            return
        first = next(iter(self._seeds.values()))
        asked = {number: Replication(shared.prompt, seed) for number, seed in self._seeds.items()}
        # Each request has a seed of its own.
        own = Calls(None, asking.limits, asking.settings, asking.graders)
        with hooked(own) as calls:
            try:
                requests = await self._check.requests(
                    model, shared.prompt, first, True, Requests(shared.config)
                )
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
                alone: dict[str, Any] = {"choices": [choice], "completion": choice.message.text}
                if output.metadata and "seed" in output.metadata:
                    alone["metadata"] = output.metadata | {"seed": seed}
                self._drawn[seed] = output.model_copy(update=alone)
