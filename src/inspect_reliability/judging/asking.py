"""What a judge is asked about an item: its prompt, order and seed in each cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from ..designs import Item, JudgeDesign, Reader
from ..record.seeds import replication_seed
from ..verdicts import GIVEN
from .order import OrderPolicy, Orders, number_of_orders, option_order, orders_of
from .replicate import Replication


@dataclass(frozen=True)
class Asking:
    """How a judge is asked.

    Attributes:
        design: Its own wording.
        worded: All wordings by name; empty if there is only one.
        order: How the order of the options is found.
        seed: Base seed of orders and replications.
        orders: Orders of an experiment; None if it varies none.
    """

    design: JudgeDesign
    worded: Mapping[str, JudgeDesign]
    order: OrderPolicy
    seed: int
    orders: Orders | None

    @cached_property
    def several(self) -> int:
        """Number of orders in which each item is shown."""
        return number_of_orders(self.orders, len(self.design.reader.options), self.order)

    @cached_property
    def readers(self) -> Mapping[str, Reader]:
        """The reader of each wording, which may show other labels."""
        own = self.design.reader
        return {name: own.showing(one.reader.options) for name, one in self.worded.items()}

    def of(self, item: Item, numbers: range) -> tuple[list[Replication], dict[str, Any]]:
        """The replications of an item, cell after cell, and what its sample keeps of them."""
        names = list(item.responses)
        held = (
            [None] if self.orders is None else orders_of(names, self.several, self.order, self.seed)
        )
        cells = list(product(held, self.worded or [None]))
        shown: dict[tuple[tuple[str, ...], str | None], str] = {}
        asked: list[Replication] = []
        seen: list[tuple[str, ...]] = []
        for (fixed, wording), number in product(cells, numbers):
            one = fixed or option_order(names, self.order, self.seed, item.id, number)
            seen.append(one)
            if (one, wording) not in shown:
                shown[one, wording] = self.worded.get(wording or "", self.design).ask(item, one)
            # The judge's own wording has the seeds that it has by itself.
            key = [item.id, *(fixed or ()), *([] if wording in (None, GIVEN) else [wording])]
            own = replication_seed(self.seed, "|".join(map(str, key)), number)
            reader = self.readers.get(wording or "", self.design.reader)
            asked.append(Replication(shown[one, wording], own, reader))
        seeds = [one.seed for one in asked[:: len(numbers)]]
        return asked, self._kept(seen, seeds, len(numbers))

    def _kept(
        self, seen: Sequence[tuple[str, ...]], seeds: Sequence[int], each: int
    ) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        places = [[seen[0].index(name) for name in one] for one in seen]
        if self.design.reader.kind == "options":
            kept["order"] = list(seen[0])
            if self.orders is None and len(set(seen)) > 1:
                kept["orders"] = places
        if len(seeds) > 1:
            kept["cells"] = {
                "seeds": seeds,
                "orders": places[:: each * max(1, len(self.worded))] if self.orders else [],
                "wordings": list(self.worded),
            }
            kept["labels"] = {n: list(one.options) for n, one in self.readers.items() if one.names}
        return kept
