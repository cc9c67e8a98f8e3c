"""What moves the verdict: every facet that was varied, beside the noise of the judge itself."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations

import pandas as pd

from ..judgments import GROUP_BY, Judged
from ..judgments.columns import COLUMNS, varies
from ..stats import Estimate, ReliabilityError
from ..stats.disagreement import SEED, Disagreement, disagreement
from .results import Analysis, result
from .row import Row, valued
from .wording import Record, describe


@result("moves")
def moves(analysis: Analysis) -> Iterator[Record]:
    """How often verdicts differ across the levels of each facet, all else equal."""
    for keys, found in studies_of(analysis):
        for facet, levels in found.levels.items():
            parts = {
                "disagreement_across": _less(found.agreement([facet])),
                "disagreement_within": _less(found.agreement()),
                "above_noise": found.flips(facet),
            }
            record = {"facet": facet, "levels": levels, "n_questions": found.cells.n_clusters}
            why = {}
            for name, estimate in parts.items():
                if estimate.value is None:
                    silent = name != "disagreement_across" and parts["disagreement_across"].value
                    why[name] = "each cell has one verdict" if silent else _reason(estimate)
            yield keys | record | valued(**parts) | {"not_estimable": why}


@result("components")
def components(analysis: Analysis) -> Iterator[Record]:
    """The variance of verdicts, by what acts together."""
    for keys, found in studies_of(analysis):
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
    for keys, found in studies_of(analysis):
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


@lru_cache(maxsize=1)  # three results are read off the same differences
def studies_of(analysis: Analysis) -> list[tuple[Record, Disagreement]]:
    """What rows share that differ in facets only, and how often their verdicts differ."""
    divide = {name for name, column in COLUMNS.items() if column.role == "facet"}
    divide = (divide | set(analysis.judgments.facets)) - set(GROUP_BY)
    studies = []
    alike: dict[str, tuple[Record, list[Row]]] = {}
    for row in analysis.rows:
        keys = {name: value for name, value in row.keys.items() if name not in divide}
        alike.setdefault(str(keys), (keys, []))[1].append(row)
    for keys, together in alike.values():
        table = pd.concat([row.table for row in together], ignore_index=True)
        known = [name for name in ("order", *(n for n in divide if n != "order")) if name in table]
        facets = [name for name in known if varies(_hashable(table, name), name)]
        if not facets:
            continue
        try:
            found = disagreement(Judged(table).cells(sorted(facets, key=known.index)))
        except ReliabilityError:  # some verdicts are exact, and some are drawn
            continue
        studies.append((keys, found))
    return studies


def _hashable(table: pd.DataFrame, name: str) -> pd.DataFrame:
    lists = table[name].map(lambda value: isinstance(value, list))
    return table.assign(**{name: table[name].map(tuple)}) if lists.any() else table


def _less(estimate: Estimate) -> Estimate:
    """Disagreement from agreement."""
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
