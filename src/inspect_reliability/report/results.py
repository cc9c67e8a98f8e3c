"""The results of an analysis: each is a function of it, whose keys are declared."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments
from .cautions import COPIES
from .columns import KEYS, declared
from .document import Document, Figure, Table, Text
from .drawings import Drawing, drawing, named_figures
from .forms import render
from .row import NO_STUDY, Row, Study
from .values import Column, Record, describe, flat, grouped, text

Progress = Callable[[Sequence[Any], str], Iterable[Any]]


def quietly(items: Sequence[Any], what: str) -> Iterable[Any]:
    """The items, with no progress shown."""
    return items


@dataclass(frozen=True, eq=False)
class Analysis:
    """Every result of a set of judgments.

    Attributes:
        rows: One row per judge and condition.
        document: Makes its report.
        study: Adds to each row, and finds the texts of its judgments.
        texts: Whether outputs of the least stable questions are read from the logs.
        progress: Wraps the rows as they are computed.
    """

    judgments: Judgments
    rows: tuple[Row, ...]
    document: "Callable[[Analysis], Document]"
    study: Study = NO_STUDY
    texts: bool = False
    progress: Progress = quietly

    @cached_property
    def results(self) -> "Results":
        """Name -> records of plain values, computed when they are first asked for."""
        return Results(self)

    @property
    def names(self) -> list[str]:
        """The columns that rows are grouped by."""
        return list(dict.fromkeys(name for row in self.rows for name in row.group))

    def keys(self, record: Record, *without: str) -> Record:
        """The values of a record in the grouping columns, or in some of them."""
        return {n: record[n] for n in self.names if n in record and n not in without}

    def estimates(self, result: str) -> list[Record]:
        """Records of a result, except those of temperature 0 alone: copies are no estimates."""
        drawn = [row.keys.items() for row in self.rows if row.no_draws != COPIES]
        return [
            record
            for record in self.results[result]
            if any(self.keys(record).items() <= keys for keys in drawn)
        ]

    def apart(self, records: Iterable[Record], *without: str) -> Iterable[tuple[str, list[Record]]]:
        """Records grouped by the grouping columns except `without`, with names in words."""
        found: dict[str, list[Record]] = {}
        for record in records:
            found.setdefault(describe(self.keys(record, *without)), []).append(record)
        return found.items()

    def series(self, key: str) -> list[str]:
        """The values of a column, as figures name them."""
        found = (row.keys[key] for row in self.rows if key in row.keys)
        return list(dict.fromkeys(text(value, missing="not known") for value in found))

    def pictures(
        self,
        records: Iterable[Record],
        across: Sequence[str],
        says: str,
        columns: Iterable[Column],
        named: str = "",
        **look: Any,
    ) -> Iterator[Figure]:
        """A figure for each group of records that differ only in the columns `across`.

        Single records have none. The first of these columns distinguishes the series. `named` is
        appended to a figure's name, and `look` has its other fields.
        """
        by, place = across[0], [grouped(name, "not known") for name in across if name]
        for title, own in self.apart(records, *across):
            if len(own) > 1:
                table, names = Table.of(own, [*place, *columns]), self.series(by)
                words = f"{title}: {says}"
                yield Figure(f"{title}{named}", words, own, by=by, table=table, names=names, **look)

    def tables(
        self, records: Sequence[Record], columns: Sequence[Column], title: str = ""
    ) -> Iterator[Table]:
        """A table per judge (or first grouping column); a single table if each has one row.

        The title has what all rows of a table share.
        """
        first = self.names[0]
        parts: dict[Any, list[Record]] = {}
        for record in records:
            parts.setdefault(record.get(first), []).append(record)
        alone = 1 < len(parts) == len(records)
        for own in [list(records)] if alone else parts.values():
            differ = [n for n in self.names if len({str(one.get(n)) for one in own}) > 1]
            every = self.keys(own[0], *differ)
            shared = {name: value for name, value in every.items() if value is not None}
            name = describe(shared) if shared else ""
            if first in shared:
                name = f"{grouped(first).heading}: {name}"
            named = ". ".join(filter(None, (title, name)))
            yield Table.of(own, [*map(grouped, differ), *columns], named)

    def told(
        self, name: str, title: str, records: Sequence[Record] | None = None
    ) -> Iterator[Table | Text]:
        """Known or given records of a result, in tables, followed by its meaning."""
        if records is None:
            records = [one for one in self.results[name] if one.get("reason") is None]
        filled = {key for one in records for key, value in one.items() if value is not None}
        if records:
            yield from self.tables(records, [c for c in declared(name) if c.key in filled], title)
            about = KEYS[name].about
            yield Text(f"{title}: {about[0].lower()}{about[1:]}")

    def frame(self, name: str = "rows") -> pd.DataFrame:
        """A result as a data frame: intervals and floors as columns `_low` and `_high`.

        Raises:
            UserError: No result has this name.
        """
        if name not in RESULTS:
            raise UserError(f"No result {name!r}. Use one of: {', '.join(self.results)}.")
        return pd.DataFrame([flat(found) for found in self.results[name]])

    def to_html(self) -> str:
        """The report as one page that works offline, as `report --html` writes it."""
        return render(self.document(self), "html")

    def figures(self) -> dict[str, Drawing]:
        """Name -> figure of the page as SVG, as `report --figures` writes it; notebooks draw it."""
        return {name: drawing(one) for name, one in named_figures(self.document(self)).items()}

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks: its style is not that of the notebook."""
        style = "width: 100%; height: 45em; border: 1px solid #ccc"
        return f'<iframe srcdoc="{escape(self.to_html())}" style="{style}"></iframe>'


Compute = Callable[[Analysis], Iterable[Record]]


RESULTS: dict[str, Compute] = {}
"""Name in JSON and in files -> function that computes the records; `keys.md` has their keys."""


def result(name: str) -> Callable[[Compute], Compute]:
    """Make a function of an analysis a result."""

    def add(compute: Compute) -> Compute:
        if name not in KEYS:
            raise KeyError(f"keys.md does not declare the keys of {name!r}")
        RESULTS[name] = compute
        return compute

    return add


class Results(Mapping[str, list[Record]]):
    """The results of one analysis by name, each computed when asked for."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._known: dict[str, list[Record]] = {}

    def __getitem__(self, name: str) -> list[Record]:
        """The records of a result."""
        if name not in self._known:
            self._known[name] = list(RESULTS[name](self._analysis))
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """The names, in the order of JSON."""
        return (name for name in KEYS if name in RESULTS)

    def __len__(self) -> int:
        """How many results there are."""
        return len(RESULTS)


@result("rows")
def _rows(analysis: Analysis) -> Iterator[Record]:
    for row in analysis.progress(analysis.rows, "Computing"):
        yield row.record
