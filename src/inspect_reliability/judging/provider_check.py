"""What the provider of a run's model does with seeds: found out once per run."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from sys import maxsize

from inspect_ai.log import transcript
from inspect_ai.model import Model
from inspect_ai.util import LimitExceededError, concurrency, span

from .connection import reached
from .requests import Requests, why_refused
from .trials import Draw, Drawn, Outcome, Prompt, try_choices, try_seeds

logger = logging.getLogger(__name__)

MOST_CHOICES = 100
"""Replications that a request to a server makes at first; fewer once the server refuses so many."""

TRIED = 4
"""Choices of a request, compared with equally many single requests."""

QUESTIONS = 3
"""Questions with which the choices are tried at most: some judges answer one always alike."""


class ProviderCheck:
    """The check of one run, made once per model.

    The first question with several replications of one prompt shows whether they can share a
    request, while the others wait. The first replication that is finished shows whether seeds are
    honoured; nobody waits for that.
    """

    def __init__(self) -> None:
        self._found: dict[str, Requests] = {}
        self._seeds: set[str] = set()

    async def requests(
        self, model: Model, prompt: Prompt, seed: int, several: bool, first: Requests
    ) -> Requests:
        """How to make the requests of a question, `several` of one prompt; at first as in `first`.

        No call is made for a provider that declares its choices (`choices_follow_seeds`), or for a
        mock, whose outputs may run out.
        """
        follow = getattr(model.api, "choices_follow_seeds", None)
        if follow is not None or _is_mock(model):
            return replace(first, most_choices=maxsize if follow else 1)
        if (found := self._found.get(str(model))) is None:
            found = self._found[str(reached(model))] = first

        def is_open() -> bool:
            return several and found.choices in (None, "unknown") and found.questions < QUESTIONS

        if is_open():
            # Inspect does not count this waiting as working time, as it would that for a lock.
            async with concurrency(f"provider check {id(self)}", 1, visible=False):
                if is_open():
                    async with span("provider check"):
                        await _try_choices(found, model, prompt, seed)
        return found

    async def seeds(
        self, model: str, draw: Draw, drawn: Mapping[int, Drawn | None]
    ) -> Outcome | None:
        """Whether a model honours seeds, as what was drawn shows; None if it was checked before."""
        if model in self._seeds:
            return None
        self._seeds.add(model)
        return await _check_seeds(model, draw, drawn)


async def _try_choices(found: Requests, model: Model, prompt: Prompt, seed: int) -> None:
    found.questions += 1
    try:
        found.choices, why = await try_choices(
            found.making(model, prompt, cache=False), seed, TRIED
        )
    except LimitExceededError:
        raise
    except Exception as error:  # each provider has its own
        found.choices, why = "not honoured", why_refused(error)
    found.most_choices = MOST_CHOICES if found.choices == "honoured" else 1
    _log(model, {"seeds of choices": found.choices, "because": why})


async def _check_seeds(model: str, draw: Draw, drawn: Mapping[int, Drawn | None]) -> Outcome:
    outcome: Outcome = "unknown"
    if _is_mock(model):
        _log(model, {"seeds": outcome, "because": "the model is a mock"})
        return outcome
    try:
        async with span("seed check"):
            outcome, why = await try_seeds(draw, drawn)
        if outcome in _WARNINGS:
            logger.warning(_WARNINGS[outcome], model, why)
    except Exception as error:  # a check must never end a run
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        why = f"an output could not be drawn: {error or type(error).__name__}"
    _log(model, {"seeds": outcome, "because": why})
    return outcome


_WARNINGS: Mapping[Outcome, str] = {
    "not honoured": "%s does not honour seeds: %s. Its replications are draws of the judge all the "
    "same, but none of them can be repeated.",
    "unknown": "Whether %s honours seeds is not known: %s. If all replications are alike, as at "
    "temperature 0 or where the temperature did not arrive, agreement is no evidence of "
    "reliability.",
}


def _is_mock(model: Model | str) -> bool:
    return str(model).startswith("mockllm/")


def _log(model: Model | str, found: dict[str, str]) -> None:
    transcript().info({"model": str(model), **found}, source=__package__)
