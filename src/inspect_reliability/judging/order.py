"""The order in which a judge sees the responses."""

import random
from collections.abc import Sequence
from math import factorial
from typing import Literal

from ..errors import UserError

OrderPolicy = Literal["shuffled", "reshuffled", "given"]
Orders = int | Literal["all", "rotations"]

MOST_ORDERS = 120
"""Number of orders of five options."""


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


def number_of_orders(orders: Orders | None, options: int, policy: OrderPolicy) -> int:
    """Number of orders in which an experiment shows these options; 1 if it does not vary them.

    Raises:
        UserError: There are no such orders.
    """
    if orders is None:
        return 1
    most = factorial(options)
    number = {"all": most, "rotations": options}.get(str(orders), orders)
    if not options:
        why = "this judge does not choose among options, so no order can vary. Leave out orders="
    elif policy == "reshuffled":
        why = "order=reshuffled holds no order over replications. Leave out one of them"
    elif not isinstance(number, int) or isinstance(number, bool) or number < 2:
        why = "expected for example -T orders=2, -T orders=rotations or -T orders=all"
    elif number > most:
        why = f"{options} options have {most} orders. Use -T orders=all"
    elif number > MOST_ORDERS:
        why = (
            f"each question would be shown {number:,} times; the most is {MOST_ORDERS}. Use -T "
            f"orders=rotations: in these {options} orders each option has every place once"
        )
    else:
        return number
    raise UserError(f"orders={orders}: {why}.")


def orders_of(
    responders: Sequence[str], number: int, policy: OrderPolicy, seed: int
) -> list[tuple[str, ...]]:
    """Different orders of some responders, the same permutations for every question.

    Rotations first, in which no responder keeps its place, then others drawn from the seed. The
    first is the source's order where the policy is "given", else drawn as well.
    """
    draw = random.Random(f"{seed}|orders")
    names, size = sorted(responders), len(responders)
    first = list(responders) if policy == "given" else draw.sample(names, size)
    turned = min(number, size)
    starts = (place * size // turned for place in range(turned))
    found = {(*first[start:], *first[:start]): None for start in starts}
    while len(found) < number:
        found[tuple(draw.sample(names, size))] = None
    return list(found)
