"""Whether a model honours seeds: tried once per run, not taken on trust."""

import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from inspect_ai.log import transcript
from inspect_ai.util import collect, span

from ..record.replications import seeds_from

logger = logging.getLogger(__name__)

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
