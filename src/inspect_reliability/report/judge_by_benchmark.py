"""The layout of the paper's Table 2: judges and temperatures down, benchmarks across."""

import math
from collections.abc import Sequence
from typing import get_args

from ..benchmarks import Benchmark
from .cells import Cell, number
from .summary import MEASURES, measures, with_interval

TABLE_2_LEGEND = (
    "Omega: how far a single verdict can be trusted to be the judge's own, with its 95% interval "
    "over questions. Published: the study's procedure, then what it gives on permuted verdicts "
    "(mean and 95% range): inside the range it says nothing about the judge, and about one value "
    "in twenty falls outside by chance."
)


def judge_by_benchmark(cells: Sequence[Cell]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: one row a judge and temperature, two columns a benchmark.

    Args:
        cells: Cells grouped by judge, benchmark and temperature (and responder, for
            Head-to-Tail, which makes a column of its own).
    """
    columns = list(dict.fromkeys(map(_column, sorted(cells, key=_place))))
    lines: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in sorted(cells, key=_line):
        judge, temperature = str(cell.group["judge"]), cell.group["temperature"]
        line = judge, "" if temperature is None else str(number(temperature))
        lines.setdefault(line, {})[_column(cell)] = cell
    headings = ["Judge", "T"]
    for column in columns:
        headings += [f"{column}: omega [95%]", "published"]
    rows = []
    for line, found in lines.items():
        row = [*line]
        for column in columns:
            cell_there = found.get(column)
            if cell_there is None:
                row += ["", ""]
            else:
                published = measures(cell_there)[MEASURES.index("Published")]
                row += [with_interval(cell_there.panel["omega"]), published]
        rows.append(row)
    return headings, rows


def _place(cell: Cell) -> int:
    benchmarks: tuple[object, ...] = get_args(Benchmark)
    benchmark = cell.group["benchmark"]
    return benchmarks.index(benchmark) if benchmark in benchmarks else len(benchmarks)


def _line(cell: Cell) -> tuple[str, float]:
    """Judges by name; of each the highest temperature first, an unknown one last."""
    temperature = cell.group["temperature"]
    return str(cell.group["judge"]), math.inf if temperature is None else -temperature


def _column(cell: Cell) -> str:
    responder = cell.group.get("responder")
    benchmark = str(cell.group["benchmark"])
    return f"{benchmark} of {responder}" if responder else benchmark
