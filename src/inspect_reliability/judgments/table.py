"""The one table of judgments."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import UserError
from ..stats import Counts
from ..verdicts import GIVEN
from .columns import GROUP_BY, dividing, in_order, of_role
from .count import Judged

if TYPE_CHECKING:
    import pandas as pd

_MACHINE_EPSILON = 2.3e-16
_COPY = "judgments are the same in another source: if one is a copy, leave it out, they count twice"
NUMBERS: Mapping[str, Any] = {"temperature": np.float64, "replication": np.int64}
"""Columns with numeric types."""


@dataclass(frozen=True)
class Note:
    """Something that entered the table in part or not at all.

    Attributes:
        what: Its name for readers of a report ("duplicate judgments").
        count: How many.
        where: Log or file.
    """

    what: str
    count: int
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.count:,} {self.what}"


@dataclass(frozen=True)
class Gap:
    """Judgments missing from a log: their name in words, and how many.

    Other logs of its run fill the gap if they have this many `replications` of each of these
    samples, from number `first` on. Nothing fills it if it names no sample.
    """

    what: str
    size: int = 1
    samples: Sequence[int | str] = ()
    first: int = 1
    replications: int = 0

    def is_filled(self, made: Collection[tuple[int | str, int]]) -> bool:
        """Whether these samples with their replication numbers fill it completely."""
        # A header may plan more than anybody could list: the first that is not there ends it.
        numbers = range(self.first, self.first + self.replications)
        planned = ((name, number) for name in self.samples for number in numbers)
        return bool(self.samples and numbers) and all(one in made for one in planned)


@dataclass(frozen=True)
class Log:
    """Facts about a log, beside its judgments, for combining it with others.

    Attributes:
        run: Model, task and temperature: logs with equal ones fill each other's gaps.
        task: Id that retries of a run share.
        day: When it was made.
        gaps: The judgments missing from it.
    """

    run: tuple[str, str, float | None]
    task: str
    day: str
    gaps: Sequence[Gap] = ()


@dataclass(frozen=True)
class Judgments:
    """Judgments as one long table, with notes on what was left out.

    Attributes:
        table: One row a judgment, with the columns of `columns.COLUMNS` that are known and those of
            the source.
        said: What was left out, by source, except gaps of logs.
        facets: Columns that the user takes for facets, beside those that are declared.
        logs: The logs behind the judgments, by place.
    """

    table: pd.DataFrame
    said: tuple[Note, ...] = ()
    facets: tuple[str, ...] = ()
    logs: Mapping[str, Log] = field(default_factory=dict)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was left out, by source, and the gaps that no other log fills."""
        open_runs = {log.run for log in self.logs.values() for gap in log.gaps if gap.samples}
        made: dict[Any, set[Any]] = defaultdict(set)
        for where, rows in self.table.groupby("log") if open_runs and len(self) else ():
            if (log := self.logs.get(str(where))) and log.run in open_runs:
                made[log.run].update(zip(rows["sample"], rows["replication"], strict=True))
        lacking: Counter[tuple[str, str]] = Counter()
        for where, log in self.logs.items():
            for gap in log.gaps:
                if not gap.is_filled(made[log.run]):
                    lacking[gap.what, where] += gap.size
        return (*(Note(what, n, where) for (what, where), n in lacking.items()), *self.said)

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

    def with_facets(self, names: Iterable[str]) -> Judgments:
        """The same judgments, with columns that are to be facets.

        Raises:
            UserError: There is no such column.
        """
        facets = tuple(dict.fromkeys(names))
        self._has(facets)
        return replace(self, facets=facets)

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


def combine(parts: Sequence[Judgments]) -> Judgments:
    """Judgments of several sources together; those that several logs repeat count once."""
    import pandas as pd

    if len(parts) == 1:
        return parts[0]
    logs = {where: log for part in parts for where, log in part.logs.items()}
    days: dict[str, str] = {}
    for log in logs.values():
        days[log.task] = min(log.day, days.get(log.task, log.day))
    # All retries of a run are of the day on which it began.
    day_of = {where: days[log.task] for where, log in logs.items()}
    tables = [one.table.assign(_part=str(n)) for n, one in enumerate(parts, 1) if len(one)]
    table = pd.concat(tables, ignore_index=True) if tables else make_table([])
    if logs and len(table):
        known = table["log"].map(day_of)
        table["time"] = known.where(known.notna(), table.get("time"))
    repeated: list[Note] = []
    if {"uuid", "log"} <= {*table}:
        table, repeated = without_repeats(table)
    if "_part" in table:
        repeated += _copies(table)
        table = table.drop(columns="_part")
        table = table[in_order(table.columns)]
    said = dict.fromkeys([*(note for part in parts for note in part.said), *repeated])
    facets = dict.fromkeys(name for part in parts for name in part.facets)
    return Judgments(table, tuple(said), tuple(facets), logs)


