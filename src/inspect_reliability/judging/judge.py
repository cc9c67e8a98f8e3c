"""The solver that shows an item to a judge."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, get_args

from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..designs import JudgeDesign, ParserName
from ..errors import UserError, one_of
from ..verdicts import GIVEN
from .cells import Orders, number_of_orders, orders_of
from .exact import AT_VERDICT, exact_temperatures, exact_verdicts, note_probabilities
from .order import OrderPolicy, option_order
from .provider_check import ProviderCheck
from .replicate import Replication, replicate
from .sample import item_of
from .seeds import replication_numbers, replication_seed


@solver
def judge_responses(
    design: JudgeDesign | Mapping[str, Any],
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    parser: ParserName = "default",
    orders: Orders | None = None,
    wordings: Mapping[str, JudgeDesign | Mapping[str, Any]] | None = None,
) -> Solver:
    """Show the judge an item and let it generate its verdict, once or many times.

    Needs the sample metadata that `judge_sample` writes. Adds `order` (names of the responses, in
    the order of the labels), `replication`, `seed` (as sent to the provider) and, in the first
    replication of a run, `seed_check` (whether the provider honours seeds). Of several replications
    these describe the first; `replications` is their number, `orders` the order of each (as places
    in `order`) if they differ, and `errors` the failures.

    In an experiment (`orders`, `wordings`) each cell has this many replications, one cell after the
    other. `cells` describes them (see `Cells`), and `labels` the labels of a wording with its own.

    The options are those of the task `judge`; `wordings` are by name. `parser` reads exact
    verdicts.

    Raises:
        UserError: An option has a wrong value, or two options contradict each other.
    """
    one_of("order", order, get_args(OrderPolicy))
    asking = design if isinstance(design, JudgeDesign) else JudgeDesign(**design)
    at_verdict = exact == "verdict"
    provider = ProviderCheck(AT_VERDICT if at_verdict else None)
    reader = asking.reader
    worded = {
        name: one if isinstance(one, JudgeDesign) else JudgeDesign(**one)
        for name, one in (wordings or {}).items()
    }
    readers = {name: reader.showing(one.reader.options) for name, one in worded.items()}
    for one in (reader, *readers.values()):
        one.value("", parser)  # a parser of other verdicts shows before the first call
    labels = {name: list(one.options) for name, one in readers.items() if one.names}
    several = number_of_orders(orders, len(reader.options), order)
    if exact and not reader.verdicts:
        what = "several criteria" if reader.criteria else "numbers with decimals"
        raise UserError(
            f"exact={exact} needs verdicts that can be listed, and this judge gives {what}. Use "
            "-T replications=20 instead."
        )
    if at_verdict and order == "reshuffled":
        raise UserError(
            "exact=verdict tells reasonings apart, so all must see the same prompt. Leave out "
            "order=reshuffled."
        )
    wanted = exact_temperatures(exact, replications, temperatures)
    numbers = replication_numbers(1 if replications is None else replications)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = item_of(state.metadata)
        names = list(item.responses)
        first = numbers.start + (state.epoch - 1) * len(numbers)
        held = [None] if orders is None else orders_of(names, several, order, seed)
        cells = list(product(held, worded or [None]))
        shown: dict[tuple[tuple[str, ...], str | None], str] = {}
        asked: list[Replication] = []
        seen: list[tuple[str, ...]] = []
        for (fixed, wording), number in product(cells, range(first, first + len(numbers))):
            one = fixed or option_order(names, order, seed, item.id, number)
            seen.append(one)
            if (one, wording) not in shown:
                shown[one, wording] = worded.get(wording or "", asking).ask(item, one)
            # The judge's own wording has the seeds that it has by itself.
            key = [item.id, *(fixed or ()), *([] if wording in (None, GIVEN) else [wording])]
            own = replication_seed(seed, "|".join(map(str, key)), number)
            asked.append(Replication(shown[one, wording], own, readers.get(wording or "", reader)))
        places = [[seen[0].index(name) for name in one] for one in seen]
        if reader.kind == "options":
            state.metadata["order"] = list(seen[0])
            if orders is None and len(set(seen)) > 1:
                state.metadata["orders"] = places
        if len(cells) > 1:
            state.metadata["cells"] = {
                "seeds": [one.seed for one in asked[:: len(numbers)]],
                "orders": places[:: len(numbers) * max(1, len(worded))] if orders else [],
                "wordings": list(worded),
            }
            state.metadata["labels"] = labels
        if wanted is not None:
            return await exact_verdicts(state, asked, parser, wanted)
        by_number = dict(enumerate(asked, first))
        state = await replicate(state, by_number, item.id, provider)
        if at_verdict:
            note_probabilities(state)
        return state

    return solve
