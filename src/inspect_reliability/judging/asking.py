"""What a judge is asked about an item: its prompt, order and seed in each cell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import product
from typing import Any

from ..designs import Change, Item, JudgeDesign, answers_in, with_answer
from ..record.cells import Answer
from ..record.seeds import replication_seed
from ..verdicts import GIVEN
from .order import OrderPolicy, Orders, number_of_orders, option_order, orders_of
from .replicate import Replication

OTHER = "other"
"""Metadata key of the answers to another question, by name."""


@dataclass(frozen=True)
class Asking:
    """How a judge is asked.

    Attributes:
        design: Its own wording.
        worded: All wordings by name; empty if there is only one.
        order: How the order of the options is found.
        seed: Base seed of orders and replications.
        orders: Orders of an experiment; None if it varies none.
        changes: Changes of an answer.
    """

    design: JudgeDesign
    worded: Mapping[str, JudgeDesign]
    order: OrderPolicy
    seed: int
    orders: Orders | None
    changes: Sequence[Change] = ()

    @cached_property
    def several(self) -> int:
        """Number of orders in which each item is shown."""
        return number_of_orders(self.orders, len(self.design.reader.options), self.order)

    def of(self, item: Item, numbers: range) -> "Asked":
        """The replications of an item, cell after cell."""
        asked = Asked(self, item, numbers)
        asked.add(item)
        return asked


class Asked:
    """What a judge is asked about one item, with changes of its answers added later.

    Attributes:
        replications: Cell after cell.
    """

    def __init__(self, asking: Asking, item: Item, numbers: range) -> None:
        self._asking, self._item, self._numbers = asking, item, numbers
        self.replications: list[Replication] = []
        self._answers = [Answer(GIVEN)]
        self._seen: list[tuple[str, ...]] = []

    def add(self, item: Item, change: str = "") -> None:
        """Add the cells that show the item, with an answer changed or as it is."""
        asking, own = self._asking, self._item
        names = list(item.responses)
        held = [None] if asking.orders is None else self._orders(names)
        shown: dict[tuple[tuple[str, ...], str | None], str] = {}
        for (fixed, wording), number in product(
            product(held, asking.worded or [None]), self._numbers
        ):
            one = fixed or option_order(names, asking.order, asking.seed, own.id, number)
            self._seen.append(one)
            if (one, wording) not in shown:
                design = asking.worded.get(wording or "", asking.design)
                shown[one, wording] = design.ask(item, one, own)
            # The judge's own wording has the seeds that it has by itself.
            key = [own.id, *(fixed or ()), *([] if wording in (None, GIVEN) else [wording])]
            key += [f"answer {change}"] if change else []
            seed = replication_seed(asking.seed, "|".join(map(str, key)), number)
            self.replications.append(Replication(shown[one, wording], seed, asking.design.reader))

    def change(self, said: str | None, others: Mapping[str, str]) -> None:
        """Add a changed answer for each change that applies to one.

        Where the judge chooses, it is one that the first verdict did not choose, or the one that it
        chose if the change spoils it.

        Args:
            said: The first output; None if there is none, or before it is known.
            others: Answers to another question, by name.
        """
        chosen = self._chosen(said) if self._chooses and said is not None else None
        for change in self._asking.changes:
            for name, text in self._candidates(change, chosen, others):
                place = self._first_order.index(name) if self._chooses else None
                self._answers.append(Answer(change.name, change.kind == "sensitivity", place))
                field = self._asking.design.answer
                self.add(with_answer(self._item, name, text, field), change.name)
                break

    @property
    def kept(self) -> dict[str, Any]:
        """What the sample keeps of the replications."""
        asking, each = self._asking, len(self._numbers)
        kept: dict[str, Any] = {}
        places = [[self._first_order.index(name) for name in one] for one in self._seen]
        if self._chooses:
            kept["order"] = list(self._first_order)
            if asking.orders is None and len(set(self._seen)) > 1:
                kept["orders"] = places
        seeds = [one.seed for one in self.replications[::each]]
        if len(seeds) > 1 or asking.changes:
            of_given = places[: len(places) // len(self._answers)]
            kept["cells"] = {
                "seeds": seeds,
                "orders": of_given[:: each * max(1, len(asking.worded))] if asking.orders else [],
                "wordings": list(asking.worded),
                "answers": [*map(asdict, self._answers)] if asking.changes else [],
            }
        return kept

    @property
    def _chooses(self) -> bool:
        return self._asking.design.reader.kind == "options"

    @property
    def _first_order(self) -> tuple[str, ...]:
        return self._seen[0]

    def _orders(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        asking = self._asking
        return orders_of(names, asking.several, asking.order, asking.seed)

    def _chosen(self, said: str) -> str | None:
        reader = self._asking.design.reader
        named = dict(zip(reader.options, self._first_order, strict=True))
        return named.get(reader.read(said).verdict)

    def _candidates(
        self, change: Change, chosen: str | None, others: Mapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        """The answers to which a change applies, in the form that it gives them."""
        answers = answers_in(self._item, self._asking.design.answer)
        if self._chooses:
            spoils = change.kind == "sensitivity"
            answers = {name: text for name, text in answers.items() if (name == chosen) == spoils}
        for name in sorted(answers, key=lambda name: _drawn(self._item.id, change.name, name)):
            if (text := change.of(answers[name], self._item, others.get(name))) is not None:
                yield name, text


def _drawn(*key: str) -> str:
    """What stands for a draw by these names."""
    return blake2b("|".join(key).encode(), digest_size=8).hexdigest()


def answers_to_another(items: Sequence[Item], field: str | None = None) -> list[dict[str, str]]:
    """For each item the answers to another one: by the same responder, or else any."""
    found: list[dict[str, str]] = []
    for place, item in enumerate(items):
        own, other = answers_in(item, field), _another(items, place)
        given = answers_in(other, field) if other else {}
        first = given[min(given)] if given else ""
        found.append({name: given.get(name, first) for name in own if given})
    return found


def _another(items: Sequence[Item], place: int) -> Item | None:
    """Another question, by a hash; None if there is none."""
    start = place + 1 + int(_drawn(items[place].id), 16) % max(1, len(items) - 1)
    turned = (items[(start + n) % len(items)] for n in range(len(items)))
    return next((one for one in turned if one.id != items[place].id), None)
