"""Judgments, results and figures as files for other tools."""

from collections.abc import Iterator
from pathlib import Path

from ..showing import Drawing
from ..showing.csv import frame_of, to_csv
from ..showing.document import Document, Figure, named_figures
from ..showing.formats import Record
from .analysis import Analysis
from .results import RESULTS


def data_files() -> set[str]:
    """Names of the files that `write_data` can write."""
    return {"judgments.parquet", "judgments.csv", *(f"{_file(name)}.csv" for name in RESULTS)}


def _file(name: str) -> str:
    """The file of a result; that of rows has another name than the key of JSON."""
    return "report" if name == "rows" else name


def write_data(folder: Path, analysis: Analysis) -> list[Path]:
    """Write the judgments (parquet and CSV), `report` and the other results (CSV).

    An empty result gets no file.
    """
    from ..judgments.table import write_parquet

    tables = {"judgments": analysis.judgments.table.rename(columns=str)}
    tables |= {_file(name): frame_of(records) for name, records in analysis.results.items()}
    written = [folder / "judgments.parquet"]
    write_parquet(analysis.judgments, written[0])
    for name, frame in tables.items():
        if not frame.empty:
            written.append(folder / f"{name}.csv")
            written[-1].write_bytes(to_csv(frame, "\r\n").encode())
    return written


def figure_files(document: Document) -> dict[str, Figure]:
    """Names of the files that `write_figures` writes, each with its figure."""
    figures = named_figures(document).items()
    return {f"{name}.{end}": one for name, one in figures for end in ("svg", "png", "csv")}


def write_figures(folder: Path, document: Document) -> list[Path]:
    """Write each figure of a document as `NAME.svg` and `NAME.png`, its numbers as `NAME.csv`."""
    written = []
    for name, figure in named_figures(document).items():
        drawn, numbers = Drawing(figure), to_csv(frame_of(_numbers(figure)), "\r\n")
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
