"""Pairs of judges, or of conditions, over the same questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments, counts, declared_categories, order_varies
from ..stats import Comparison, ReliabilityError, compare
from .cells import number
from .evidence import why_no_evidence
from .rows import Row

COEFFICIENTS = ("omega", "agreement")
"""A judge can be ahead by one and behind by the other, so both are given."""

ALL = "all"
"""The name of all shared benchmarks together."""

_CONDITIONS = ("judge", "temperature", "scorer")


@dataclass(frozen=True)
class Side:
    """One of the two that are compared."""

    name: str
    table: pd.DataFrame


@dataclass(frozen=True)
class Pair:
    """One coefficient of two sides under one condition.

    Attributes:
        names: The two sides.
        condition: What they have in common: temperature, judge, benchmark ("all": together).
        comparison: The paired comparison.
        cautions: What keeps it from being trusted as it is.
    """

    names: tuple[str, str]
    condition: dict[str, Any]
    comparison: Comparison
    cautions: tuple[str, ...]


def sides_by(judgments: Judgments, key: str) -> list[Side]:
    """One side for each value of a column.

    Raises:
        UserError: There is no such column, only one value in it, or no question that has two.
    """
    groups = list(judgments.groups((key,)))
    named = {"temperature": "temperature {}"}.get(key, "{}")
    sides = [
        Side(named.format(number(group[key])), rows)
        for group, rows in groups
        if group[key] is not None
    ]
    if len(sides) < 2:
        raise UserError(f"Nothing to compare: the judgments have only one {key}.")
    if judgments.table.groupby("question")[key].nunique().max() < 2:
        raise UserError(
            f"Nothing to compare: every question belongs to one {key}, and a comparison is over "
            "questions that both sides have judged. To see them side by side: "
            f"inspect-reliability report --by {key}"
        )
    return sides


def sides_of(first: Judgments, second: Judgments, names: tuple[str, str]) -> list[Side]:
    """Two sources as two sides, called by what tells them apart."""
    tables = (first.table, second.table)
    for key in ("judge", "temperature"):
        values = [table[key].dropna().unique() for table in tables]
        if all(len(value) == 1 for value in values) and values[0][0] != values[1][0]:
            words = "temperature {}" if key == "temperature" else "{}"
            names = (
                words.format(number(values[0][0].item() if key == "temperature" else values[0][0])),
                words.format(number(values[1][0].item() if key == "temperature" else values[1][0])),
            )
            break
    return [Side(name, table) for name, table in zip(names, tables, strict=True)]


def compare_sides(sides: list[Side]) -> tuple[list[Pair], list[str]]:
    """Compare every two sides under every condition they share.

    Returns:
        The pairs, and in words what could not be compared.
    """
    pairs: list[Pair] = []
    left_out: list[str] = []
    for first, second in combinations(sides, 2):
        for condition, one, other in _shared(first, second, left_out):
            for benchmark, own, its in _benchmarks(one, other, first, second, left_out):
                try:
                    pairs += _pairs(first, second, {**condition, **benchmark}, own, its)
                except ReliabilityError as error:
                    left_out.append(str(error))
    if not pairs:
        raise UserError("\n".join(["There is nothing to compare.", *left_out]))
    return pairs, list(dict.fromkeys(left_out))


def comparison_row(pair: Pair, drivers: int = 5) -> Row:
    """A pair as a flat mapping.

    Args:
        pair: The pair.
        drivers: How many of the questions that move the difference most are named.
    """
    found = pair.comparison
    interval = None if found.low is None or found.high is None else [found.low, found.high]
    return {
        "first": pair.names[0],
        "second": pair.names[1],
        **pair.condition,
        "coefficient": found.coefficient,
        "first_value": found.first,
        "second_value": found.second,
        "difference": found.difference,
        "difference_interval": interval,
        "n_questions": found.n_questions,
        "n_replications": list(found.n_replications),
        "drivers": [
            {"question": driver.question, "influence": driver.influence}
            for driver in found.drivers[:drivers]
        ],
        "left_out": {reason: list(questions) for reason, questions in found.left_out.items()},
        "reason": found.reason,
        "cautions": list(pair.cautions),
    }


def _pairs(
    first: Side, second: Side, condition: dict[str, Any], own: pd.DataFrame, its: pd.DataFrame
) -> Iterator[Pair]:
    names = (first.name, second.name)
    cautions = tuple(_cautions(names, own, its))
    for coefficient in COEFFICIENTS:
        found = compare(counts(own), counts(its), coefficient, names=names)
        yield Pair(names, condition, found, cautions)


def _cautions(names: tuple[str, str], own: pd.DataFrame, its: pd.DataFrame) -> Iterator[str]:
    for name, table in zip(names, (own, its), strict=True):
        if why := why_no_evidence(table):
            yield f"{name}: {why}"
    if order_varies(own) != order_varies(its):
        yield (
            "One side's options stand in one order for each question, so that its verdicts are "
            "letters; the other's in several, so that they are responders. They are not alike."
        )


def _shared(
    first: Side, second: Side, left_out: list[str]
) -> Iterator[tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]]:
    """Judge and temperature by value where the sides share values; else each must have one."""
    keys: list[str] = []
    for key in _CONDITIONS:
        values = [set(side.table[key].dropna()) for side in (first, second) if key in side.table]
        if len(values) < 2 or max(map(len, values)) <= 1:
            continue
        if not values[0] & values[1]:
            raise UserError(
                f"{first.name} and {second.name} hold several {key}s and share none. Give logs "
                f"of one {key} each, or compare with --by {key}."
            )
        keys.append(key)
        for value in sorted(values[0] ^ values[1]):
            left_out.append(f"{key} {number(value)} is there on one side only.")
        for side in (first, second):
            if unknown := int(side.table[key].isna().sum()):
                left_out.append(f"{unknown:,} judgments of {side.name} have no {key}.")
    if not keys:
        yield {}, first.table, second.table
        return
    others = dict(list(second.table.groupby(keys, sort=False)))
    for condition, rows in first.table.groupby(keys, sort=False):
        if condition in others:
            named = zip(keys, condition, strict=True)
            yield {key: number(value) for key, value in named}, rows, others[condition]


def _benchmarks(
    one: pd.DataFrame, other: pd.DataFrame, first: Side, second: Side, left_out: list[str]
) -> Iterator[tuple[dict[str, str], pd.DataFrame, pd.DataFrame]]:
    """Every benchmark both sides have, and all of them together where verdicts are of one kind."""
    both = [name for name in one["benchmark"].unique() if name in set(other["benchmark"])]
    for name in sorted(set(one["benchmark"]) ^ set(other["benchmark"])):
        where = first.name if name in set(one["benchmark"]) else second.name
        left_out.append(f"{name} was judged by {where} only.")
    parts = [
        (name, one[one["benchmark"] == name], other[other["benchmark"] == name]) for name in both
    ]
    if len({declared_categories(own) for _, own, _ in parts}) == 1 and len(parts) > 1:
        yield (
            {"benchmark": ALL},
            one[one["benchmark"].isin(both)],
            other[other["benchmark"].isin(both)],
        )
    for name, own, its in parts:
        yield {"benchmark": name}, own, its
