"""Changes between two times or versions, beyond noise."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import pandas as pd

from ..judgments import Judged
from ..judgments.columns import varies
from ..showing.document import Block, Table, Text
from ..showing.values import Column, Record, describe, estimate, keys_of
from ..stats import Estimate, disagreement, shifts
from ..stats.moved import moved_apart
from .analysis import Analysis
from .moves import as_record, moved_by
from .row import reasons, valued
from .sides import ALL, shared

_SIDE = "side"


def changes(analysis: Analysis) -> Iterator[Record]:
    """How far verdicts moved between every two sides, per condition, on common questions."""
    for condition, parts in shared(analysis):
        for one, other in combinations(parts if condition["benchmark"] != ALL else (), 2):
            both = {name: parts[name].table for name in (one, other)}
            yield {"first": one, "second": other} | condition | _change(both)


def change_blocks(changed: Iterable[Record]) -> Iterator[Block]:
    """Sentences and tables: the changes between two sides."""
    for record in changed:
        first, second = record["first"], record["second"]
        known = {key: of for key, of in keys_of(record, "second").items() if of is not None}
        of = f"{first} and {second}" + (f" ({describe(known)})" if known else "")
        why = record["not_estimable"]
        if record["disagreement_across"] is None:
            why = why["disagreement_across"]
            yield Text(f"How far verdicts of {of} moved is not known: {why}.")
            continue
        across = estimate(record, "disagreement_across", ".1%")
        said = f"Verdicts of {of} differ in {across} of pairs"
        if record["above_noise"] is None:
            why = why["above_noise"]
            yield Text(f"{said}; what their own noise adds to that is not known: {why}.")
        else:
            within, above = record["disagreement_within"], estimate(record, "above_noise", "z.1%")
            yield Text(f"{said}, those of each alone in {within:.1%}: {above} is change.")
        yield Table.of(record["shares"], _COLUMNS, f"Shares of the verdicts of {of}")


_COLUMNS = (
    Column("verdict", heading="Verdict"),
    Column("first", heading="First", form=".1%"),
    Column("second", heading="Second", form=".1%"),
    Column("change", heading="Change [95%]", form="+.1%"),
)


def _change(sides: Mapping[str, pd.DataFrame]) -> Record:
    shared = set.intersection(*(set(table["question"]) for table in sides.values()))
    parts = [part[part["question"].isin(shared)].assign(side=of) for of, part in sides.items()]
    table = pd.concat(parts, ignore_index=True)
    if len({Judged(part).exact for part in parts}) > 1:
        why = Estimate(reason="verdicts of one side are exact, and those of the other drawn")
        moved = dict.fromkeys(("disagreement_across", "disagreement_within", "above_noise"), why)
        counted = {"n_questions": len(shared), "n_not_compared": 0}
        return counted | valued(**moved) | {"shares": [], "not_estimable": reasons(moved)}
    given = Judged(table)
    facets = [_SIDE, *(["order"] if varies(table, "order") else [])]
    if _share_seeds(table):  # draws of one seed are no two draws
        found = disagreement(given.cells([*facets, "seed"]))
        moved = as_record(moved_apart(found, _SIDE, "seed"), found)
    else:
        moved = moved_by(_SIDE, disagreement(given.cells(facets)))
    return moved | {"shares": list(_shares(given))}


def _shares(given: Judged) -> Iterator[Record]:
    """The share of each verdict that either side gave, and how it changed."""
    first: dict[str, float | None] = {}
    for one in shifts(given.cells([_SIDE]), _SIDE):
        before = first.setdefault(one.category, one.share.value)
        if one.level and (before or one.share.value):
            shares = {"verdict": one.category, "first": before, "second": one.share.value}
            yield shares | valued(change=one.change)


def _share_seeds(table: pd.DataFrame) -> bool:
    """Whether both sides drew with one seed of one question."""
    if "seed" not in table or table["seed"].isna().any():
        return False
    return bool(table.groupby(["question", "seed"])[_SIDE].nunique().max() > 1)
