"""Pairs of judges, or of conditions, over the same questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments, counts, declared_categories, order_varies
from ..stats import ReliabilityError, compare
from .copies import why_no_evidence
from .document import Block, Caution, Document, Table, Text
from .wording import Record, describe, field, text, whole

COEFFICIENTS = ("omega", "agreement")
"""A judge can be ahead by one and behind by the other, so both are given."""

MOST_DRIVERS = 5
"""Questions named of those that move a difference."""

ALL = "all"
"""The name of all shared benchmarks together."""

_CONDITIONS = ("judge", "temperature", "scorer")


@dataclass(frozen=True)
class Side:
    """One of the two that are compared."""

    name: str
    table: pd.DataFrame


def sides_by(judgments: Judgments, key: str) -> list[Side]:
    """One side for each value of a column.

    Raises:
        UserError: There is no such column, only one value in it, or no question that has two.
    """
    sides = [
        Side(describe(group) if key == "temperature" else str(whole(group[key])), rows)
        for group, rows in judgments.groups((key,))
        if group[key] is not None
    ]
    if len(sides) < 2:
        raise UserError(f"Nothing to compare: the judgments have only one {key}.")
    if judgments.table.groupby("question")[key].nunique().max() < 2:
        raise UserError(
            f"Nothing to compare: every question belongs to one {key}, and a comparison needs "
            "questions that both sides have judged. To see them side by side, run "
            f"inspect-reliability report --by {key}."
        )
    return sides


def sides_of(first: Judgments, second: Judgments, names: tuple[str, str]) -> list[Side]:
    """Two sources as two sides, called by what tells them apart."""
    for key in ("judge", "temperature"):
        one, other = (side.table[key].dropna().unique() for side in (first, second))
        if len(one) == len(other) == 1 and one[0] != other[0]:
            names = describe({key: one[0]}), describe({key: other[0]})
            break
    return [Side(names[0], first.table), Side(names[1], second.table)]


def compare_sides(sides: list[Side]) -> tuple[list[Record], list[str]]:
    """Compare every two sides under every condition they share.

    Returns:
        One record for each two sides, condition and coefficient; and in words what could not be
        compared.
    """
    pairs: list[Record] = []
    left_out: list[str] = []
    for first, second in combinations(sides, 2):
        for condition, one, other in _shared(first, second, left_out):
            for benchmark, own, its in _benchmarks(one, other, first, second, left_out):
                try:
                    pairs += _pairs(first, second, {**condition, **benchmark}, own, its)
                except ReliabilityError as error:
                    left_out.append(str(error))
    if not pairs:
        raise UserError("\n".join(["Nothing to compare.", *left_out]))
    return pairs, list(dict.fromkeys(left_out))


def compare_document(pairs: list[Record], left_out: list[str]) -> Document:
    """One table for each two sides, with what moves their difference most."""
    blocks: list[Block] = []
    for first, second in dict.fromkeys((pair["first"], pair["second"]) for pair in pairs):
        chosen = [p for p in pairs if (p["first"], p["second"]) == (first, second)]
        blocks.append(Table.of(chosen, _COLUMNS, f"{first} (first) and {second} (second)"))
        blocks += [_drivers(pair) for pair in chosen if pair["coefficient"] == "omega"]
        blocks += [Caution(c) for c in dict.fromkeys(c for p in chosen for c in p["cautions"])]
    return Document("Which is steadier?", blocks, {"rows": pairs, "left_out": left_out})


def _difference(row: Record) -> str:
    ends = row["difference_interval"]
    shown = f"[{ends[0]:+z.2f}, {ends[1]:+z.2f}]" if ends else row["reason"]
    return f"{text(row['difference'], '+z.2f', 'not estimable')} {shown}"


_COLUMNS = {
    "Coefficient": field("coefficient"),
    "Benchmark": field("benchmark"),
    "T": field("temperature"),
    "N": field("n_questions"),
    "R": lambda row: " and ".join(f"{r:.4g}" for r in dict.fromkeys(row["n_replications"])),
    "First": field("first_value", "z.2f", "not estimable"),
    "Second": field("second_value", "z.2f", "not estimable"),
    "Difference [95%]": _difference,
}


def _drivers(pair: Record) -> Text:
    known = [one for one in pair["drivers"][:3] if one["influence"] is not None]
    moved = "; ".join(f"{one['question']} {one['influence']:+z.3f}" for one in known)
    condition = {name: pair[name] for name in (*_CONDITIONS, "benchmark") if name in pair}
    return Text(
        f"Questions that move omega's difference most ({describe(condition)}): {moved or 'none'}."
    )


def _pairs(
    first: Side, second: Side, condition: Record, own: pd.DataFrame, its: pd.DataFrame
) -> Iterator[Record]:
    names = (first.name, second.name)
    cautions = list(_cautions(names, own, its))
    counted = counts(own), counts(its)
    for coefficient in COEFFICIENTS:
        found = compare(*counted, coefficient, names=names)
        yield {
            "first": first.name,
            "second": second.name,
            **condition,
            "coefficient": coefficient,
            "first_value": found.first,
            "second_value": found.second,
            "difference": found.difference,
            "difference_interval": None if found.low is None else [found.low, found.high],
            "n_questions": found.n_questions,
            "n_replications": list(found.n_replications),
            "drivers": [
                {"question": driver.question, "influence": driver.influence}
                for driver in found.drivers[:MOST_DRIVERS]
            ],
            "left_out": {reason: list(questions) for reason, questions in found.left_out.items()},
            "reason": found.reason,
            "cautions": cautions,
        }


def _cautions(names: tuple[str, str], own: pd.DataFrame, its: pd.DataFrame) -> Iterator[str]:
    for name, table in zip(names, (own, its), strict=True):
        if why := why_no_evidence(table):
            yield f"{name}: {why}"
    studies = {study for side in (own, its) if "study" in side for study in side["study"].unique()}
    if len(studies) > 1:
        yield (
            "Prompts, options or questions differ under one benchmark name. The difference may "
            "come from any of them."
        )
    if order_varies(own) != order_varies(its):
        yield (
            "One side saw each question's options in one order, so its verdicts are labels; the "
            "other saw several orders, so its verdicts are responders. They cannot be compared "
            "one to one."
        )


def _shared(
    first: Side, second: Side, left_out: list[str]
) -> Iterator[tuple[Record, pd.DataFrame, pd.DataFrame]]:
    """Judge and temperature by value where the sides share values; else each must have one."""
    keys: list[str] = []
    for key in _CONDITIONS:
        values = [set(side.table[key].dropna()) for side in (first, second) if key in side.table]
        if len(values) < 2 or max(map(len, values)) <= 1:
            continue
        if not values[0] & values[1]:
            raise UserError(
                f"{first.name} and {second.name} have several {key}s and share none. Give logs "
                f"of one {key} each, or compare with --by {key}."
            )
        keys.append(key)
        for value in sorted(values[0] ^ values[1]):
            left_out.append(f"Only one side has {key} {whole(value)}.")
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
            yield {key: whole(value) for key, value in named}, rows, others[condition]


def _benchmarks(
    one: pd.DataFrame, other: pd.DataFrame, first: Side, second: Side, left_out: list[str]
) -> Iterator[tuple[dict[str, str], pd.DataFrame, pd.DataFrame]]:
    """Every benchmark both sides have, and all of them together where verdicts are of one kind."""
    both = [name for name in one["benchmark"].unique() if name in set(other["benchmark"])]
    for name in sorted(set(one["benchmark"]) ^ set(other["benchmark"])):
        where = first.name if name in set(one["benchmark"]) else second.name
        left_out.append(f"Only {where} judged {name}.")
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
