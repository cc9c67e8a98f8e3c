"""The layout of the paper's Table 2: judges and temperatures in rows, benchmarks in columns."""

from collections.abc import Sequence

from ...answers.analysis import Analysis
from ...answers.brief import cautions
from ...answers.report import legend
from ...answers.steady import published
from ...showing.columns import KEYS
from ...showing.document import Block, Document, Table
from ...showing.values import GROUPS, Record, describe, text

_OMEGA, _PUBLISHED = (KEYS["rows"].columns[f"{which}omega"] for which in ("", "published_"))
_SHOWN = (_OMEGA, _PUBLISHED._replace(shown=published))
_ACROSS = [name for name in GROUPS if name not in ("judge", "temperature", "method")]
"""Keys of rows, and of the table's columns."""


def judge_by_benchmark(records: Sequence[Record], benchmarks: Sequence[str] = ()) -> Table:
    """One row per judge and temperature, one column per benchmark, or two for the study's.

    Records are rows grouped by judge, benchmark and temperature. Named responders have columns of
    their own, and so have exact verdicts beside sampled ones. `benchmarks` come first, in order.
    """
    methods = {record["method"] for record in records}

    def column_of(record: Record) -> str:
        names = [*_ACROSS, *["method"] * (len(methods) > 1)]
        return describe({name: record.get(name) for name in names})

    order = [*benchmarks, *(record["benchmark"] for record in records)]
    by_benchmark = sorted(records, key=lambda record: order.index(record["benchmark"]))
    columns = list(dict.fromkeys(map(column_of, by_benchmark)))
    lines: dict[tuple[str, str], dict[str, Record]] = {}
    # Rows come by judge, then by benchmark: a judge's temperatures are sorted anew.
    for record in sorted(records, key=_line):
        line = str(record["judge"]), text(record["temperature"])
        lines.setdefault(line, {})[column_of(record)] = record
    rows = [list(line) for line in lines]
    headings = ["Judge", "T"]
    for column in columns:
        own = [found.get(column) for found in lines.values()]
        for shown, heading in zip(_SHOWN, (f"{column}: omega [95%]", "published"), strict=True):
            cells = [shown.show(record) if record else "" for record in own]
            if shown.key == "omega" or any(cells):
                headings.append(heading)
                rows = [[*row, one] for row, one in zip(rows, cells, strict=True)]
    return Table(headings, rows)


def table_2(analysis: Analysis, benchmarks: Sequence[str] = ()) -> Document:
    """The table with its legend and cautions."""
    records = analysis.results["rows"]
    table = judge_by_benchmark(records, benchmarks)
    shown = _SHOWN if "published" in table.headings else _SHOWN[:1]
    blocks: list[Block] = [
        table,
        *legend(shown),
        *cautions(analysis.rows, analysis.results["rows"]),
    ]
    return Document("Judges by benchmark", blocks, analysis.results)


def _line(record: Record) -> tuple[str, bool, float]:
    """Sort key: judges by name, temperatures from the highest, an unknown one last."""
    temperature = record["temperature"]
    return str(record["judge"]), temperature is None, -(temperature or 0.0)
