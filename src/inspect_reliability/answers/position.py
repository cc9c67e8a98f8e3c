"""Does a judge prefer an option's position?"""

from collections.abc import Iterator
from dataclasses import replace

from ..showing.columns import declared
from ..showing.document import Block
from ..showing.values import Record, chance, picked
from ..stats.position import choice_shares
from .analysis import Analysis
from .row import valued


def position_shares(analysis: Analysis) -> Iterator[Record]:
    """How often each row's judge chooses each label."""
    for row in analysis.rows:
        options, verdicts = row.judged.labels, row.judged.verdicts
        if not {*options} & {*verdicts}:
            continue
        found = choice_shares(row.judged.count(verdicts), options)
        for option, share in zip(options, found.shares, strict=True):
            yield row.keys | {
                "option": option,
                **valued(share=share),
                **picked(found, "p_value", "n_questions", "n_choices", "reason"),
            }


def _section(analysis: Analysis) -> Iterator[Block]:
    known = [record for record in analysis.estimates("position") if record["share"] is not None]
    if known:
        yield from analysis.tables(known, declared("position", p_value=_p_value))
    for figure in analysis.pictures(
        known, "share of each label among all choices.", x="option", y="share", kind="points"
    ):
        options = {record["option"] for record in figure.records}
        yield replace(figure, reference=1 / len(options))


def _p_value(record: Record) -> str:
    known = record["p_value"] is not None
    return chance(record["p_value"]) if known else str(record["reason"] or "no test")


PART = (
    "Preference for a position",
    "Position",
    "Share of each option among all choices, with 95% intervals over questions (dashed: "
    "equal shares). A judge that prefers no position chooses all equally often. The test "
    "treats questions, not verdicts, as independent.",
    _section,
)
