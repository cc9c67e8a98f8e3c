"""What the provider of a run's model does with requests: tried once per run."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from sys import maxsize

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.util import LimitExceededError, concurrency, span

from .options import options_not_sent, options_sent, recorded_call, why_refused
from .trials import CALLS_OF_SEEDS, Draw, Drawn, Outcome, Prompt, try_choices, try_seeds

logger = logging.getLogger(__name__)

MOST_CHOICES = 100
"""Replications that a request to a server makes at first; fewer once the server refuses so many."""

TRIED = 4
"""Choices of a request, compared with equally many single requests."""

QUESTIONS = 3
"""Questions with which the choices are tried at most: some judges answer one always alike."""

_NOT_SENT, _CHOICES = FACTS = ("options_not_sent", "seeds_of_choices")
"""Keys of what is found, in the metadata of samples and scores."""

TRIES = 3
"""Attempts at a call before its option counts as refused."""

MOST_CALLS = 3 * TRIES + QUESTIONS * (TRIED + 1) + CALLS_OF_SEEDS
"""Most calls to check one model."""

SeedTurn = Callable[[Draw, Mapping[int, Drawn | None], str], Awaitable[Outcome | None]]
"""Checks the seeds of a model of this name; None where another replication has the turn."""


@asynccontextmanager
async def one_asks(asker: object, is_open: Callable[[], bool]) -> AsyncIterator[bool]:
    """Whether this task must settle what is open.

    True for one task at a time. Others of the same asker wait until it leaves, then check again.
    """
    if is_open():
        # Inspect does not count this waiting as working time, as it would that for a lock.
        async with concurrency(f"one asks {id(asker)}", 1, visible=False):
            if is_open():
                yield True
                return
    yield False


@dataclass
class Requests:
    """How to make the requests of a run to one model.

    Attributes:
        most_choices: The most replications that one request may make as its choices.
        extra: Added to each request: options that inspect's provider does not send.
        not_sent: Options that the run sets and no request has.
        choices: Whether choice i of seed s is the draw of seed s + i; None if not tried.
        questions: Questions with which this was tried.
    """

    most_choices: int = 1
    extra: GenerateConfig = field(default_factory=GenerateConfig)
    not_sent: Sequence[str] = ()
    choices: Outcome | None = None
    questions: int = 0

    @property
    def facts(self) -> dict[str, str]:
        """As metadata of samples and scores."""
        facts = {_NOT_SENT: ", ".join(self.not_sent), _CHOICES: self.choices}
        return {name: value for name, value in facts.items() if value}


class ProviderCheck:
    """The check of one run, made once per model.

    The first question finds out how to make requests while the others wait. The first replication
    shows whether seeds are honoured; nobody waits for that.
    """

    def __init__(self, wanted: GenerateConfig | None = None, options: bool = True) -> None:
        """Check requests, which also carry the options `wanted` where the model has them."""
        self.wanted = wanted or GenerateConfig()
        self._options = options
        self._found: dict[str, Requests] = {}
        self._seeds: set[str] = set()

    async def requests(self, model: Model, prompt: Prompt, seed: int, several: bool) -> Requests:
        """How to make the requests of a question, `several` of one prompt.

        No call is made for a provider that declares its choices (`choices_follow_seeds`), or for a
        mock, whose outputs may run out.
        """
        follow = getattr(model.api, "choices_follow_seeds", None)
        if follow is not None or _is_mock(model):
            return Requests(maxsize if follow else 1, self.wanted)
        async with one_asks(self, lambda: self._is_open(model, several)) as first:
            if first:
                async with span("provider check"):
                    return await self._find(model, prompt, seed, several)
        return self._found[str(model)]

    @contextmanager
    def seeds(self, model: str) -> Iterator[SeedTurn]:
        """One replication's turn to check a model's seeds, for as long as it runs.

        Inspect starts samples in the order of the dataset and finishes them in any. The first epoch
        of the first question takes the turn at the start; if it fails, the turn is free again.
        """
        mine, checked = self._takes(model), False

        async def check(draw: Draw, drawn: Mapping[int, Drawn | None], name: str) -> Outcome | None:
            nonlocal mine, checked
            mine = mine or self._takes(model)
            if not mine:
                return None
            checked = True
            return await _check_seeds(name, draw, drawn)

        try:
            yield check
        finally:
            if mine and not checked:
                self._seeds.discard(model)

    def _takes(self, model: str) -> bool:
        free = model not in self._seeds
        self._seeds.add(model)
        return free

    def _is_open(self, model: Model, several: bool) -> bool:
        found = self._found.get(str(model))
        if found is None:
            return True
        return several and found.choices in (None, "unknown") and found.questions < QUESTIONS

    async def _find(self, model: Model, prompt: Prompt, seed: int, several: bool) -> Requests:
        found = self._found.get(str(model), None if self._options else Requests(extra=self.wanted))
        found = found or await _options(model, prompt, seed, self.wanted)
        if found is None:  # no answer: the next question may have more luck
            return Requests(extra=self.wanted)
        self._found[str(model)] = found
        if several:
            found.questions += 1
            try:
                found.choices, why = await try_choices(model, prompt, found.extra, seed, TRIED)
            except LimitExceededError:
                raise
            except Exception as error:  # each provider has its own
                found.choices, why = "not honoured", why_refused(error)
            found.most_choices = MOST_CHOICES if found.choices == "honoured" else 1
            _log(model, {"seeds of choices": found.choices, "because": why})
        return found


async def _options(
    model: Model, prompt: Prompt, seed: int, extra: GenerateConfig
) -> Requests | None:
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


async def _answered(model: Model, prompt: Prompt, config: GenerateConfig) -> ModelEvent | None:
    for _ in range(TRIES):
        call = await recorded_call(model, prompt, config)
        if call is not None and not call.error and call.output.choices:
            return call
    return None


async def _check_seeds(model: str, draw: Draw, drawn: Mapping[int, Drawn | None]) -> Outcome:
    outcome: Outcome = "unknown"
    try:
        if _is_mock(model):
            why = "the model is a mock"
        else:
            async with span("seed check"):
                outcome, why = await try_seeds(draw, drawn)
    except Exception as error:  # a check must never end a run
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        why = f"an output could not be drawn: {error or type(error).__name__}"
    else:
        if outcome in _WARNINGS and not _is_mock(model):
            logger.warning(_WARNINGS[outcome], model, why)
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
