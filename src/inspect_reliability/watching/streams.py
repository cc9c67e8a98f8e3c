"""A stream as numbers: how often each verdict was drawn at each check, cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..judgments.columns import N_JUDGMENTS, by_rater, numbers_of
from ..judgments.count import NUMBER, Judged
from ..stats.cells import Flags, FloatArray, IntArray
from ..verdicts import NO_VERDICTS, NON_RESPONSE
from .bets import BASELINE
from .checks import CHECK, cell_columns

_ENOUGH = 0.5
"""Share of the cells that a check must have drawn."""

_MOST_ORDERS = 1.5
"""Orders that come again are cells of their own; with so many new ones they are drawn."""

_DIGITS = 6
"""Digits of means of several grades."""

_MANY = 100
"""Different numbers that are told apart."""


@dataclass(frozen=True, eq=False)
class Stream:
    """The verdicts of a stream.

    Attributes:
        counts: Draws of each kind at T checks of Q cells, T x Q x K.
        kinds: The verdicts of a kind, one a criterion; K.
        values: What each kind says, K x F.
        cells: The name of each cell, Q.
        scales: For each criterion the lowest and the highest number, or None of names.
        labels: The labels of each cell, one a criterion; None where it has none.
        criteria: The names of the criteria.
    """

    counts: IntArray
    kinds: Sequence[tuple[str, ...]]
    values: FloatArray
    cells: Sequence[str]
    scales: Sequence[tuple[float, float] | None]
    labels: Sequence[Sequence[Any]]
    criteria: Sequence[str] = ("verdict",)

    @property
    def few(self) -> Flags:
        """Checks that drew fewer than half of the cells that the stream has had so far."""
        asked = self.counts.sum(axis=-1) > 0
        known = np.logical_or.accumulate(asked, axis=0).sum(axis=1)
        return np.asarray(asked.sum(axis=1) < np.maximum(_ENOUGH * known, 1))

    @property
    def draws(self) -> float:
        """The usual number of draws of a cell at a check."""
        n = self.counts.sum(axis=-1)
        return float(np.median(n[n > 0])) if n.any() else 0.0

    @cached_property
    def right(self) -> FloatArray:
        """How right each kind is of each cell, Q x K: means over criteria with a label, else NaN.

        A name is right or not; a number is 1 less its distance from the label, in widths of the
        scale.
        """
        found = np.full((len(self.cells), len(self.kinds)), np.nan)
        for q, labels in enumerate(self.labels):
            known = [c for c, label in enumerate(labels) if label is not None]
            for k, kind in enumerate(self.kinds) if known else ():
                found[q, k] = np.mean([_right(kind[c], labels[c], self.scales[c]) for c in known])
        return found

    def said(self, counts: IntArray) -> str:
        """The most frequent verdict of a cell, with its share: "B 92%"; means on scales."""
        if not counts.any():
            return ""
        if all(self.scales):
            return self._by_criterion([self._mean(counts, c) for c in range(len(self.scales))])
        most = int(counts.argmax())
        return f"{self._by_criterion(self.kinds[most])} {counts[most] / counts.sum():.0%}"

    def _by_criterion(self, said: Sequence[str]) -> str:
        """What is said of each criterion; one alone needs no name."""
        if len(said) == 1:
            return said[0]
        return ", ".join(f"{name} {one}" for name, one in zip(self.criteria, said, strict=True))

    def _mean(self, counts: IntArray, c: int) -> str:
        """The mean of the numbers of a criterion."""
        numbers = np.array([_number(kind[c]) for kind in self.kinds])
        known = (numbers == numbers) & (counts > 0)
        return f"{np.average(numbers[known], weights=counts[known]):.3g}" if known.any() else "none"


def _number(name: str) -> float:
    return float(name) if NUMBER.fullmatch(name) else np.nan


def _right(verdict: str, label: Any, scale: tuple[float, float] | None) -> float:
    several = [str(one) for one, _ in by_rater(label, None)]
    if scale is None:
        return float(np.mean([verdict == one for one in several]))
    if not NUMBER.fullmatch(verdict):
        return 0.0
    away = np.mean([abs(float(verdict) - float(one)) for one in several if NUMBER.fullmatch(one)])
    return max(0.0, 1 - float(away) / (scale[1] - scale[0]))


def anchors(table: pd.DataFrame, checks: int) -> Stream:
    """The stream of anchors: a cell is an output, in one wording and order."""
    table = _named(table)
    cell = names_of_cells(table)
    draw = [cell.rename("cell"), table[CHECK], table["replication"]]
    return _stream(table, cell, draw, checks)


def names_of_cells(table: pd.DataFrame) -> "pd.Series[str]":
    """The name of each judgment's cell: an output, in one wording and order."""
    names = [name for name in cell_columns(table) if name != "question"]
    names += ["order"] if "order" in table and _orders_recur(table, names) else []
    return _joined(table, ["question", *_telling(table, names)])


