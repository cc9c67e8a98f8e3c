"""The one table of judgments, and which of them are scores of a suite or were made anew."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import TypeAdapter

from ..errors import UserError, short
from ..saving import Ours, whole
from ..verdicts import GIVEN
from .columns import (
    COLUMNS,
    GROUP_BY,
    LARGEST,
    N_JUDGMENTS,
    dividing,
    each_once,
    in_order,
    numbers_of,
)
from .log_facts import Log, said_of_shards
from .own_values import OwnValues, of_file
from .reading import Note, Reading, refuse

if TYPE_CHECKING:
    import pandas as pd


_SCORE = ["log", "sample", "epoch", "scorer"]


def is_suite(table: pd.DataFrame) -> bool:
    """Whether judgments are a suite scorer's own scores, one per output."""
    return of_scorers(table) and not table.duplicated(_SCORE).any()


def is_rejudged(table: pd.DataFrame) -> bool:
    """Whether `rejudge` made the verdicts: each output is a question of its own."""
    return of_scorers(table) and bool(table.duplicated(_SCORE).any())


def of_scorers(table: pd.DataFrame) -> bool:
    """Whether judgments come from logs, and from other scorers than our judge tasks'."""
    if not set(_SCORE) <= set(table) or table[_SCORE].isna().to_numpy().any():
        return False
    return not ("categories" in table and table["categories"].notna().any())


def beside_replications(table: pd.DataFrame, judgments: pd.DataFrame) -> bool:
    """Whether these are a suite's own scores in logs whose outputs `rejudge` judged again."""
    if not is_suite(table):
        return False
    replicated = judgments["log"].notna() & judgments.duplicated(_SCORE, keep=False)
    return set(table["log"]) <= set(judgments.loc[replicated, "log"])


def own_scores(table: pd.DataFrame) -> pd.Series[bool]:
    """Which judgments are the scores that logs had before `rejudge` judged their outputs again."""
    if not set(_SCORE) <= set(table):
        return pd.Series(False, table.index)
    several = table["log"].notna() & table.duplicated(_SCORE, keep=False)
    if "categories" in table:
        several &= table["categories"].isna()
    return table["log"].isin(set(table.loc[several, "log"])) & ~(several | made_again(table))


def made_again(table: pd.DataFrame) -> pd.Series[bool]:
    """Which judgments `rejudge` made: those of one replication, as of a repair, have its seed."""
    if not of_scorers(table):
        return pd.Series(False, table.index)
    again = table.duplicated(_SCORE, keep=False)
    for name in ("seed", "output_uuid"):
        if name in table:
            again |= table[name].notna()
    return again


_MACHINE_EPSILON = 2.3e-16

NUMBERS: Mapping[str, Any] = {
    "temperature": np.float64,
    "replication": np.int64,
    N_JUDGMENTS: np.int64,
}
"""Columns with numeric types."""


