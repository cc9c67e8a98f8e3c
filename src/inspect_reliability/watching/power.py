"""How soon would a change be found? Simulated from the checks so far, before the next one."""

from dataclasses import dataclass

import numpy as np

from ..stats.long import FloatArray, IntArray
from .bets import Unit, bets, rank_of_check, rank_of_draws

LOOKS = 10
"""Checks within which a change of a tenth of the questions is to be found."""

CHANGED = 0.1
"""Share of the questions that turn in the change that is looked for."""

STUDIES = 40
"""Simulated changes."""

_PARTS = 199
"""Random parts of a p-value: fewer than in a check, so that a change is found no sooner."""


@dataclass(frozen=True)
class Power:
    """How soon a change of a tenth of the questions would be found.

    Attributes:
        found: Share of simulated changes that are found within `LOOKS` checks.
        half: Checks until half of them are; None if that takes longer.
        most: Checks until nine in ten are; None if that takes longer.
    """

    found: float
    half: int | None
    most: int | None


def power(
    counts: IntArray, values: FloatArray, needed: float, unit: Unit, seed: int, times: int = 1
) -> Power:
    """Simulate changes right after these checks, T x Q x K.

    A tenth of the questions, at least one, turn: what each said most often it says most seldom, and
    so on. Later checks draw as these did.

    Args:
        counts: Draws of each kind at the checks so far.
        values: What a kind says, K x F.
        needed: What the bet must be worth to decide.
        unit: What is ranked.
        seed: Seed of the simulation.
        times: How many times as many questions of these kinds there would be.
    """
    if counts.shape[2] == 1:  # they can turn only to what has not been said yet
        counts = np.concatenate([counts, np.zeros_like(counts)], axis=2)
        values = np.eye(2)
    counts = np.tile(counts, (1, times, 1))
    generator = np.random.default_rng(seed)
    waits = np.sort([_wait(counts, values, needed, unit, generator) for _ in range(STUDIES)])
    half, most = (waits[int(np.ceil(share * STUDIES)) - 1] for share in (0.5, 0.9))
    known = [None if one > LOOKS else int(one) for one in (half, most)]
    return Power(float((waits <= LOOKS).mean()), *known)


def _wait(
    counts: IntArray,
    values: FloatArray,
    needed: float,
    unit: Unit,
    generator: np.random.Generator,
) -> int:
    """Checks until one simulated change is found; more than `LOOKS` if it is not."""
    checks, questions, kinds = counts.shape
    pool = counts.sum(axis=0)
    turned = generator.permutation(questions)[: max(1, round(CHANGED * questions))]
    places = np.tile(np.arange(kinds), (questions, 1))
    often = np.argsort(-pool[turned], axis=1, kind="stable")
    for q, kinds_of in zip(turned, often, strict=True):
        places[q, kinds_of] = kinds_of[::-1]
    size = np.median(counts.sum(axis=2), axis=0).round().astype(np.int64)
    # Half a draw of each kind more (Jeffreys): what was never said in so few draws may be said.
    shares = (pool + 0.5) / (pool + 0.5).sum(axis=1, keepdims=True)
    p = np.empty(0)
    for look in range(1, LOOKS + 1):
        if unit == "draw":
            drawn = generator.multinomial(size, shares)
        else:
            drawn = counts[generator.integers(checks)]
        today = np.take_along_axis(drawn, places, axis=1)
        pool = pool + today
        counts = np.concatenate([counts, today[None]])
        rank = (
            rank_of_draws(pool, today, values, generator, _PARTS)
            if unit == "draw"
            else rank_of_check(counts, values, generator)
        )
        p = np.append(p, rank)
        if bets(p)[-1] >= needed:
            return look
    return LOOKS + 1
