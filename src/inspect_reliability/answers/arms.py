"""The arms of a comparison: an analysis whose rows are of an arm, a condition and a benchmark."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments.column_names import is_called
from ..judgments.columns import COLUMNS, GROUP_BY, WORDS, dividing, of_role, words_of
from ..judgments.count import NUMBER
from ..judgments.days import are_days_or_months, by_date, refuse_either_order
from ..judgments.other_names import asked_of_names
from ..judgments.other_questions import OTHERS, named_by_numbers, of_other_questions
from ..judgments.reading import Code, Note, refuse
from ..judgments.sources import FILE
from ..judgments.table import Judgments, own_scores, verdict_counts, weights
from ..shell import quote
from ..showing.formats import Record, describe, whole_number
from .analysis import Analysis
from .results import analysis_of
from .row import Row, differing_only_in, methods_of

ALL = "all"
"""Name of all benchmarks together, which count equally."""

SIDE = "side of the comparison"
"""Column that names the side of a judgment."""

_MONTH = re.compile(r"\d\d?\.20\d\d")

_PERIOD_WORDS = ("month", "week", "quarter", "monat", "woche", "quartal", "mes", "mois", "semaine")
"""Words in the name of a column of times that may be no dates."""

_ASKED_HOW = ("judge", "temperature", "wording", "answer_form", "scorer", "study", "method")
"""Columns of how a judge is asked: of sides that differ in one, a user can choose one."""


class Sides(Enum):
    """What the sides of a comparison are.

    A side of `WAYS` to judge can be used, one of `TIMES` cannot. Two sources of one judge, asked in
    one way as far as is known, can be `EITHER`.
    """

    WAYS = "ways"
    TIMES = "times"
    EITHER = "either"


def arms_by(judgments: Judgments, key: str) -> Analysis:
    """One side for each value of a column: numbers and dates by their order, others as they come.

    Where these may be times, and no dates say in which order, a note says which is first.

    Raises:
        UserError: There is no such column, only one value in it, or several of which no question
            has two; or sides have several judges, say, and none in common.
    """
    [key] = judgments.named([key])
    refuse([one for one in judgments.asked if one.column != key])
    judgments = replace(judgments, table=_with_method(judgments.table))
    table = judgments.table
    groups = [pair for pair in judgments.groups((key,)) if pair[0][key] is not None]
    values = [str(of[key]) for of, _ in groups]
    if is_called(key, "time"):
        refuse_either_order(values)
    months = all(map(_MONTH.fullmatch, values))  # 09.2025 is no number
    if all(map(NUMBER.fullmatch, values)) and not months:
        groups.sort(key=lambda one: float(one[0][key]))
    elif dates := by_date(values):
        groups.sort(key=lambda one: dates[str(one[0][key])])
    elif values and {*words_of(key)} & {*WORDS["time"], *_PERIOD_WORDS}:
        what = f"values of {key!r} are no dates with a year: {values[0]!r} is taken for the first"
        where = next(iter(judgments.files), "data frame")
        note = Note(what, len(values), where, Code.REPEATS)
        judgments = replace(judgments, said=(*judgments.said, note))
    names = [
        describe(of) if key == "temperature" else str(whole_number(of[key])) for of, _ in groups
    ]
    if len({*names}) < len(names):  # 1 and "1" print alike
        names = [repr(whole_number(group[key])) for group, _ in groups]
    if len(names) < 2:
        asked = ["judge", "temperature", *of_role(table, "part"), "method"]
        differ = [name for name in asked if table[name].nunique() > 1]
        raise UserError(
            f"Nothing to compare: the judgments have only one {key}. "
            + (
                f"Compare what differs: {' or '.join(f'--by {quote(name)}' for name in differ)}."
                if differ
                else "Ask another judge the same questions first."
            )
        )
    if len(names) > 2 and table.groupby("question")[key].nunique().max() < 2:
        raise UserError(
            f"Nothing to compare: every question belongs to one {key}, and sides with other "
            f"questions are compared two at a time, not {len(names)}. To see them side by side, "
            f"run inspect-reliability report LOGS --by {quote(key)}."
        )
    sides = _beside(names, [rows for _, rows in groups])
    return _analysis(replace(judgments, table=sides), sides)


def arms_of(
    first: Judgments, second: Judgments, names: tuple[str, str], ids: str | None = None
) -> Analysis:
    """Two sources as two sides, each named by what differs.

    If both were judged again, the scores that they had before are no side of it: these were copied
    from log to log.

    Args:
        first: One source.
        second: The other.
        names: Their names.
        ids: What equal ids are: of one question at two times ("time"), or of two ("benchmark"). By
            default what the readings say.

    Raises:
        UserError: The judgments of one, or ids of both, can mean two things, or they have several
            judges, say, and none in common.
    """
    refuse([*first.asked, *second.asked])
    tables = first.table, second.table
    before = [own_scores(table) for table in tables]
    again = all(own.any() for own in before)
    kept: Sequence[pd.DataFrame] = [
        table[~own] if again else table for table, own in zip(tables, before, strict=True)
    ]
    kept = _with_own_questions((first, second), kept, names, ids)
    for key in ("judge", "temperature"):
        one, other = (side[key].dropna().unique() for side in kept)
        if len(one) == len(other) == 1 and one[0] != other[0]:
            names = describe({key: one[0]}), describe({key: other[0]})
            break
    _refuse_other_names((first, second), kept, names)
    sides = _beside(names, list(map(_with_method, kept)))
    return _analysis(replace(first, table=_beside(names, tables), asked=()), sides)


def _refuse_other_names(
    sources: Sequence[Judgments], tables: Sequence[pd.DataFrame], names: Sequence[str]
) -> None:
    """Refuse sides that share no verdict, where these may be the same under other names."""
    readings = [one for of in sources for one in of.readings]
    asked = [{*map(str, table["question"])} for table in tables]
    if not readings or asked[0].isdisjoint(asked[1]):
        return
    words = {
        name: dict(verdict_counts(table).astype(int))
        for name, table in zip(names, tables, strict=True)
    }
    refuse(
        asked_of_names(words, lambda *_: True, readings[0].map, " and ".join(names), readings[0])
    )


def _with_own_questions(
    sources: Sequence[Judgments],
    tables: Sequence[pd.DataFrame],
    names: Sequence[str],
    ids: str | None,
) -> Sequence[pd.DataFrame]:
    """Tables whose questions are those of one source each, where their user says so.

    Raises:
        UserError: Ids of both look like those of other questions, or nothing but a running number
            says that they are the same, and their user has not said which.
    """
    readings = [one for of in sources for one in of.readings]
    said = {one.columns[FILE] for one in readings if FILE in one.columns} | ({ids} - {None})
    if "benchmark" in said:
        return [
            table.assign(benchmark=None, question=f"{name}: " + table["question"].map(str))
            for name, table in zip(names, tables, strict=True)
        ]
    if said or not all(of.readings for of in sources):
        return tables
    ways = [
        readings[0].choice(means, {"columns": {FILE: ours}})
        for means, ours in ((OTHERS, "benchmark"), ("the same questions, again", "time"))
    ]
    if found := of_other_questions(tables[1], tables[0]):
        differ, what = found
        what = f"{what} ({names[0]})"
    elif differ := named_by_numbers(tables[1], tables[0]):
        what = f"questions have ids that are running numbers, as in {names[0]}, and nothing else"
        what = f"{what} says whether they are the same (a column label, or of texts, would)"
        ways.reverse()
    if differ:
        refuse([Note(what, differ, names[1], Code.REPEATS_OPEN, tuple(ways))])
    return tables


def _beside(names: Sequence[str], tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The judgments of all sides, which a column names."""
    named = [table.assign(**{SIDE: name}) for name, table in zip(names, tables, strict=True)]
    return pd.concat(named, ignore_index=True)


