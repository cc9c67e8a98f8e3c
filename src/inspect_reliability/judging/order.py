"""The order in which a judge sees the responses."""

import random
from collections.abc import Sequence
from typing import Literal

OrderPolicy = Literal["shuffled", "reshuffled", "given"]


def option_order(
    responders: Sequence[str], policy: OrderPolicy, seed: int, question: str, replication: int
) -> tuple[str, ...]:
    """The responders behind the options, in the order of the letters.

    "shuffled": drawn once per question from the seed and held over replications; "reshuffled":
    drawn anew for every replication; "given": the source's order.
    """
    if policy == "given":
        return tuple(responders)
    held = policy == "shuffled"
    # Sorted first, so that the order depends on who answered, not on how a file lists them.
    # A string seed is hashed with SHA-512 by `random`, the same on every machine.
    key = f"{seed}|{question}" if held else f"{seed}|{question}|{replication}"
    return tuple(random.Random(key).sample(sorted(responders), len(responders)))
