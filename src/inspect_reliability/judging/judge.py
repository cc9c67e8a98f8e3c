"""The solver that shows an item to a judge."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..designs import JudgeDesign, ParserName
from ..errors import UserError, one_of
from ..hf_seeded import reading
from .exact import AT_VERDICT, exact_temperatures, exact_verdict, note_probabilities
from .order import OrderPolicy, option_order
from .provider_check import ProviderCheck
from .replicate import replicate
from .sample import item_of
from .seeds import replication_numbers


@solver
def judge_responses(
    design: JudgeDesign | Mapping[str, Any],
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    parser: ParserName = "default",
) -> Solver:
    """Show the judge an item and let it generate its verdict, once or many times.

    Needs the sample metadata that `judge_sample` writes. Adds `order` (names of the responses, in
    the order of the option labels), `replication`, `seed` (the value sent to the provider) and, in
    the first replication of a run, `seed_check` (whether the provider honours seeds). Of several
    replications these describe the first; `replications` says how many, `orders` the order of each
    (as places in `order`) if they differ, and `errors` which failed.

    The options are those of the task `judge`. `parser` says how exact verdicts are read.

    Raises:
        UserError: An option is not what it should be, or two of them contradict each other.
    """
    one_of("order", order, get_args(OrderPolicy))
    asking = design if isinstance(design, JudgeDesign) else JudgeDesign(**design)
    at_verdict = exact == "verdict"
    more = GenerateConfig(**AT_VERDICT) if at_verdict else None
    provider = ProviderCheck(more)
    reader = asking.reader
    reader.value("", parser)  # a parser of other verdicts shows before the first call
    completed = reader.completed
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
        later = (state.epoch - 1) * len(numbers)
        orders = {
            number + later: option_order(list(item.responses), order, seed, item.id, number + later)
            for number in numbers
        }
        shown = {names: asking.ask(item, names) for names in orders.values()}
        if reader.kind == "options":
            first = next(iter(shown))
            state.metadata["order"] = list(first)
            if len(shown) > 1:
                places = [[first.index(name) for name in names] for names in orders.values()]
                state.metadata["orders"] = places
        prompts = {number: shown[names] for number, names in orders.items()}
        if wanted is not None:
            (prompt,) = prompts.values()
            return await exact_verdict(
                state, generate, prompt, seed, item.id, reader, parser, wanted
            )
        with reading(completed):
            state = await replicate(state, generate, prompts, seed, item.id, provider)
        if at_verdict:
            note_probabilities(state)
        return state

    return solve
