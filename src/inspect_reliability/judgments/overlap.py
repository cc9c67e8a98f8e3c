"""Judgments that several sources have, which count once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..verdicts import GIVEN
from .columns import GROUP_BY, in_order, of_role
from .table import Judgments, Note, make_table

if TYPE_CHECKING:
    import pandas as pd

SOURCE, PART = "_source", "_part"
"""Columns of the sources of judgments while these are put together: name and number."""

_COPIES = "judgments are in {} too, with the same verdicts: copies, counted once"
_RUNS = (
    "of {} judgments that {} has too have another verdict: two runs, told apart by 'time'. "
    "If one should be a copy, leave it out"
)
_HELD = "judgments are in {} too: if one is a copy, leave it out, they count twice"
_CHANCE = 0.001
"""Rows without numbers are copies if their order agrees more than this chance explains."""

_Rows = NDArray[np.int64]


@dataclass
class _Source:
    """Judgments of one log or file.

    Attributes:
        name: Its path.
        rows: Their rows of the table.
        has_ids: Whether they have ids of their own, as those of logs do.
        counted: Whether their replications are counted up from the order of the rows.
        known: The columns with values.
        of: Sources that have some of these rows, too.
        run: Number of the source whose run this is.
    """

    name: str
    rows: _Rows
    has_ids: bool
    counted: bool
    known: set[str]
    of: list[str] = field(default_factory=list)
    run: int = 0


def combine(parts: Sequence[Judgments]) -> Judgments:
    """Judgments of several sources together, whatever their order; repeated ones count once."""
    import pandas as pd

    if len(parts) == 1:
        return parts[0]
    parts = sorted(parts, key=lambda part: part.source)
    logs = {where: log for part in parts for where, log in part.logs.items()}
    days: dict[str, str] = {}
    for log in logs.values():
        days[log.task] = min(log.created[:10], days.get(log.task, log.created[:10]))
    # All retries of a run are of the day on which it began.
    day_of = {where: days[log.task] for where, log in logs.items()}
    full = [part for part in parts if len(part)]
    tables = [
        one.table.assign(**{PART: n, SOURCE: _sources(one, n)}) for n, one in enumerate(full, 1)
    ]
    table = pd.concat(tables, ignore_index=True) if tables else make_table([])
    if logs and len(table):
        known = table["log"].map(day_of)
        table["time"] = known.where(known.notna(), table.get("time"))
    facets = dict.fromkeys(name for part in parts for name in part.facets)
    repeated: list[Note] = []
    if tables:
        counted = {n for n, one in enumerate(full, 1) if one.counted}
        table, repeated = _without_overlap(table, counted, facets)
        table = table.drop(columns=[SOURCE, PART])
        table = table[in_order(table.columns)]
    said = dict.fromkeys([*(note for part in parts for note in part.said), *repeated])
    unclear = tuple(dict.fromkeys(one for part in parts for one in part.unclear))
    other = combine([part.other or part for part in parts]) if unclear else None
    return Judgments(table, tuple(said), tuple(facets), logs, unclear, other)


def _sources(part: Judgments, number: int) -> pd.Series[str] | str:
    name = part.source or f"source {number}"
    return part.table["log"].fillna(name) if "log" in part.table else name


def _without_overlap(
    table: pd.DataFrame, counted: Collection[int], facets: Collection[str]
) -> tuple[pd.DataFrame, list[Note]]:
    """Judgments with every one that several sources have once, and notes on these.

    Ids of samples decide first, then seeds of logs. Other sources overlap where a cell (unit, part
    of a score, facets) has the same number of a replication, or seed. If all their verdicts there
    agree, they are copies, else two runs, whose names are levels of the facet `time`. Where no
    source has numbers, the order of the rows stands for them, but only if chance does not explain
    that all verdicts agree. Rows of one source never replace each other.

    Args:
        table: Judgments with the columns `SOURCE` and `PART`.
        counted: Parts whose replications are counted up.
        facets: Columns that the user takes for facets.
    """
    if table.empty or table[PART].nunique() < 2:
        return table, []
    notes: list[Note] = []
    if "uuid" in table:
        table, notes = _each_draw(table)
    overlap = _Overlap(table, counted, facets)
    return overlap.once(), [*notes, *overlap.notes]


class _Overlap:
    """The sources of a table, compared in pairs."""

    def __init__(
        self, table: pd.DataFrame, counted: Collection[int], facets: Collection[str]
    ) -> None:
        self.table = table
        self.notes: list[Note] = []
        self._gone = np.zeros(len(table), dtype=bool)
        self._always = [*GROUP_BY, "question"]
        more = [*of_role(table, "unit", "part", "facet"), "place", *facets]
        self._sometimes = [n for n in dict.fromkeys(more) if n in table and n not in self._always]
        self._codes: dict[tuple[str, ...], _Rows] = {}
        said = table[["verdict"]]
        if "share" in table:
            said = said.assign(share=table["share"].astype(float).round(9))
        self._said = said.groupby([*said], dropna=False, sort=False).ngroup().to_numpy()
        self.sources = sorted(self._sources(counted), key=lambda one: -len(one.rows))
        self.sources.sort(key=lambda one: not one.has_ids)

    def _sources(self, counted: Collection[int]) -> Iterator[_Source]:
        table = self.table
        ids = table["uuid"].notna() if "uuid" in table else np.zeros(len(table), dtype=bool)
        columns = ["seed", *self._sometimes]
        known = {name: table[name].notna().to_numpy() for name in columns if name in table}
        by = [table[SOURCE], table[PART].where(~ids, -1)] if ids.any() else [table[PART]]
        names, parts = table[SOURCE].tolist(), table[PART].tolist()
        for found in table.groupby(by, sort=False).indices.values():
            places = np.asarray(found, dtype=np.int64)
            first = int(places[0])
            some = {name for name, there in known.items() if there[places].any()}
            if "seed" in some and not known["seed"][places].all():
                some.remove("seed")
            has_id = bool(ids[first])
            by_order = not has_id and parts[first] in counted
            yield _Source(names[first], places, has_id, by_order, some)

    def once(self) -> pd.DataFrame:
        """The table without copies, and with its runs told apart."""
        apart: list[tuple[int, int, Note]] = []
        for number, one in enumerate(self.sources):
            one.run = number
        for first, second in self._meeting():
            one, other = self.sources[first], self.sources[second]
            if not self._gone[one.rows].all() and (note := self._differ(one, other)):
                apart.append((first, second, note))
        runs: dict[int, Note | None] = {}
        for first, second, note in apart:
            one, other = self.sources[first], self.sources[second]
            if other.run == second and not self._gone[other.rows].all():
                runs |= {one.run: runs.get(one.run), second: runs.get(second) or note}
        table = self._named(runs)
        for one in self.sources:
            if one.of:
                more = f" and {len(one.of) - 1} more" if len(one.of) > 1 else ""
                copies = int(self._gone[one.rows].sum())
                self.notes.append(Note(_COPIES.format(one.of[0] + more), copies, one.name))
        self.notes += filter(None, runs.values())
        return table[~self._gone].reset_index(drop=True) if self._gone.any() else table

    def _meeting(self) -> list[tuple[int, int]]:
        """Pairs of sources that have a question of one judge in common."""
        size = len(self.sources)
        of = np.empty(len(self.table), dtype=np.int64)
        for number, one in enumerate(self.sources):
            of[one.rows] = number
        cells, source = np.divmod(np.unique(self._cells(()) * size + of), size)
        shared = np.isin(cells, cells[1:][np.diff(cells) == 0])
        starts = np.flatnonzero(np.diff(cells[shared])) + 1
        together = {tuple(some.tolist()) for some in np.split(source[shared], starts)}
        pairs = {pair for some in together for pair in combinations(some, 2)}
        return sorted(pairs, key=lambda pair: pair[::-1])

    def _cells(self, more: Collection[str]) -> _Rows:
        """Numbers of the cells that these columns and those of every table tell apart."""
        columns = tuple([*self._always, *more])
        if columns not in self._codes:
            groups = self.table.groupby([*columns], dropna=False, sort=False)
            self._codes[columns] = np.asarray(groups.ngroup(), dtype=np.int64)
        return self._codes[columns]

    def _differ(self, one: _Source, other: _Source) -> Note | None:
        """A note on two sources that are two runs; copies in the second are put down."""
        shared = [name for name in self._sometimes if name in one.known & other.known]
        if one.has_ids and other.has_ids:
            if "seed" not in one.known | other.known:
                self._announce(one, other, self._cells([*shared, "replication"]))
            return None
        counted = one.counted or other.counted
        seeded = "seed" in one.known & other.known
        for number in (*(["seed"] if seeded else []), "replication"):
            keys = self._cells([*shared, number])
            mine, theirs = keys[one.rows], keys[other.rows]
            if len(np.unique(mine)) < len(mine) or len(np.unique(theirs)) < len(theirs):
                continue
            _, first, second = np.intersect1d(mine, theirs, True, return_indices=True)
            found, again = one.rows[first], other.rows[second]
            new = (self._said[found] != self._said[again]).sum()
            if not len(found):
                return None
            if new == 0 and not (
                one.counted and other.counted and self._by_chance(one, found, self._cells(shared))
            ):
                self._copied(one, found, other, again)
                return None
            if new and not counted:
                return Note(_RUNS.format(f"{len(again):,}", one.name), int(new), other.name)
            break
        self._announce(one, other, self._cells(shared if counted else [*shared, "replication"]))
        return None

    def _by_chance(self, one: _Source, found: _Rows, cells: _Rows) -> bool:
        """Whether rows in another order would often begin with the same verdicts in each cell."""
        said = cells * (self._said.max() + 1) + self._said
        chance = _ways(said[one.rows], said[found]) - _ways(cells[one.rows], cells[found])
        return bool(chance > np.log(_CHANCE))

    def _announce(self, one: _Source, other: _Source, cells: _Rows) -> None:
        """Say that a source holds all judgments of another, as far as their verdicts tell."""
        said = cells * (self._said.max() + 1) + self._said
        values, held = np.unique(said[one.rows], return_counts=True)
        asked, times = np.unique(said[other.rows], return_counts=True)
        places = np.minimum(np.searchsorted(values, asked), len(values) - 1)
        if ((values[places] == asked) & (times <= held[places])).all():
            self.notes.append(Note(_HELD.format(one.name), len(other.rows), other.name))

    def _copied(self, one: _Source, found: _Rows, other: _Source, again: _Rows) -> None:
        self._gone[again] = True
        other.of.append(one.name)
        if len(other.of) == 1:
            other.run = one.run
        # A copy may be of before somebody added labels.
        for names in (("label", "rater"), ("best",)):
            if names[0] in self.table:
                empty = self.table[names[0]].isna().to_numpy()[found]
                for name in {*names} & {*self.table}:
                    values = self.table[name].to_numpy(dtype=object, copy=True)
                    values[found[empty]] = values[again[empty]]
                    self.table = self.table.assign(**{name: values})

    def _named(self, runs: Collection[int]) -> pd.DataFrame:
        """The table with the names of these runs as times."""
        table = self.table
        named = [one for one in self.sources if one.run in runs and not one.has_ids]
        if not named:
            return table
        times = np.full(len(table), None, dtype=object)
        if "time" in table:
            times[:] = table["time"].where(table["time"].notna(), None)
        short = _short([self.sources[one.run].name for one in named])
        for one in named:
            name = short[self.sources[one.run].name]
            was = times[one.rows]
            times[one.rows] = [name if time is None else f"{time} ({name})" for time in was]
        return table.assign(time=times)


def _ways(values: _Rows, drawn: _Rows) -> float:
    """Logarithm of the number of ways to draw these from all, in order."""
    from scipy.special import gammaln

    kinds, held = np.unique(values, return_counts=True)
    taken = np.bincount(np.searchsorted(kinds, drawn), minlength=len(kinds))
    return float((gammaln(held + 1) - gammaln(held - taken + 1)).sum())


def _short(names: Collection[str]) -> dict[str, str]:
    """Each path by as few of its last parts as tell all of them apart."""
    parts = {name: PurePath(name).parts for name in names}
    for size in range(1, max(map(len, parts.values())) + 1):
        short = {name: "/".join(own[-size:]) for name, own in parts.items()}
        if len({*short.values()}) == len(short):
            return short
    return {name: name for name in names}


def _each_draw(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Note]]:
    """Judgments of logs, each draw once, with notes on those that several logs repeat.

    A repeat is a judgment of the same sample, or a seed that one judge got twice for one question
    and prompt on one day. A judge that varies wordings elsewhere has its own wording in a log
    without.
    """
    if "wording" in table:
        judge = [table[name] for name in ("benchmark", "scorer") if name in table]
        varied = (table["wording"] == GIVEN).groupby(judge).transform("any")
        table["wording"] = table["wording"].mask(table["wording"].isna() & varied, GIVEN)
    optional = ("scorer", "temperature", "place", "wording", "order")
    one = ["uuid", "judge", "replication", *(name for name in optional if name in table)]
    for name in {"label", "rater"} & {*table}:  # a log may be there before its scores were edited
        given = table.dropna(subset="uuid").groupby(one, dropna=False, sort=False)[name]
        table[name] = table[name].combine_first(given.transform("first"))
    table, duplicates = _drawn_once(table, one, "uuid")
    if "seed" in table:
        # One text may be read for other verdicts, which are other parts.
        known = [*of_role(table, "unit", "part", "facet"), "seed", *({"place"} & {*table})]
        # A seed that several samples of one log have is that of a dataset: it names no draw.
        shared = table.duplicated([*known, SOURCE], keep=False) | table["uuid"].isna()
        drawn, repeated = _drawn_once(table.assign(seed=table["seed"].mask(shared)), known, "seed")
        table = table.loc[drawn.index]
        duplicates += repeated
    return table.reset_index(drop=True), duplicates


def _drawn_once(
    table: pd.DataFrame, identity: Sequence[str], needed: str
) -> tuple[pd.DataFrame, list[Note]]:
    """Keep the first of every judgment that `identity` names, with a note on each source of others.

    Rows without a value of `needed` are kept, and so are those of the part of the first.
    """
    again = table[table.duplicated(identity)].dropna(subset=needed)
    if len(again):
        first = table.groupby(list(identity), dropna=False, sort=False)[PART].transform("first")
        again = again[again[PART] != first[again.index]]
    times = again[SOURCE].value_counts(sort=False)
    notes = [Note("duplicate judgments left out", int(n), str(one)) for one, n in times.items()]
    return (table if again.empty else table.drop(index=again.index)), notes