def without_outages(table: pd.DataFrame) -> pd.DataFrame:
    """The judgments without the cells of a check none of whose draws had a verdict.

    Calls fail together, as while a server is away: no draw of the judge says so. Where a cell never
    has a verdict again, it may be the judge that says nothing, and it stays.
    """
    cell = np.asarray(numbers_of(names_of_cells(table)), dtype=np.int64)
    check = table[CHECK].to_numpy(dtype=np.int64)
    asked, answered = draws_by_check(table, cell, int(check.max(initial=-1)) + 1)
    later = np.logical_or.accumulate((answered > 0)[::-1])[::-1]
    failed = (asked > 0) & (answered == 0) & later
    kept: pd.DataFrame = table[~failed[check, cell]].reset_index(drop=True)
    return kept


def draws_by_check(table: pd.DataFrame, cell: IntArray, checks: int) -> tuple[IntArray, IntArray]:
    """How many draws of each cell every check has, T x Q, and how many of these have a verdict.

    Args:
        table: Judgments with the number of their check.
        cell: The number of each judgment's cell.
        checks: How many checks there are, T.
    """
    check = table[CHECK].to_numpy(dtype=np.int64)
    said = (table["verdict"] != NON_RESPONSE).to_numpy()
    asked = np.zeros((checks, int(cell.max(initial=-1)) + 1), dtype=np.int64)
    answered = asked.copy()
    np.add.at(asked, (check, cell), 1)
    np.add.at(answered, (check[said], cell[said]), 1)
    return asked, answered


