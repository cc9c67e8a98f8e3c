"""Counted judgments: one row for all that are alike, with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..verdicts import GIVEN
from .columns import (
    COLUMNS,
    GROUP_BY,
    N_JUDGMENTS,
    UNUSED,
    factorized,
    in_order,
    numbers_of,
    of_role,
)
from .files_apart import choices_of_files
from .log_facts import Log
from .outputs import RUN, Outputs, tasks_judged
from .reading import Code, Note, Reading
from .table import Judgments, is_rejudged, is_suite, make_table, of_scorers

if TYPE_CHECKING:
    import pandas as pd


BATCH = 500_000
"""Rows that are read at a time; sources with more in all are counted as they are read."""

_OF_ONE = ("tokens", "cost", N_JUDGMENTS)
"""Facts of single judgments, in which they differ."""


def together(
    frames: Iterator[pd.DataFrame], facets: Collection[str] = (), count: bool = False
) -> pd.DataFrame:
    """Batches of rows as one table; with `count`, counted, so that a few are held at a time."""
    import pandas as pd

    first = next(frames)
    if not (count and can_be_counted(first)):
        more = [*frames]
        return pd.concat([first, *more], ignore_index=True) if more else first
    alike, waiting = telling(first, facets), list[pd.DataFrame]()
    total = counted_by_kind(first, alike)
    for frame in frames:
        waiting.append(counted_by_kind(frame, alike))
        # As many new rows as old ones, so that no row is counted again and again.
        if sum(map(len, waiting)) > max(len(total), BATCH):
            total = counted_by_kind(pd.concat([total, *waiting], ignore_index=True), alike)
            waiting = []
    return (
        counted_by_kind(pd.concat([total, *waiting], ignore_index=True), alike)
        if waiting
        else total
    )


def telling(table: pd.DataFrame, facets: Collection[str] = ()) -> list[str]:
    """The columns in which counted judgments are alike.

    These are all that say what was judged, under which condition, with what outcome and label; of
    the source's own, facets and those that belong to the questions, such as a topic.
    """
    question = _kinds(table, ["question"]).max(initial=-1)
    own = [name for name in map(str, table) if name not in COLUMNS]
    same = [one for one in own if _kinds(table, ["question", one]).max(initial=-1) == question]
    kept = {*_of_kinds(table)} - {*own} | {*same, *facets}
    return [name for name in map(str, table) if name in kept]


def _of_kinds(table: pd.DataFrame) -> list[str]:
    """The columns in which judgments of one kind are equal, once they are counted."""
    of_one = {*of_role(table, "replication", "place"), *_OF_ONE}
    return [name for name in map(str, table) if name not in of_one]


def counted_by_kind(table: pd.DataFrame, alike: Collection[str]) -> pd.DataFrame:
    """Each kind of judgment with the number of its kind; all are of replication 1.

    Args:
        table: Judgments, counted or not.
        alike: The columns in which judgments of one kind are equal.
    """
    kinds = _kinds(table, alike)
    number = table[N_JUDGMENTS].astype(float).fillna(1.0) if N_JUDGMENTS in table else None
    sums = np.bincount(kinds, number).astype(np.int64)
    first = np.unique(kinds, return_index=True)[1]
    found = table[[*alike]].iloc[first].reset_index(drop=True)
    return found.assign(replication=1, **{N_JUDGMENTS: sums})


def can_be_counted(table: pd.DataFrame) -> bool:
    """Whether counts can stand for these judgments.

    Exact verdicts have shares instead, and the epochs of a suite are outputs.
    """
    exact = "share" in table and bool(table["share"].notna().any())
    return not (exact or is_suite(table) or is_rejudged(table))


def as_counts(judgments: Judgments) -> Judgments:
    """Count judgments that are alike, without what only single ones have, such as seeds.

    Raises:
        UserError: Counts cannot stand for them.
    """
    table = judgments.table
    if not can_be_counted(table):
        raise UserError(
            "These judgments cannot be counted: they are exact verdicts or a suite's own scores. "
            "Save them without --counts."
        )
    found = counted_by_kind(table, telling(table, judgments.facets))
    return replace(judgments, table=found[in_order(found.columns)])


def summed(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Counted judgments of several sources together."""
    import pandas as pd

    table = pd.concat(tables, ignore_index=True)
    return counted_by_kind(table, _of_kinds(table))


def fingerprint_of_counts(table: pd.DataFrame) -> int:
    """A number that only copies of these counted judgments have, whatever their order."""
    import pandas as pd

    known = table[sorted([*_of_kinds(table), N_JUDGMENTS])]
    return int(pd.util.hash_pandas_object(known, index=False).sum())


