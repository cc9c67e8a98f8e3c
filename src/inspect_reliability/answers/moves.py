"""What moves the verdict: every varied facet, compared with the judge's own noise."""

from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from ..showing.columns import declared
from ..showing.document import Block, Table, Text
from ..showing.values import Column, Record, describe, estimate
from ..stats import Estimate, shifts
from ..stats.disagreement import SEED, Disagreement
from ..stats.moved import Move, moved, noise_of_some
from .analysis import Analysis
from .row import reasons, valued

MOST_LEVELS = 24
"""Most levels of a facet with separate shares."""

_MOST_SHARES = 5
"""Shares that a table shows, those that move farthest first."""

_MOST_QUESTIONS = 3
_MOVED = ("question", "moved_by", "disagreement_across", "disagreement_within")

_TITLES = {
    "omega_over": "Omega by what may vary",
    "panels": "Judges together",
}


def moves(analysis: Analysis) -> Iterator[Record]:
    """How often verdicts differ across the levels of each facet, all else equal."""
    for keys, _, found, _ in analysis.alone:
        for facet, levels in found.levels.items():
            yield keys | {"facet": facet, "levels": levels} | moved_by(facet, found)


def moved_by(facet: str, found: Disagreement) -> Record:
    """How often verdicts differ across the levels of a facet, within them, and above noise."""
    return as_record(moved(found, facet), found)


def as_record(move: Move, found: Disagreement) -> Record:
    """A move as plain values, with the questions that it leaves out."""
    parts = {
        "disagreement_across": move.across,
        "disagreement_within": move.within,
        "above_noise": move.above,
    }
    n = (move.compared or found).cells.n_clusters
    return {
        "n_questions": n,
        "n_not_compared": found.cells.n_clusters - n,
        **valued(**parts),
        "not_estimable": reasons(parts),
    }


def components(analysis: Analysis) -> Iterator[Record]:
    """Variance components of verdicts."""
    for keys, _, found, scored in [*analysis.alone, *analysis.together]:
        parts = scored.components()
        total = sum(one.value or 0.0 for one in parts.values())
        if why := noise_of_some(found):  # it is also taken off the highest interaction
            of_noise = [names for names in parts if {*found.facets} <= {*names} or SEED in names]
            parts |= dict.fromkeys(of_noise, Estimate(reason=why))
        for names, one in parts.items():
            yield keys | {
                "component": _together(names),
                **valued(variance=one),
                "share": None if one.value is None or total <= 0 else one.value / total,
                "reason": None if one.value is not None else _reason(one),
            }


def omega_over(analysis: Analysis) -> Iterator[Record]:
    """Omega by what may vary from one verdict to the next."""
    for keys, _, found, _ in analysis.alone:
        facets = list(found.levels)
        sets = chain.from_iterable(combinations(facets, k) for k in range(len(facets) + 1))
        why = noise_of_some(found)
        for varying in sets:
            estimate = found.omega(varying) if varying or not why else Estimate(reason=why)
            yield keys | {
                "varying": " x ".join(varying) or SEED,
                **valued(omega=estimate),
                "reason": None if estimate.value is not None else _reason(estimate),
            }


def shifts_by_level(analysis: Analysis) -> Iterator[Record]:
    """Which level of a facet favours which verdict, and which order favours which place."""
    for keys, given, found, _ in analysis.alone:
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
                        "direction": _direction(shift.change),
                        "n_questions": shift.share.n_questions,
                        "reason": shift.change.reason,
                    }


def _direction(change: Estimate) -> str | None:
    """Where the whole interval is on one side of 0."""
    if change.low is None or change.high is None:
        return None
    return "more" if change.low > 0 else "less" if change.high < 0 else None


def _together(names: Iterable[str]) -> str:
    """("question", "order", "seed") as "question x order, and seed"."""
    facets = [name for name in names if name != SEED]
    crossed = " x ".join(facets)
    return crossed if SEED not in names else f"{crossed}, and {SEED}" if facets else SEED


def _reason(estimate: Estimate) -> str:
    return estimate.reason or "not estimable"


def told(analysis: Analysis) -> Iterator[Block]:
    """How far each facet moves verdicts, and why that is not known."""
    yield from analysis.told("moves", "What moves the verdict")
    for one in analysis.results["moves"]:
        for why in one["not_estimable"].values() if one["disagreement_across"] is None else ():
            yield Text(f"{describe(analysis.keys(one))}, {one['facet']}: not known, since {why}.")
            break


def _section(analysis: Analysis) -> Iterator[Block]:
    yield from analysis.told("moves", "What moves the verdict")

    def who(record: Record) -> str:
        keys = analysis.keys(record)
        return describe(keys if "judge" in keys else {"judge": "all judges", **keys})

    of = Column("", shown=who)
    every = analysis.estimates("components")
    alone = [record for record in every if "judge" in record]
    together = [record for record in every if "judge" not in record]
    yield from analysis.pictures(
        alone or together,
        "how much each component adds to the variance of verdicts.",
        x="component",
        y="variance",
        kind="points",
        lowest=None,
        y_label="variance of one verdict",
    )
    if every:
        yield Table.of([*alone, *together], [of, *declared("components")], "Components of variance")
    for name, title in _TITLES.items():
        if records := analysis.estimates(name):
            columns = declared(name, effective_number=_effective)
            yield Table.of(records, [of, *columns], title)
    yield from _most_moved(analysis, of)
    moved = [one for one in analysis.estimates("shifts") if one["change"] is not None]
    # Equal but for the last digits, which depend on the processor.
    moved.sort(key=lambda record: -round(abs(record["change"]), 9))
    if moved:
        columns = [of, *declared("shifts")]
        yield Table.of(moved[:_MOST_SHARES], columns, "Shares that move farthest")


def _most_moved(analysis: Analysis, of: Column) -> Iterator[Table]:
    """The questions that move most, of each judge."""
    moved = (one for one in analysis.results["questions"] if one["moved_by"])
    for _, records in analysis.apart(moved):
        records.sort(key=_by_size)
        columns = [of, *(one for one in declared("questions") if one.key in _MOVED)]
        yield Table.of(records[:_MOST_QUESTIONS], columns, "Questions that move most")


def _by_size(record: Record) -> float:
    across, within = (record[f"disagreement_{where}"] or 0.0 for where in ("across", "within"))
    return -round(float(across - within), 9)


def _effective(record: Record) -> str:
    return f"{estimate(record, 'effective_number')} of {len(record['judges'])}"


PART = (
    "What moves the verdict",
    "What moves it",
    "How often two verdicts differ, by what they share. A component says how much one thing, "
    "or several together, add to that; a negative one is about 0, or the judge follows the "
    "facet against the question. Dependability: how far the mean of so many verdicts is the "
    "question's own. Effective number: how many judges without common errors would be worth "
    "as much. Intervals are for other questions, judged at these levels.",
    _section,
)
