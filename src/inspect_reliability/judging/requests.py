"""Requests of a run to one model: is it there, which options arrive, and does it honour seeds?

Several replications may share a request.
"""

import logging
import socket
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from sys import maxsize
from typing import Any, Literal, NamedTuple
from urllib.request import getproxies, proxy_bypass

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput, ResponseSchema

# What a run sets is merged within `generate`, and public nowhere.
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.util import JSONSchema, LimitExceededError, collect, concurrency, span

from ..errors import UserError, reason
from ..record.replications import SEED_LIMIT, seeds_from

logger = logging.getLogger(__name__)

_SECONDS = 5
"""To connect, at each of the two addresses that a name may have, and then to say anything."""


def reachable_model(model: Model) -> Model:
    """The model, loaded if it is one of `hf_seeded`, or if its server takes connections.

    A server that takes connections and says nothing may only be busy: that is a warning. A proxy is
    not asked, nor is an encrypted server asked for an answer. This works for providers whose
    `client` has a `base_url`, as those of the openai and anthropic packages.

    Raises:
        UserError: The model cannot be loaded, or nothing takes connections at the server's address
            within 10 seconds.
    """
    getattr(model.api, "ready", lambda: None)()
    url: Any = getattr(getattr(model.api, "client", None), "base_url", None)
    host, scheme = getattr(url, "host", None), getattr(url, "scheme", "")
    if not host or (scheme in getproxies() and not proxy_bypass(host)):
        return model
    try:
        port = url.port or (443 if scheme == "https" else 80)
        server = socket.create_connection((host, port), timeout=_SECONDS)
    except OSError as error:
        raise UserError(
            f"The server {url} does not answer: {reason(error)}. Start it, or check its address."
        ) from None
    with server:
        if scheme == "http" and not _says_anything(server, host):
            logger.warning(
                f"The server {url} takes connections, but has said nothing for {_SECONDS} seconds. "
                "If no verdict comes, restart it or check its address."
            )
    return model


