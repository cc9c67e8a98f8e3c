"""The paper's tables beside ours, cell by cell."""

import re
import warnings
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from ...answers.row import Row
from ...showing.document import Block, Document, Table, Text
from ...showing.formats import Record, TableColumn
from .layout import full_name
from .procedure import pooled_with_constant, split_varying
from .reported import coded, published, silent

STATISTICS = ("omega", "alpha")
"""Coefficients of the paper's tables, as its files are named."""

_BENCHMARKS = {"MTBench": "MT-Bench"}

_COLUMNS = [
    TableColumn("judge", heading="Judge"),
    TableColumn("benchmark", heading="Benchmark"),
    TableColumn("temperature", heading="T", missing="not known"),
    TableColumn("statistic", heading="Statistic"),
    TableColumn("published", heading="Published", form=".4f", missing="not in the files"),
    TableColumn("ours", heading="Ours", form=".4f", missing="not estimable"),
    TableColumn("difference", heading="Difference", form="+.1e"),
    TableColumn("reliabilipy", heading="reliabilipy", form=".4f"),
    TableColumn("permuted", heading="Permuted", shown=lambda record: _floor(record["permuted"])),
]

_MEANING = (
    "Published: the value in the study's own files. Ours: the same procedure on the judgments just "
    "imported. reliabilipy: that package itself, where it is installed. Permuted: mean and 95% "
    "range of the procedure on 200 permutations, in which replications have nothing in common."
)


def published_values(folder: Path) -> dict[tuple[str, str, float, str], float]:
    """The coefficients in a folder's files, by judge, benchmark, temperature and statistic."""
    found = {}
    for statistic in STATISTICS:
        for path in sorted(folder.glob(f"results/judge_reliab_*_{statistic}.txt")):
            stem = path.stem.removeprefix("judge_reliab_").removesuffix(f"_{statistic}")
            _, header, *lines = path.read_text().splitlines()
            names = [_BENCHMARKS.get(one, one) for one in header.split(",")[1:]]
            for line in lines:
                at, *values = line.split(",")
                temperature = round(float(re.sub(r"[^\d.e-]*", "", at.partition(":")[2])), 9)
                for benchmark, value in zip(names, values, strict=True):
                    found[full_name(stem), benchmark, temperature, statistic] = float(value)
    return found


def cells(rows: Iterable[Row], folder: Path) -> Iterator[Record]:
    """Each cell of the paper's tables: published, ours, their difference, and by reliabilipy."""
    values = published_values(folder)
    for row in rows:
        ours, theirs = published(row), _by_the_package(row)
        judge, benchmark, temperature = (row.keys[name] for name in _KEYS)
        for statistic in STATISTICS:
            known = values.get((judge, benchmark, temperature, statistic))
            own = ours[f"published_{statistic}"]
            yield {name: row.keys[name] for name in _KEYS} | {
                "statistic": statistic,
                "published": known,
                "ours": own,
                "difference": None if known is None or own is None else own - known,
                "reliabilipy": theirs.get(statistic),
                "permuted": ours[f"published_{statistic}_floor"],
            }


def tables(found: list[Record]) -> Document:
    """The cells as one table."""
    columns = [one for one in _COLUMNS if any(map(one.show, found))]
    shown: list[Block] = [Table.of(found, columns), Text(_MEANING)]
    return Document("The paper's tables beside ours", shown, {"cells": found})


_KEYS = ("judge", "benchmark", "temperature")


def _by_the_package(row: Row) -> dict[str, float]:
    """Both coefficients by reliabilipy itself, pooled with the constant questions; or neither."""
    codes, _ = coded(row)
    if codes is None or find_spec("reliabilipy") is None:
        return {}
    from reliabilipy import reliability_analysis

    counts, columns, _ = split_varying(codes, silent(row))
    if counts.n_varying < 2:
        return {}
    analysis = reliability_analysis(raw_dataset=columns, is_corr_matrix=False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            analysis.fit()
    except Exception:  # where its own factor analysis has no solution
        return {}
    given = {"omega": analysis.omega_total, "alpha": analysis.alpha_cronbach}
    return {name: float(pooled_with_constant(counts, one)) for name, one in given.items()}


def _floor(ends: list[float] | None) -> str:
    if not ends:
        return ""
    mean, low, high = ends
    return f"{mean:.2f} [{low:.2f}, {high:.2f}]"
