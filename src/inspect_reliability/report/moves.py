"""What moves the verdict: every varied facet, compared with the judge's own noise."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations
from math import factorial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..judgments import GROUP_BY, Judged
from ..judgments.columns import COLUMNS, varies
from ..stats import Estimate, ReliabilityError, shifts
from ..stats.disagreement import SEED, Disagreement, disagreement
from ..verdicts import INVALID, NON_RESPONSE, TIE
from .results import Analysis, result
from .row import Row, valued
from .values import Record, describe

ONE_VERDICT = "each cell has one verdict"
"""Why the noise of a judge is not known."""

MOST_QUESTIONS = 5
"""Most questions named for a facet."""

MOST_LEVELS = 24
"""Most levels of a facet with separate shares."""


class Study(NamedTuple):
    """Rows that differ only in facets: their common keys, and how often verdicts differ."""

    keys: Record
    judged: Judged
    found: Disagreement

    @property
    def all_of(self) -> list[str]:
        """The facet of orders, if all possible orders were tried."""
        options = {len(order) for order in self.judged.orders if order is not None}
        if not options:
            named = set(self.judged.verdicts) - {None, NON_RESPONSE, INVALID, TIE}
            options = {len(named)}
        tried = self.found.levels.get("order", 0)
        return ["order"] if tried > 1 and tried == factorial(min(max(options), 9)) else []


@result("moves")
def moves(analysis: Analysis) -> Iterator[Record]:
    """How often verdicts differ across the levels of each facet, all else equal."""
    for keys, _, found in alone(analysis):
        for facet, levels in found.levels.items():
            yield keys | {"facet": facet, "levels": levels} | moved_by(facet, found)


def moved_by(facet: str, found: Disagreement) -> Record:
    """How often verdicts differ across the levels of a facet, within them, and above noise."""
    parts = {
        "disagreement_across": _less(found.agreement([facet])),
        "disagreement_within": _less(found.agreement()),
        "above_noise": found.flips(facet),
    }
    why = {}
    for name, estimate in parts.items():
        if estimate.value is None:
            silent = name != "disagreement_across" and parts["disagreement_across"].value
            why[name] = ONE_VERDICT if silent else _reason(estimate)
    return {"n_questions": found.cells.n_clusters, **valued(**parts), "not_estimable": why}


@result("components")
def components(analysis: Analysis) -> Iterator[Record]:
    """Variance components of verdicts."""
    for keys, _, found in [*alone(analysis), *together(analysis)]:
        parts = found.components()
        total = sum(one.value or 0.0 for one in parts.values())
        for names, estimate in parts.items():
            yield keys | {
                "component": _together(names),
                **valued(variance=estimate),
                "share": None if estimate.value is None or total <= 0 else estimate.value / total,
                "reason": None if estimate.value is not None else _reason(estimate),
            }


@result("omega_over")
def omega_over(analysis: Analysis) -> Iterator[Record]:
    """Omega by what may vary from one verdict to the next."""
    for keys, _, found in alone(analysis):
        facets = list(found.levels)
        sets = chain.from_iterable(combinations(facets, k) for k in range(len(facets) + 1))
        for varying in sets:
            estimate = found.omega(varying)
            yield keys | {
                "varying": " x ".join(varying) or SEED,
                **valued(omega=estimate),
                "reason": None if estimate.value is not None else _reason(estimate),
            }


def in_words(record: Record, keys: Record) -> str:
    """The sentence to quote of one record of `moves`."""
    across, within = record["disagreement_across"], record["disagreement_within"]
    said = (
        f"Verdicts of {describe(keys)} differ in {across:.1%} of pairs of another {record['facet']}"
    )
    if within is None or record["above_noise"] is None:
        return f"{said}; what the judge's own noise adds to that is not known."
    ends = record["above_noise_interval"]
    reach = f" [{ends[0]:.1%}, {ends[1]:.1%}]" if ends else ""
    return (
        f"{said}, and in {within:.1%} of pairs that share it: {record['above_noise']:.1%}{reach} "
        "above its own noise."
    )


@result("movers")
def movers(analysis: Analysis) -> Iterator[Record]:
    """The questions that each facet moves most."""
    for keys, _, found in alone(analysis):
        _, first = np.unique(found.cells.clusters, return_index=True)
        for facet in found.levels:
            across = found.by_question(*(name for name in found.levels if name != facet))
            within = found.by_question(*found.levels)
            noisy = ~np.isnan(within).all()
            moved = across - (within if noisy else 0.0)
            order = np.argsort(-np.nan_to_num(moved, nan=-np.inf), kind="stable")
            for k in order[:MOST_QUESTIONS].tolist():
                if moved[k] > 0:
                    yield keys | {
                        "facet": facet,
                        "question": found.cells.questions[first[k]],
                        "disagreement_across": float(across[k]),
                        "disagreement_within": float(within[k]) if noisy else None,
                        "above_noise": float(moved[k]) if noisy else None,
                    }


@result("favours")
def favours(analysis: Analysis) -> Iterator[Record]:
    """Which level of a facet favours which verdict, and which order favours which place."""
    for keys, given, found in alone(analysis):
        values = {"verdict": given.choices}
        if given.order_varies:
            values = {"responder": given.choices, "place": given.verdicts}
        for facet, levels in found.levels.items():
            if levels > MOST_LEVELS:
                continue
            names = given.levels(facet)
            for what, chosen in values.items():
                for shift in shifts(given.count(chosen, facets=found.levels), facet):
                    yield keys | {
                        "facet": facet,
                        "level": names[shift.level],
                        "what": what,
                        "option": shift.category,
                        **valued(share=shift.share, change=shift.change),
                        "n_questions": shift.share.n_questions,
                        "reason": shift.change.reason,
                    }


@lru_cache(maxsize=1)  # several results are read off the same differences
def alone(analysis: Analysis) -> list[Study]:
    """Each judge whose facets vary."""
    return list(studies_of(analysis.rows, analysis.judgments.facets))


@lru_cache(maxsize=1)
def together(analysis: Analysis) -> list[Study]:
    """The judges of the same questions under one condition, with the judge as a facet."""
    return list(studies_of(analysis.rows, analysis.judgments.facets, ["judge"]))


def studies_of(
    rows: Sequence[Row], named: Collection[str], beside: Collection[str] = ()
) -> Iterator[Study]:
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
    alike: dict[str, tuple[Record, list[Row]]] = {}
    for row in rows:
        keys = {name: value for name, value in row.keys.items() if name not in facets}
        alike.setdefault(str(keys), (keys, []))[1].append(row)
    for keys, members in alike.values():
        table = pd.concat([row.table for row in members], ignore_index=True)
        for name in beside:
            several = table.groupby("question")[name].transform("nunique") > 1
            table = table[several].reset_index(drop=True)
        varied = [name for name in facets if varies(table, name)]
        if not varied or not {*beside} <= {*varied}:
            continue
        given = Judged(table)
        try:
            yield Study(keys, given, disagreement(given.cells(varied)))
        except ReliabilityError:  # some verdicts are exact, and some are drawn
            continue


def _less(estimate: Estimate) -> Estimate:
    if estimate.value is None:
        return estimate
    low, high = (None if end is None else 1 - end for end in (estimate.high, estimate.low))
    return replace(estimate, value=1 - estimate.value, low=low, high=high)


def _together(names: Iterable[str]) -> str:
    """("question", "order", "seed") as "question x order, and seed"."""
    facets = [name for name in names if name != SEED]
    alone = " x ".join(facets)
    return alone if SEED not in names else f"{alone}, and {SEED}" if facets else SEED


def _reason(estimate: Estimate) -> str:
    return estimate.reason or "not estimable"
