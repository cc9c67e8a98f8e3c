"""Does a judge go by the position of an option, or by whose answer it is?"""

from collections.abc import Iterator, Sequence

import pandas as pd

from ..stats import choice_shares
from .results import Analysis, result
from .row import Row, valued
from .values import Record, picked


@result("position")
def position_shares(analysis: Analysis) -> Iterator[Record]:
    """How often each row's judge chooses each label."""
    for row in analysis.rows:
        options = row.judged.labels
        if set(options) & set(row.judged.verdicts):
            yield from _shares(row, row.judged.verdicts, options)


@result("responders")
def responder_shares(analysis: Analysis) -> Iterator[Record]:
    """How often it chooses each responder, where orders differ and tell them from labels."""
    for row in analysis.rows:
        if len(row.judged.orders_shown) > 1 and len(_choices(row)):
            verdict = row.table["verdict"]
            chosen = verdict.where(~verdict.isin(row.judged.labels), row.table["responder"])
            yield from _shares(row, list(chosen), _responders(row))


def _choices(row: Row) -> pd.DataFrame:
    """The judgments that chose an option of a known responder."""
    table = row.table
    known = table["responder"].notna() if "responder" in table else False
    return table[table["verdict"].isin(row.judged.labels) & known]


def _responders(row: Row) -> list[str]:
    return sorted({name for order in row.judged.orders_shown for name in order})


def _shares(row: Row, chosen: Sequence[str | None], options: Sequence[str]) -> Iterator[Record]:
    found = choice_shares(row.judged.count(chosen), options)
    for option, share in zip(options, found.shares, strict=True):
        yield row.keys | {
            "option": option,
            **valued(share=share),
            **picked(found, "p_value", "n_questions", "n_choices", "reason"),
        }
