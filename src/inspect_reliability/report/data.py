"""Judgments, results and figures as files for other tools."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ..judgments.saved import write_parquet
from .document import Document, Figure
from .drawings import drawing, named_figures
from .forms.csv import columns, to_csv
from .results import Analysis
from .values import Record

_FILES = {"rows": "report"}
"""Results with another file name than JSON key."""


def data_files(analysis: Analysis) -> set[str]:
    """Names of the files that `write_data` can write."""
    names = ["judgments", *(_FILES.get(name, name) for name in analysis.results)]
    return {f"{name}.{ending}" for name in names for ending in ("parquet", "csv")}


def write_data(folder: Path, analysis: Analysis) -> list[Path]:
    """Write `judgments`, `report` and the other results, each as parquet and as CSV.

    An empty result gets no file.
    """
    table = analysis.judgments.table
    lines: Iterable[Iterable[Any]] = table.itertuples(index=False, name=None)
    tables = {"judgments": (table, list(map(str, table)), lines)}
    for name, records in analysis.results.items():
        tables[_FILES.get(name, name)] = (analysis.frame(name), *columns(records))
    written = []
    for name, (frame, names, lines) in tables.items():
        if frame.empty:
            continue
        parquet, csv = folder / f"{name}.parquet", folder / f"{name}.csv"
        if frame is table:
            write_parquet(analysis.judgments, parquet)
        else:
            _of_one_type(frame).to_parquet(parquet)
        csv.write_bytes(to_csv(names, lines, "\r\n").encode())
        written += [parquet, csv]
    return written


def _of_one_type(table: pd.DataFrame) -> pd.DataFrame:
    """Columns as parquet accepts them: mixed types and numbers of over 64 bits become text."""
    table = table.copy()
    for name in table:
        kinds = {type(value) for value in table[name].dropna()}
        if (len(kinds) > 1 and not kinds <= {int, float}) or (
            int in kinds and table[name].dropna().abs().max() >= 2**63
        ):
            table[name] = table[name].map(str, na_action="ignore")
    return table


def write_figures(folder: Path, document: Document) -> list[Path]:
    """Write each figure of a document as `NAME.svg`, and its numbers as `NAME.csv`."""
    written: dict[Path, str] = {}
    for name, figure in named_figures(document).items():
        written[folder / f"{name}.svg"] = drawing(figure)
        written[folder / f"{name}.csv"] = to_csv(*columns(_numbers(figure)), "\r\n")
    for path, text in written.items():
        path.write_bytes(text.encode())
    return list(written)


def _numbers(figure: Figure) -> Iterator[Record]:
    x, y = figure.x, figure.y
    keys = (figure.by, x, f"{x}_interval", y, f"{y}_interval")
    for record in figure.records:
        yield {key: record[key] for key in keys if key in record}
