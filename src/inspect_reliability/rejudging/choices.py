"""Replications of a grader as choices of one call, where their calls are alike."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from inspect_ai.model import Model, ModelOutput
from inspect_ai.util import LimitExceededError

from ..judging.provider_check import QUESTIONS, ProviderCheck, one_asks
from ..judging.replicate import Replication, make_calls
from ..judging.trials import Prompt
from .run import Run
from .seeded_calls import Asked, Calls, Make, seeded_calls


class Choices:
    """Lets replications of a scorer share a call where the first output shows that they can.

    Its replications make a call each. Where these calls are alike, those of each other output share
    one, if the provider draws choice i of seed s as it draws seed s + i.
    """

    def __init__(self) -> None:
        self._check: ProviderCheck | None = None
        self._trials = QUESTIONS

    @asynccontextmanager
    async def of_output(
        self, seeds: Mapping[int, int], run: Run
    ) -> AsyncIterator["FirstCalls | None"]:
        """What answers the first calls of replications; None where each makes its own.

        `seeds` are those of the replications to make, by their numbers.
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
    """The first calls of the replications of one output; a replication makes all others itself."""

    def __init__(self, seeds: Mapping[int, int], check: ProviderCheck | None, run: Run) -> None:
        self.made: list[Asked | None] = []
        self._seeds, self._check, self._run = seeds, check, run
        self._asked: Asked | None = None
        self._drawn: dict[int, ModelOutput | Exception] = {}
        self._facts: tuple[str, float | None] = ("", None)

    def check(self) -> ProviderCheck | None:
        """A check of such calls; None where they were not alike."""
        asked = self.made[0] if len(self.made) > 1 else None
        if asked is None or any(one != asked for one in self.made):
            return None  # one that is None is never shared
        return ProviderCheck(asked.config, options=False)

    async def answer(
        self, calls: Calls, model: Model, asked: Asked | None, make: Make
    ) -> ModelOutput:
        """The output of a replication's first call, which `make` makes where it is not shared."""
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
