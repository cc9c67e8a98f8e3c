"""Does a judge prefer an option's position, or a responder?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ..showing.columns import declared
from ..showing.document import Block
from ..showing.values import Record, chance, picked
from ..stats.position import choice_shares
from .analysis import Analysis
from .row import Row, valued


def position_shares(analysis: Analysis) -> Iterator[Record]:
    """How often each row's judge chooses each label."""
    for row in analysis.rows:
        options = row.judged.labels
        if set(options) & set(row.judged.verdicts):
            yield from _shares(row, row.judged.verdicts, options)


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


def _section(analysis: Analysis) -> Iterator[Block]:
    for result, by in (("position", "Label"), ("responders", "Responder")):
        option, *others = declared(result, p_value=_p_value)
        for figure in analysis.pictures(
            [record for record in analysis.estimates(result) if record["share"] is not None],
            f"share of each {by.lower()} among all choices.",
            [option._replace(heading=by), *others],
            f", by {by.lower()}",
            x="option",
            y="share",
            kind="points",
        ):
            options = {record["option"] for record in figure.records}
            yield replace(figure, reference=1 / len(options))


def _p_value(record: Record) -> str:
    known = record["p_value"] is not None
    return chance(record["p_value"]) if known else str(record["reason"] or "no test")


PART = (
    "Position and preference",
    "Position",
    "Share of each option among all choices, with 95% intervals over questions (dashed: "
    "equal shares). A judge that prefers no position and no responder chooses all equally "
    "often. The test treats questions, not verdicts, as independent.",
    _section,
)
