"""The layout of the paper's Table 2: judges and temperatures down, benchmarks across."""

from collections.abc import Sequence

from .analysis import Analysis
from .document import Block, Document, Table
from .summary import cautions, legend, published
from .wording import Record, estimate, text

_CELLS = (estimate("omega"), published)


def judge_by_benchmark(records: Sequence[Record], benchmarks: Sequence[str] = ()) -> Table:
    """One row a judge and temperature, two columns a benchmark.

    Args:
        records: Rows grouped by judge, benchmark and temperature. Outputs of each responder, where
            it is named, have columns of their own.
        benchmarks: Names of benchmarks in the order of their columns; others follow.
    """
    order = [*benchmarks, *(record["benchmark"] for record in records)]
    by_benchmark = sorted(records, key=lambda record: order.index(record["benchmark"]))
    columns = list(dict.fromkeys(map(_column, by_benchmark)))
    lines: dict[tuple[str, str], dict[str, Record]] = {}
    # Rows come by judge, then by benchmark: a judge's temperatures are sorted anew.
    for record in sorted(records, key=_line):
        line = str(record["judge"]), text(record["temperature"])
        lines.setdefault(line, {})[_column(record)] = record
    omega = estimate("omega")
    rows = [
        [
            *line,
            *(cell(found[c]) if c in found else "" for c in columns for cell in (omega, published)),
        ]
        for line, found in lines.items()
    ]
    headings = [h for c in columns for h in (f"{c}: omega [95%]", "published")]
    return Table(["Judge", "T", *headings], rows)


def table_2(analysis: Analysis, benchmarks: Sequence[str] = ()) -> Document:
    """The table with its legend and cautions."""
    table = judge_by_benchmark(analysis.results["rows"], benchmarks)
    blocks: list[Block] = [table, *legend(("Omega [95%]", "Published")), *cautions(analysis.rows)]
    return Document("Judges by benchmark", blocks, analysis.results)


def _line(record: Record) -> tuple[str, bool, float]:
    """Judges by name; of each the highest temperature first, an unknown one last."""
    temperature = record["temperature"]
    return str(record["judge"]), temperature is None, -(temperature or 0.0)


def _column(record: Record) -> str:
    responder = record.get("responder")
    return f"{record['benchmark']} of {responder}" if responder else str(record["benchmark"])
