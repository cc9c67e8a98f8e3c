"""What a provider does with the options of a judge: the check of a run, without a run."""

from collections.abc import Awaitable
from contextlib import suppress
from typing import Literal, NamedTuple

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput

from .provider_check import TRIED
from .requests import Requests, leaves_out_top_k, options_sent, why_refused
from .trials import Drawn, Found, try_choices, try_seeds

PROMPT = "Write a sentence of random words."

_SEED = 1001
_SETTINGS = GenerateConfig(temperature=1.0, max_tokens=16, max_retries=2)
_ALL = _SETTINGS.merge(
    GenerateConfig(seed=1, num_choices=2, top_k=40, top_p=0.9, logprobs=True, top_logprobs=3)
)


class Finding(NamedTuple):
    """What a provider does with an option.

    Attributes:
        option: Its name in inspect's `GenerateConfig`.
        sent: Whether the request had it; None if inspect's provider records no request.
        outcome: Whether the answers show it; "refused" if no call with it came back, None if it was
            not tried.
        because: The observation behind the outcome.
    """

    option: str
    sent: bool | None
    outcome: Literal["honoured", "not honoured", "unknown", "refused"] | None = None
    because: str = ""


async def probe(model: Model) -> list[Finding]:
    """Look which options reach a model, and try those that a run depends on.

    Raises:
        Exception: The provider's error, if even a plain request fails.
    """
    plain = Requests(_SETTINGS).making(model, PROMPT, cache=False)

    async def draw(seed: int) -> Drawn:
        return Drawn((await plain(GenerateConfig(seed=seed))).completion)

    first = await draw(_SEED)  # or the provider's error
    start = len(transcript().events)
    with suppress(Exception):  # a server that refuses the request got it all the same
        await model.generate(PROMPT, config=_ALL, cache=False)
    calls = [event for event in transcript().events[start:] if isinstance(event, ModelEvent)]
    sent = options_sent(calls[-1]) if calls else {}
    tried = {
        "seed": try_seeds(draw, {_SEED: first, _SEED + 1: None}),
        "seeds of choices": try_choices(plain, _SEED, TRIED),
        "top_logprobs": _returned(
            plain(GenerateConfig(seed=1, logprobs=True, top_logprobs=_ALL.top_logprobs))
        ),
    }
    if leaves_out_top_k(model):
        top_k = GenerateConfig(seed=1, extra_body={"top_k": _ALL.top_k})
        tried["top_k in extra_body"] = _taken(plain(top_k))
    findings = {name: Finding(name, sent.get(name)) for name in (*tried, *sent)}
    for name, trial in tried.items():
        try:
            outcome, because = await trial
            findings[name] = Finding(name, sent.get(name), outcome, because)
        except Exception as error:  # each provider has its own
            findings[name] = Finding(name, sent.get(name), "refused", why_refused(error))
    return list(findings.values())


async def _taken(call: Awaitable[ModelOutput]) -> Found:
    await call
    return "unknown", "the server takes it"


async def _returned(call: Awaitable[ModelOutput]) -> Found:
    first = (await call).choices[0]
    tokens = first.logprobs.content if first.logprobs else []
    most = max((len(token.top_logprobs or []) for token in tokens), default=0)
    return ("honoured" if most == 3 else "not honoured"), f"{most} for 3"