def _telling(table: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """The columns in which judgments of one question differ."""
    known = table[[*names]].astype(str).groupby(table["question"], sort=False)
    several = known.nunique().max() > 1
    return [name for name in names if several[name]]


def _joined(table: pd.DataFrame, names: Sequence[str]) -> "pd.Series[str]":
    """The values of several columns as one text."""
    first, *others = (table[name].astype(str) for name in names)
    for other in others:
        first = first + ", " + other
    return first


def outputs(table: pd.DataFrame, checks: int, by: Sequence[str]) -> Stream:
    """The stream of production: a cell is a group of outputs, and each output is one draw."""
    table = _named(table)
    groups = [name for name in by if name in table]
    cell = _joined(table, groups) if groups else "all outputs"
    unit = _joined(table, cell_columns(table))
    table = _once(table.assign(cell=cell, unit=unit))
    return _stream(table, table["cell"], [table["cell"], table[CHECK], table["unit"]], checks)


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the chosen verdict of each judgment, by a name that is the same everywhere."""
    judged = Judged(table)
    said = [NON_RESPONSE if one is None else str(one) for one in judged.choices]
    scorer = table["scorer"].astype(str) if "scorer" in table else "verdict"
    right = pd.Series(judged.right, table.index, dtype=object)
    return table.assign(verdict=said, criterion=scorer, right=right)


def _orders_recur(table: pd.DataFrame, names: Sequence[str]) -> bool:
    """Whether later checks show the orders of the first again, instead of new ones."""
    shown = table[["question", *names, "order"]].astype(str)
    every = len(shown.drop_duplicates())
    return every <= _MOST_ORDERS * len(shown[table[CHECK] == table[CHECK].min()].drop_duplicates())


def _once(table: pd.DataFrame) -> pd.DataFrame:
    """Each output with one verdict: the mean of numbers, else the most frequent, A before B."""
    keys = ["cell", CHECK, "unit", "criterion"]
    if not table.duplicated(keys).any():
        return table

    def one(said: "pd.Series[str]") -> str:
        if all(map(NUMBER.fullmatch, said)):
            return f"{said.astype(float).mean():.{_DIGITS}g}"
        return str(said.mode().iloc[0])

    said = table.groupby(keys, sort=False)["verdict"].agg(one)
    first = table.drop_duplicates(keys).reset_index(drop=True)
    return first.assign(verdict=said.to_numpy())


def _stream(
    table: pd.DataFrame, cell: "pd.Series[Any]", draw: "list[pd.Series[Any]]", checks: int
) -> Stream:
    """Count the kinds; names are numbered by the check that has them first, for good."""
    table = table.assign(verdict=_rounded(table))
    criteria = sorted(table["criterion"].unique())
    columns = {name: rows["verdict"] for name, rows in table.assign(cell=cell).groupby("criterion")}
    weight = table[N_JUDGMENTS] if N_JUDGMENTS in table else pd.Series(1, table.index)
    if len(criteria) > 1:
        index = pd.MultiIndex.from_arrays(draw, names=["cell", CHECK, "draw"])
        wide = pd.DataFrame(
            {name: pd.Series(of.to_numpy(), index[of.index]) for name, of in columns.items()}
        ).fillna(NON_RESPONSE)
        cells, at = ([*wide.index.get_level_values(level)] for level in (0, 1))
        kinds, times = [*map(tuple, wide[criteria].to_numpy().tolist())], [1.0] * len(wide)
    else:
        cells, at, times = [*cell], [*table[CHECK]], [*map(float, weight)]
        kinds = [(one,) for one in table["verdict"]]
    q, cell_names = _numbered([*map(str, cells)], at)
    k, kind_names = _numbered(kinds, at)
    size = (checks, len(cell_names), len(kind_names))
    flat = np.ravel_multi_index((at, q, k), size)
    counts = np.bincount(flat, times, minlength=int(np.prod(size))).astype(np.int64).reshape(size)
    scales = [_scale(counts, kind_names, c) for c in range(len(criteria))]
    right = table.assign(cell=cell.map(str)).dropna(subset="right")
    known = right.drop_duplicates(["cell", "criterion"]).set_index(["cell", "criterion"])["right"]
    labels = [[known.get((name, of)) for of in criteria] for name in cell_names]
    values = np.concatenate([_says(kind_names, c, one) for c, one in enumerate(scales)], axis=1)
    return Stream(counts, kind_names, values, cell_names, scales, labels, criteria)


def _rounded(table: pd.DataFrame) -> "pd.Series[str]":
    """The verdicts; numbers of which the first checks have very many, on a grid of their range."""
    said = table["verdict"].copy()
    for _, rows in table[table[CHECK] < BASELINE].groupby("criterion"):
        first = {*rows["verdict"]} - {*NO_VERDICTS}
        if len(first) <= _MANY or not all(map(NUMBER.fullmatch, first)):
            continue
        low, high = min(map(float, first)), max(map(float, first))
        step = (high - low) / _MANY
        own = (table["criterion"] == rows["criterion"].iloc[0]) & said.str.fullmatch(NUMBER)
        places = ((said[own].astype(float) - low) / step).round()
        said[own] = [f"{low + place * step:.{_DIGITS}g}" for place in places]
    return said


def _numbered(names: list[Any], at: list[int]) -> tuple[IntArray, list[Any]]:
    """The number of each name, in order of the check that has it first, then of the name."""
    first: dict[Any, int] = {}
    for name, check in zip(names, at, strict=True):
        first[name] = min(first.get(name, check), check)
    ordered = sorted(first, key=lambda name: (first[name], name))
    place = {name: n for n, name in enumerate(ordered)}
    return np.array([place[name] for name in names], dtype=np.int64), ordered


def _scale(
    counts: IntArray, kinds: Sequence[tuple[str, ...]], c: int
) -> tuple[float, float] | None:
    """The ends of a criterion's scale, by the first checks; None if its verdicts are names."""
    there = counts[:BASELINE].sum(axis=(0, 1)) > 0
    said = {kind[c] for kind, some in zip(kinds, there, strict=True) if some} - {*NO_VERDICTS}
    numbers = [float(one) for one in said if NUMBER.fullmatch(one)]
    if len(numbers) < 3 or len(numbers) < len(said):
        return None
    return min(numbers), max(numbers)


def _says(
    kinds: Sequence[tuple[str, ...]], c: int, scale: tuple[float, float] | None
) -> FloatArray:
    """What each kind says of a criterion: its number on a scale of 0 to 1, or which name it is."""
    if scale is None:
        names = [*dict.fromkeys(kind[c] for kind in kinds)]
        return np.array([[float(kind[c] == one) for one in names] for kind in kinds])
    low, high = scale
    known = [_number(kind[c]) for kind in kinds]
    middle = (low + high) / 2  # no verdict says nothing of the number
    return np.array(
        [[(middle if one != one else one) - low, (high - low) * (one != one)] for one in known]
    ) / (high - low)
