"""The page's section "What moves the verdict"."""

from collections.abc import Iterator
from dataclasses import replace

from .columns import declared
from .document import Block, Table
from .results import Analysis
from .values import Column, Record, describe, estimate

_MOST_SHARES = 10
"""Shares that a table shows, those that move farthest first."""

_TITLES = {
    "omega_over": "Omega by what may vary",
    "panels": "Judges together",
    "one_more": "What one more would do",
    "movers": "Questions that move most",
}


def moves_section(analysis: Analysis, across: str) -> Iterator[Block]:
    """One picture and the tables behind it; the report has the sentences to quote."""

    def who(record: Record) -> str:
        keys = analysis.keys(record)
        return describe(keys if "judge" in keys else {"judge": "all judges", **keys})

    of = Column("", shown=who)
    parts = [of, *declared("components")]
    every = analysis.estimates("components")
    alone = [record for record in every if "judge" in record]
    together = [record for record in every if "judge" not in record]
    for figure in analysis.pictures(
        alone or together,
        [across],
        "how much each component adds to how often two verdicts differ.",
        (),
        x="component",
        y="variance",
        kind="effects",
        y_label="part of how often two verdicts differ",
    ):
        yield replace(figure, table=Table.of(figure.records, parts))
    if alone and together:
        yield Table.of(together, parts, "Components of variance, all judges together")
    for name, title in _TITLES.items():
        if records := analysis.estimates(name):
            columns = declared(name, effective_number=_effective)
            yield Table.of(records, [of, *columns], title)
    moved = [one for one in analysis.estimates("favours") if one["change"] is not None]
    # Equal but for the last digits, which depend on the processor.
    moved.sort(key=lambda record: -round(abs(record["change"]), 9))
    if moved:
        columns = [of, *declared("favours")]
        yield Table.of(moved[:_MOST_SHARES], columns, "Shares that move farthest")


def _effective(record: Record) -> str:
    return f"{estimate(record, 'effective_number')} of {len(record['judges'])}"
