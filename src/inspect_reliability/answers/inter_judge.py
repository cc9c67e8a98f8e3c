"""Rows compared: judges side by side, and one judge over several benchmarks."""

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement

import pandas as pd

from ..judgments.count import Judged, orders_vary
from ..showing.formats import Record
from ..stats import Estimate, NothingSharedError, agreement_between, disagreement, effective_number
from ..stats.coefficients import stratified_omega
from ..stats.disagreement import Disagreement
from ..stats.facet_effects import ONE_VERDICT
from .analysis import Analysis
from .row import Row, differing_only_in, reasons, valued


def agreement_of_judges(analysis: Analysis) -> Iterator[Record]:
    """Agreement of each judge with itself and with each other, under each condition."""
    for condition, judges in _apart(analysis.rows, "judge"):
        for one, other in combinations_with_replacement(judges, 2):
            found = _agreement({name: judges[name] for name in (one, other)})
            yield condition | {
                "first": one,
                "second": other,
                **valued(agreement=found),
                "n_questions": found.n_questions,
                "reason": found.reason,
            }


def pooled(analysis: Analysis) -> Iterator[Record]:
    """Omega over benchmarks, for rows that differ only in the benchmark."""
    replicated = [row for row in analysis.rows if row.numbers.n_questions]
    for condition, benchmarks in _apart(replicated, "benchmark"):
        omega = stratified_omega({name: row.counts for name, row in benchmarks.items()})
        without = [name for name, row in benchmarks.items() if row.no_evidence]
        why = f"None: {', '.join(without)} may be copies, or measurements (see caution)"
        yield condition | {
            "benchmarks": list(benchmarks),
            "n_questions": omega.n_questions,
            **valued(omega=None if without else omega),
            "reason": why if without else omega.reason,
        }


def _apart(rows: Iterable[Row], key: str) -> Iterator[tuple[Record, dict[str, Row]]]:
    """Rows that differ in one key alone: their common keys, and the row of each value."""
    for condition, members in differing_only_in(
        (row for row in rows if row.keys.get(key) is not None), key
    ):
        if len(members) > 1:
            yield condition, {str(row.keys[key]): row for row in members}


def _agreement(judges: dict[str, Row]) -> Estimate:
    if len(judges) == 1:
        (row,) = judges.values()
        return row.estimates["agreement"]
    # Labels mean the same to two judges only if both saw a question's options in one order.
    vary = orders_vary({one for row in judges.values() for one in row.judged.shown})
    alike = {name: row.judged.count(row.judged.chosen(vary)) for name, row in judges.items()}
    try:
        return agreement_between(alike)
    except NothingSharedError:
        return Estimate(reason="the judges share no question")


# Several judges of the same outputs: what they share beyond noise.


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
