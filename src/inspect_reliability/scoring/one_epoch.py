"""Warn, after a one-epoch run, that reliability needs at least two epochs.

Inspect computes metrics all through a run, and at first no question has been asked twice: whether
it stays so is known at the end.
"""

import logging
import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.log import EvalLog

logger = logging.getLogger(__name__)

_OURS = "inspect_reliability/"
_RATES = {f"{_OURS}{name}" for name in ("best_rate", "invalid_rate", "non_response_rate")}
"""Metrics that one epoch is enough for."""


class OneEpoch(Hooks):
    """Warns at the end of a run of one epoch whose metrics needed two."""

    async def on_task_end(self, data: TaskEnd) -> None:
        """Warn, if a second epoch would have given coefficients."""
        if lacks_epochs(data.log):
            logger.warning(
                "Every question was asked once, so the reliability coefficients are nan. "
                "Reliability needs --epochs 2 or more."
            )


@cache
def warn_after_one_epoch() -> None:
    """Register the warning now: inspect announces every hook that it finds when it starts."""
    hooks(name="one_epoch", description="Warns that reliability needs two epochs")(OneEpoch)


def lacks_epochs(log: EvalLog) -> bool:
    """Whether a log's coefficients are nan because it is of one epoch.

    Those of `rejudge` are not: its replications are of the judge.
    """
    scorers = [one for one in log.eval.scorers or [] if not _is_rejudge(one.name)]
    given = [log.eval.metrics, *(one.metrics for one in scorers)]
    ours = {name for one in given for name in _names(one) if name.startswith(_OURS)}
    values = [
        metric.value
        for score in (log.results.scores if log.results else [])
        if not _is_rejudge(score.scorer)
        for metric in score.metrics.values()
    ]
    return (
        (log.eval.config.epochs or 1) == 1 and bool(ours - _RATES) and any(map(math.isnan, values))
    )


def _is_rejudge(scorer: str) -> bool:
    # Inspect numbers scorers that share a name.
    return scorer.removeprefix("rejudge").isdecimal() or scorer == "rejudge"


def _names(metrics: Any) -> Iterator[str]:
    """Names of the metrics in inspect's lists of them, mappings of lists, and lists with both."""
    if isinstance(metrics, Mapping):
        metrics = [one for some in metrics.values() for one in some]
    for one in metrics or []:
        if isinstance(one, Mapping):
            yield from _names(one)
        else:
            yield one.name
