"""The solver that shows an item to a judge."""

from collections.abc import Mapping
from typing import Any, get_args

from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..designs import JudgeDesign
from ..errors import UserError
from ..hf_seeded import reading
from .order import OrderPolicy, option_order
from .replicate import replicate
from .sample import item_of
from .seed_check import SeedCheck


@solver
def judge_responses(
    design: JudgeDesign | Mapping[str, Any], order: OrderPolicy = "shuffled", seed: int = 0
) -> Solver:
    """Show the judge an item and let it generate one verdict.

    Needs the sample metadata that `judge_sample` writes. Adds `order` (names of the responses, in
    the order of the option labels), `replication`, `seed` (the value sent to the provider) and, in
    the first replication of a run, `seed_check` (whether the provider honours seeds).

    Args:
        design: How the judge is asked and what it can answer; a mapping of its fields is logged
            with the task.
        order: "shuffled" per question and held over replications, "reshuffled" for every
            replication, or "given".
        seed: Base seed of the order and of the replications.

    Raises:
        UserError: The order is none of the three.
    """
    if order not in get_args(OrderPolicy):
        raise UserError(
            f"order='{order}' is not known. Use one of: {', '.join(get_args(OrderPolicy))}."
        )
    asked = design if isinstance(design, JudgeDesign) else JudgeDesign(**design)
    check, completed = SeedCheck(), asked.reader.completed

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = item_of(state.metadata)
        shown = option_order(list(item.responses), order, seed, item.id, state.epoch)
        if asked.reader.kind == "options":
            state.metadata["order"] = list(shown)
        with reading(completed):
            return await replicate(state, generate, asked.ask(item, shown), seed, item.id, check)

    return solve
