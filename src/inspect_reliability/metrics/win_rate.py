"""The share of wins of pairwise scores, as an inspect metric."""

import logging
import math
from collections.abc import Mapping, Sequence

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Value, metric
from inspect_ai.util import warn_once

from ..errors import UserError
from ..judgments.count import Judgment
from ..judgments.pairs import gains, is_tie
from ..stats.cells import codes
from ..verdicts import NO_VERDICTS
from .coefficient_metrics import by_label

logger = logging.getLogger(__name__)


@metric(scores="unreduced")
def win_rate(win: str | None = None, by: str | None = None) -> Metric:
    """Share of wins with its 95% interval over questions; a tie is half a win.

    Every question weighs the same, whatever its number of epochs. Scores without a winner are left
    out. Values that are not (yet) estimable are nan.

    Args:
        win: The score that means a win, such as "A"; others are losses or ties. By default scores
            are read as numbers, or as right and wrong.
        by: A key of the scores' or of the samples' metadata; adds the share of each group.
    """

    def compute(scores: list[SampleScore]) -> Value:
        return dict(by_label(lambda judgments: _share(judgments, win), scores, by))

    return compute


def _share(judgments: Sequence[Judgment], win: str | None) -> Mapping[str, float]:
    said = [None if one.verdict is None else str(one.verdict) for one in judgments]
    if win is not None:
        said = [None if one in NO_VERDICTS or one is None else _gain(one, win) for one in said]
    try:
        gained = gains(said)
    except UserError as error:  # a metric that raises would make the log fail
        warn_once(logger, f"win_rate: {error}")
        gained = []
    known = [(one.question, v) for one, v in zip(judgments, gained, strict=False) if v is not None]
    nothing = dict.fromkeys(("win_rate", "win_rate_low", "win_rate_high"), math.nan)
    if not known:
        return nothing
    question, n = codes(name for name, _ in known), len(known)
    values = np.array([[v] for _, v in known])
    from ..ranking.scores import (
        Contests,  # scipy takes a quarter of a second to import
        ranking,
    )

    contests = Contests(question, np.zeros((n, 1), np.int64), values, np.arange(n), 1)
    found = ranking(contests)
    ((low, high),) = found.ends.tolist()
    ends = {} if found.reason else {"win_rate_low": low, "win_rate_high": high}
    return nothing | {"win_rate": float(found.scores[0])} | ends


def _gain(verdict: str, win: str) -> str:
    return "0.5" if is_tie(verdict) else str(int(verdict.casefold() == win.casefold()))
