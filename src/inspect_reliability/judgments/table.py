"""The one table of judgments."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import UserError
from ..stats import Counts
from .count import Judged

if TYPE_CHECKING:
    import pandas as pd

REQUIRED: Mapping[str, str] = {
    "judge": "model that judged",
    "benchmark": "benchmark, or name of the task",
    "temperature": "sampling temperature; NaN where not known",
    "question": "id of the question",
    "replication": "number of the replication, from 1",
    "verdict": "category that the judge named; missing where there is none",
}
"""Columns every judgments table has, in this order, and what they say."""

OPTIONAL: Mapping[str, str] = {
    "scorer": "scorer, and the part of its score where it has several",
    "responder": "whose response was chosen or, without options, judged",
    "order": "names of the responses shown, in the order of the option labels",
    "categories": "verdicts that the judge could have given",
    "seed": "seed that was sent",
    "category": "category of the question in its benchmark",
    "prompt": "hash of the prompt",
    "tokens": "tokens of the prompt and the output",
    "share": "probability of the verdict in an exact distribution",
    "place": "its number in that distribution, from 1",
    "tail": "true where it was drawn from what the distribution leaves open",
}
"""Columns a table may have beside them; a source's own scalar metadata follows under its name."""

WHERE: Mapping[str, str] = {
    "log": "log that the judgment is from",
    "sample": "id of its sample",
    "epoch": "epoch of its sample",
}
"""Columns that lead back to the full text of a judgment (see `judgments.text`)."""

GROUP_BY = ("judge", "benchmark", "temperature")

_MACHINE_EPSILON = 2.3e-16
_NUMBERS: Mapping[str, Any] = {"temperature": np.float64, "replication": np.int64}


@dataclass(frozen=True)
class Note:
    """Something that did not enter the table, or only in part.

    Attributes:
        what: In words a reader of a report understands ("duplicate judgments").
        count: How many.
        where: Log or file.
    """

    what: str
    count: int
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.count:,} {self.what}"


@dataclass(frozen=True)
class Judgments:
    """Judgments as one long table, with what was left out of it.

    Attributes:
        table: One row a judgment. Columns: `judge`, `benchmark`, `temperature` (NaN: not known),
            `question`, `replication`, `verdict` (a category's name; missing: NA), then whatever of
            `OPTIONAL`, the source's metadata and `WHERE` is known.
        notes: What was left out, by source.
    """

    table: pd.DataFrame
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    def groups(self, by: Sequence[str] = GROUP_BY) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Split the table by columns, in order of first appearance.

        Yields:
            The values of `by` (None where missing) and the rows.

        Raises:
            UserError: There is no such column.
        """
        import pandas as pd

        unknown = [name for name in by if name not in self.table]
        if unknown:
            raise UserError(
                f"The judgments have no column {', '.join(map(repr, unknown))}. "
                f"Group by any of: {', '.join(map(str, self.table.columns))}."
            )
        for values, rows in self.table.groupby(list(by), sort=False, dropna=False):
            named = zip(by, cast("tuple[Any, ...]", values), strict=True)
            yield {name: None if pd.isna(value) else value for name, value in named}, rows


def make_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Make a judgments table of one mapping a judgment; what a mapping lacks is missing."""
    import pandas as pd

    names = dict.fromkeys(name for layout in dict.fromkeys(map(tuple, rows)) for name in layout)
    columns = {
        # Series of objects: pandas would make numbers of categories and missing values.
        name: pd.Series([row.get(name) for row in rows], dtype=_NUMBERS.get(name, object))
        for name in _in_order(names)
    }
    return pd.DataFrame(columns)


def concatenate(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """One table of several, whose optional columns may differ."""
    import pandas as pd

    parts = [table for table in tables if len(table)]
    if not parts:
        return make_table([])
    table = pd.concat(parts, ignore_index=True)
    return table[_in_order(table.columns)]


def combine(parts: Sequence[Judgments]) -> Judgments:
    """Judgments of several sources together; the sources must not share any."""
    notes = tuple(note for part in parts for note in part.notes)
    return Judgments(concatenate(part.table for part in parts), notes)


def _in_order(names: Iterable[str]) -> list[str]:
    names = list(names)
    first = [*REQUIRED, *(name for name in OPTIONAL if name in names)]
    last = [name for name in WHERE if name in names]
    return [*first, *(name for name in names if name not in first and name not in last), *last]


def clean_temperature(value: float | None) -> float | None:
    """A temperature as a user means it: machine epsilon, the paper's way to say 0, is 0.

    What no sampler can be set to is not known.
    """
    if value is None or not 0 <= value <= sys.float_info.max:
        return None
    return 0.0 if value <= _MACHINE_EPSILON else value


def judged(table: pd.DataFrame) -> Judged:
    """The columns of a table of one judge under one condition, ready to be counted."""

    def column(name: str) -> list[Any]:
        if name not in table:
            return [None] * len(table)
        values = table[name]
        found = values.to_numpy(dtype=object, copy=True)
        found[values.isna()] = None
        return list(found.tolist())

    questions = column("question")
    return Judged(
        questions=[str(name) for name in questions],
        clusters=[
            (benchmark, question if sample is None else sample)
            for benchmark, question, sample in zip(
                column("benchmark"), questions, column("sample"), strict=True
            )
        ],
        verdicts=column("verdict"),
        replications=column("replication"),
        categories=column("categories"),
        orders=column("order"),
        responders=column("responder"),
        shares=column("share"),
        places=column("place"),
        tails=column("tail"),
    )


def weights(table: pd.DataFrame) -> pd.Series[float]:
    """How many judgments each row counts for: 1, or its share of an exact distribution."""
    import pandas as pd

    if "share" not in table:
        return pd.Series(1.0, table.index)
    return table["share"].astype(float).fillna(1.0)


def counts(table: pd.DataFrame, categories: Sequence[str] = ()) -> Counts:
    """Count the judgments of a table by question and category (see `Judged.counts`)."""
    return judged(table).counts(categories)


def without_duplicates(
    table: pd.DataFrame, identity: Sequence[str], where: str
) -> tuple[pd.DataFrame, list[Note]]:
    """Keep the first of every judgment that `identity` names; rows with a missing part are kept.

    Returns:
        The table, and a note for every value of column `where` that lost rows.
    """
    again = table[table.duplicated(list(identity))].dropna(subset=list(identity))
    notes = [
        Note("duplicate judgments left out", int(count), str(source))
        for source, count in again[where].value_counts(sort=False).items()
    ]
    return (table if again.empty else table.drop(index=again.index)), notes
