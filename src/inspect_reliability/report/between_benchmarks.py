"""One omega of a judge over several benchmarks."""

from collections.abc import Iterator, Sequence

from ..stats import pooled_omega
from .row import Row, interval
from .wording import Record


def pooled(rows: Sequence[Row]) -> Iterator[Record]:
    """Omega over the benchmarks of rows that differ in nothing else."""
    conditions: dict[str, tuple[Record, dict[str, Row]]] = {}
    for row in rows:
        condition = row.keys
        if (benchmark := condition.pop("benchmark", None)) is not None:
            conditions.setdefault(str(condition), (condition, {}))[1][str(benchmark)] = row
    for condition, benchmarks in conditions.values():
        if len(benchmarks) < 2:
            continue
        found = pooled_omega({name: row.counts for name, row in benchmarks.items()})
        why = next((row.no_evidence for row in benchmarks.values() if row.no_evidence), None)
        omega = found.estimate
        yield condition | {
            "benchmarks": list(benchmarks),
            "n_questions": omega.n_questions,
            "omega": None if why else omega.value,
            "omega_interval": None if why else interval(omega),
            "between": None if why else found.between,
            "reason": why or omega.reason,
        }
