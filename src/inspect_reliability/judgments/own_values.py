"""What goes back to the user's own data: ids as they were there, verdicts of the type they had."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..verdicts import NO_VERDICTS, UNDECIDED
from .columns import COLUMNS
from .count import NUMBER

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
"""An id that is a whole number, as pandas writes and reads it."""

_VERDICTS = ("verdict", "final", "label")
"""Columns of verdicts in what is given back."""

_IDS = ("facet", "unit")
"""Roles of columns by which rows are found again."""

_FLAGS = {"true": True, "false": False}

_MOST_LEVELS = 1_000
"""Most values of a column of the user's own by which rows may be grouped."""


@dataclass(frozen=True)
class OwnValues:
    """The values of a source as its user has them.

    Attributes:
        ids: Our column -> what was read -> the value in the frame.
        types: Our column -> the dtype that these have in the frame.
        verdicts: The type of the verdicts: bool, int, float; str where they are names.
    """

    ids: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    types: Mapping[str, Any] = field(default_factory=dict, repr=False)
    verdicts: type = str

    def given_back(self, found: pd.DataFrame) -> pd.DataFrame:
        """A frame about judgments with these values; columns that have others stay as they are."""
        made = {}
        for name, own in self.ids.items():
            if name in found and {*found[name].dropna()} <= own.keys():
                made[name] = _typed(found[name].map(own), self.types.get(name))
        for name in _VERDICTS if self.verdicts is not str else ():
            if name in found and (read := _read(found[name], self.verdicts)) is not None:
                made[name] = read
        return found.assign(**made) if made else found


def of_frame(
    frame: pd.DataFrame,
    columns: Mapping[str, str],
    table: pd.DataFrame,
    read: Callable[[pd.Series[Any]], pd.Series[Any]],
) -> OwnValues:
    """The values of a data frame.

    Args:
        frame: The data frame.
        columns: Name in the frame -> our name.
        table: What was read of it.
        read: Reads the values of a column that has our name.
    """
    ids: dict[str, Mapping[str, Any]] = {}
    types: dict[str, Any] = {}
    verdicts: list[pd.Series[Any]] = []
    for at, yours in enumerate(map(str, frame.columns)):
        values, ours = frame.iloc[:, at], columns.get(yours, yours)
        if ours == "verdict":
            verdicts.append(values)
        elif ours in table and _is_id(ours, values):
            texts = read(values.rename(ours))
            first = texts.notna() & ~texts.duplicated()
            ids[ours] = dict(zip(texts[first], values[first], strict=True))
            types[ours] = values.dtype
    return OwnValues(ids, types, _type_of(verdicts))


def _is_id(ours: str, values: pd.Series[Any]) -> bool:
    """Whether the values of a column are read as texts by which rows are found again."""
    if column := COLUMNS.get(ours):
        return column.role in _IDS and column.kind == "name"
    return values.dtype != object and values.nunique() <= _MOST_LEVELS


def of_file(table: pd.DataFrame, columns: Iterable[str]) -> OwnValues:
    """The values that pandas reads from the files of a table: numbers, and true and false.

    Ids in these columns are numbers where all are whole ones that begin with no zero.
    """
    import numpy as np

    ids: dict[str, Mapping[str, Any]] = {}
    for name in {*columns} & {*table}:
        column = COLUMNS.get(name)
        if column is None or (column.role in _IDS and column.kind == "name"):
            texts = [*table[name].drop_duplicates()]
            if all(isinstance(one, str) and _WHOLE.fullmatch(one) for one in texts):
                ids[name] = {one: int(one) for one in texts}
    said = {*table["verdict"].dropna()}.difference(NO_VERDICTS)
    kind: type = str
    if said and said <= _FLAGS.keys():
        kind = bool
    elif said and all(isinstance(one, str) and NUMBER.fullmatch(one) for one in said):
        kind = int if all(one.lstrip("-").isdigit() for one in said) else float
    return OwnValues(ids, dict.fromkeys(ids, np.int64), kind)


def _typed(values: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    """Values of a dtype, as far as it has room for those that are missing."""
    try:
        return values.astype(dtype)
    except (TypeError, ValueError):
        return values.astype(object)


def _type_of(columns: Sequence[pd.Series[Any]]) -> type:
    """The type that the values of all columns have: bool, int or float, else str."""
    kinds = {*_kinds(columns)} - {"empty"}
    if kinds == {"boolean"}:
        return bool
    if kinds == {"integer"}:
        return int
    return float if kinds and kinds <= {"integer", "floating", "mixed-integer-float"} else str


def _kinds(columns: Sequence[pd.Series[Any]]) -> Iterator[str]:
    import pandas as pd

    for one in columns:
        values = one.cat.categories if isinstance(one.dtype, pd.CategoricalDtype) else one
        # A cell may have a list of verdicts.
        yield pd.api.types.infer_dtype(pd.Series(values).explode(), skipna=True)


def _read(values: pd.Series[Any], kind: type) -> pd.Series[Any] | None:
    """Verdicts as values of a type, missing where they are none; None if any is another name.

    Means of whole numbers may be fractions.
    """
    import pandas as pd

    none = values.isna() | values.isin([*NO_VERDICTS, UNDECIDED])
    texts = [*map(str, values[~none])]
    made: list[Any]
    if kind is bool:
        if not {*texts} <= _FLAGS.keys():
            return None
        made, dtype, beside_missing = [_FLAGS[one] for one in texts], "bool", "boolean"
    else:
        if not all(map(NUMBER.fullmatch, texts)):
            return None
        made, dtype, beside_missing = [*map(float, texts)], "float64", "float64"
        if kind is int and all(one.is_integer() for one in made):
            dtype, beside_missing = "int64", "Int64"
    read = pd.Series(made, values.index[~none], dtype=object).reindex(values.index)
    named: Any = beside_missing if none.any() else dtype
    return read.astype(named)
