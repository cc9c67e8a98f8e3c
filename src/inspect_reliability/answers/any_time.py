"""What does evidence say that is valid at any time, on questions in the order of the asking?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..judgments.count import Judged
from ..judgments.scales import labelled
from ..judgments.table import in_order_of
from ..stats import SHARES, question_rates
from ..stats.cells import FloatArray
from ..stats.planning import OPEN, Decision, anytime_omega, anytime_share
from ..verdicts import NO_VERDICTS
from .row import RATES, Row


class Orders(NamedTuple):
    """Benchmark and question of each unit, in the order of its source, and of its label.

    An order is empty where the rows of the judgments have it, or no file of labels does.
    """

    asked: Sequence[tuple[str, str]] = ()
    labelled: Sequence[tuple[str, str]] = ()


def any_time(
    row: Row, name: str, limit: float, at_least: bool, votes: int, orders: Orders
) -> Decision | None:
    """Evidence for and against a limit that is valid however often one looks; None without any.

    It is valid where each look continues the path of the one before, so new questions come last,
    whatever they are called. A file of labels may grow instead of the judgments: then nobody knows
    which order continues, and evidence decides where it does in both.
    """
    asked = row.asked
    if orders.asked:
        asked = asked.iloc[in_order_of(asked, orders.asked)]
    if name not in SHARES:
        counts = Judged(asked).counts()
        if name in RATES:
            return anytime_share(question_rates(counts, RATES[name])[0], limit)
        return anytime_omega(counts, limit)
    if len(row.positions):
        return _of_shares(row.shares_as_drawn(name, votes), limit, at_least)
    found = _by_labels(asked, name, limit, at_least, votes)
    if found is None or not orders.labelled:
        return found
    asked = row.asked.iloc[in_order_of(row.asked, orders.labelled)]
    return _both(found, _by_labels(asked, name, limit, at_least, votes))


def _by_labels(
    asked: pd.DataFrame, name: str, limit: float, at_least: bool, votes: int
) -> Decision | None:
    judged = Judged(asked)
    known = labelled(judged, judged.counts())
    each = known.by_question(name, votes, NO_VERDICTS) if known else None
    return None if each is None else _of_shares(each, limit, at_least)


def _of_shares(each: FloatArray, limit: float, at_least: bool) -> Decision:
    each = each[~np.isnan(each)]
    return anytime_share(1 - each, 1 - limit) if at_least else anytime_share(each, limit)


def _both(one: Decision, other: Decision | None) -> Decision:
    """What two orders of the same questions decide alike."""
    if other is None:
        return one
    return replace(
        one,
        result=one.result if one.result == other.result else OPEN,
        for_pass=min(one.for_pass, other.for_pass),
        for_fail=min(one.for_fail, other.for_fail),
    )