def _kinds(table: pd.DataFrame, names: Collection[str]) -> NDArray[np.int64]:
    """The number of each row's kind, in order of first appearance."""
    import pandas as pd

    kinds = np.zeros(len(table), dtype=np.int64)
    for name in names:
        codes, distinct = factorized(table[name])
        kinds = pd.factorize(kinds * (len(distinct) + 1) + codes + 1)[0]
    return kinds


# Judgments that several sources have, which count once.


SOURCE, PART = "_source", "_part"
"""Columns of the sources of judgments while these are put together: name and number."""

_REPEATED = "duplicate judgments left out"

_COPIES = "judgments are in {} too, with the same verdicts: copies, counted once"

_RUNS = "of {} judgments that {} has too, by the number of their replication, have another verdict"

_HELD = "judgments are in {} too: if one is a copy, leave it out, they count twice"

_Rows = NDArray[np.int64]


def combine(parts: Sequence[Judgments], reading: Reading | None = None) -> Judgments:
    """Judgments of several sources together, whatever their order; repeated ones count once.

    Ids of samples decide first, then seeds of logs. Other sources overlap where a cell (unit, part
    of a score, facets) has the same number of a replication. If all their verdicts there
    agree, they are copies, else two runs, whose names are levels of the facet `time`. Where neither
    has numbers, both count, and a note asks about a copy. Rows of one source never replace each
    other.

    Args:
        parts: The judgments of each source.
        reading: How they were read, where files that differ are asked about.
    """
    if len(parts) == 1:
        return parts[0]
    parts = sorted(parts, key=lambda part: part.source)
    # What a retry took over from an earlier log is of that one, whatever their names are.
    parts.sort(key=_made)
    logs = {where: log for part in parts for where, log in part.logs.items()}
    facets = dict.fromkeys(name for part in parts for name in part.facets)
    full = [part for part in parts if len(part)]
    rows = [part for part in full if N_JUDGMENTS not in part.table]
    counts = [part for part in full if N_JUDGMENTS in part.table]
    table, said = (
        _rows_once(rows, logs, facets, reading) if rows else (make_table([]), list[Note]())
    )
    if counts:
        said += _twice(counts, rows)
        table = summed([*(one.table for one in counts), *([table] if rows else [])])
    open_ = [one for one in said if one.choices]
    said = [one for one in said if not one.choices]
    said = [*dict.fromkeys([*(note for part in parts for note in part.said), *said])]
    open_ = [*(one for part in parts for one in part.asked), *open_]
    asked = tuple({(one.code, one.where, one.what): one for one in open_}.values())
    table = table[in_order(table.columns)]
    return Judgments(table, tuple(said), tuple(facets), logs, asked)


def _made(part: Judgments) -> tuple[str, str]:
    """When the logs of a part were made; within a second, when their last sample began."""
    made = ((log.created, log.last_began) for log in part.logs.values())
    return max(made, default=("", ""))


def _rows_once(
    parts: Sequence[Judgments],
    logs: Mapping[str, Log],
    facets: Collection[str],
    reading: Reading | None,
) -> tuple[pd.DataFrame, list[Note]]:
    """The judgments of parts that have a row for each, with notes on those in several."""
    import pandas as pd

    tables = [
        one.table.assign(**{PART: n, SOURCE: _sources(one, n)}) for n, one in enumerate(parts, 1)
    ]
    table, repeated = pd.concat(tables, ignore_index=True), list[Note]()
    if "log" in table and logs:  # all retries of a run are of the day on which it began
        judged = tasks_judged(logs)
        # A run, and what judges its outputs again, begin on days of their own.
        of = {at: (log.task in judged, judged.get(log.task, log.task)) for at, log in logs.items()}
        by_day = sorted(logs, key=lambda where: logs[where].created, reverse=True)
        began = {of[where]: logs[where].created[:10] for where in by_day}
        known = table["log"].map({where: began[task] for where, task in of.items()})
        table["time"] = known.where(known.notna(), table.get("time"))
    if len(parts) > 1:
        outputs = Outputs(table, logs)
        if "uuid" in table:
            table, repeated = _each_draw(table.assign(**{RUN: outputs.runs}))
        counted = {n for n, one in enumerate(parts, 1) if one.counted}
        overlap = _Overlap(table, counted, facets, reading)
        table = outputs.named_by_run(overlap.once())
        repeated += overlap.notes
    return table.drop(columns=[one for one in (SOURCE, PART, RUN) if one in table]), repeated


def _twice(counts: Sequence[Judgments], rows: Sequence[Judgments]) -> list[Note]:
    """What is in counts and, by the name of its log or by its question, elsewhere too."""
    names = [*GROUP_BY, "question"]
    asked = [one.table[names].drop_duplicates() for one in (*counts, *rows)]
    found = []
    for n, one in enumerate(counts):
        for k, other in enumerate([*counts, *rows][n + 1 :], n + 1):
            alike = k >= len(counts) and len(asked[n].merge(asked[k]))
            if alike or {*one.logs} & {*other.logs}:
                found.append(Note(_HELD.format(one.source), len(other), other.source))
    return found