@dataclass(frozen=True)
class Judgments:
    """Judgments as one long table, with notes on what was left out.

    Attributes:
        table: One row a judgment, with the columns of `columns.COLUMNS` that are known and those of
            the source.
        said: What was left out, by source, except gaps of logs.
        facets: Columns that the user takes for facets, beside those that are declared.
        logs: The logs behind the judgments, by place.
        asked: What the sources leave open.
        source: The log or file that they are from, if they are from one.
        counted: Whether their replications are counted up from the order of its rows.
        readings: How each of their files was read.
        files: The files that they are from.
        order: Benchmark and question of each unit in the order of the source, where the table has
            another one.
        label_order: The same of labels, in the order of their files, where files have them.
        own: The values of the data frame that they are from, as it has them.

    Example:
        >>> import inspect_reliability as ir
        >>> judgments = ir.judgments_from_file("examples/verdicts.csv")
        >>> len(judgments), judgments.table["judge"].nunique()
        (960, 2)
    """

    table: pd.DataFrame
    said: tuple[Note, ...] = ()
    facets: tuple[str, ...] = ()
    logs: Mapping[str, Log] = field(default_factory=dict)
    asked: tuple[Note, ...] = ()
    source: str = ""
    counted: bool = False
    readings: tuple[Reading, ...] = ()
    files: tuple[str, ...] = ()
    order: tuple[tuple[str, str], ...] = ()
    label_order: tuple[tuple[str, str], ...] = ()
    own: OwnValues | None = None

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was left out, by source, the gaps that no later log fills, and what is unclear."""
        # Times are in seconds: of two runs in one, the further one lacks less.
        by_time = sorted(self.logs.items(), key=lambda one: (one[1].created, -len(one[1].gaps)))
        last = {fills: where for where, log in by_time for fills in log.fills(where)}
        lacking: Counter[tuple[str, str]] = Counter()
        for where, log in self.logs.items():
            open_ = all(last[one] == where for one in log.fills(where))
            for gap in log.gaps:
                if open_ or not gap.retried:
                    lacking[gap.what, where] += gap.size
        gaps = (Note(what, n, where) for (what, where), n in lacking.items())
        return (*gaps, *said_of_shards(self.logs), *self.said, *self.asked)

    def __len__(self) -> int:
        return len(self.table)

    def __dir__(self) -> Iterable[str]:
        """What a user needs; the parts of the package use more."""
        return ["facets", "files", "groups", "logs", "notes", "readings", "table", "with_facets"]

    def named(self, names: Iterable[str]) -> list[str]:
        """Columns by their names in the table, or in the frame or file before it was read."""
        own = {yours: ours for one in self.readings for yours, ours in one.columns.items()}
        if is_suite(self.table):  # each log names the model that was graded as its judge
            own.setdefault("model", "judge")
        return [name if name in self.table else own.get(name, name) for name in names]

    def with_own_values(self, found: pd.DataFrame) -> pd.DataFrame:
        """A frame about judgments with the ids and verdicts as the user's own data have them.

        So it can be merged and compared with these. Of files it has what pandas reads from them;
        logs have texts.
        """
        own = self.own
        if own is None and self.readings and not self.logs and len(self.table):
            own = of_file(self.table, map(str, found))
        return found if own is None else own.given_back(found)

    def columns_of(self, reading: Reading) -> dict[str, str]:
        """Name in the files -> our name, as they were read and as the user said."""
        read = {yours: ours for one in self.readings for yours, ours in one.columns.items()}
        return {**read, **reading.columns}

    @property
    def as_given(self) -> Judgments:
        """The judgments of answers that were not changed."""
        if "answer_change" not in self.table:
            return self
        change = self.table["answer_change"]
        return replace(self, table=self.table[change.isna() | (change == GIVEN)])

    def only(self, levels: Mapping[str, Any]) -> Judgments:
        """The judgments that have these values, as people write them, in these columns.

        A column may have a list of values, of which a judgment has one.

        Raises:
            UserError: There is no such column, or none has the value.
        """
        import pandas as pd

        table = self.table
        for yours, of in levels.items():
            [name] = self.named([yours])
            self._has([name])
            kept = pd.Series(False, table.index)
            for level in map(str, of if isinstance(of, list | tuple) else [of]):
                fits = each_once(table[name], partial(_is_written, level)).eq(True)
                if not fits.any():
                    known = dict.fromkeys(_written(one)[-1] for one in table[name].dropna())
                    some = short(", ".join(known))
                    raise UserError(
                        f"No judgment has {level!r:.80} in column {yours!r}, which has {some}."
                    )
                kept |= fits
            table = table[kept]
        return replace(self, table=table.reset_index(drop=True)) if levels else self

    def groups(self, by: Sequence[str] = GROUP_BY) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Split the table by columns, in order of first appearance.

        Yields:
            The values of `by` (None where missing) and the rows.

        Raises:
            UserError: There is no such column.
        """
        import pandas as pd

        self._has(by)
        for values, rows in self.table.groupby(list(by), sort=False, dropna=False):
            named = zip(by, cast("tuple[Any, ...]", values), strict=True)
            yield {name: None if pd.isna(value) else value for name, value in named}, rows

    def conditions(self) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Split the table by `GROUP_BY`, then by the facets that vary within any group."""
        groups = [(group, rows, dividing(rows, self.facets)) for group, rows in self.groups()]
        known = dict.fromkeys(name for *_, facets in groups for name in facets)
        for group, rows, facets in groups:
            # A group with one level of what varies in others is of that level.
            of = [n for n in known if n in facets or rows[n].nunique(dropna=False) == 1]
            parts = replace(self, table=rows).groups(of) if of else [({}, rows)]
            yield from ((group | levels, part) for levels, part in parts)

    def with_facets(self, names: Collection[str]) -> Judgments:
        """Declare columns to be facets.

        Raises:
            UserError: There is no such column.
        """
        facets = tuple(dict.fromkeys(self.named(names)))
        self._has(facets)
        asked = tuple(one for one in self.asked if one.column not in facets)
        return replace(self, facets=facets, asked=asked)

    def _has(self, names: Iterable[str]) -> None:
        if unknown := [name for name in names if name not in self.table]:
            raise UserError(
                f"The judgments have no column {', '.join(map(repr, unknown))}. "
                f"Use any of: {', '.join(map(str, self.table.columns))}."
            )


def _written(value: Any) -> list[str]:
    """A value of a column as people may write it: 0.5, or 1 for 1.0."""
    return [str(value), *([f"{value:g}"] if isinstance(value, float) else [])]


def _is_written(level: str, value: Any) -> bool:
    return level in _written(value)


def make_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Make a judgments table of one mapping a judgment; what a mapping lacks is missing."""
    import pandas as pd

    names = dict.fromkeys(name for layout in dict.fromkeys(map(tuple, rows)) for name in layout)
    columns = {
        # Series of objects: pandas would make numbers of categories and missing values.
        name: pd.Series([row.get(name) for row in rows], dtype=NUMBERS.get(name, object))
        for name in in_order(names)
    }
    return pd.DataFrame(columns)


