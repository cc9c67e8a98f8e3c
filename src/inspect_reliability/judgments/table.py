"""The one table of judgments."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import UserError
from ..verdicts import GIVEN
from .columns import GROUP_BY, N_JUDGMENTS, dividing, in_order
from .log import Gap as Gap
from .log import Log as Log
from .reading import Note as Note
from .reading import Reading
from .shards import said_of_shards

if TYPE_CHECKING:
    import pandas as pd

_MACHINE_EPSILON = 2.3e-16
NUMBERS: Mapping[str, Any] = {
    "temperature": np.float64,
    "replication": np.int64,
    N_JUDGMENTS: np.int64,
}
"""Columns with numeric types."""


@dataclass(frozen=True)
class Judgments:
    """Judgments as one long table, with notes on what was left out.

    Attributes:
        table: One row a judgment, with the columns of `columns.COLUMNS` that are known and those of
            the source.
        said: What was left out, by source, except gaps of logs.
        facets: Columns that the user takes for facets, beside those that are declared.
        logs: The logs behind the judgments, by place.
        asked: What the sources leave open.
        source: The log or file that they are from, if they are from one.
        counted: Whether their replications are counted up from the order of its rows.
        readings: How each of their files was read.
        files: The files that they are from.
    """

    table: pd.DataFrame
    said: tuple[Note, ...] = ()
    facets: tuple[str, ...] = ()
    logs: Mapping[str, Log] = field(default_factory=dict)
    asked: tuple[Note, ...] = ()
    source: str = ""
    counted: bool = False
    readings: tuple[Reading, ...] = ()
    files: tuple[str, ...] = ()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was left out, by source, the gaps that no later log fills, and what is unclear."""
        # Times are in seconds: of two runs in one, the further one lacks less.
        by_time = sorted(self.logs.items(), key=lambda one: (one[1].created, -len(one[1].gaps)))
        last = {(log.run, log.task): where for where, log in by_time}
        lacking: Counter[tuple[str, str]] = Counter()
        for where, log in self.logs.items():
            for gap in log.gaps:
                if not gap.retried or last[log.run, log.task] == where:
                    lacking[gap.what, where] += gap.size
        gaps = (Note(what, n, where) for (what, where), n in lacking.items())
        return (*gaps, *said_of_shards(self.logs), *self.said, *self.asked)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def as_given(self) -> Judgments:
        """The judgments of answers that were not changed."""
        if "answer_change" not in self.table:
            return self
        change = self.table["answer_change"]
        return replace(self, table=self.table[change.isna() | (change == GIVEN)])

    def groups(self, by: Sequence[str] = GROUP_BY) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Split the table by columns, in order of first appearance.

        Yields:
            The values of `by` (None where missing) and the rows.

        Raises:
            UserError: There is no such column.
        """
        import pandas as pd

        self._has(by)
        for values, rows in self.table.groupby(list(by), sort=False, dropna=False):
            named = zip(by, cast("tuple[Any, ...]", values), strict=True)
            yield {name: None if pd.isna(value) else value for name, value in named}, rows

    def conditions(self) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Split the table by `GROUP_BY`, then by the facets that vary within any group."""
        groups = [(group, rows, dividing(rows, self.facets)) for group, rows in self.groups()]
        known = dict.fromkeys(name for *_, facets in groups for name in facets)
        for group, rows, facets in groups:
            # A group with one level of what varies in others is of that level.
            of = [n for n in known if n in facets or rows[n].nunique(dropna=False) == 1]
            parts = replace(self, table=rows).groups(of) if of else [({}, rows)]
            yield from ((group | levels, part) for levels, part in parts)

    def with_facets(self, names: Collection[str]) -> Judgments:
        """The same judgments, with columns that are to be facets.

        Raises:
            UserError: There is no such column.
        """
        facets = tuple(dict.fromkeys(names))
        self._has(facets)
        asked = tuple(one for one in self.asked if one.column not in facets)
        return replace(self, facets=facets, asked=asked)

    def _has(self, names: Iterable[str]) -> None:
        if unknown := [name for name in names if name not in self.table]:
            raise UserError(
                f"The judgments have no column {', '.join(map(repr, unknown))}. "
                f"Use any of: {', '.join(map(str, self.table.columns))}."
            )


def make_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Make a judgments table of one mapping a judgment; what a mapping lacks is missing."""
    import pandas as pd

    names = dict.fromkeys(name for layout in dict.fromkeys(map(tuple, rows)) for name in layout)
    columns = {
        # Series of objects: pandas would make numbers of categories and missing values.
        name: pd.Series([row.get(name) for row in rows], dtype=NUMBERS.get(name, object))
        for name in in_order(names)
    }
    return pd.DataFrame(columns)


def clean_temperature(value: float | None) -> float | None:
    """A temperature as the user means it: machine epsilon, the paper's way to say 0, is 0.

    None for a value that no sampler accepts.
    """
    if value is None or not 0 <= value <= sys.float_info.max:
        return None
    return 0.0 if value <= _MACHINE_EPSILON else value


def weights(table: pd.DataFrame) -> pd.Series[float]:
    """The number of judgments each row counts for; of an exact distribution, its share."""
    import pandas as pd

    found = pd.Series(1.0, table.index)
    for name in ("share", N_JUDGMENTS):
        if name in table:
            found *= table[name].astype(float).fillna(1.0)
    return found


def n_judgments(table: pd.DataFrame) -> int:
    """The number of judgments, each row of an exact distribution being one."""
    return int(table[N_JUDGMENTS].sum()) if N_JUDGMENTS in table else len(table)


def several_conditions(found: Sequence[Mapping[str, Any]]) -> str:
    """Why judgments of several conditions have no common coefficient, and what to do."""
    differ = [name for name in found[0] if len({str(group.get(name)) for group in found}) > 1]
    return (
        f"The judgments are of {len(found)} conditions, which differ in {', '.join(differ)}; they "
        "are not pooled. Take one of them, as in judgments.conditions(), or all, with "
        "analyse(judgments).frame()."
    )