def _sources(part: Judgments, number: int) -> pd.Series[str] | str:
    name = part.source or f"source {number}"
    return part.table["log"].fillna(name) if "log" in part.table else name


@dataclass(eq=False)
class _Source:
    """Judgments of one log or file.

    Attributes:
        name: Path of the source.
        rows: Their rows of the table.
        has_ids: Whether they have ids of their own, as those of logs do.
        counted: Whether their replications are counted up from the order of the rows.
        known: The columns with values.
        questions: Numbers of the questions of each judge.
        run: Name of the source whose run this is.
        of: Names of sources that have some of these rows, too.
    """

    name: str
    rows: _Rows
    has_ids: bool
    counted: bool
    known: set[str]
    questions: set[int]
    run: str
    of: list[str] = field(default_factory=list)


class _Overlap:
    """The sources of a table, compared in pairs."""

    def __init__(
        self,
        table: pd.DataFrame,
        counted: Collection[int],
        facets: Collection[str],
        reading: Reading | None,
    ) -> None:
        self.table, self._reading = table, reading
        self.notes: list[Note] = []
        self._gone = np.zeros(len(table), dtype=bool)
        self._always = [*GROUP_BY, "question"]
        more = [*of_role(table, "unit", "part", "facet"), "place", *facets]
        self._sometimes = [n for n in dict.fromkeys(more) if n in table and n not in self._always]
        self._of_suites = of_scorers(table)
        self._codes: dict[tuple[str, ...], _Rows] = {}
        said = table[["verdict"]]
        if "share" in table:
            said = said.assign(share=table["share"].astype(float).round(9))
        self._said = _numbers(said)
        found = self._sources(counted)
        self.sources = sorted(found, key=lambda one: (not one.has_ids, -len(one.rows)))

    def _sources(self, counted: Collection[int]) -> Iterator[_Source]:
        table = self.table
        ids = table["uuid"].notna() if "uuid" in table else np.zeros(len(table), dtype=bool)
        columns = {"seed", *self._sometimes} & {*table}
        known = {name: table[name].notna().to_numpy() for name in columns}
        questions = self._cells(())
        by = [table[SOURCE], table[PART].where(~ids, -1)]
        for places in table.groupby(by, sort=False).indices.values():
            rows = np.asarray(places, dtype=np.int64)
            part, name = table[PART].iloc[rows[0]], table[SOURCE].iloc[rows[0]]
            some = {name for name, there in known.items() if there[rows].any()}
            has_ids = bool(ids[rows[0]])
            asked = {*questions[rows].tolist()}
            yield _Source(name, rows, has_ids, not has_ids and part in counted, some, asked, name)

    def once(self) -> pd.DataFrame:
        """The table without copies, and with its runs told apart."""
        runs: set[str] = set()
        said: list[Note] = []
        for number, other in enumerate(self.sources):
            others = [one for one in self.sources[:number] if not self._gone[one.rows].all()]
            apart = [(one, note) for one in others if (note := self._differ(one, other))]
            if apart and other.run == other.name and not self._gone[other.rows].all():
                runs |= {other.name, *(one.run for one, _ in apart)}
                said.append(apart[0][1])
        for one in self.sources:
            if one.of:
                more = f" and {len(one.of) - 1} more" if len(one.of) > 1 else ""
                copies = int(self._gone[one.rows].sum())
                self.notes.append(Note(_COPIES.format(one.of[0] + more), copies, one.name))
        self.notes += said
        return self._named(runs)[~self._gone].reset_index(drop=True)

    def _cells(self, more: Collection[str]) -> _Rows:
        """Numbers of the cells that these columns and those of every table tell apart."""
        columns = tuple([*self._always, *more])
        if columns not in self._codes:
            self._codes[columns] = _numbers(self.table[[*columns]])
        return self._codes[columns]

    def _differ(self, one: _Source, other: _Source) -> Note | None:
        """A note on two sources that are two runs; copies in the second are put down."""
        ids = one.has_ids and other.has_ids
        # Other outputs of a suite have other ids. One judge's log may be here in two forms.
        apart = ids and (self._of_suites or "seed" in one.known | other.known)
        if one.questions.isdisjoint(other.questions) or apart:
            return None
        shared = [name for name in self._sometimes if name in one.known & other.known]
        keys = self._cells([*shared, "replication"])
        single = all(len(np.unique(keys[of.rows])) == len(of.rows) for of in (one, other))
        if single and not ids and not (one.counted and other.counted):
            _, first, second = np.intersect1d(keys[one.rows], keys[other.rows], True, True)
            found, again = one.rows[first], other.rows[second]
            new = int((self._said[found] != self._said[again]).sum())
            if not new:
                if len(found):
                    self._copied(one, found, other, again)
                return None
            if not (one.counted or other.counted):
                return self._two_runs(one, other, len(again), new)
        cells = self._cells(shared) if one.counted or other.counted else keys
        said = cells * (self._said.max() + 1) + self._said  # each verdict has cells of its own
        if Counter(said[other.rows].tolist()) <= Counter(said[one.rows].tolist()):
            self.notes.append(Note(_HELD.format(one.name), len(other.rows), other.name))
        return None

    def _two_runs(self, one: _Source, other: _Source, shared: int, new: int) -> Note:
        """What two sources are that number the same replications with other verdicts."""
        what = _RUNS.format(f"{shared:,}", one.name)
        if self._reading is None or one.has_ids or other.has_ids:
            return Note(f"{what}: two runs, told apart by 'time'", new, other.name, Code.OVERLAP)
        yours = self._reading.yours("replication")
        more = self._reading.choice("more replications of one run", {"columns": {yours: UNUSED}})
        first, second = (self.table.iloc[of.rows] for of in (one, other))
        names = [of.name for of in self.sources if not of.has_ids]
        ways = choices_of_files(names, first, second, self._reading, more)
        return Note(what, new, other.name, Code.REPEATS_OPEN, ways, "time")

    def _copied(self, one: _Source, found: _Rows, other: _Source, again: _Rows) -> None:
        self._gone[again] = True
        if not other.of:
            other.run = one.run
        other.of.append(one.name)
        # A copy may be of before somebody added labels, which stay beside their raters.
        for names in (("label", "rater"), ("best",)):
            if names[0] in self.table:
                empty = self.table[names[0]].isna().to_numpy()[found]
                for name in {*names} & {*self.table}:
                    values = self.table[name].to_numpy(dtype=object, copy=True)
                    values[found[empty]] = values[again[empty]]
                    self.table = self.table.assign(**{name: values})

    def _named(self, runs: Collection[str]) -> pd.DataFrame:
        """The table with the names of these runs as times."""
        named = [one for one in self.sources if one.run in runs and not one.has_ids]
        if not named:
            return self.table
        times = self.table.reindex(columns=["time"])["time"].to_numpy(dtype=object, copy=True)
        names = short([one.run for one in named])
        for one in named:
            name = names[one.run]
            was = [time if isinstance(time, str) else None for time in times[one.rows]]
            times[one.rows] = [f"{time} ({name})" if time else name for time in was]
        return self.table.assign(time=times)


