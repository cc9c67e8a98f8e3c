"""Rows that differ only in facets, together: what moves, and panels, are read off these."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ..judgments.columns import COLUMNS, GROUP_BY, varies
from ..judgments.count import Judged
from ..showing.values import Record
from ..stats.disagreement import Disagreement, disagreement
from ..stats.facet_effects import Move, moved
from .row import Row, alike


@dataclass(frozen=True, eq=False)
class FacetStudy:
    """Rows that differ only in facets: their common keys, and how often verdicts differ.

    `scored` compares the numbers of a scale by their distance, and is else the same as `found`.
    """

    keys: Record
    judged: Judged
    found: Disagreement
    scored: Disagreement

    @cached_property
    def moves(self) -> dict[str, Move]:
        """How far each facet moves verdicts."""
        return {facet: moved(self.found, facet) for facet in self.found.levels}

    @property
    def noise_of_some(self) -> str | None:
        """Why pairs of equal conditions do not stand for all questions; None if they may.

        It is why a facet is not compared with noise: cells were judged again for their verdicts.
        """
        if (self.found.cells.replications > 1).all():
            return None
        return next((move.above.reason for move in self.moves.values() if move.of_some), None)

    def has(self, row: Row) -> bool:
        """Whether its verdicts include those of a row."""
        return row.keys | self.keys == row.keys and row.judged.exact == self.found.cells.exact


def studies_of(
    rows: Sequence[Row], named: Collection[str], beside: Collection[str] = ()
) -> Iterator[FacetStudy]:
    """Group rows that differ only in facets, if any facet varies.

    Args:
        rows: The rows of a report.
        named: Columns that the user takes for facets.
        beside: Grouping columns to treat as facets too; only studies, and questions, with several
            levels of each are returned.
    """
    own = [name for name, column in COLUMNS.items() if column.role == "facet"]
    own = [name for name in dict.fromkeys(("order", *own, *named)) if name not in GROUP_BY]
    facets = [*beside, *own]
    # Exact verdicts and draws of them cannot be counted together.
    groups = (
        (keys, [row for row in same if row.judged.exact is exact])
        for keys, same in alike(rows, *facets)
        for exact in dict.fromkeys(row.judged.exact for row in same)
    )
    for keys, members in groups:
        table = pd.concat([row.table for row in members], ignore_index=True)
        for name in beside:
            several = table.groupby("question")[name].transform("nunique") > 1
            table = table[several].reset_index(drop=True)
        varied = [name for name in facets if varies(table, name)]
        if not varied or not {*beside} <= {*varied}:
            continue
        given = Judged(table)
        found = scored = disagreement(given.cells(varied))
        if given.scale and not (found.cells.exact and found.cells.unknown.any()):
            scored = disagreement(found.cells.as_numbers(given.scale))
        yield FacetStudy(keys, given, found, scored)
