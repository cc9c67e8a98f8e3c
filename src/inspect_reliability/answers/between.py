"""Rows compared: judges side by side, and one judge over several benchmarks."""

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement

from ..judgments.count import orders_vary
from ..showing.values import Record
from ..stats import Estimate, NothingSharedError, agreement_between
from ..stats.coefficients import pooled_omega
from .analysis import Analysis
from .row import Row, alike, valued


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
        omega = pooled_omega({name: row.counts for name, row in benchmarks.items()})
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
    for condition, members in alike((row for row in rows if row.keys.get(key) is not None), key):
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
