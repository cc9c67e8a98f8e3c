"""From judgments to rows: each a judge under one condition."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..judgments.columns import COLUMNS, GROUP_BY, varies
from ..judgments.count import Judged
from ..judgments.mirrored import by_place
from ..judgments.table import Judgments
from ..record.replications import VOTES
from ..showing.document import Grave
from ..showing.formats import Record, grouped_by, told_apart
from ..stats import Reason
from ..stats.disagreement import Disagreement, disagreement
from ..stats.facet_effects import FacetEffect, facet_effect
from .row import Row, differing_only_in, methods_of


def rows_of(judgments: Judgments, by: Sequence[str] = ()) -> list[Row]:
    """Groups of judgments that can be one row: names from A to Z, numbers from the highest.

    These are never in one row: verdicts of two scorers, choices among options and verdicts on one
    output, verdicts on outputs of several responders, two studies of one name, exact and sampled
    verdicts. If a row has several benchmarks, questions that share an id are also named by their
    benchmark.
    """
    return sorted(_split(judgments, by), key=lambda row: _order(row.group))


def _split(judgments: Judgments, by: Sequence[str]) -> Iterator[Row]:
    table = judgments.table.reset_index(drop=True)
    studies = _studies(table)
    whole = replace(judgments, table=table)
    methods = methods_of(table)
    method_of, study_of = methods.to_numpy(), studies.to_numpy()  # cheaper to look up
    # Where a judge's other wordings, say, are exact, every row says which it is.
    both = methods.nunique() > 1 and bool(
        (methods.groupby([table[name] for name in GROUP_BY], dropna=False).nunique() > 1).any()
    )
    # The majority of a panel is no further judge beside those that voted.
    voted = "scorer" in table and any(f".{VOTES}" in str(one) for one in table["scorer"].unique())
    for group, rows in whole.groups(by) if by else whole.conditions():
        for of_study, own in _parts(rows, study_of[rows.index]):
            named = {} if of_study is None else {"study": of_study}
            scorers: list[tuple[dict[str, Any], pd.DataFrame]] = [({}, own)]
            if "scorer" in own:
                scorers = [*_several(own, "scorer", own["scorer"], voted)]
            for scorer, scored in scorers:
                for kind, same in _kinds(scored):
                    for method, alike in _several(same, "method", method_of[same.index], both):
                        keys = group | named | scorer | kind | method
                        yield Row(keys, _told_apart(alike))


def _told_apart(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments whose questions, if two benchmarks share an id, include the benchmark's name."""
    if rows["benchmark"].nunique() < 2:
        return rows
    benchmarks = rows.groupby("question")["benchmark"].nunique()
    shared = rows["question"].isin(benchmarks.index[benchmarks > 1])
    if not shared.any():
        return rows
    named = rows["benchmark"].astype(str) + ": " + rows["question"].astype(str)
    return rows.assign(question=rows["question"].mask(shared, named))


def _parts(rows: pd.DataFrame, by: Any) -> Iterator[tuple[Any, pd.DataFrame]]:
    """The rows of each value, in order of first appearance; None for a missing value."""
    codes, values = pd.factorize(by)
    for code in pd.unique(codes).tolist():
        same = codes == code
        yield (values[code] if code >= 0 else None), rows if same.all() else rows[same]


