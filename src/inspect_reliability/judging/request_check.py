"""How a run's requests are made: found by trying, before its first replication."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from sys import maxsize

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model
from inspect_ai.util import LimitExceededError, collect, concurrency, span

from .options import options_not_sent, options_sent, recorded_call, why_refused
from .seed_check import SeedOutcome
from .seeds import SEED_LIMIT

logger = logging.getLogger(__name__)

Prompt = str | list[ChatMessage]

MOST_CHOICES = 100
"""Replications that a request to a server makes at first; fewer once the server refuses so many."""

TRIED = 4
"""Choices of the request that is compared with as many requests."""

QUESTIONS = 3
"""Questions with which the choices are tried at most: some judges answer one always alike."""

_NOT_SENT, _CHOICES = FACTS = ("options_not_sent", "seeds_of_choices")
"""Keys of what is found, in the metadata of samples and scores."""

TRIES = 3
"""A call that fails is tried this often before its option counts as refused."""

MOST_CALLS = 3 * TRIES + QUESTIONS * (TRIED + 1)
"""Calls of the check of one model, at most."""


@dataclass
class Requests:
    """How the requests of a run to one model are made.

    Attributes:
        most_choices: Replications that one request may make as its choices.
        extra: What each request has besides: options that inspect's provider does not send.
        not_sent: Options that the run asks for and no request has.
        choices: Whether choice i of seed s is the draw of seed s + i; None if nobody asked.
        questions: Questions with which this was tried.
    """

    most_choices: int = 1
    extra: GenerateConfig = field(default_factory=GenerateConfig)
    not_sent: Sequence[str] = ()
    choices: SeedOutcome | None = None
    questions: int = 0

    @property
    def facts(self) -> dict[str, str]:
        """As metadata of samples and scores."""
        facts = {_NOT_SENT: ", ".join(self.not_sent), _CHOICES: self.choices}
        return {name: value for name, value in facts.items() if value}


class RequestCheck:
    """The check of one run: each model is asked once, while the other questions wait."""

    def __init__(self, wanted: GenerateConfig | None = None, options: bool = True) -> None:
        """Check requests, which also ask for what is `wanted`, where the model gives it."""
        self.wanted = wanted or GenerateConfig()
        self._options = options
        self._found: dict[str, Requests] = {}

    async def requests(self, model: Model, prompt: Prompt, seed: int, several: bool) -> Requests:
        """How to make the requests of a question; the first question finds out.

        A provider can declare what its choices are (`choices_follow_seeds`), and is then asked
        nothing. Nor is a mock, whose outputs may be a list that runs out. Choices are tried where
        several replications of a sample have one prompt.
        """
        follow = getattr(model.api, "choices_follow_seeds", None)
        if follow is not None or str(model).startswith("mockllm/"):
            return Requests(maxsize if follow else 1, self.wanted)
        if (found := self._settled(model, several)) is None:
            async with concurrency(f"request check {id(self)}", 1, visible=False):
                if (found := self._settled(model, several)) is None:
                    async with span("request check"):
                        found = await self._find(model, prompt, seed, several)
        return found

    def _settled(self, model: Model, several: bool) -> Requests | None:
        found = self._found.get(str(model))
        open_still = found is not None and several and found.choices in (None, "unknown")
        return None if open_still and found and found.questions < QUESTIONS else found

    async def _find(self, model: Model, prompt: Prompt, seed: int, several: bool) -> Requests:
        found = self._found.get(str(model))
        if found is None and self._options:
            found = await _options(model, prompt, seed, self.wanted)
        elif found is None:
            found = Requests(extra=self.wanted)
        if found is None:  # no answer: the next question may have more luck
            return Requests(extra=self.wanted)
        self._found[str(model)] = found
        if several:
            found.questions += 1
            found.choices, because = await _choices(model, prompt, seed, found.extra)
            found.most_choices = MOST_CHOICES if found.choices == "honoured" else 1
            _log(model, {"seeds of choices": found.choices, "because": because})
        return found


async def _options(
    model: Model, prompt: Prompt, seed: int, extra: GenerateConfig
) -> Requests | None:
    """Which of the run's options are sent, and how the others can be."""
    # This call warms the server up as well: its first answer may differ from its repeats.
    first = await _answered(model, prompt, extra.merge(GenerateConfig(seed=seed)))
    if first is None and extra != GenerateConfig():
        extra = GenerateConfig()
        first = await _answered(model, prompt, GenerateConfig(seed=seed))
    if first is None:
        return None
    missing = options_not_sent(first)
    if "top_k" in missing:
        # inspect's OpenAI-compatible providers leave it out; many of their servers take it.
        body = {"top_k": first.config.top_k, **(first.config.extra_body or {})}
        tried = GenerateConfig(extra_body=body)
        second = await _answered(model, prompt, tried.merge(GenerateConfig(seed=seed)))
        if second is not None and options_sent(second)["top_k"]:
            missing.remove("top_k")
            extra = extra.merge(tried)
            _log(model, {"sent by extra_body": "top_k"})
    if missing:
        _log(model, {"options not sent": ", ".join(missing)})
        logger.warning(
            "%s: %s of this task did not reach the judge, since inspect's provider does not send "
            "them or the server refused them. The judge runs without: another judge than the "
            "log's header describes. Use a provider that sends them, or unset them.",
            model,
            ", ".join(missing),
        )
    return Requests(extra=extra, not_sent=missing)


async def _choices(
    model: Model, prompt: Prompt, seed: int, extra: GenerateConfig
) -> tuple[SeedOutcome, str]:
    """Whether the choices of one request are the draws of as many seeds."""
    start = min(seed, SEED_LIMIT - TRIED)

    async def texts(seed: int, number: int | None = None) -> list[str]:
        config = extra.merge(GenerateConfig(seed=seed, num_choices=number))
        output = await model.generate(prompt, config=config, cache=False)
        return [choice.message.text for choice in output.choices]

    try:
        apart = await collect(*(texts(start + place) for place in range(TRIED)))
        together = await texts(start, TRIED)
    except LimitExceededError:
        raise
    except Exception as error:  # each provider has its own
        return "not honoured", why_refused(error)
    return compared(together, [text for one in apart for text in one])


def compared(choices: Sequence[str], draws: Sequence[str]) -> tuple[SeedOutcome, str]:
    """What the choices of seed s and the draws of seeds s, s + 1, ... tell, and why."""
    if len(choices) != len(draws):
        return "not honoured", f"{len(choices)} for {len(draws)}"
    if list(choices) != list(draws):
        if len(set(choices)) == 1:
            return "not honoured", "all choices are one draw"
        return "not honoured", "choices differ from the draws of seeds s, s + 1, ..."
    if len(set(draws)) == 1:
        return "unknown", f"all {len(draws)} seeds gave one text"
    return "honoured", "as with seeds s, s + 1, ..."


async def _answered(model: Model, prompt: Prompt, config: GenerateConfig) -> ModelEvent | None:
    for _ in range(TRIES):
        call = await recorded_call(model, prompt, config)
        if call is not None and not call.error and call.output.choices:
            return call
    return None


def _log(model: Model, found: dict[str, str]) -> None:
    transcript().info({"model": str(model), **found}, source=__package__)