def clean_temperature(value: float | None) -> float | None:
    """A temperature as the user means it: machine epsilon, the paper's way to say 0, is 0.

    None for a value that no sampler accepts.
    """
    if value is None or not 0 <= value <= sys.float_info.max:
        return None
    return 0.0 if value <= _MACHINE_EPSILON else value


def weights(table: pd.DataFrame) -> pd.Series[float]:
    """The number of judgments each row counts for; of an exact distribution, its share."""
    import pandas as pd

    found = pd.Series(1.0, table.index)
    for name in ("share", N_JUDGMENTS):
        if name in table:
            found *= table[name].astype(float).fillna(1.0)
    return found


def verdict_counts(table: pd.DataFrame) -> pd.Series[float]:
    """How often each verdict was given; of exact distributions, the sum of its shares."""
    return weights(table).groupby(table["verdict"].to_numpy()).sum()


def n_judgments(table: pd.DataFrame) -> int:
    """The number of judgments, each row of an exact distribution being one."""
    return int(table[N_JUDGMENTS].sum()) if N_JUDGMENTS in table else len(table)


def several_conditions(found: Sequence[Mapping[str, Any]]) -> str:
    """Why judgments of several conditions have no common coefficient, and what to do."""
    differ = [name for name in found[0] if len({str(group.get(name)) for group in found}) > 1]
    return (
        f"The judgments are of {len(found)} conditions, which differ in {', '.join(differ)}; they "
        "are not pooled. Take one of them, as in judgments.conditions(), or all, with "
        "analyse(judgments).frame()."
    )


# Judgments in one parquet file, which loads equally fast whatever the size of the logs.


_UNNAMED = "__index_level_"
"""How pandas names the column of an index without a name."""

_KEY = b"inspect_reliability"
"""Key of the file's own metadata."""

_PLAIN = ("string", "boolean", "floating", "integer", "empty")
"""Columns with types that parquet has."""


@dataclass(frozen=True)
class Saved:
    """What a file of judgments says about itself.

    Attributes:
        notes: What was left out when they were read, except the gaps of logs.
        logs: The logs and their gaps, which another file may fill.
        facets: Columns that the user took for facets.
        as_json: Columns written as JSON: lists, and values of several types.
        columns: All its columns, with their types in the file.
        rows: How many it has.
    """

    notes: list[Note]
    logs: dict[str, Log]
    facets: list[str]
    as_json: list[str]
    columns: dict[str, str]
    rows: int


@cache
def _adapter() -> TypeAdapter[Saved]:
    # It takes longer to make than most files to read.
    return TypeAdapter(Saved)


def save(judgments: Judgments, path: str | Path) -> None:
    """Write judgments and their notes, with the role and meaning of each column beside its type.

    Raises:
        UserError: The file cannot be written, its name does not end with ".parquet", or the
            judgments can mean two things.
    """
    if Path(path).suffix.lower() != ".parquet":
        raise UserError(f"{path}: the name of a file of judgments ends with .parquet.")
    with whole(path, SAVED) as part:
        write_parquet(judgments, part)


