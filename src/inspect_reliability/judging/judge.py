"""The solver that shows an item to a judge."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..designs import Change, JudgeDesign, Reader
from ..errors import UserError, one_of
from ..record.seeds import replication_numbers
from .asking import OTHER, Asking
from .exact import AT_VERDICT, check_exact, exact_temperatures, exact_verdicts, note_probabilities
from .order import OrderPolicy, Orders
from .provider_check import ProviderCheck
from .replicate import Replication, replicate
from .sample import item_of


@solver
def judge_responses(
    design: JudgeDesign | Mapping[str, Any],
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    orders: Orders | None = None,
    wordings: Mapping[str, JudgeDesign | Mapping[str, Any]] | None = None,
    answers: Sequence[Change | Mapping[str, Any]] = (),
) -> Solver:
    """Show the judge an item and let it generate its verdict, once or many times.

    Needs the sample metadata that `judge_sample` writes. Adds `order` (names of the responses, in
    the order of the labels), `replication`, `seed` (as sent to the provider) and, in the first
    replication of a run, `seed_check` (whether the provider honours seeds). Of several replications
    these describe the first; `replications` is their number, `orders` the order of each (as places
    in `order`) if they differ, and `errors` the failures.

    In an experiment (`orders`, `wordings`, `answers`) each cell has this many replications, one
    cell after the other. `cells` describes them (see `Cells`). Where the judge chooses, the first
    output decides which answer is changed.

    The options are those of the task `judge`; `wordings` are by name.

    Raises:
        UserError: An option has a wrong value, or two options contradict each other.
    """
    one_of("order", order, get_args(OrderPolicy))
    worded = {name: _design(one) for name, one in (wordings or {}).items()}
    changes = [one if isinstance(one, Change) else Change(**one) for one in answers]
    asking = Asking(_design(design), worded, order, seed, orders, changes)
    check_exact(exact, order, asking.design.reader)
    wanted = exact_temperatures(exact, replications, temperatures)
    numbers = replication_numbers(1 if replications is None else replications)
    check_answers(changes, exact, order, asking.design.reader, len(numbers))
    _ = asking.several  # or an error before the first call
    provider, extra = ProviderCheck(), AT_VERDICT if exact == "verdict" else None

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = item_of(state.metadata)
        first = numbers.start + (state.epoch - 1) * len(numbers)
        asked = asking.of(item, range(first, first + len(numbers)))
        others = state.metadata.get(OTHER, {})

        def changed(said: str | None) -> dict[int, Replication]:
            asked.change(said, others)
            state.metadata.update(asked.kept)
            return dict(enumerate(asked.replications, first))

        chooses = asking.design.reader.kind == "options"
        if changes and not chooses:
            changed(None)
        state.metadata |= asked.kept
        if wanted is not None:
            return await exact_verdicts(state, asked.replications, wanted)
        by_number = dict(enumerate(asked.replications, first))
        then = changed if changes and chooses else None
        state = await replicate(state, by_number, item.id, provider, extra, then)
        if extra is not None:
            note_probabilities(state)
        return state

    return solve


def check_answers(
    changes: Sequence[Change], exact: object, order: OrderPolicy, reader: Reader, number: int
) -> None:
    """Refuse changes of answers whose effect could not be told from the judge's own noise.

    Raises:
        UserError: Verdicts are exact, the order is no fact of a cell, or the first verdict, which
            decides what is changed, is the only one.
    """
    if not changes:
        return
    if exact:
        raise UserError(f"answers= needs draws. Leave out exact={exact}: -T replications=5.")
    if order == "reshuffled":
        raise UserError("order=reshuffled shows answers at other places. Leave out one of them.")
    if reader.kind == "options" and number < 2:
        raise UserError(
            "answers= changes an answer by the first verdict, which the comparison leaves out. Say "
            "how many there are in one sample: -T replications=5."
        )


def _design(given: JudgeDesign | Mapping[str, Any]) -> JudgeDesign:
    return given if isinstance(given, JudgeDesign) else JudgeDesign(**given)
