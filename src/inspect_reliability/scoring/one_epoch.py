"""Warn, after a run, where its coefficients had only one replication of each question.

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
        """Warn, if a second epoch or another line would have given coefficients."""
        for name, key in grouped(data.log):
            logger.warning(
                f"grouped({name}(), '{key}') sees one score a sample, without its epochs. Write "
                f"{name}(by='{key}') instead, and read this log again with inspect score."
            )
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
    ours = {one.name for some in given for one in _metrics(some) if one.name.startswith(_OURS)}
    values = [
        metric.value
        for score in (log.results.scores if log.results else [])
        if not _is_rejudge(score.scorer)
        for metric in score.metrics.values()
    ]
    if any(map(math.isinf, values)):  # exact distributions: endless replications
        return False
    return (
        (log.eval.config.epochs or 1) == 1 and bool(ours - _RATES) and any(map(math.isnan, values))
    )


def grouped(log: EvalLog) -> set[tuple[str, str]]:
    """Our metrics within inspect's `grouped`, with the key that each is grouped by."""
    given = [log.eval.metrics, *(one.metrics for one in log.eval.scorers or [])]
    inner = [
        ((one.options.get("metric") or {}).get("name", ""), str(one.options.get("group_key")))
        for some in given
        for one in _metrics(some)
        if one.name == "inspect_ai/grouped" and one.options
    ]
    return {(name.removeprefix(_OURS), key) for name, key in inner if name.startswith(_OURS)}


def _is_rejudge(scorer: str) -> bool:
    # Inspect numbers scorers that share a name.
    return scorer.removeprefix("rejudge").isdecimal() or scorer == "rejudge"


def _metrics(metrics: Any) -> Iterator[Any]:
    """The metrics in inspect's lists of them, mappings of lists, and lists with both."""
    if isinstance(metrics, Mapping):
        metrics = [one for some in metrics.values() for one in some]
    for one in metrics or []:
        if isinstance(one, Mapping):
            yield from _metrics(one)
        else:
            yield one