def _copies(table: pd.DataFrame) -> list[Note]:
    """A note on every source without seeds whose judgments all are those of sources before it."""
    if "seed" in table:
        table = table[table["seed"].isna()]
    if table["_part"].nunique() < 2:
        return []
    # Files of the published study do not know these, and logs of them do.
    some = [name for name in ("prompt", "study", "time") if name in table]
    unknown = [name for name in some if table[name].isna().any()]
    known = of_role(table, "unit", "part", "facet", "replication", "outcome", without=unknown)
    again = table.duplicated(known)
    source = table["_part"]
    if "log" in table:
        source = table["log"].where(table["log"].notna(), "file " + source)
    copied = again.groupby(source, sort=False).all()
    return [Note(_COPY, int((source == where).sum()), str(where)) for where in copied.index[copied]]


def clean_temperature(value: float | None) -> float | None:
    """A temperature as the user means it: machine epsilon, the paper's way to say 0, is 0.

    None for a value that no sampler accepts.
    """
    if value is None or not 0 <= value <= sys.float_info.max:
        return None
    return 0.0 if value <= _MACHINE_EPSILON else value


def weights(table: pd.DataFrame) -> pd.Series[float]:
    """The number of judgments each row counts for: 1, or its share of an exact distribution."""
    import pandas as pd

    if "share" not in table:
        return pd.Series(1.0, table.index)
    return table["share"].astype(float).fillna(1.0)


def counts(table: pd.DataFrame, categories: Sequence[str] = ()) -> Counts:
    """Count the judgments of a table by question and category (see `Judged.counts`).

    Raises:
        UserError: The table has several conditions, which are never pooled unasked.
    """
    found = [group for group, _ in Judgments(table).conditions()]
    if len(found) > 1:
        raise UserError(several_conditions(found))
    return Judged(table).counts(categories)


def several_conditions(found: Sequence[Mapping[str, Any]]) -> str:
    """Why judgments of several conditions have no common coefficient, and what to do."""
    differ = [name for name in found[0] if len({str(group.get(name)) for group in found}) > 1]
    return (
        f"The judgments are of {len(found)} conditions, which differ in {', '.join(differ)}; they "
        "are not pooled. Take one of them, as in judgments.conditions(), or all, with "
        "analyse(judgments).frame()."
    )


def without_repeats(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Note]]:
    """Judgments of logs, each draw once, with notes on those that several logs repeat.

    A repeat is a judgment of the same sample, or a seed that one judge got twice for one question
    and prompt on one day. A judge that varies wordings elsewhere has its own wording in a log
    without.
    """
    if "wording" in table:
        judge = [table[name] for name in ("benchmark", "scorer") if name in table]
        varied = (table["wording"] == GIVEN).groupby(judge).transform("any")
        table["wording"] = table["wording"].mask(table["wording"].isna() & varied, GIVEN)
    cell = [name for name in ("temperature", "place", "wording", "order") if name in table]
    one = ["uuid", "scorer", "judge", "replication", *cell]
    for name in {"label", "rater"} & {*table}:  # a log may be there before its scores were edited
        given = table.dropna(subset="uuid").groupby(one, dropna=False, sort=False)[name]
        table[name] = table[name].combine_first(given.transform("first"))
    table, duplicates = without_duplicates(table, one, "log", ["uuid"])
    if "seed" in table:
        # One text may be read for other verdicts, which are other parts.
        known = [*of_role(table, "unit", "part", "facet"), "seed", *({"place"} & {*table})]
        # A seed that several samples of one log have is that of a dataset: it names no draw.
        shared = table.duplicated([*known, "log"], keep=False) | table["uuid"].isna()
        drawn, repeated = without_duplicates(
            table.assign(seed=table["seed"].mask(shared)), known, "log", ["seed"]
        )
        table = table.loc[drawn.index]
        duplicates += repeated
    return table.reset_index(drop=True), duplicates


def without_duplicates(
    table: pd.DataFrame, identity: Sequence[str], where: str, needed: Sequence[str] | None = None
) -> tuple[pd.DataFrame, list[Note]]:
    """Keep the first of every judgment that `identity` names.

    Rows that lack one of `needed`, by default any part of the identity, are kept.

    Returns:
        The table, and a note for every value of column `where` that lost rows.
    """
    again = table[table.duplicated(list(identity))].dropna(subset=list(needed or identity))
    notes = [
        Note("duplicate judgments left out", int(count), str(source))
        for source, count in again[where].value_counts(sort=False).items()
    ]
    return (table if again.empty else table.drop(index=again.index)), notes
