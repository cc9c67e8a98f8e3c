"""Does a judge prefer an option's position?"""

from collections.abc import Iterator

from ..showing.values import Record, picked
from ..stats.facet_effects import choice_shares
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
