"""The sides of a comparison, and the conditions and benchmarks that they share."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments, refuse
from ..judgments.columns import GROUP_BY, dividing, of_role
from ..showing.values import Record, describe, whole
from .at_work import own_scores
from .grouping import rows_of
from .row import Row, methods_of

ALL = "all"
"""Name of all benchmarks together, which count equally."""

Sides = dict[str, pd.DataFrame]
"""What is compared: name -> judgments."""


def sides_by(judgments: Judgments, key: str) -> Sides:
    """One side for each value of a column.

    Raises:
        UserError: There is no such column, only one value in it, or no question that has two.
    """
    judgments = clear(judgments, [key])
    judgments = replace(judgments, table=_with_method(judgments.table))
    groups = [pair for pair in judgments.groups((key,)) if pair[0][key] is not None]
    names = [describe(of) if key == "temperature" else str(whole(of[key])) for of, _ in groups]
    if len({*names}) < len(names):  # 1 and "1" print alike
        names = [repr(whole(group[key])) for group, _ in groups]
    sides = {name: rows for name, (_, rows) in zip(names, groups, strict=True)}
    if len(sides) < 2:
        table = judgments.table
        asked = ["judge", "temperature", *of_role(table, "part"), "method"]
        differ = [name for name in asked if table[name].nunique() > 1]
        raise UserError(
            f"Nothing to compare: the judgments have only one {key}. "
            + (
                f"Compare what differs: {' or '.join(f'--by {name}' for name in differ)}."
                if differ
                else "Ask another judge the same questions first."
            )
        )
    if judgments.table.groupby("question")[key].nunique().max() < 2:
        raise UserError(
            f"Nothing to compare: every question belongs to one {key}, and a comparison needs "
            "questions that both sides have judged. To see them side by side, run "
            f"inspect-reliability report LOGS --by {key}."
        )
    return sides


def sides_of(first: Judgments, second: Judgments, names: tuple[str, str]) -> Sides:
    """Two sources as two sides, each named by what differs.

    If both were judged again, the scores that they had before are no side of it: these were copied
    from log to log.

    Raises:
        UserError: All judgments of one can mean two things, or they have no question in common.
    """
    tables = clear(first).table, clear(second).table
    before = [own_scores(table) for table in tables]
    if all(own.any() for own in before):
        tables = tables[0][~before[0]], tables[1][~before[1]]
    asked = [{*table["question"].map(str)} for table in tables]
    if asked[0].isdisjoint(asked[1]):
        said = (f"{name} has {min(of)!r:.40}" for name, of in zip(names, asked, strict=True))
        raise UserError(
            f"Nothing to compare: no question is in both ({', '.join(said)}). Give a question one "
            "name in both."
        )
    for key in ("judge", "temperature"):
        one, other = (side[key].dropna().unique() for side in tables)
        if len(one) == len(other) == 1 and one[0] != other[0]:
            names = describe({key: one[0]}), describe({key: other[0]})
            break
    return dict(zip(names, map(_with_method, tables), strict=True))


def clear(judgments: Judgments, by: Sequence[str] = ()) -> Judgments:
    """The judgments of the rows that have one meaning.

    Raises:
        UserError: There are none.
    """
    if not judgments.unclear:
        return judgments
    rows = [row.asked for row in rows_of(judgments, by) if not row.unclear]
    if not rows:
        refuse(judgments.unclear, "they say nothing")
    table = judgments.table.reset_index(drop=True)
    known = table.loc[sorted(index for part in rows for index in part.index)]
    return replace(judgments, table=known, unclear=(), other=None)


def _with_method(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(method=methods_of(table))


def conditions_of(
    sides: Sides, facets: Collection[str], left_out: list[str]
) -> Iterator[tuple[Record, Sides]]:
    """The conditions to compare under: facets and scorers by value if a side has several."""
    several = ["judge", "temperature", "method"]
    for table in sides.values():
        several += of_role(table, "part")
        groups = Judgments(table).groups([name for name in GROUP_BY if name in table])
        several += [name for _, rows in groups for name in dividing(rows, facets)]
    keys: list[str] = []
    for key in dict.fromkeys(several):
        if not all(key in table for table in sides.values()):
            continue
        values = {name: set(table[key].dropna()) for name, table in sides.items()}
        if max(map(len, values.values())) <= 1:
            continue
        having = Counter(value for own in values.values() for value in own)
        if max(having.values()) < 2:
            raise UserError(
                f"{' and '.join(values)} have several {key}s and share none. Give logs "
                f"of one {key} each, or compare with --by {key}."
            )
        keys.append(key)
        for value in sorted(having):
            what = f"{value} verdicts" if key == "method" else f"{key} {whole(value)}"
            left_out += [
                f"{name} has no {what}." for name, own in values.items() if value not in own
            ]
        for name, table in sides.items():
            if unknown := int(table[key].isna().sum()):
                left_out.append(f"{unknown:,} judgments of {name} have no {key}.")
    conditions: dict[tuple[Any, ...], Sides] = {}
    for name, table in sides.items():
        for values_of, rows in table.groupby(keys, sort=False) if keys else [((), table)]:
            conditions.setdefault(values_of, {})[name] = rows
    for values_of, tables in conditions.items():
        if len(tables) > 1:
            named = zip(keys, values_of, strict=True)
            yield {key: whole(value) for key, value in named}, tables


def benchmarks_of(
    tables: Sides, left_out: list[str]
) -> Iterator[tuple[str | None, Mapping[str, Row]]]:
    """All benchmarks that every side has together, then each that at least two sides have."""
    of = {
        name: {
            None if pd.isna(benchmark) else str(benchmark): Row({}, rows)
            for benchmark, rows in table.groupby("benchmark", sort=False, dropna=False)
        }
        for name, table in tables.items()
    }
    every = set.intersection(*map(set, of.values()))
    if len(every) > 1:
        both = {name: table[table["benchmark"].isin(every)] for name, table in tables.items()}
        yield ALL, {name: Row({}, rows) for name, rows in both.items()}
    for benchmark in dict.fromkeys(b for parts in of.values() for b in parts):
        shared = {name: parts[benchmark] for name, parts in of.items() if benchmark in parts}
        left_out += [
            f"{name} has no judgments on {benchmark}." for name in of if name not in shared
        ]
        if len(shared) > 1:
            yield benchmark, shared
