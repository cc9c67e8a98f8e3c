"""Judgments in one parquet file, which loads equally fast whatever the size of the logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ..errors import UserError
from ..saving import Ours, whole
from .columns import COLUMNS, LARGEST, each_once
from .reading import refuse
from .table import Judgments, Log, Note

if TYPE_CHECKING:
    import pandas as pd

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


def write_parquet(judgments: Judgments, path: str | Path) -> None:
    """Write the file of `save`, without its checks of the name."""
    import pandas as pd
    import pyarrow as pa
    from pyarrow.parquet import write_table

    refuse(judgments.asked)
    table = judgments.table
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
    from pyarrow.parquet import read_schema

    schema, n = read_schema(path), n_rows_of(path)
    frames = _frames(path, schema, min(batch or n, n))
    if (own := (schema.metadata or {}).get(_KEY)) is None:
        return frames, None
    try:
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


def _frames(path: Path, schema: Any, batch: int) -> Iterator[pd.DataFrame]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    # A text that many rows share is one object.
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    with ParquetFile(path, read_dictionary=texts, page_checksum_verification=True) as file:
        batches = file.iter_batches(batch) if batch else ()
        tables = (pa.Table.from_batches([one]) for one in batches)
        for rows in tables if batch else [file.read()]:
            # Pandas' metadata would make an index, as of judges, of columns.
            frame = rows.to_pandas(integer_object_nulls=True, ignore_metadata=True)
            yield frame.drop(columns=[name for name in frame if name.startswith(_UNNAMED)])


def _types(schema: Any) -> dict[str, str]:
    return {field.name: str(field.type) for field in schema}


def _is_plain(values: pd.Series[Any]) -> bool:
    import pandas as pd

    kind = pd.api.types.infer_dtype(values, skipna=True)
    return kind in _PLAIN and (kind != "integer" or not values.dropna().abs().max() >= LARGEST)
