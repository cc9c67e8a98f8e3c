"""What a provider does with the options of a request: tried, not believed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput
from inspect_ai.util import collect

PROMPT = "Write a sentence of random words."

SEEDS = range(1001, 1009)

VARIED = 4
"""Different texts among those of `SEEDS` from which a text that is always the same says something.
A provider that ignores an option gives equal texts for all seeds with a probability of at most
p**8, for the share p of the likeliest text, which is below .63 where four or more differ."""

TRIES = 4
"""A call that fails is tried this often before its option counts as refused."""

_SETTINGS = GenerateConfig(temperature=1.0, max_tokens=16, max_retries=2)

_ALL = _SETTINGS.merge(
    GenerateConfig(seed=1, num_choices=2, top_k=40, top_p=0.9, logprobs=True, top_logprobs=3)
)

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
"""Option -> what requests call it, apart from capitals and underscores."""

Outcome = Literal["honoured", "not honoured", "refused", "unknown"]


class Finding(NamedTuple):
    """What a provider does with an option.

    Attributes:
        option: Its name, as in inspect's `GenerateConfig`.
        sent: Whether the request had it; None where inspect's provider records no request.
        outcome: Whether the answers show it; "refused" if no call with it came back.
        because: What was seen.
    """

    option: str
    sent: bool | None
    outcome: Outcome
    because: str


async def probe(model: Model) -> list[Finding]:
    """Try every option that matters to a judge, about sixty short calls in all.

    Args:
        model: The model, as its provider serves it.

    Raises:
        Exception: What the provider raises where it answers no plain request either.
    """
    # It warms the server up as well: its first request may differ from its repeats.
    sent = await options_sent(model, _ALL)
    plain = await draws(model, SEEDS)
    texts = {seed: output.completion for seed, output in plain.items()}
    varied = len(set(texts.values()))

    def seeds(again: Mapping[int, ModelOutput]) -> tuple[Outcome, str]:
        both = [seed for seed in again if seed in texts]
        same = sum(again[seed].completion == texts[seed] for seed in both)
        if same < len(both):
            return "not honoured", f"{len(both) - same} of {len(both)} seeds gave another text"
        if varied < VARIED:
            return "unknown", _TOO_FEW.format(varied, len(texts))
        return "honoured", f"{same} of {same} seeds gave their text again"

    def choices(found: Mapping[int, ModelOutput]) -> tuple[Outcome, str]:
        made = len(next(iter(found.values())).choices)
        outcome: Outcome = "honoured" if made == len(SEEDS) else "not honoured"
        return outcome, f"{made} choice{'' if made == 1 else 's'} for {len(SEEDS)}"

    def greedy(found: Mapping[int, ModelOutput]) -> tuple[Outcome, str]:
        kinds = len({output.completion for output in found.values()})
        said = (
            f"{kinds} text{'' if kinds == 1 else 's'} for {len(found)} seeds, {varied} without it"
        )
        if varied < VARIED:
            return ("not honoured", said) if kinds > varied else ("unknown", said)
        # Near-ties can flip a provider's greedy text.
        return ("honoured" if kinds <= max(1, varied // VARIED) else "not honoured"), said

    def length(found: Mapping[int, ModelOutput]) -> tuple[Outcome, str]:
        longest, before = (max(map(_length, some.values())) for some in (found, plain))
        said = f"at most {longest} tokens, {before} without it"
        if longest > 2:
            return "not honoured", said
        return ("honoured" if before > 2 else "unknown"), said

    def logprobs(found: Mapping[int, ModelOutput]) -> tuple[Outcome, str]:
        first = next(iter(found.values())).choices[0]
        tokens = first.logprobs.content if first.logprobs else []
        most = max((len(token.top_logprobs or []) for token in tokens), default=0)
        return ("honoured" if most == 3 else "not honoured"), f"{most} for 3"

    trials: list[tuple[str, dict[str, Any], range, _Judge]] = [
        ("seed", {}, SEEDS, seeds),
        ("num_choices", {"num_choices": len(SEEDS)}, SEEDS[:1], choices),
        ("temperature", {"temperature": 0.0}, SEEDS, greedy),
        ("top_k", {"top_k": 1}, SEEDS, greedy),
        ("top_k in extra_body", {"extra_body": {"top_k": 1}}, SEEDS, greedy),
        ("top_p", {"top_p": 0.001}, SEEDS, greedy),
        ("max_tokens", {"max_tokens": 2}, SEEDS, length),
        ("top_logprobs", {"logprobs": True, "top_logprobs": 3}, SEEDS[:1], logprobs),
    ]
    findings = []
    for option, settings, used, judge in trials:
        try:
            outcome, because = judge(found := await draws(model, used, **settings))
        except Exception as error:  # each provider has its own
            outcome, because = "refused", " ".join(str(error).split())[:200]
            found = {}
        findings.append(Finding(option, sent.get(option), outcome, because))
        if option == "num_choices" and outcome == "honoured":
            shown = [choice.message.text for choice in found[SEEDS[0]].choices]
            findings.append(_choices_follow(shown, list(texts.values())))
    return findings


_Judge = Callable[[Mapping[int, ModelOutput]], tuple[Outcome, str]]
_TOO_FEW = "only {} texts for {} seeds"


def _choices_follow(choices: Sequence[str], texts: Sequence[str]) -> Finding:
    """Whether choice i of a request with seed s is the draw of seed s + i."""
    outcome: Outcome = "not honoured"
    if list(choices) == list(texts):
        enough = len(set(texts)) >= VARIED
        outcome, because = (
            ("honoured", "as with seeds s, s + 1, ...") if enough else ("unknown", "")
        )
        because = because or _TOO_FEW.format(len(set(texts)), len(texts))
    elif len(set(choices)) == 1:
        because = "all choices are one draw"
    else:
        because = "choices differ from the draws of seeds s, s + 1, ..."
    return Finding("seeds of choices", None, outcome, because)


async def draws(model: Model, seeds: range, **settings: Any) -> dict[int, ModelOutput]:
    """The outputs of some seeds, without those that failed `TRIES` times.

    Raises:
        Exception: What the provider raised last, where all failed.
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


async def options_sent(model: Model, config: GenerateConfig) -> dict[str, bool | None]:
    """Which options of a request inspect's provider sends, by one call that has them all.

    Inspect records the requests of a model's first calls only: ask before any other call.

    Returns:
        Option -> whether it was sent; None where the provider records no request.
    """
    start = len(transcript().events)
    with suppress(Exception):  # a server that refuses the request got it all the same
        await model.generate(PROMPT, config=config, cache=False)
    calls = [event.call for event in transcript().events[start:] if isinstance(event, ModelEvent)]
    if not calls or calls[0] is None:
        return dict.fromkeys(_NAMES)
    keys = set(_keys(calls[0].request))
    return {
        option: not keys.isdisjoint(name.replace("_", "") for name in names)
        for option, names in _NAMES.items()
    }


def _keys(request: object) -> Iterator[str]:
    if isinstance(request, Mapping):
        for name, value in request.items():
            if value is not None:
                yield str(name).replace("_", "").lower()
                if name != "messages":
                    yield from _keys(value)


def _length(output: ModelOutput) -> int:
    usage = output.usage.output_tokens if output.usage else 0
    return usage or len(output.completion.split())
