"""Judgments, results and figures as files for other tools."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ..showing import drawing
from ..showing.csv import frame_of, to_csv
from ..showing.document import Document, Figure, named_figures
from ..showing.values import Record
from .analysis import Analysis
from .results import RESULTS

_FILES = {"rows": "report"}
"""Results with another file name than JSON key."""


def data_files() -> set[str]:
    """Names of the files that `write_data` can write."""
    names = ["judgments", *(_FILES.get(name, name) for name in RESULTS)]
    return {f"{name}.{ending}" for name in names for ending in ("parquet", "csv")}


def write_data(folder: Path, analysis: Analysis) -> list[Path]:
    """Write `judgments`, `report` and the other results, each as parquet and as CSV.

    An empty result gets no file.
    """
    from ..judgments.saved import write_parquet

    table = analysis.judgments.table
    tables = {"judgments": table.rename(columns=str)}
    for name, records in analysis.results.items():
        tables[_FILES.get(name, name)] = frame_of(records)
    written = []
    for name, frame in tables.items():
        if frame.empty:
            continue
        parquet, csv = folder / f"{name}.parquet", folder / f"{name}.csv"
        if name == "judgments":
            write_parquet(analysis.judgments, parquet)
        else:
            _of_one_type(frame.infer_objects()).to_parquet(parquet)
        csv.write_bytes(to_csv(frame, "\r\n").encode())
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


def figure_files(document: Document) -> dict[str, Figure]:
    """Names of the files that `write_figures` writes, each with its figure."""
    figures = named_figures(document).items()
    return {f"{name}.{end}": one for name, one in figures for end in ("svg", "png", "csv")}


def write_figures(folder: Path, document: Document) -> list[Path]:
    """Write each figure of a document as `NAME.svg` and `NAME.png`, its numbers as `NAME.csv`."""
    written = []
    for name, figure in named_figures(document).items():
        drawn, numbers = drawing(figure), to_csv(frame_of(_numbers(figure)), "\r\n")
        files = {"svg": drawn.svg.encode(), "png": drawn.png, "csv": numbers.encode()}
        for ending, content in files.items():
            written.append(folder / f"{name}.{ending}")
            written[-1].write_bytes(content)
    return written


def _numbers(figure: Figure) -> Iterator[Record]:
    x, y = figure.x, figure.y
    keys = (figure.by, x, f"{x}_interval", y, f"{y}_interval")
    for record in figure.records:
        yield {key: record[key] for key in keys if key in record}
