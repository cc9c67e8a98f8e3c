"""Warns if a judge is also a responder, and so judges its own answers."""

import logging
from collections.abc import Iterable

from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..record.same_model import same_model

logger = logging.getLogger(__name__)


@solver
def report_circularity(responders: Iterable[str]) -> Solver:
    """Warn, once in the log and in every sample, if the judge is one of the responders.

    The paper keeps judges and responders apart, because a judge may prefer its own answers. The run
    goes on; the sample's metadata then names the responder as `judge_is_responder`.
    """
    names = tuple(responders)
    said = False

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        nonlocal said
        judge = str(get_model())
        own = next((name for name in names if same_model(judge, name)), None)
        if own is not None:
            state.metadata["judge_is_responder"] = own
            if not said:
                said = True
                logger.warning(
                    f"The judge {judge} is also a responder ('{own}'): it judges its own "
                    "answers. Choose another judge, or leave that responder out."
                )
        return state

    return solve
