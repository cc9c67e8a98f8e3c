"""Several judges of the same outputs: what they share beyond noise."""

from collections.abc import Iterator

import pandas as pd

from ..judgments.count import Judged
from ..showing.values import Record
from ..stats import disagreement, effective_number
from ..stats.disagreement import Disagreement
from ..stats.facet_effects import ONE_VERDICT
from .analysis import Analysis
from .row import reasons, valued

JUDGE = "judge"


def panels(analysis: Analysis) -> Iterator[Record]:
    """Agreement of a panel's judges, and the effective number of judges."""
    for study in analysis.together:
        given, found, scored = study.judged, study.found, study.scored
        errors = _errors(given, found)
        rho = (errors or scored).correlation(JUDGE)
        number = found.levels[JUDGE]
        parts = {
            "agreement_within": found.agreement(),
            "agreement_between": found.agreement([JUDGE]),
            "beyond_noise": scored.beyond_noise(JUDGE),
            "correlation": rho,
            "effective_number": effective_number(number, rho),
        }
        why = reasons(parts, ends=True)
        for name in {"agreement_within", "beyond_noise"} & {*why}:
            why[name] = ONE_VERDICT
        yield study.keys | {
            "judges": given.levels(JUDGE),
            "n_questions": found.cells.n_clusters,
            **valued(**parts),
            "correlation_of": "verdicts" if errors is None else "errors",
            "not_estimable": why,
        }


def _errors(given: Judged, found: Disagreement) -> Disagreement | None:
    """Wrong by the label or not, scaled so that all judges' errors have equal variance.

    The correlation across judges is then the mean correlation of two judges' errors. A verdict that
    decides nothing is no error.
    """
    labels = given.right
    if None in labels:
        return None
    verdicts = given.verdicts if any(given.column("label")) else given.choices
    failed = [
        verdict != label and verdict not in given.undecided
        for verdict, label in zip(verdicts, labels, strict=True)
    ]
    judges = list(map(repr, given.column(JUDGE)))  # one may have no name
    times = pd.Series(given.times or [1] * len(failed), judges)
    wrong, made = (one.groupby(level=0).sum() for one in (times * failed, times))
    rates = (wrong / made).to_dict()
    scale = {
        f"wrong: {judge}": (rate * (1 - rate)) ** -0.5
        for judge, rate in rates.items()
        if 0 < rate < 1
    }
    said = [
        f"wrong: {judge}" if one and rates[judge] < 1 else "right"
        for judge, one in zip(judges, failed, strict=True)
    ]
    cells = given.count(said, ("right", *scale), found.levels)
    return disagreement(cells.as_numbers({"right": 0.0} | scale))
