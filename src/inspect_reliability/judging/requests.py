"""Requests of a run: the options added to them, and those that do not arrive."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput

# What a run sets is merged within `generate`, and public nowhere.
from inspect_ai.model._generate_config import active_generate_config

from .trials import Make, Outcome, Prompt

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


@dataclass
class Requests:
    """How to make the requests of a run to one model.

    Attributes:
        extra: Options added to each, unless the server takes no request with them.
        most_choices: The most replications that one request may make as its choices.
        choices: Whether choice i of seed s is the draw of seed s + i; None if not tried.
        questions: Questions with which this was tried.
        settled: Whether it is known if the server takes what is added.
    """

    extra: GenerateConfig = field(default_factory=GenerateConfig)
    most_choices: int = 1
    choices: Outcome | None = None
    questions: int = 0
    settled: bool = field(init=False)

    def __post_init__(self) -> None:
        self.settled = self.extra == GenerateConfig()

    def making(self, model: Model, prompt: Prompt, **options: Any) -> Make:
        """Makes requests of a prompt; options are those of `generate`."""

        async def make(config: GenerateConfig) -> ModelOutput:
            extra = self.extra
            try:
                output = await model.generate(prompt, config=extra.merge(config), **options)
            except Exception as error:
                if not is_refused(error) or (self.settled and extra is self.extra):
                    raise
                # What else may be wrong with the request is wrong without the additions, too.
                output = await model.generate(prompt, config=config, **options)
                self.extra = GenerateConfig()
            self.settled = True
            return output

        return make


def is_refused(error: Exception) -> bool:
    """Whether a server understood a request and does not take it."""
    return getattr(error, "status_code", None) in _REFUSED


def why_refused(error: Exception) -> str:
    """The server's message, without the request that inspect puts before it."""
    return " ".join(str(getattr(error, "provider_message", None) or error).split())[:200]


def leaves_out_top_k(model: Model) -> bool:
    """Whether inspect's provider is one of the openai package."""
    client = type(getattr(model.api, "client", None)).__module__
    return client.partition(".")[0] == "openai"


def top_k_in_body(model: Model) -> GenerateConfig:
    """The run's `top_k`, where inspect's provider leaves it out."""
    config = model.config.merge(active_generate_config())
    if config.top_k is None or not leaves_out_top_k(model):
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
