"""What a judge is asked about an item: its prompt, order and seed in each cell."""

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import product
from math import factorial
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from inspect_ai.dataset import Sample

from ..designs import Change, Item, JudgeDesign, answers_in, forms_of, with_answer
from ..errors import UserError
from ..record.replications import Answer, Grid, replication_seed
from ..verdicts import GIVEN

OrderPolicy = Literal["shuffled", "reshuffled", "given"]
Orders = int | Literal["all", "rotations"]

MOST_ORDERS = 120
"""Number of orders of five options."""

OTHER = "other"
"""Metadata key of the answers to another question, by name."""


class SeededPrompt(NamedTuple):
    """What one replication shows a judge, its seed, and the JSON schema that its answer shall have.

    Words of the prompt ask for JSON as well: not every provider takes a schema.
    """

    prompt: str
    seed: int
    schema: Mapping[str, Any] | None = None


def fingerprint(design: JudgeDesign, items: Iterable[Item]) -> str:
    """A digest that differs between studies with other prompts, verdicts or items."""
    shown = [
        design.prompt,
        design.verdict,
        sorted((asdict(one) for one in items), key=itemgetter("id")),
    ]
    shown += [design.named] if design.wordings else []
    shown += [design.answer_form] if design.answer_form else []
    text = json.dumps(shown, sort_keys=True, default=list)
    return blake2b(text.encode(), digest_size=4).hexdigest()


def judge_sample(
    item: Item, design: JudgeDesign, study: str = "", others: Mapping[str, str] | None = None
) -> Sample:
    """One item as a sample for `judge_responses`; `others` are answers to another question.

    The sample's target is the response known to be best, or else the accepted answers. `study` is
    the `fingerprint` of the design and of all items.
    """
    shown = asdict(item)
    return Sample(
        id=item.id,
        input=item.question,
        target=item.best or list(item.fields.get("targets", [])),
        metadata={
            "design": design.facts | {"study": study},
            "responses": shown.pop("responses"),
            "item": shown,
            **({OTHER: dict(others)} if others else {}),
        },
    )


def item_of(metadata: Mapping[str, Any]) -> Item:
    """The item that a sample's metadata describe."""
    return Item(**metadata["item"], responses=metadata["responses"])


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
        forms: Names of all forms of answer; empty if there is only one.
    """

    design: JudgeDesign
    worded: Mapping[str, JudgeDesign]
    order: OrderPolicy
    seed: int
    orders: Orders | None = None
    changes: Sequence[Change] = ()
    forms: Sequence[str] = ()

    @cached_property
    def designs(self) -> Mapping[tuple[str, str], JudgeDesign]:
        """The design of each wording and form."""
        return {
            (wording, form): design
            for wording, worded in (self.worded or {GIVEN: self.design}).items()
            for form, design in (
                forms_of(worded, [*self.forms[1:]]) if self.forms else {GIVEN: worded}
            ).items()
        }

    @cached_property
    def several(self) -> int:
        """Number of orders in which each item is shown."""
        return number_of_orders(self.orders, len(self.design.reader.options), self.order)


class AskedItem:
    """What a judge is asked about one item, with changes of its answers added later.

    Attributes:
        requests: Its replications, cell after cell.
    """

    def __init__(self, asking: Asking, item: Item, numbers: range) -> None:
        self._asking, self._item, self._numbers = asking, item, numbers
        self.requests: list[SeededPrompt] = []
        self._answers = [Answer(GIVEN)]
        self._orders: list[tuple[str, ...]] = []  # of each request
        self._chooses = asking.design.reader.kind == "options"
        self._add(item)

    def _add(self, item: Item, change: str = "") -> None:
        """Add the cells that show the item, with an answer changed or as it is."""
        asking, own = self._asking, self._item
        names = list(item.responses)
        held: Sequence[tuple[str, ...]] = [()]
        if asking.orders is not None:
            held = orders_of(names, asking.several, asking.order, asking.seed)
        for fixed, ((wording, form), design) in product(held, asking.designs.items()):
            # The judge's own wording and form have the seeds that they have by themselves.
            key = [own.id, *fixed, *([] if wording == GIVEN else [wording])]
            key += [] if form == GIVEN else [f"form {form}"]
            key += [f"answer {change}"] if change else []
            prompts: dict[tuple[str, ...], str] = {}
            for number in self._numbers:
                order = fixed or option_order(names, asking.order, asking.seed, own.id, number)
                if order not in prompts:
                    prompts[order] = design.ask(item, order, own)
                seed = replication_seed(asking.seed, "|".join(map(str, key)), number)
                self._orders.append(order)
                self.requests.append(SeededPrompt(prompts[order], seed, design.schema))

    def change(self, said: str | None, others: Mapping[str, str]) -> None:
        """Add a changed answer for each change that applies to one.

        Where the judge chooses, it is one that the first verdict did not choose, or the one that it
        chose if the change spoils it.

        Args:
            said: The first output; None if there is none, or before it is known.
            others: Answers to another question, by name.
        """
        asking, chosen, first = self._asking, None, self._orders[0]
        reader = asking.design.reader
        if self._chooses and said is not None:
            chosen = dict(zip(reader.options, first, strict=True)).get(reader.read(said).verdict)
        for change in asking.changes:
            for name, text in self._candidates(change, chosen, others):
                place = first.index(name) if self._chooses else None
                self._answers.append(Answer(change.name, change.kind == "sensitivity", place))
                self._add(with_answer(self._item, name, text, asking.design.answer), change.name)
                break

    @property
    def kept(self) -> dict[str, Any]:
        """What the sample keeps of the replications."""
        asking, each, first = self._asking, len(self._numbers), self._orders[0]
        kept: dict[str, Any] = {}
        places = [[first.index(name) for name in one] for one in self._orders]
        if self._chooses:
            kept["order"] = list(first)
            if asking.orders is None and len(set(self._orders)) > 1:
                kept["orders"] = places
        seeds = [one.seed for one in self.requests[::each]]
        if len(seeds) > 1 or asking.changes:
            of_given = places[: len(places) // len(self._answers)]
            shown = of_given[:: each * len(asking.designs)] if asking.orders else []
            answers = self._answers if asking.changes else []
            cells = Grid(seeds, shown, list(asking.worded), answers, list(asking.forms))
            kept["cells"] = asdict(cells)
        return kept

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


def changed_answers(
    changes: Sequence[Change], items: Sequence[Item], field: str | None = None
) -> dict[str, list[dict[str, str]]]:
    """For each change and item the answers to which it applies, by name, as it makes them.

    Raises:
        UserError: A change applies to none.
    """
    found: dict[str, list[dict[str, str]]] = {}
    others = answers_to_another(items, field)
    for change in changes:
        each = found[change.name] = []
        for item, other in zip(items, others, strict=True):
            given = answers_in(item, field)
            made = {name: change.of(text, item, other.get(name)) for name, text in given.items()}
            each.append({name: text for name, text in made.items() if text is not None})
        if not any(each):
            raise UserError(
                f"answers={change.name} changes no answer: there is nothing to change. Leave it "
                "out."
            )
    return found


def _another(items: Sequence[Item], place: int) -> Item | None:
    """Another question, by a hash; None if there is none."""
    start = place + 1 + int(_drawn(items[place].id), 16) % max(1, len(items) - 1)
    turned = (items[(start + n) % len(items)] for n in range(len(items)))
    return next((one for one in turned if one.id != items[place].id), None)
