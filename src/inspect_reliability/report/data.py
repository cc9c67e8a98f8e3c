"""Judgments and results as files for other tools."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from .analysis import Analysis
from .forms.csv import columns, to_csv

_FILES = {"rows": "report"}
"""Results whose file has another name than their key in JSON."""


def write_data(folder: Path, analysis: Analysis) -> list[Path]:
    """Write `judgments`, `report` and the other results, each as parquet and as CSV.

    Args:
        folder: Where to; made if need be. A result of which nothing is known has no file, and
            loses that of an earlier analysis.
        analysis: What to write.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = analysis.judgments.table
    lines: Iterable[Iterable[Any]] = table.itertuples(index=False, name=None)
    tables = {"judgments": (table, list(map(str, table)), lines)}
    for name, records in analysis.results.items():
        tables[_FILES.get(name, name)] = (analysis.frame(name), *columns(records))
    written = []
    for name, (frame, names, lines) in tables.items():
        parquet, csv = folder / f"{name}.parquet", folder / f"{name}.csv"
        if frame.empty:
            parquet.unlink(missing_ok=True)
            csv.unlink(missing_ok=True)
            continue
        _of_one_type(frame).to_parquet(parquet)
        # A text from a model may contain a lone surrogate, which is no UTF-8.
        csv.write_bytes(to_csv(names, lines, "\r\n").encode("utf-8", "backslashreplace"))
        written += [parquet, csv]
    return written


def _of_one_type(table: pd.DataFrame) -> pd.DataFrame:
    """Columns as parquet wants them: a column of mixed types becomes text."""
    table = table.copy()
    for name in table:
        kinds = {type(value) for value in table[name].dropna()}
        if kinds == {tuple}:
            table[name] = table[name].map(list, na_action="ignore")
        elif len(kinds) > 1 and not kinds <= {int, float}:
            table[name] = table[name].map(str, na_action="ignore")
    return table
