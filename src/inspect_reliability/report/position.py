"""Does a judge prefer an option's position, or a responder?"""

from collections.abc import Iterator, Sequence
from itertools import chain

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
    """How often it chooses each responder, if varying orders tell them from labels."""
    for row in analysis.rows:
        orders, table = row.judged.orders_shown, row.table
        if len(orders) < 2 or "responder" not in table:
            continue
        labels = table["verdict"].isin(row.judged.labels)
        if table.loc[labels, "responder"].notna().any():
            chosen = table["verdict"].where(~labels, table["responder"])
            yield from _shares(row, list(chosen), sorted({*chain.from_iterable(orders)}))


def _shares(row: Row, chosen: Sequence[str | None], options: Sequence[str]) -> Iterator[Record]:
    found = choice_shares(row.judged.count(chosen), options)
    for option, share in zip(options, found.shares, strict=True):
        yield row.keys | {
            "option": option,
            **valued(share=share),
            **picked(found, "p_value", "n_questions", "n_choices", "reason"),
        }
