"""A word about coefficients that are nan because every question was asked once.

Inspect computes metrics all through a run, and at first no question has been asked twice: whether
it stays so is known at the end. Importing this module registers a hook. Inspect announces hooks
that are registered when it starts, so it is imported when a metric meets such questions.
"""

import logging
import math

from inspect_ai.hooks import Hooks, TaskEnd, hooks

logger = logging.getLogger(__name__)


@hooks(name="asked_once", description="Says why coefficients are nan after a single epoch")
class AskedOnce(Hooks):
    """Warns at the end of a run of one epoch whose metrics needed two.

    Attributes:
        met: Whether the last metric of ours found no question that was asked twice.
    """

    met = False

    def enabled(self) -> bool:
        """Only as long as there is something to say."""
        return AskedOnce.met

    async def on_task_end(self, data: TaskEnd) -> None:
        """Warn, if it was a run of one epoch and anything is nan."""
        scores = data.log.results.scores if data.log.results else []
        values = [metric.value for score in scores for metric in score.metrics.values()]
        if (data.log.eval.config.epochs or 1) == 1 and any(map(math.isnan, values)):
            AskedOnce.met = False
            logger.warning(
                "Reliability needs --epochs 2 or more: every question was asked once, so that "
                "there is nothing to compare and its coefficients are nan."
            )
