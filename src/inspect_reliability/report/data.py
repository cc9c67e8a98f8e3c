"""Judgments and results as files for other tools."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..judgments import Judgments
from .cells import Cell
from .formats import to_csv
from .rows import report_frame, report_row


def write_data(folder: Path, judgments: Judgments, cells: Sequence[Cell]) -> list[Path]:
    """Write `judgments` and `report`, each as parquet and as CSV.

    Args:
        folder: Where to; made if need be.
        judgments: All judgments.
        cells: The report's cells.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = _of_one_type(judgments.table)
    results = report_frame(cells)
    files = [folder / f"{stem}.{kind}" for stem in ("judgments", "report") for kind in _KINDS]
    table.to_parquet(files[0])
    table.to_csv(files[1], index=False)
    results.to_parquet(files[2])
    files[3].write_text(to_csv([report_row(cell) for cell in cells]))
    return files


_KINDS = ("parquet", "csv")


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
