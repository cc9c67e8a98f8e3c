"""Judgments, results and figures as files for other tools."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ..judgments.saved import save
from ..saving import whole, write_text
from .document import Document, Figure
from .drawings import drawings, named_figures
from .forms.csv import columns, to_csv
from .results import Analysis
from .wording import Record

_FILES = {"rows": "report"}
"""Results whose file has another name than their key in JSON."""


def write_data(folder: Path, analysis: Analysis) -> list[Path]:
    """Write `judgments`, `report` and the other results, each as parquet and as CSV.

    A result of which nothing is known has no file, and loses that of an earlier analysis.

    Raises:
        UserError: A file cannot be written.
    """
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
        if frame is table:
            save(analysis.judgments, parquet)
        else:
            with whole(parquet) as part:
                _of_one_type(frame).to_parquet(part)
        write_text(csv, to_csv(names, lines, "\r\n"))
        written += [parquet, csv]
    return written


def _of_one_type(table: pd.DataFrame) -> pd.DataFrame:
    """Columns as parquet wants them: mixed types and numbers of over 64 bits become text."""
    table = table.copy()
    for name in table:
        kinds = {type(value) for value in table[name].dropna()}
        if (len(kinds) > 1 and not kinds <= {int, float}) or (
            int in kinds and table[name].dropna().abs().max() >= 2**63
        ):
            table[name] = table[name].map(str, na_action="ignore")
    return table


def write_figures(folder: Path, document: Document) -> list[Path]:
    """Write each figure of a document as `NAME.svg`, and its numbers as `NAME.csv`.

    Raises:
        UserError: A file cannot be written.
    """
    written: dict[Path, str] = {}
    for (name, svg), figure in zip(
        drawings(document).items(), named_figures(document).values(), strict=True
    ):
        written[folder / f"{name}.svg"] = svg
        written[folder / f"{name}.csv"] = to_csv(*columns(_numbers(figure)), "\r\n")
    for path, text in written.items():
        write_text(path, text)
    return list(written)


def _numbers(figure: Figure) -> Iterator[Record]:
    """What is drawn of each record."""
    x, y = figure.x, figure.y
    keys = (figure.by, x, f"{x}_interval", y, f"{y}_interval")
    for record in figure.records:
        yield {key: record[key] for key in keys if key in record}
