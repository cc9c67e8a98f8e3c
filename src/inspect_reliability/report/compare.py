"""Pairs of judges, or of conditions, over the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judged, Judgments, Source, judgments_from
from ..judgments.columns import GROUP_BY, dividing, of_role
from ..judgments.scales import labelled
from ..stats import (
    Comparison,
    ReliabilityError,
    compare_accuracy,
    compare_all,
    compare_pooled,
)
from .columns import declared
from .document import Block, Caution, Document, Table, Text
from .row import Row, methods_of
from .values import Record, describe, finite, flat, grouped, keys_of, picked, text, whole

COEFFICIENTS = ("omega", "agreement")
"""Both, since a judge can be ahead by one and behind by the other; ICC first on a scale."""

MOST_DRIVERS = 5
"""Most questions named for a difference."""

ALL = "all"
"""Name of all benchmarks together, which count equally."""

NOT_LABELLED = "nothing of its benchmark is labelled"

Sides = dict[str, pd.DataFrame]
"""What is compared: name -> judgments."""


def compare(first: Source, second: Source | None = None, *, by: str | None = None) -> pd.DataFrame:
    """Compare two judges, or the values of a column, over the same questions.

    Args:
        first: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        second: The others.
        by: Instead of `second`: the column whose values are compared, as in `by="judge"`.

    Returns:
        One row per pair, condition and coefficient, as `compare --format csv` has them: the
        difference (first minus second) with its interval. `attrs["left_out"]` says what could not
        be compared.

    Raises:
        UserError: The judgments cannot be read, or share nothing that can be compared.
    """
    one = judgments_from(first)
    if (second is None) == (by is None):
        raise UserError('Give two to compare, or one and what to compare in it: by="judge".')
    if second is None:
        sides = sides_by(one, str(by))
    else:
        sides = sides_of(one, judgments_from(second), ("first", "second"))
    pairs, left_out = compare_sides(sides, one.facets)
    frame = pd.DataFrame([flat(pair) for pair in pairs])
    frame.attrs["left_out"] = left_out
    return frame


def sides_by(judgments: Judgments, key: str) -> Sides:
    """One side for each value of a column.

    Raises:
        UserError: There is no such column, only one value in it, or no question that has two.
    """
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
    """Two sources as two sides, each named by what differs."""
    for key in ("judge", "temperature"):
        one, other = (side.table[key].dropna().unique() for side in (first, second))
        if len(one) == len(other) == 1 and one[0] != other[0]:
            names = describe({key: one[0]}), describe({key: other[0]})
            break
    return dict(zip(names, (_with_method(one.table) for one in (first, second)), strict=True))


def _with_method(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(method=methods_of(table))


def compare_sides(sides: Sides, facets: Collection[str] = ()) -> tuple[list[Record], list[str]]:
    """Compare every two sides under every condition they share.

    Under one condition, all pairwise intervals hold together (95%). `facets` are columns that the
    user takes for facets.

    Returns:
        One record per pair, condition and coefficient; and what could not be compared, in words.
    """
    records: list[Record] = []
    left_out: list[str] = []
    for condition, tables in conditions_of(sides, facets, left_out):
        for benchmark, parts in benchmarks_of(tables, left_out):
            try:
                for found in _compared(benchmark, parts):
                    own, its = (parts[name] for name in found.names)
                    records.append(_record(found, condition | {"benchmark": benchmark}, own, its))
            except ReliabilityError as error:
                left_out.append(str(error))
    names = list(sides)
    records.sort(key=lambda record: (names.index(record["first"]), names.index(record["second"])))
    return records, list(dict.fromkeys(left_out))


def compare_document(
    pairs: list[Record],
    left_out: list[str],
    beside: Mapping[str, list[Record]],
    of_the_change: Iterable[Block] = (),
) -> Document:
    """One table per pair, with the questions that move the difference most, and what changed.

    `beside` are other results, which the blocks of the change show.

    Raises:
        UserError: There is nothing to show.
    """
    if not (pairs or any(beside.values())):
        raise UserError("\n".join(["Nothing to compare.", *left_out]))
    blocks: list[Block] = []
    conditions = dict.fromkeys(name for pair in pairs for name in _condition(pair))
    named = dict.fromkeys(["judge", "benchmark", "temperature", "scorer", *conditions])
    first, *others = declared("compare", difference=_difference, n_replications=_replications)
    columns = [first, *map(grouped, named), *others]
    for first, second in dict.fromkeys((pair["first"], pair["second"]) for pair in pairs):
        chosen = [p for p in pairs if (p["first"], p["second"]) == (first, second)]
        blocks.append(Table.of(chosen, columns, f"{first} (first) and {second} (second)"))
        leading: dict[str, Record] = {}
        for pair in chosen:
            leading.setdefault(describe(_condition(pair)), pair)
        blocks += map(_drivers, leading.values())
        blocks += [Caution(c) for c in dict.fromkeys(c for p in chosen for c in p["cautions"])]
    if any(pair["benchmark"] == ALL for pair in pairs):
        blocks.append(Text(f"{ALL}: each benchmark is a test of its own, and counts alike."))
    if len({pair[side] for pair in pairs for side in ("first", "second")}) > 2:
        blocks.append(
            Text(
                "The intervals of all pairs under one condition hold together with a probability "
                "of 95%, so you may look for the largest difference."
            )
        )
    blocks += of_the_change
    results = {"rows": pairs, "left_out": left_out, **beside}
    return Document("Which is steadier?", blocks, results)


def _difference(row: Record) -> str:
    if row["difference"] is None:
        return f"not estimable: {row['reason']}"
    ends = row["difference_interval"]
    shown = f"[{ends[0]:+z.2f}, {ends[1]:+z.2f}]" if ends else f"({row['reason']})"
    return f"{row['difference']:+z.2f} {shown}"


def _replications(pair: Record) -> str:
    return " and ".join(text(r, ".4g", "exact") for r in dict.fromkeys(pair["n_replications"]))


def _condition(pair: Record) -> Record:
    return keys_of(pair, "second", "coefficient")


def _drivers(pair: Record) -> Text:
    known = [one for one in pair["drivers"][:3] if round(one["influence"] or 0, 3)]
    moved = "; ".join(f"{one['question']} {one['influence']:+z.3f}" for one in known)
    return Text(
        f"Questions that move the difference of {pair['coefficient']} most "
        f"({describe(_condition(pair))}): {moved or 'none'}."
    )


def _compared(benchmark: str | None, parts: Mapping[str, Row]) -> Iterator[Comparison]:
    if benchmark == ALL:
        several = {name: row.by_benchmark for name, row in parts.items()}
        for coefficient in COEFFICIENTS:
            yield from compare_pooled(several, coefficient)
    else:
        judged = {name: Judged(row.asked) for name, row in parts.items()}
        numbers = {name: known for name, one in judged.items() if (known := one.numbers())}
        if numbers.keys() == parts.keys() and any(row.judged.scale for row in parts.values()):
            yield from compare_all(numbers, "icc")
        single = {name: one.counts() for name, one in judged.items()}
        for coefficient in COEFFICIENTS:
            yield from compare_all(single, coefficient)
    right = {
        name: {
            str(of): truth
            for of, part in row.asked.groupby("benchmark", dropna=False)
            if (truth := labelled(Judged(part)))
        }
        for name, row in parts.items()
    }
    every = set.intersection(*map(set, right.values()))
    if every:
        paired = {name: {of: own[of] for of in own if of in every} for name, own in right.items()}
        asked = pd.concat([row.asked for row in parts.values()])
        bare = asked.loc[~asked["benchmark"].astype(str).isin(every), "question"].astype(str)
        absent = {NOT_LABELLED: tuple(bare.unique())} if len(bare) else {}
        for found in compare_accuracy(paired):
            yield replace(found, left_out=found.left_out | absent)


def _record(found: Comparison, condition: Record, own: Row, its: Row) -> Record:
    first, second = found.names
    return {
        "first": first,
        "second": second,
        **condition,
        "coefficient": found.coefficient,
        "first_value": found.first,
        "second_value": found.second,
        "difference": found.difference,
        "difference_interval": None if found.low is None else [found.low, found.high],
        "n_questions": found.n_questions,
        "n_replications": [finite(number) for number in found.n_replications],
        "drivers": [
            picked(driver, "question", "influence") for driver in found.drivers[:MOST_DRIVERS]
        ],
        "left_out": {reason: list(questions) for reason, questions in found.left_out.items()},
        "reason": found.reason,
        "cautions": list(_cautions(found.names, own, its)),
    }


def _cautions(names: tuple[str, str], *sides: Row) -> Iterator[str]:
    for name, side in zip(names, sides, strict=True):
        for why in dict.fromkeys([side.silent, side.no_evidence]):
            if why:
                yield f"{name}: {why}"
    tables = [side.table for side in sides if "study" in side.table]
    studies = {study for table in tables for study in table["study"].fillna("not known")}
    if len(studies) > 1:
        yield (
            "Prompts, options or questions differ under one benchmark name. The difference may "
            "come from any of them."
        )
    if sides[0].judged.order_varies != sides[1].judged.order_varies:
        yield (
            "One side saw each question's options in one order, so its verdicts are labels; the "
            "other saw several orders, so its verdicts are responders. They cannot be compared "
            "one to one."
        )


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