def _says_anything(server: socket.socket, host: str) -> bool:
    try:
        server.sendall(f"HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        server.recv(1)
    except TimeoutError:
        return False
    except OSError:  # it ends what it does not understand
        pass
    return True


Outcome = Literal["honoured", "not honoured", "unknown"]
Found = tuple[Outcome, str]
"""The result of a trial, and its observation."""

DRAWS = 3
"""How often each of two seeds is used. A provider that ignores seeds gives equal texts within both
and different texts between them with probability 1/32 at most (two texts, equally likely), and
hardly ever where texts are longer than a letter."""

MORE_SEEDS = 8
"""Further seeds, used once each where two gave one text: of a judge that says one of two things,
such as C or I, two seeds agree half of the time."""

_WARNINGS: Mapping[Outcome, str] = {
    "not honoured": "%s does not honour seeds: %s. Its replications are draws of the judge all the "
    "same, but none of them can be repeated.",
    "unknown": "Whether %s honours seeds is not known: %s. If all replications are alike, as at "
    "temperature 0 or where the temperature did not arrive, agreement is no evidence of "
    "reliability.",
}


class Drawn(NamedTuple):
    """The result of a seed, and what was asked, because a scorer may shuffle its prompt."""

    text: str
    prompt: str = ""


Draw = Callable[[int], Awaitable[Drawn]]


class SeedCheck:
    """The check of one run, made once per model, by the first replication that is finished."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    async def of(
        self, model: str, draw: Draw, seed: int, first: Drawn, second: Drawn | None
    ) -> Outcome | None:
        """Repeat a replication with its seed and with the next; None if the model was checked.

        `first` is what the seed gave already, `second` what the next did, if it was drawn.
        """
        if model in self._made:
            return None
        self._made.add(model)
        outcome: Outcome = "unknown"
        why = "the model is a mock"  # whose outputs may run out
        if not model.startswith("mockllm/"):
            try:
                async with span("seed check"):
                    outcome, why = await _try_seeds(draw, seed, first, second)
                if outcome in _WARNINGS:
                    logger.warning(_WARNINGS[outcome], model, why)
            except Exception as error:  # a check must never end a run
                while isinstance(error, ExceptionGroup):
                    error = error.exceptions[0]
                why = f"an output could not be drawn: {error or type(error).__name__}"
        transcript().info({"model": model, "seeds": outcome, "because": why}, source=__package__)
        return outcome


async def _try_seeds(draw: Draw, seed: int, first: Drawn, second: Drawn | None) -> Found:
    found = {seed: [first], seeds_from(seed, 2)[1]: [] if second is None else [second]}

    async def add(seeds: Sequence[int]) -> None:
        for seed, one in zip(seeds, await collect(*map(draw, seeds)), strict=True):
            found.setdefault(seed, []).append(one)

    await add([seed for seed, given in found.items() for _ in range(DRAWS - len(given))])
    said = {one for given in found.values() for one in given}
    if len(said) == 1:
        more = seeds_from(max(found) + 1, MORE_SEEDS)
        await add(more)
        other = next((seed for seed in more if found[seed][0] not in said), None)
        if other is not None:  # what differs is repeated to be believed
            await add([other] * (DRAWS - 1))
    return seed_outcome(found.values())


def seed_outcome(draws: Iterable[Iterable[Drawn]]) -> Found:
    """What several draws of some seeds show; only draws of one prompt are compared.

    Returns:
        "not honoured" if one prompt with one seed gave different texts; "honoured" if none did, but
        one prompt with two seeds did; else "unknown".
    """
    said: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for seed, same in enumerate(draws):
        for text, prompt in same:
            said[prompt][seed].append(text)
    again = [texts for seeds in said.values() for texts in seeds.values()]
    many = f"{sum(map(len, again))} outputs"
    if any(len(set(texts)) > 1 for texts in again):
        return "not honoured", "one prompt with one seed gave different outputs"
    if max(map(len, again)) == 1:
        return "unknown", f"{many} of as many prompts: none was sent twice with one seed"
    if any(len({texts[0] for texts in seeds.values()}) > 1 for seeds in said.values()):
        return "honoured", f"{many} of one prompt differ by the seed alone"
    return "unknown", f"{many} with different seeds are one text"


MOST_CHOICES = 100
"""Replications that a request to a server makes at first; fewer once the server refuses so many."""

TRIED = 4
"""Choices of a request, compared with equally many single requests."""

QUESTIONS = 3
"""Questions with which the choices are tried at most: some judges answer one always alike."""

_REFUSED = (400, 413, 422)
"""Statuses of a request that the server understood and does not take."""

_NAMES = {
    "seed": ("seed", "random_seed"),
    "num_choices": ("n", "num_choices", "candidate_count"),
    "temperature": ("temperature",),
    "top_k": ("top_k",),
    "top_p": ("top_p",),
    "max_tokens": (
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"),
        *("max_gen_len", "num_predict"),
    ),
    "top_logprobs": ("top_logprobs",),
}
"""Option -> its name in requests, ignoring capitals and underscores."""


class Provider:
    """How to make the requests of a run to one model.

    Attributes:
        extra: Options added to each, unless the server takes no request with them.
        most_choices: The most replications that one request may make as its choices.
        choices: Whether choice i of seed s is the draw of seed s + i; None if not tried.
        takes_schemas: Whether requests may have a schema of the answer, as far as known.
    """

    def __init__(self, model: Model, extra: GenerateConfig | None = None) -> None:
        self.model = model
        self.extra = (extra or GenerateConfig()).merge(_top_k_in_body(model))
        self.choices: Outcome | None = None
        self.takes_schemas = getattr(model.api, "takes_schemas", True)
        self._settled = self.extra == GenerateConfig()  # if the server is known to take it
        self._tried = 0
        # No call is made for a provider that declares its choices, or for a mock, whose outputs
        # may run out.
        declared = getattr(model.api, "choices_follow_seeds", None)
        self._open = declared is None and not str(model).startswith("mockllm/")
        self.most_choices = maxsize if declared else 1

    async def make(self, prompt: str, config: GenerateConfig, **options: Any) -> ModelOutput:
        """Make a request with these options, and others of `generate`.

        A schema of the answer is left out where the provider or its server takes none.

        Raises:
            NoChoicesError: The answer has no choices.
        """
        if config.response_schema and not self.takes_schemas:
            config = config.model_copy(update={"response_schema": None})
        extra = self.extra
        try:
            output = await self.model.generate(prompt, config=extra.merge(config), **options)
        except Exception as error:
            if is_refused(error) and config.response_schema:
                plain = config.model_copy(update={"response_schema": None})
                output = await self.make(prompt, plain, **options)
                self.takes_schemas = False
                return output
            if not is_refused(error) or (self._settled and extra is self.extra):
                raise
            # What else may be wrong with the request is wrong without the additions, too.
            output = await self.model.generate(prompt, config=config, **options)
            self.extra = GenerateConfig()
        self._settled = True
        if output.empty:
            raise NoChoicesError(output.error or f"no choices in {self.model}'s answer. Run again")
        return output

    @property
    def is_open(self) -> bool:
        """Whether its choices can still be tried."""
        return self._open and self.choices in (None, "unknown") and self._tried < QUESTIONS

    async def try_choices(self, prompt: str, seed: int) -> None:
        """Find out whether the choices of one request are the draws of as many seeds."""
        self._tried += 1
        start = min(seed, SEED_LIMIT - TRIED)

        async def texts(seed: int, choices: int | None = None) -> list[str]:
            config = GenerateConfig(seed=seed, num_choices=choices)
            output = await self.make(prompt, config, cache=False)
            return [choice.message.text for choice in output.choices]

        try:
            apart = await collect(*(texts(start + place) for place in range(TRIED)))
            draws = [text for one in apart for text in one]
            self.choices, why = compared(await texts(start, TRIED), draws)
        except LimitExceededError:
            raise
        except Exception as error:  # each provider has its own
            said = str(getattr(error, "provider_message", None) or error)
            self.choices, why = "not honoured", " ".join(said.split())[:200]
        self.most_choices = MOST_CHOICES if self.choices == "honoured" else 1
        transcript().info(
            {"model": str(self.model), "seeds of choices": self.choices, "because": why},
            source=__package__,
        )


def response_schema(schema: Mapping[str, Any] | None) -> ResponseSchema | None:
    """A JSON schema as inspect sends it."""
    if schema is None:
        return None
    return ResponseSchema(name="verdict", json_schema=JSONSchema(**schema), strict=True)


class Providers:
    """What a run finds out about the providers of its models.

    The first question with several replications of one prompt shows whether they can share a
    request, while the others wait.
    """

    def __init__(self, extra: GenerateConfig | None = None) -> None:
        self._extra = extra
        self._found: dict[str, Provider] = {}
        self.seeds = SeedCheck()

    async def of(self, model: Model, prompt: str, seed: int, several: bool) -> Provider:
        """How to make the requests of a question, `several` of one prompt."""
        if (found := self._found.get(str(model))) is None:
            found = self._found[str(model)] = Provider(model, self._extra)
            if found.is_open:
                reachable_model(model)
        if several and found.is_open:
            # Inspect does not count this waiting as working time, as it would that for a lock.
            async with concurrency(f"provider check {id(self)}", 1, visible=False):
                if found.is_open:
                    async with span("provider check"):
                        await found.try_choices(prompt, seed)
        return found


def compared(choices: Sequence[str], draws: Sequence[str]) -> Found:
    """What the choices of seed s and the draws of seeds s, s + 1, ... show."""
    if len(choices) != len(draws):
        return "not honoured", f"{len(choices)} for {len(draws)}"
    if list(choices) != list(draws):
        if len(set(choices)) == 1:
            return "not honoured", "all choices are one draw"
        return "not honoured", "choices differ from the draws of seeds s, s + 1, ..."
    if len(set(draws)) == 1:
        return "unknown", f"all {len(draws)} seeds gave one text"
    return "honoured", "as with seeds s, s + 1, ..."


class NoChoicesError(ValueError):
    """An answer from which nothing can be read, as that to a request that a server refused."""

    status_code = _REFUSED[-1]


def is_refused(error: Exception) -> bool:
    """Whether a server understood a request and does not take it."""
    return getattr(error, "status_code", None) in _REFUSED


def _top_k_in_body(model: Model) -> GenerateConfig:
    """The run's `top_k`, where inspect's provider, one of the openai package, leaves it out."""
    config = model.config.merge(active_generate_config())
    client = type(getattr(model.api, "client", None)).__module__
    if config.top_k is None or client.partition(".")[0] != "openai":
        return GenerateConfig()
    return GenerateConfig(extra_body={"top_k": config.top_k, **(config.extra_body or {})})


def options_sent(call: ModelEvent) -> dict[str, bool]:
    """Option -> whether a call sent it; empty where inspect recorded no request."""
    keys = set(_keys(call.call.request)) if call.call else set()
    return {
        option: not keys.isdisjoint(name.replace("_", "") for name in names)
        for option, names in _NAMES.items()
        if keys
    }


def options_not_sent() -> list[str]:
    """Options that the sample's first call sets and its request lacks."""
    events = transcript().events
    calls = (one for one in events if isinstance(one, ModelEvent) and one.call and not one.error)
    if (call := next(calls, None)) is None:
        return []
    sent = options_sent(call)
    return [name for name in sent if getattr(call.config, name) is not None and not sent[name]]


def _keys(request: object) -> Iterator[str]:
    if isinstance(request, Mapping):
        for name, value in request.items():
            if value is not None:
                yield str(name).replace("_", "").lower()
                if name != "messages":
                    yield from _keys(value)
