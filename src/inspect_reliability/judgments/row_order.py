"""Rows in one order, so that no result depends on how a file was sorted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .columns import GROUP_BY, factorized, of_role
from .count import by_value
from .table import Judgments

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


def in_one_order(judgments: Judgments) -> Judgments:
    """The same judgments by judge, benchmark, facets, question and replication; not those of logs.

    Numbers come first, by their value. What is equal in all of these keeps its order.
    """
    import pandas as pd

    table = judgments.table
    if judgments.logs or not len(table):
        return judgments
    facets = of_role(table, "part", "facet", without=GROUP_BY)
    names = (*GROUP_BY, *facets, *judgments.facets, "question", "replication")
    ranks = [_ranks(table[name]) for name in dict.fromkeys(names)]
    order = np.lexsort(ranks[::-1])
    if (np.diff(order) == 1).all():
        return judgments
    table = table.iloc[order]
    table.index = pd.RangeIndex(len(table))
    return replace(judgments, table=table)


def _ranks(values: pd.Series[Any]) -> NDArray[np.int64]:
    """The place of each value among the sorted ones; missing ones last."""
    codes, distinct = factorized(values)
    ordered = sorted(range(len(distinct)), key=lambda place: by_value(str(distinct[place])))
    rank = np.full(len(distinct) + 1, len(distinct))
    rank[ordered] = np.arange(len(distinct))
    return np.asarray(rank[codes])
