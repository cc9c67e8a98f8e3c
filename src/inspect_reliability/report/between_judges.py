"""Do judges agree with each other, and where do their verdicts differ?"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement

import pandas as pd

from ..judgments import category_of
from ..stats import (
    Counts,
    Estimate,
    NothingSharedError,
    ReliabilityError,
    Shares,
    agreement_between,
    variance_components,
)
from .row import Row, interval
from .wording import Record


def agreement_of_judges(rows: Sequence[Row]) -> Iterator[Record]:
    """Agreement of each judge with itself and with each other, under each condition."""
    for condition, judges in _panels(rows):
        for one, other in combinations_with_replacement(judges, 2):
            found = _agreement({name: judges[name] for name in (one, other)})
            yield condition | {
                "first": one,
                "second": other,
                "agreement": found.value,
                "agreement_interval": interval(found),
                "n_questions": found.n_questions,
                "reason": found.reason,
            }


def variance_of_verdicts(rows: Sequence[Row]) -> Iterator[Record]:
    """Shares of the variance of verdicts, for each condition that several judges share."""
    for condition, judges in _panels(rows):
        shares, reason, n = None, None, 0
        try:
            found = variance_components(_alike(judges))
            shares, n = found.shares, found.n_questions
            reason = None if shares else "all verdicts are the same"
        except ReliabilityError as error:
            reason = str(error)
        parts = ("question", "judge", "question_by_judge", "replication")
        yield condition | {
            "judges": list(judges),
            "n_questions": n,
            **{f"share_{part}": shares and shares[part] for part in parts},
            "reason": reason,
        }


def _panels(rows: Sequence[Row]) -> Iterator[tuple[Record, dict[str, Row]]]:
    """Rows that differ in their judge only: what they share, and each judge's row."""
    panels: dict[str, tuple[Record, dict[str, Row]]] = {}
    for row in rows:
        condition = row.keys
        if (judge := condition.pop("judge", None)) is not None:
            panels.setdefault(str(condition), (condition, {}))[1][str(judge)] = row
    yield from (panel for panel in panels.values() if len(panel[1]) > 1)


def _agreement(judges: Mapping[str, Row]) -> Estimate:
    if len(judges) == 1:
        (row,) = judges.values()
        return row.estimates["agreement"]
    try:
        return agreement_between(_alike(judges))
    except NothingSharedError:
        return Estimate(reason="the judges share no question")


def _alike(judges: Mapping[str, Row]) -> dict[str, Counts | Shares]:
    """Counts of several judges in categories that mean the same to all.

    Labels mean the same to two judges only if both saw a question's options in one order.
    """
    tables = [row.table for row in judges.values()]
    chosen = category_of(pd.concat(tables, keys=range(len(tables))))
    return {
        name: row.judged.count(list(chosen.loc[k])) for k, (name, row) in enumerate(judges.items())
    }
