"""The cells of an experiment: a question in several orders of its options, and several wordings."""

import random
from collections.abc import Mapping, Sequence
from itertools import product
from math import factorial
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from ..errors import UserError
from .order import OrderPolicy
from .seeds import SEED_LIMIT

Orders = int | Literal["all", "rotations"]

MOST_ORDERS = 120
"""Number of orders of five options."""

_Seed = Annotated[int, Field(strict=True, ge=0, lt=SEED_LIMIT)]


class Cell(NamedTuple):
    """A level of each facet (None if not varied) and a seed (None if not known)."""

    order: Sequence[int] | None
    wording: str | None
    seed: int | None


@dataclass(frozen=True)
class Cells:
    """The cells of one question: each order in each wording; wordings of an order are neighbours.

    Attributes:
        seeds: Seed of the first replication of each cell; later replications count up from it.
        orders: Places of the responses, in the order of the labels; empty if not varied.
        wordings: Names of the wordings; empty if not varied.
    """

    seeds: Annotated[list[_Seed], Field(min_length=1, max_length=100_000)]
    orders: Annotated[list[list[int]], Field(default_factory=list)]
    wordings: Annotated[list[str], Field(default_factory=list)]

    @model_validator(mode="after")
    def _is_whole(self) -> "Cells":
        crossed = max(1, len(self.orders)) * max(1, len(self.wordings))
        shown = {tuple(sorted(order)) for order in self.orders}
        if len(self.seeds) != crossed or shown - {tuple(range(len(one))) for one in shown}:
            raise ValueError("one seed for each order in each wording")
        if len(shown) > 1:
            raise ValueError("orders must show the same responses")
        return self

    @property
    def each(self) -> list[Cell]:
        """All cells in order."""
        orders: Sequence[Sequence[int] | None] = self.orders or [None]
        wordings: Sequence[str | None] = self.wordings or [None]
        levels = product(orders, wordings)
        return [Cell(*one, seed) for one, seed in zip(levels, self.seeds, strict=True)]

    def split(self, place: int, replications: int) -> tuple[int, int]:
        """The cell of a replication and its place there, from its place among all."""
        return divmod(place, max(1, replications // len(self.seeds)))


def cells_in(metadata: Mapping[str, Any]) -> Cells | None:
    """The cells in the metadata of a sample or score; None if it is no experiment.

    Raises:
        ValueError: They cannot be read.
    """
    if (kept := metadata.get("cells")) is None:
        return None
    if not isinstance(kept, Mapping):  # a summary leaves out what is long
        raise ValueError("cells that cannot be read")
    return Cells(**kept)


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
