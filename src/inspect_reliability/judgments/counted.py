"""Counted judgments: one row for all that are alike, with their number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UserError
from .columns import ALWAYS, COLUMNS, N_JUDGMENTS, factorized, in_order, of_role
from .suites import is_rejudged, is_suite
from .table import Judgments, Log

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

BATCH = 500_000
"""Rows that are read at a time; sources with more in all are counted as they are read."""

_MOST_NUMBERS = 100_000
"""Replications of one question that are told apart by their numbers."""

_OF_ONE = ("tokens", "cost", N_JUDGMENTS)
"""Facts of single judgments, in which they differ."""


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
    """The first row of each kind of judgment, with the number of its kind.

    Args:
        table: Judgments, counted or not.
        alike: The columns in which judgments of one kind are equal. Of the others, what names the
            first judgment stays.
    """
    kinds = _kinds(table, alike)
    number = table[N_JUDGMENTS].astype(float).fillna(1.0) if N_JUDGMENTS in table else None
    sums = np.bincount(kinds, number).astype(np.int64)
    first = np.unique(kinds, return_index=True)[1]
    found = table[[*alike, *of_role(table, "replication", "place")]].iloc[first]
    return found.reset_index(drop=True).assign(**{N_JUDGMENTS: sums})


def added_up(frames: Iterable[pd.DataFrame], alike: Collection[str]) -> pd.DataFrame:
    """Frames counted together, of which a few are held at a time."""
    import pandas as pd

    total, waiting = pd.DataFrame(), list[pd.DataFrame]()
    for frame in frames:
        waiting.append(counted(frame, alike))
        # As many new rows as old ones, so that no row is counted again and again.
        if sum(map(len, waiting)) > max(len(total), BATCH):
            total = counted(pd.concat([total, *waiting], ignore_index=True), alike)
            waiting = []
    return counted(pd.concat([total, *waiting], ignore_index=True), alike) if waiting else total


def numbers_in(frames: Iterable[pd.DataFrame], seen: set[str]) -> Iterator[pd.DataFrame]:
    """The same frames; what their replications are called is put into `seen`."""
    for frame in frames:
        if "replication" in frame and len(seen) < _MOST_NUMBERS:
            seen.update(map(str, frame["replication"].unique()))
        yield frame


def beyond(table: pd.DataFrame, tries: int) -> int:
    """How many counted judgments there are beyond so many tries of each cell."""
    cell = of_role(table, "unit", "part", "facet")
    sizes = table[N_JUDGMENTS].groupby([table[name] for name in cell], dropna=False).sum()
    return int((sizes - tries).clip(lower=0).sum())


def can_be_counted(table: pd.DataFrame, logs: Mapping[str, Log]) -> bool:
    """Whether counts can stand for these judgments.

    Exact verdicts have shares instead, the epochs of a suite are outputs, and judgments that logs
    lack may be in other logs, by their numbers.
    """
    exact = "share" in table and bool(table["share"].notna().any())
    open_ = any(gap.samples for log in logs.values() for gap in log.gaps)
    return not (exact or open_ or is_suite(table) or is_rejudged(table))


def as_counts(judgments: Judgments) -> Judgments:
    """The same judgments, counted, without what only single ones have.

    Raises:
        UserError: Counts cannot stand for them.
    """
    table = judgments.table
    if not can_be_counted(table, judgments.logs):
        raise UserError(
            "These judgments cannot be counted: they are exact verdicts, a suite's own scores, or "
            "of logs that did not finish. Save them without --counts."
        )
    single = of_role(table, "replication", "place", without=ALWAYS)
    found = counted(table, telling(table, judgments.facets)).drop(columns=single, errors="ignore")
    return replace(judgments, table=found.assign(replication=1)[in_order(found.columns)])


def summed(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Counted judgments of several sources together."""
    import pandas as pd

    together = pd.concat(tables, ignore_index=True)
    return counted(together, _of_kinds(together))


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
