"""What a provider does with an option: tried, not taken on trust."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
from inspect_ai.util import collect

from ..record.seeds import SEED_LIMIT, seeds_from

Prompt = str | list[ChatMessage]
Make = Callable[[GenerateConfig], Awaitable[ModelOutput]]
"""Makes a request with these options."""

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


class Drawn(NamedTuple):
    """The result of a seed, and what was asked, because a scorer may shuffle its prompt."""

    text: str
    prompt: str = ""


Draw = Callable[[int], Awaitable[Drawn]]


async def try_seeds(draw: Draw, drawn: Mapping[int, Drawn | None]) -> Found:
    """Repeat a replication with its seed and with another; `drawn` has both earlier results."""
    found = {seed: [] if one is None else [one] for seed, one in drawn.items()}
    await _fill_up(found, draw)
    alike = len({one.prompt for given in found.values() for one in given}) == 1
    if alike and seed_outcome(found.values())[0] == "unknown":
        await _look_further(found, draw)
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


async def _fill_up(found: dict[int, list[Drawn]], draw: Draw) -> None:
    wanted = [seed for seed, given in found.items() for _ in range(DRAWS - len(given))]
    for seed, one in zip(wanted, await collect(*map(draw, wanted)), strict=True):
        found[seed].append(one)


async def _look_further(found: dict[int, list[Drawn]], draw: Draw) -> None:
    """Use other seeds once each; the first that gives another text as often as the first two."""
    more = seeds_from(max(found) + 1, MORE_SEEDS)
    said = {one.text for given in found.values() for one in given}
    new = dict(zip(more, await collect(*map(draw, more)), strict=True))
    other = next((seed for seed, one in new.items() if one.text not in said), None)
    if other is None:
        found |= {seed: [one] for seed, one in new.items()}
    else:
        found[other] = [new[other]]
        await _fill_up({other: found[other]}, draw)


async def try_choices(make: Make, seed: int, number: int) -> Found:
    """Whether the choices of one request are the draws of as many seeds."""
    start = min(seed, SEED_LIMIT - number)

    async def texts(seed: int, choices: int | None = None) -> list[str]:
        output = await make(GenerateConfig(seed=seed, num_choices=choices))
        return [choice.message.text for choice in output.choices]

    apart = await collect(*(texts(start + place) for place in range(number)))
    return compared(await texts(start, number), [text for one in apart for text in one])


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