def _several(
    rows: pd.DataFrame, name: str, by: Any, always: bool = False
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The rows of each value, with its name if there are several, or `always`."""
    parts = list(_parts(rows, by))
    for value, part in parts:
        yield ({name: value} if always or len(parts) > 1 else {}), part


def _studies(table: pd.DataFrame) -> "pd.Series[Any]":
    """The study of each judgment if several share its benchmark's name, else missing."""
    if "study" not in table:
        return pd.Series(index=table.index, dtype=float)
    known = table["study"].fillna("not known")
    return known.where(known.groupby(table["benchmark"], dropna=False).transform("nunique") > 1)


def _kinds(rows: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Parts of a group whose verdicts answer the same kind of question, with their names."""
    kinds = grouped_by((part for _, part in _parts(rows, rows["benchmark"])), _kind)
    for what, parts in kinds.items():
        part = rows if len(kinds) == 1 else pd.concat(parts).sort_index()
        if what == "output" and _by_responder(part):
            for responder, judged in part.groupby("responder", sort=False):
                yield {"responder": responder}, judged
        elif what == "choice" or len(kinds) == 1:
            yield {}, part
        else:
            yield {"benchmark": ", ".join(map(str, part["benchmark"].unique()))}, part


def _kind(rows: pd.DataFrame) -> str:
    if "order" in rows and rows["order"].notna().any():
        return "choice"
    named = "responder" in rows and rows["responder"].notna().all()
    return "output" if named else "question"


def _by_responder(rows: pd.DataFrame) -> bool:
    """Whether outputs come from one responder, or from several on the same questions."""
    one = rows["responder"].nunique() == 1
    return bool(one or rows.groupby("question")["responder"].nunique().max() > 1)


def _order(group: Mapping[str, Any]) -> list[tuple[bool, float, str]]:
    """Names in alphabetical order, numbers (temperatures) from the highest to the lowest."""
    return [
        (value is None, -value, "")
        if isinstance(value, int | float)
        else (value is None, 0.0, str(value))
        for value in group.values()
    ]


# Rows that differ only in facets, together: what moves, and panels, are read off these.


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
    def moves(self) -> dict[str, FacetEffect]:
        """How far each facet moves verdicts."""
        return {facet: facet_effect(self.found, facet) for facet in self.found.levels}

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
        for keys, same in differing_only_in(rows, *facets)
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
        given = Judged(by_place(table))
        found = scored = disagreement(given.cells(varied))
        if given.scale and not (found.cells.exact and found.cells.unknown.any()):
            scored = disagreement(found.cells.as_numbers(given.scale))
        yield FacetStudy(keys, given, found, scored)


# Judges, or temperatures, whose verdicts are all the same: two names of one judge?


_FEWEST = 3
"""Fewer questions are easily judged alike by chance."""

_MOST_NAMED = 3


def identical(rows: Sequence[Row]) -> Mapping[str, Reason]:
    """Name of each row that has the verdicts of another -> what to check."""
    return dict(_said(rows))


def _said(rows: Sequence[Row]) -> Iterator[tuple[str, Reason]]:
    for _, members in differing_only_in(rows, "judge", "temperature"):
        for same in grouped_by(members, _verdicts).values() if members[1:] else ():
            n = len(same[0].counts.questions)
            if not same[1:] or n < _FEWEST or same[0].without_verdict == 1:
                continue
            named = told_apart([row.keys for row in same], "judge")
            names = [named(row.keys) for row in same]
            some = names if len(names) <= _MOST_NAMED else names[: _MOST_NAMED - 1]
            left = len(names) - len(some)
            last = f"{left:,} more" if left else some.pop()
            says = Reason(
                Grave.IDENTICAL,
                f"{', '.join(some)} and {last} gave the same verdicts on all {n:,} questions: to "
                "these numbers they are one judge. Check that none is a copy of another.",
            )
            yield from ((row.name, says) for row in same)


def _verdicts(row: Row) -> Hashable:
    """How often each question got each verdict, whatever the order of either."""
    counts = row.counts
    table = np.round(counts.shares, 9) if counts.exact else counts.table
    questions = sorted(range(len(counts.questions)), key=counts.questions.__getitem__)
    used = [k for k in range(len(counts.categories)) if table[:, k].any()]
    used.sort(key=counts.categories.__getitem__)
    names = tuple(counts.questions[i] for i in questions), tuple(counts.categories[k] for k in used)
    return counts.exact, names, table[np.ix_(questions, used)].tobytes()
