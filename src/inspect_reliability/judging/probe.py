"""What a provider does with the options of a request, found by trying."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from inspect_ai.model import GenerateConfig, Model, ModelOutput
from inspect_ai.util import collect

from .bounds import bound_answers
from .options import options_sent, recorded_call, why_refused
from .trials import Drawn, compared, try_seeds

PROMPT = "Write a sentence of random words."

SEEDS = range(1001, 1009)

VARIED = 4
"""Different texts among those of `SEEDS` from which a text that is always the same says something.
A provider that ignores an option gives equal texts for all seeds with a probability of at most
p**8, for the share p of the likeliest text, which is below .63 where four or more differ."""

TRIES = 4
"""Attempts at a call before its option counts as refused."""

_SETTINGS = GenerateConfig(temperature=1.0, max_tokens=16, max_retries=2)

_ALL = _SETTINGS.merge(
    GenerateConfig(seed=1, num_choices=2, top_k=40, top_p=0.9, logprobs=True, top_logprobs=3)
)

Outcome = Literal["honoured", "not honoured", "refused", "unknown"]


class Finding(NamedTuple):
    """What a provider does with an option.

    Attributes:
        option: Its name in inspect's `GenerateConfig`.
        sent: Whether the request had it; None if inspect's provider records no request.
        outcome: Whether the answers show it; "refused" if no call with it came back.
        because: The observation behind the outcome.
    """

    option: str
    sent: bool | None
    outcome: Outcome
    because: str


_Outputs = Sequence[ModelOutput]
_Found = tuple[Outcome, str] | None
_Outcome = Callable[[_Outputs, _Outputs], _Found]


async def probe(model: Model, tell: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """Try every option that matters to a judge, in about sixty short calls.

    Args:
        model: The model, as its provider serves it.
        tell: Called with the name of each trial.

    Raises:
        Exception: The provider's error, if even a plain request fails.
    """
    bound_answers(model)
    # It warms the server up as well: its first request may differ from its repeats.
    tell("a plain request")
    sent = options_sent(await recorded_call(model, PROMPT, _ALL))
    plain = await draws(model, SEEDS)

    async def draw(seed: int) -> Drawn:
        [one] = (await draws(model, [seed])).values()
        return Drawn(one.completion)

    findings = []
    for option in ("seed", *_TRIALS):
        tell(option)
        try:
            if option == "seed":
                first = {seed: Drawn(one.completion) for seed, one in [*plain.items()][:2]}
                found: _Found = await try_seeds(draw, first)
            else:
                settings, number, outcome = _TRIALS[option]
                outputs = await draws(model, SEEDS[:number], **settings)
                found = outcome(list(outputs.values()), list(plain.values()))
        except Exception as error:  # each provider has its own
            found = "refused", why_refused(error)
        if found:
            findings.append(Finding(option, sent.get(option), *found))
    return findings


def _choices(found: _Outputs, _: _Outputs) -> _Found:
    made = len(found[0].choices)
    outcome: Outcome = "honoured" if made == len(SEEDS) else "not honoured"
    return outcome, f"{made} choice{'' if made == 1 else 's'} for {len(SEEDS)}"


def _seeds_of_choices(found: _Outputs, plain: _Outputs) -> _Found:
    """Whether choice i of a request with seed s is the draw of seed s + i."""
    choices = [choice.message.text for choice in found[0].choices]
    if len(choices) != len(SEEDS):
        return None  # the row of num_choices says so
    outcome, because = compared(choices, [output.completion for output in plain])
    if outcome == "honoured" and (varied := _varied(plain)) < VARIED:
        return "unknown", f"only {varied} texts for {len(plain)} seeds"
    return outcome, because


def _greedy(found: _Outputs, plain: _Outputs) -> _Found:
    kinds, varied = _varied(found), _varied(plain)
    said = f"{kinds} text{'' if kinds == 1 else 's'} for {len(found)} seeds, {varied} without it"
    if varied < VARIED:
        return ("not honoured", said) if kinds > varied else ("unknown", said)
    # Near-ties can flip a provider's greedy text.
    return ("honoured" if kinds <= max(1, varied // VARIED) else "not honoured"), said


def _length(found: _Outputs, plain: _Outputs) -> _Found:
    longest, before = (max(map(_tokens, outputs)) for outputs in (found, plain))
    said = f"at most {longest} tokens, {before} without it"
    if longest > 2:
        return "not honoured", said
    return ("honoured" if before > 2 else "unknown"), said


def _logprobs(found: _Outputs, _: _Outputs) -> _Found:
    first = found[0].choices[0]
    tokens = first.logprobs.content if first.logprobs else []
    most = max((len(token.top_logprobs or []) for token in tokens), default=0)
    return ("honoured" if most == 3 else "not honoured"), f"{most} for 3"


_TRIALS: Mapping[str, tuple[dict[str, Any], int, _Outcome]] = {
    "num_choices": ({"num_choices": len(SEEDS)}, 1, _choices),
    "seeds of choices": ({"num_choices": len(SEEDS)}, 1, _seeds_of_choices),
    "temperature": ({"temperature": 0.0}, len(SEEDS), _greedy),
    "top_k": ({"top_k": 1}, len(SEEDS), _greedy),
    "top_k in extra_body": ({"extra_body": {"top_k": 1}}, len(SEEDS), _greedy),
    "top_p": ({"top_p": 1e-6}, len(SEEDS), _greedy),
    "max_tokens": ({"max_tokens": 2}, len(SEEDS), _length),
    "top_logprobs": ({"logprobs": True, "top_logprobs": 3}, 1, _logprobs),
}
"""Option -> settings that try it, with how many seeds, and what the outputs with and without them
show."""


async def draws(model: Model, seeds: Sequence[int], **settings: Any) -> dict[int, ModelOutput]:
    """The outputs of some seeds, except those that failed `TRIES` times.

    Raises:
        Exception: The provider's last error, if all failed.
    """

    async def draw(seed: int) -> ModelOutput | Exception:
        config = _SETTINGS.merge(GenerateConfig(seed=seed, **settings))
        for _ in range(TRIES):
            try:
                output = await model.generate(PROMPT, config=config, cache=False)
            except Exception as error:  # each provider has its own
                failed = error
            else:
                if output.choices and not output.error:
                    return output
                failed = RuntimeError(output.error or "The answer is empty.")
        return failed

    made = dict(zip(seeds, await collect(*map(draw, seeds)), strict=True))
    found = {seed: one for seed, one in made.items() if isinstance(one, ModelOutput)}
    if not found:
        raise next(one for one in made.values() if isinstance(one, Exception))
    return found


def _varied(outputs: _Outputs) -> int:
    return len({output.completion for output in outputs})


def _tokens(output: ModelOutput) -> int:
    usage = output.usage.output_tokens if output.usage else 0
    return usage or len(output.completion.split())