def in_order_of(table: pd.DataFrame, units: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """The rows of a table in an order of units (benchmark and question); others come last.

    A question may be named by its benchmark, too, where two benchmarks share its name.
    """
    place = {unit: n for n, unit in enumerate(dict.fromkeys(units))}

    def at(benchmark: str, question: str) -> int:
        alone = question.removeprefix(f"{benchmark}: ")
        return place.get((benchmark, question), place.get((benchmark, alone), len(place)))

    number = numbers_of(table["benchmark"], table["question"]).to_numpy()
    places = np.array([at(*one) for one in units_of(table)], dtype=np.int64)
    return np.argsort(places[number], kind="stable")


def units_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Benchmark and question of each unit, by first appearance."""
    number = numbers_of(table["benchmark"], table["question"]).to_numpy()
    first = table.iloc[np.unique(number, return_index=True)[1]]
    return named_units(first)


def named_units(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Benchmark and question of each row; a missing benchmark is empty, whatever file lacks it."""
    benchmark = rows["benchmark"].map(str).where(rows["benchmark"].notna(), "")
    return list(zip(benchmark, rows["question"].map(str), strict=True))


def write_parquet(judgments: Judgments, path: str | Path) -> None:
    """Write the file of `save`, without its checks of the name."""
    import pandas as pd
    import pyarrow as pa
    from pyarrow.parquet import write_table

    refuse(judgments.asked)
    table = judgments.table
    if judgments.order:  # whoever reads the file finds its questions in the order of their source
        table = table.iloc[in_order_of(table, judgments.order)]
    as_json = [str(name) for name in table if not _is_plain(table[name])]
    dump = partial(json.dumps, default=str)
    values = ((name, table[name]) for name in table)
    written = {name: each_once(one, dump) if name in as_json else one for name, one in values}
    arrow = pa.Table.from_pandas(pd.DataFrame(written), preserve_index=False)
    about = {name: {"role": one.role, "meaning": one.meaning} for name, one in COLUMNS.items()}
    fields = [field.with_metadata(about.get(field.name)) for field in arrow.schema]
    said, logs = list(judgments.said), dict(judgments.logs)
    saved = Saved(said, logs, list(judgments.facets), as_json, _types(arrow.schema), len(table))
    schema = pa.schema(fields, {_KEY: _adapter().dump_json(saved)})
    write_table(arrow.cast(schema), path, write_page_checksum=True)


def read_parquet(
    path: Path, batch: int | None = None
) -> tuple[Iterator[pd.DataFrame], Saved | None]:
    """The rows of any parquet file, and the facts that `save` wrote into it, if any.

    Args:
        path: The file.
        batch: Most rows in a frame; by default all are in one.

    Raises:
        ValueError: These facts cannot be read.
    """
    from pyarrow.parquet import read_metadata

    about = read_metadata(path)
    schema, n = about.schema.to_arrow_schema(), int(about.num_rows)
    frames = _frames(path, schema, n, batch or n)
    own, other = (dict(one or {}).get(_KEY) for one in (schema.metadata, about.metadata))
    if own is None and other is None:
        return frames, None
    try:
        # Parquet has checksums of rows, none of this; but it keeps it twice.
        if own is None or own != other:
            raise ValueError
        saved = _adapter().validate_json(own)
        columns = _types(schema)
        if saved.rows != n or not saved.columns.items() <= columns.items():
            raise ValueError
    except ValueError:
        raise ValueError(
            "its notes, columns or rows were changed, or written by another version"
        ) from None
    return frames, saved


def _is_saved(path: Path) -> bool:
    from pyarrow.parquet import read_schema

    _, saved = read_parquet(path)
    columns = [(one.name, str(one.type)) for one in read_schema(path)]
    return saved is not None and [*saved.columns.items()] == columns


SAVED = Ours("file of judgments as --save writes it", _is_saved)
"""How an earlier file of judgments is known: it says what it holds, and that is so."""


def n_rows_of(path: Path) -> int:
    """How many rows a parquet file has."""
    from pyarrow.parquet import read_metadata

    return int(read_metadata(path).num_rows)


def _frames(path: Path, schema: Any, n: int, batch: int) -> Iterator[pd.DataFrame]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    # A text that many rows share is one object.
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    with ParquetFile(path, read_dictionary=texts, page_checksum_verification=True) as file:
        batches = file.iter_batches(min(batch, n)) if n else ()
        tables = (pa.Table.from_batches([one]) for one in batches)
        for rows in tables if n else [file.read()]:
            n -= len(rows)
            # Pandas' metadata would make an index, as of judges, of columns.
            frame = rows.to_pandas(integer_object_nulls=True, ignore_metadata=True)
            yield frame.drop(columns=[name for name in frame if name.startswith(_UNNAMED)])
    if n:  # a damaged header of a page ends its column
        raise ValueError("it has fewer rows than it says")


def _types(schema: Any) -> dict[str, str]:
    return {field.name: str(field.type) for field in schema}


def _is_plain(values: pd.Series[Any]) -> bool:
    import pandas as pd

    kind = pd.api.types.infer_dtype(values, skipna=True)
    return kind in _PLAIN and (kind != "integer" or not values.dropna().abs().max() >= LARGEST)