def _analysis(judgments: Judgments, sides: pd.DataFrame) -> Analysis:
    by = [SIDE, *_conditions(sides, judgments.facets), "benchmark"]
    groups = replace(judgments, table=sides).groups(list(dict.fromkeys(by)))
    return analysis_of(judgments, [Row(group, rows) for group, rows in groups])


def _with_method(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(method=methods_of(table))


def _conditions(sides: pd.DataFrame, facets: Sequence[str]) -> Iterator[str]:
    """The columns to compare under: facets and scorers, if a side has several values of them."""
    tables = dict(list(sides.groupby(SIDE, sort=False)))
    several = ["judge", "temperature", "method", *of_role(sides, "part")]
    for table in tables.values():
        for _, rows in Judgments(table).groups(GROUP_BY):
            several += dividing(rows, facets)
    for key in dict.fromkeys(several):
        values = [set(table[key].dropna()) for table in tables.values()]
        known = key in GROUP_BY or all(values)  # else one side lacks the column
        if max(map(len, values)) <= 1 or not known:
            continue
        if sum(map(len, values)) == len(set.union(*values)):
            raise UserError(
                f"{' and '.join(map(str, tables))} have several {key}s and share none. Give logs "
                f"of one {key} each, or compare with --by {quote(key)}."
            )
        yield key


def kind_of_sides(analysis: Analysis) -> Sides:
    """What the sides are, by the columns in which each has one value, and another one."""
    tables: dict[str, list[pd.DataFrame]] = {}
    for row in analysis.rows:
        tables.setdefault(row.group[SIDE], []).append(row.table)
    sides = {name: pd.concat(own) for name, own in tables.items()}
    numbers = all(map(NUMBER.fullmatch, sides)) and not all(map(_MONTH.fullmatch, sides))
    if by_date(sides) and not numbers:
        return Sides.TIMES
    known = set.intersection(*({*map(str, own)} for own in sides.values()))
    values = {
        key: [{*map(str, own[key].dropna())} for own in sides.values()]
        for key in known - {*COLUMNS, SIDE, FILE} | known.intersection(_ASKED_HOW)
    }
    apart = {
        key
        for key, of in values.items()
        if all(len(one) == 1 for one in of) and len(set.union(*of)) == len(of)
    }
    named = any(values[key] == [{name} for name in sides] for key in apart)
    return Sides.WAYS if named or apart.intersection(_ASKED_HOW) else Sides.EITHER


def times_option(analysis: Analysis) -> str | None:
    """What `watch` needs besides the logs to take the column of the sides for the time.

    Empty where the judgments have times, or no one column names the sides; None where `watch` does
    not read such times.
    """
    each = [
        {str(name) for name in row.table if {*map(str, row.table[name])} == {row.group[SIDE]}}
        for row in analysis.rows
    ]
    columns, judgments = set.intersection(*each) - {SIDE}, analysis.judgments
    if judgments.logs or len(columns) != 1:
        return ""
    if not are_days_or_months(names_of(analysis)):
        return None
    name = columns.pop()
    theirs = next((one.yours(name) for one in judgments.readings), name)
    return "" if "time" in (name, theirs) else f" --column {quote(f'{theirs}=time')}"


def names_of(analysis: Analysis) -> list[str]:
    """The names of the sides."""
    return list(dict.fromkeys(row.group[SIDE] for row in analysis.rows))


def shared(analysis: Analysis) -> Iterator[tuple[Record, Mapping[str, Row]]]:
    """What at least two sides have: a condition with its benchmark, and the row of each side.

    Of each condition, all benchmarks that every side has come first, together.
    """
    for condition, parts in _by_condition(analysis):
        names = {name for sides in parts.values() for name in sides}
        every = [sides for sides in parts.values() if sides.keys() == names]
        if len(every) > 1:
            tables = {name: pd.concat([of[name].asked for of in every]) for name in every[0]}
            of_all = {name: Row({}, table.sort_index()) for name, table in tables.items()}
            yield condition | {"benchmark": ALL}, of_all
        for benchmark, sides in parts.items():
            if len(sides) > 1:
                yield condition | {"benchmark": benchmark}, sides


def left_out(analysis: Analysis) -> Iterator[str]:
    """What only some sides have, in words."""
    sides = names_of(analysis)
    for key in analysis.names:
        values: dict[Any, set[str]] = {}
        unknown = Counter[str]()
        for row in analysis.rows if key not in (SIDE, "benchmark") else ():
            values.setdefault(row.group[key], set()).add(row.group[SIDE])
            unknown[row.group[SIDE]] += len(row.asked) * (row.group[key] is None)
        for value in sorted(one for one in values if one is not None):
            what = f"{value} verdicts" if key == "method" else f"{key} {whole_number(value)}"
            yield from (f"{name} has no {what}." for name in sides if name not in values[value])
        for name in filter(unknown.get, sides):
            yield f"{unknown[name]:,} judgments of {name} have no {key}."
    for _, parts in _by_condition(analysis):
        names = dict.fromkeys(name for of in parts.values() for name in of)
        for benchmark, of in parts.items() if len(names) > 1 else ():
            yield from (f"{name} has no judgments on {benchmark}." for name in names.keys() - of)


_Parts = dict[str | None, dict[str, Row]]
"""Benchmark -> side -> row."""


def _by_condition(analysis: Analysis) -> Iterator[tuple[Record, _Parts]]:
    """The rows of each condition; a row without a known one has none."""
    for keys, rows in differing_only_in(analysis.rows, SIDE, "benchmark"):
        parts: _Parts = {}
        for row in rows if None not in keys.values() else ():
            parts.setdefault(row.keys["benchmark"], {})[row.group[SIDE]] = row
        yield keys, parts


def verdicts_in(asked: pd.DataFrame) -> "pd.Series[float]":
    """How often each verdict was given, by question and what varied."""
    columns = ("benchmark", "question", "order", "wording", "verdict")
    by = [name for name in columns if name in asked]
    return weights(asked).groupby([asked[name].map(str) for name in by]).sum().sort_index()
