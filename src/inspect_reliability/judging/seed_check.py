"""Does the provider honour seeds? Tested, not believed."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Literal

from inspect_ai.log import transcript
from inspect_ai.util import collect, span

logger = logging.getLogger(__name__)

SeedOutcome = Literal["honoured", "not honoured", "unknown"]

DRAWS = 3
"""How often each of two seeds is used. A provider that ignores seeds gives equal texts within both
and different texts between them with probability 1/32 at most (two texts, equally likely), and
hardly ever where texts are longer than a letter."""

MORE_SEEDS = 8
"""Further seeds, used once each where two gave one text: of a judge that says one of two things,
such as C or I, two seeds agree half of the time."""

MOST_CALLS = 2 * DRAWS - 1 + MORE_SEEDS + DRAWS - 1
"""Calls of the check of one model, at most."""


class SeedCheck:
    """The check of one run: each model is checked once, with one replication.

    Inspect begins samples in the order of the dataset, and finishes them in any. The check is
    therefore claimed when a replication begins: it falls to the first epoch of the first question.
    """

    def __init__(self) -> None:
        self._models: set[str] = set()

    def claim(self, model: str) -> bool:
        """Whether nobody has claimed the check of a model yet; asking claims it."""
        first = model not in self._models
        self._models.add(model)
        return first

    def release(self, model: str) -> None:
        """Leave the check to another replication."""
        self._models.discard(model)

    async def run(
        self, model: str, draw: Callable[[int], Awaitable[str]], drawn: Mapping[int, str | None]
    ) -> SeedOutcome:
        """Repeat a replication with its seed and with another one; log what comes of it.

        `drawn` are two seeds, each with the output it already gave, if any.

        Returns:
            What `seed_outcome` says; "unknown" too where an output could not be drawn.
        """
        # A mock's outputs may be a list that runs out.
        if model.startswith("mockllm/"):
            return log_outcome(model, "unknown", "the model is a mock")
        texts = {seed: [] if text is None else [text] for seed, text in drawn.items()}
        try:
            async with span("seed check"):
                await _fill_up(texts, draw)
                if seed_outcome(texts.values()) == "unknown":
                    await _look_further(texts, draw)
        except Exception as error:  # a check must never end a run
            why = f"an output could not be drawn: {error or type(error).__name__}"
            return log_outcome(model, "unknown", why)
        outcome = seed_outcome(texts.values())
        used = " and ".join(str(seed) for seed, given in texts.items() if len(given) == DRAWS)
        once = sum(len(given) == 1 for given in texts.values())
        log_outcome(
            model,
            outcome,
            f"{DRAWS} outputs each of seeds {used}{f', one each of {once} more' if once else ''}",
        )
        if outcome == "not honoured":
            logger.warning(
                "%s does not honour seeds: the same prompt with the same seed gave different "
                "outputs. Its replications are draws of the judge all the same, but none of them "
                "can be repeated.",
                model,
            )
        if outcome == "unknown":
            logger.warning(
                "%s gave the same output for %d seeds: at temperature 0 it must, at any other "
                "the temperature may not have reached it. If all replications are alike, agreement "
                "is no evidence of reliability.",
                model,
                len(texts),
            )
        return outcome


async def _fill_up(texts: dict[int, list[str]], draw: Callable[[int], Awaitable[str]]) -> None:
    wanted = [seed for seed, given in texts.items() for _ in range(DRAWS - len(given))]
    for seed, text in zip(wanted, await collect(*map(draw, wanted)), strict=True):
        texts[seed].append(text)


async def _look_further(texts: dict[int, list[str]], draw: Callable[[int], Awaitable[str]]) -> None:
    """Use other seeds once each, and the first that gives another text as often as the two."""
    more = [(max(texts) + k) % 2**31 for k in range(1, MORE_SEEDS + 1)]
    said = {text for given in texts.values() for text in given}
    new = dict(zip(more, await collect(*map(draw, more)), strict=True))
    other = next((seed for seed, text in new.items() if text not in said), None)
    if other is None:
        texts |= {seed: [text] for seed, text in new.items()}
        return
    texts[other] = [new[other]]
    await _fill_up({other: texts[other]}, draw)


def log_outcome(model: str, outcome: SeedOutcome, why: str) -> SeedOutcome:
    """Log what is known of a model's seeds, and return it."""
    transcript().info({"model": model, "seeds": outcome, "because": why}, source=__package__)
    return outcome


def seed_outcome(texts: Iterable[Iterable[str]]) -> SeedOutcome:
    """What the outputs of two seeds, several of each, tell.

    Returns:
        "not honoured" where outputs of one seed differ; "honoured" where they do not, but those of
        the two seeds do; "unknown" where all are equal, since a judge that never varies shows
        nothing.
    """
    distinct = [set(same) for same in texts]
    if any(len(same) > 1 for same in distinct):
        return "not honoured"
    return "honoured" if len(set.union(*distinct)) > 1 else "unknown"
