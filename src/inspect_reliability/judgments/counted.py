"""Counted judgments: one row for all that are alike, with their number."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UserError
from .columns import COLUMNS, N_JUDGMENTS, factorized, in_order, of_role
from .suites import is_rejudged, is_suite
from .table import Judgments

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

BATCH = 500_000
"""Rows that are read at a time; sources with more in all are counted as they are read."""

_OF_ONE = ("tokens", "cost", N_JUDGMENTS)
"""Facts of single judgments, in which they differ."""


def together(
    frames: Iterator[pd.DataFrame], facets: Collection[str] = (), count: bool = False
) -> pd.DataFrame:
    """Batches of rows as one table; with `count`, counted, so that a few are held at a time."""
    import pandas as pd

    first = next(frames)
    if not (count and can_be_counted(first)):
        more = [*frames]
        return pd.concat([first, *more], ignore_index=True) if more else first
    alike, waiting = telling(first, facets), list[pd.DataFrame]()
    total = counted(first, alike)
    for frame in frames:
        waiting.append(counted(frame, alike))
        # As many new rows as old ones, so that no row is counted again and again.
        if sum(map(len, waiting)) > max(len(total), BATCH):
            total = counted(pd.concat([total, *waiting], ignore_index=True), alike)
            waiting = []
    return counted(pd.concat([total, *waiting], ignore_index=True), alike) if waiting else total


def telling(table: pd.DataFrame, facets: Collection[str] = ()) -> list[str]:
    """The columns in which counted judgments are alike.

    These are all that say what was judged, under which condition, with what outcome and label; of
    the source's own, facets and those that belong to the questions, such as a topic.
    """
    question = _kinds(table, ["question"]).max(initial=-1)
    own = [name for name in map(str, table) if name not in COLUMNS]
    same = [one for one in own if _kinds(table, ["question", one]).max(initial=-1) == question]
    kept = {*_of_kinds(table)} - {*own} | {*same, *facets}
    return [name for name in map(str, table) if name in kept]


def _of_kinds(table: pd.DataFrame) -> list[str]:
    """The columns in which judgments of one kind are equal, once they are counted."""
    of_one = {*of_role(table, "replication", "place"), *_OF_ONE}
    return [name for name in map(str, table) if name not in of_one]


def counted(table: pd.DataFrame, alike: Collection[str]) -> pd.DataFrame:
    """Each kind of judgment with the number of its kind; all are of replication 1.

    Args:
        table: Judgments, counted or not.
        alike: The columns in which judgments of one kind are equal.
    """
    kinds = _kinds(table, alike)
    number = table[N_JUDGMENTS].astype(float).fillna(1.0) if N_JUDGMENTS in table else None
    sums = np.bincount(kinds, number).astype(np.int64)
    first = np.unique(kinds, return_index=True)[1]
    found = table[[*alike]].iloc[first].reset_index(drop=True)
    return found.assign(replication=1, **{N_JUDGMENTS: sums})


def can_be_counted(table: pd.DataFrame) -> bool:
    """Whether counts can stand for these judgments.

    Exact verdicts have shares instead, and the epochs of a suite are outputs.
    """
    exact = "share" in table and bool(table["share"].notna().any())
    return not (exact or is_suite(table) or is_rejudged(table))


def as_counts(judgments: Judgments) -> Judgments:
    """The same judgments, counted, without what only single ones have.

    Raises:
        UserError: Counts cannot stand for them.
    """
    table = judgments.table
    if not can_be_counted(table):
        raise UserError(
            "These judgments cannot be counted: they are exact verdicts or a suite's own scores. "
            "Save them without --counts."
        )
    found = counted(table, telling(table, judgments.facets))
    return replace(judgments, table=found[in_order(found.columns)])


def summed(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Counted judgments of several sources together."""
    import pandas as pd

    table = pd.concat(tables, ignore_index=True)
    return counted(table, _of_kinds(table))


def fingerprint(table: pd.DataFrame) -> int:
    """A number that only copies of these counted judgments have, whatever their order."""
    import pandas as pd

    known = table[sorted([*_of_kinds(table), N_JUDGMENTS])]
    return int(pd.util.hash_pandas_object(known, index=False).sum())


def _kinds(table: pd.DataFrame, names: Collection[str]) -> NDArray[np.int64]:
    """The number of each row's kind, in order of first appearance."""
    import pandas as pd

    kinds = np.zeros(len(table), dtype=np.int64)
    for name in names:
        codes, distinct = factorized(table[name])
        kinds = pd.factorize(kinds * (len(distinct) + 1) + codes + 1)[0]
    return kinds