def _numbers(table: pd.DataFrame) -> _Rows:
    """The number of each row among the different ones."""
    return np.asarray(numbers_of(*(table[name] for name in table)), dtype=np.int64)


def short(names: Collection[str]) -> dict[str, str]:
    """Each path by as few of its last parts as tell all of them apart."""
    parts = {name: PurePath(name).parts for name in names}
    for size in range(1, max(map(len, parts.values()), default=0) + 1):
        found = {name: "/".join(own[-size:]) for name, own in parts.items()}
        if len({*found.values()}) == len(found):
            return found
    return {name: name for name in names}


def _each_draw(table: pd.DataFrame) -> tuple[pd.DataFrame, list[Note]]:
    """Judgments of logs, each draw once, with notes on those that several logs repeat.

    A repeat is a judgment of the same sample, or a seed that one judge got twice for one question
    and prompt on one day. Of outputs judged again, it is of an output of the same run. A judge that
    varies wordings or forms elsewhere has its own in a log without.
    """
    for name in {"wording", "answer_form"} & {*table}:
        judge = [table[one] for one in ("benchmark", "scorer") if one in table]
        varied = (table[name] == GIVEN).groupby(judge).transform("any")
        table[name] = table[name].mask(table[name].isna() & varied, GIVEN)
    optional = ("scorer", "temperature", "place", "wording", "answer_form", "order")
    one = ["uuid", "judge", "replication", *(name for name in optional if name in table)]
    for name in {"label", "rater"} & {*table}:  # a log may be there before its scores were edited
        given = table.dropna(subset="uuid").groupby(one, dropna=False, sort=False)[name]
        table[name] = table[name].combine_first(given.transform("first"))
    table, duplicates = _drawn_once(table, one, "uuid")
    if "seed" in table:
        # One text may be read for other verdicts, which are other parts.
        known = [*of_role(table, "unit", "part", "facet"), RUN, "seed", *({"place"} & {*table})]
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
    notes = [Note(_REPEATED, int(n), str(one)) for one, n in times.items()]
    return (table if again.empty else table.drop(index=again.index)), notes
