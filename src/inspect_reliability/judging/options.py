"""The sampling options that inspect's provider sends."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model

_NAMES: Mapping[str, Sequence[str]] = {
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


async def recorded_call(
    model: Model, prompt: str | list[ChatMessage], config: GenerateConfig
) -> ModelEvent | None:
    """Make a call, whether it succeeds or not, and return inspect's record of it.

    Inspect records the requests of a sample's first calls only: make this one before any other.
    """
    start = len(transcript().events)
    with suppress(Exception):  # a server that refuses the request got it all the same
        await model.generate(prompt, config=config, cache=False)
    calls = [event for event in transcript().events[start:] if isinstance(event, ModelEvent)]
    return calls[-1] if calls else None


def options_sent(call: ModelEvent | None) -> dict[str, bool | None]:
    """Option -> whether a call sent it; None where inspect recorded no request."""
    if call is None or call.call is None:
        return dict.fromkeys(_NAMES)
    keys = set(_keys(call.call.request))
    return {
        option: not keys.isdisjoint(name.replace("_", "") for name in names)
        for option, names in _NAMES.items()
    }


def options_not_sent(call: ModelEvent) -> list[str]:
    """Options that a call's configuration sets and its request omits."""
    asked = [name for name in _NAMES if getattr(call.config, name) is not None]
    sent = options_sent(call)
    return [name for name in asked if sent[name] is False]


def why_refused(error: Exception) -> str:
    """The server's message, without the request that inspect puts before it."""
    return " ".join(str(getattr(error, "provider_message", None) or error).split())[:200]


def _keys(request: object) -> Iterator[str]:
    if isinstance(request, Mapping):
        for name, value in request.items():
            if value is not None:
                yield str(name).replace("_", "").lower()
                if name != "messages":
                    yield from _keys(value)
