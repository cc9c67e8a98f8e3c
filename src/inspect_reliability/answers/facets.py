"""What moves the verdict: every varied facet, compared with the judge's own noise."""

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ..showing.formats import Record, picked
from ..stats import Estimate, shifts
from ..stats.disagreement import SEED, subsets
from ..stats.facet_effects import FacetEffect, choice_shares
from .analysis import Analysis
from .grouping import FacetStudy
from .row import reasons, valued

MOST_LEVELS = 24
"""Most levels of a facet with separate shares."""


def moves(analysis: Analysis) -> Iterator[Record]:
    """How often verdicts differ across the levels of each facet, all else equal."""
    for study in analysis.alone:
        for facet, levels in study.found.levels.items():
            move = as_record(study.moves[facet], study.found.cells.n_clusters)
            why = move["not_estimable"].get("disagreement_across")
            far = _between_levels(study, facet)
            yield study.keys | {"facet": facet, "levels": levels} | move | far | {"reason": why}


def _between_levels(study: FacetStudy, facet: str) -> Record:
    """How far the mean grades of two levels of a facet are apart, and how they correlate."""
    blank: Record = {"distance_across": None, "correlation_across": None}
    if not study.judged.scale:
        return blank
    values = pd.to_numeric(pd.Series(study.judged.verdicts), errors="coerce").to_numpy()
    level = [str(one) for one in study.judged.column(facet)]
    table = pd.DataFrame({"q": study.judged.column("question"), "level": level, "value": values})
    means = table.groupby(["q", "level"])["value"].mean().unstack()
    pairs = [*combinations(means.columns, 2)]
    both = [means[[*pair]].dropna().to_numpy() for pair in pairs]
    both = [one for one in both if len(one)]
    if not both:
        return blank
    far = [float(np.abs(one[:, 0] - one[:, 1]).mean()) for one in both]
    same = [float(np.corrcoef(one.T)[0, 1]) for one in both if len(one) > 2 and one.std(0).all()]
    return {
        "distance_across": float(np.mean(far)),
        "correlation_across": float(np.mean(same)) if same else None,
    }


def as_record(move: FacetEffect, asked: int) -> Record:
    """A move as plain values, with how many of the questions asked it leaves out."""
    parts = {
        "disagreement_across": move.across,
        "disagreement_within": move.within,
        "above_noise": move.above,
    }
    n = move.compared.cells.n_clusters if move.compared else asked
    return {
        "n_questions": n,
        "n_not_compared": asked - n,
        **valued(**parts),
        "not_estimable": reasons(parts),
    }


def components(analysis: Analysis) -> Iterator[Record]:
    """Variance components of verdicts."""
    for study in [*analysis.alone, *analysis.together]:
        found, parts = study.found, study.scored.components()
        total = sum(one.value or 0.0 for one in parts.values())
        if why := study.noise_of_some:  # it is also taken off the highest interaction
            of_noise = [names for names in parts if {*found.facets} <= {*names} or SEED in names]
            parts |= dict.fromkeys(of_noise, Estimate(reason=why))
        for names, one in parts.items():
            yield study.keys | {
                "component": _together(names),
                **valued(variance=one),
                "share": None if one.value is None or total <= 0 else one.value / total,
                "reason": one.reason if one.value is None else None,
            }


def omega_over(analysis: Analysis) -> Iterator[Record]:
    """Omega by what may vary from one verdict to the next."""
    for study in analysis.alone:
        found, why = study.found, study.noise_of_some
        for varying in subsets(list(found.levels)):
            estimate = found.omega(varying) if varying or not why else Estimate(reason=why)
            yield study.keys | {
                "varying": " x ".join(varying) or SEED,
                **valued(omega=estimate),
                "reason": estimate.reason if estimate.value is None else None,
            }


def shifts_by_level(analysis: Analysis) -> Iterator[Record]:
    """Which level of a facet favours which verdict, and which order favours which place."""
    for study in analysis.alone:
        given, found = study.judged, study.found
        values = {"verdict": given.choices}
        if given.order_varies:
            values = {"responder": given.choices, "place": given.verdicts}
        for facet, levels in found.levels.items():
            if levels > MOST_LEVELS:
                continue
            names = given.levels(facet)
            for what, chosen in values.items():
                for shift in shifts(given.count(chosen, facets=found.levels), facet):
                    yield study.keys | {
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


# Does a judge prefer an option's position?


def position_shares(analysis: Analysis) -> Iterator[Record]:
    """How often each row's judge chooses each label."""
    for row in analysis.rows:
        options, verdicts = row.judged.labels, row.judged.verdicts
        if not {*options} & {*verdicts}:
            continue
        found = choice_shares(row.judged.count(verdicts), options)
        for option, share in zip(options, found.shares, strict=True):
            yield row.keys | {
                "option": option,
                **valued(share=share),
                **picked(found, "p_value", "n_questions", "n_choices", "reason"),
            }
