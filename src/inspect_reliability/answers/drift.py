"""How far verdicts moved between two times or versions, beyond noise."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import pandas as pd

from ..judgments.columns import varies
from ..judgments.count import Judged
from ..judgments.table import of_scorers
from ..showing.document import Block, Table
from ..showing.formats import (
    Record,
    TableColumn,
    estimate_text,
    grouped,
    keys_of,
    share,
    share_places,
)
from ..showing.keys import declared
from ..stats import Estimate, disagreement, mean_shift, shifts
from ..stats.facet_effects import FacetEffect, facet_effect, facet_effect_of_all
from .analysis import Analysis
from .arms import ALL, shared
from .facets import as_record
from .row import valued
from .score_variance import worth

NO_SCALE = "verdicts are no grades"

_SIDE = "side"


def drift(analysis: Analysis) -> Iterator[Record]:
    """How far verdicts moved between every two sides, per condition, on common questions."""
    for condition, parts in shared(analysis):
        for one, other in combinations(parts if condition["benchmark"] != ALL else (), 2):
            both = {name: parts[name].table for name in (one, other)}
            if {*both[one]["question"]}.isdisjoint(both[other]["question"]):
                continue
            yield {"first": one, "second": other} | condition | _change(both)


def drift_blocks(changed: Sequence[Record]) -> Iterator[Block]:
    """How far verdicts moved between two sides, and their shares."""
    if not changed:
        return
    conditions = [grouped(name) for name in keys_of(changed[0], "second")]
    graded = any(one["mean_change"] is not None for one in changed)
    known = [one for one in declared("changes") if graded or one.key != "mean_change"]
    columns = [*conditions, *known]
    yield Table.of(changed, columns, "How far verdicts moved beyond their own noise")
    shares = [
        {**keys_of(one, "second"), **share, "n_questions": one["n_questions"]}
        for one in changed
        for share in one["shares"]
    ]
    if shares:
        yield Table.of(shares, [*conditions, *_SHARES], "Shares of the verdicts")


_SHARES = (
    TableColumn("verdict", heading="Verdict"),
    TableColumn("first", heading="First", shown=lambda one: _share(one, "first")),
    TableColumn("second", heading="Second", shown=lambda one: _share(one, "second")),
    TableColumn("change", heading="Change [95%]", shown=lambda one: _change_of_share(one)),
)


def _share(one: Record, side: str) -> str:
    return "" if one[side] is None else share(one[side], one["n_questions"])


def _change_of_share(one: Record) -> str:
    return estimate_text(one, "change", f"+z.{share_places(one['n_questions'])}%")


def _change(sides: Mapping[str, pd.DataFrame]) -> Record:
    shared = set.intersection(*(set(table["question"]) for table in sides.values()))
    parts = [part[part["question"].isin(shared)].assign(side=of) for of, part in sides.items()]
    table = pd.concat(parts, ignore_index=True)
    if len({Judged(part).exact for part in parts}) > 1:
        why = Estimate(reason="verdicts of one side are exact, and those of the other drawn")
        moved = {**valued(mean_change=why), "grade_values": None, "shares": []}
        return as_record(FacetEffect(why, why, why), len(shared)) | moved
    given = Judged(table)
    facets = [_SIDE, *(["order"] if varies(table, "order") else [])]
    if _share_seeds(table):  # draws of one seed are no two draws
        found = disagreement(given.cells([*facets, "seed"]))
        move = facet_effect_of_all(found, _SIDE, "seed")
    else:
        found = disagreement(given.cells(facets))
        move = facet_effect(found, _SIDE)
    return as_record(move, found.cells.n_clusters) | _moved(given)


def verdicts_moved(before: pd.DataFrame, after: pd.DataFrame) -> Record:
    """How the mean grade, and the share of each verdict, changed on the questions of both."""
    asked = {*before["question"]} & {*after["question"]}
    sides = {"first": before, "second": after}
    parts = [of[of["question"].isin(asked)].assign(side=name) for name, of in sides.items()]
    return {"n_questions": len(asked), **_moved(Judged(pd.concat(parts, ignore_index=True)))}


def _moved(given: Judged) -> Record:
    """How the mean grade, or score, and the share of each verdict changed."""
    worths = _worths(given)
    scale = given.scale or worths
    mean = mean_shift(given.cells([_SIDE]), _SIDE, scale) if scale else Estimate(reason=NO_SCALE)
    return {**valued(mean_change=mean), "grade_values": worths, "shares": list(_shares(given))}


def _worths(given: Judged) -> dict[str, float] | None:
    """What each grade of a suite counts in its score; None of other verdicts."""
    if not of_scorers(pd.DataFrame(given.table)):
        return None
    found = {str(name): worth(str(name)) for name in {*given.verdicts} - {None}}
    known = {name: value for name, value in found.items() if value is not None}
    return {n: v for n, v in known.items() if not math.isnan(v)} if known == found else None


def _shares(given: Judged) -> Iterator[Record]:
    """The share of each verdict that either side gave, and how it changed.

    None where it is arbitrary which response of a pair a verdict calls first.
    """
    if given.mirrored:
        return
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
