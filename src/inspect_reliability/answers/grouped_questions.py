"""Whether a column that is not used groups questions whose verdicts are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..judgments.columns import COLUMNS
from ..judgments.pairs import pairs_shown
from ..stats.cells import FloatArray, IntArray

if TYPE_CHECKING:
    from .condition import Condition

_FEWEST = 8
"""Groups below which a column may be a kind of question, all of whose kinds are here."""

_EACH = 2
"""Fewest questions of a group, on average."""

_CHANCE = 0.05
"""Probability of a caution where groups do not matter."""


def grouped_questions(of: Condition) -> tuple[str, int] | None:
    """A column of the user's own whose groups of questions have like verdicts, and their number.

    Of several, the one with the clearest difference. Groups are compared by how often verdicts
    are right, how often two verdicts on a question agree, and the share of each verdict: by F tests
    of one factor, corrected for their number. None where this may be chance.
    """
    table, counts = of.table, of.counts
    if counts.clustered or "log" in table or next(pairs_shown(table), None):
        return None
    place = {name: i for i, name in enumerate(counts.questions)}
    found: dict[str, IntArray] = {}
    asked = table["question"].map(str)
    for name in [one for one in map(str, table) if one not in COLUMNS and one not in of.group]:
        each = table[name].map(str).where(table[name].notna()).groupby(asked)
        if (each.nunique(dropna=False) > 1).any():
            continue
        groups = pd.factorize(each.first().reindex([*place]))[0]
        number = int(groups.max()) + 1
        if number >= _FEWEST and _EACH * number <= np.count_nonzero(groups >= 0):
            found[name] = groups
    tests = [(p, name) for name, groups in found.items() for p in _tests(of, groups)]
    if not tests or min(tests)[0] * len(tests) >= _CHANCE:
        return None
    name = min(tests)[1]
    return name, int(found[name].max()) + 1


def _tests(of: Condition, groups: IntArray) -> Iterator[float]:
    """P-values of the differences between groups of questions."""
    shares = of.counts.shares
    for values in shares.T[: 1 if shares.shape[1] == 2 else None]:
        yield _p_value(values, groups)
    if of.graded:
        yield _p_value(shares @ [of.graded.get(one, 0.0) for one in of.counts.categories], groups)
    yield _p_value((shares**2).sum(axis=1), groups)
    if of.labelled:
        place = {name: i for i, name in enumerate(of.counts.questions)}
        known = [place[name] for name in of.labelled.given.questions]
        yield _p_value(of.labelled.kinds["accuracy"], groups[known])


def _p_value(values: FloatArray, groups: IntArray) -> float:
    """Of the F test that groups have one mean; 1 where nothing can be tested."""
    from scipy.special import fdtrc

    known = (groups >= 0) & ~np.isnan(values)
    values, of = values[known], np.unique(groups[known], return_inverse=True)[1]
    n = np.bincount(of)
    freedom = len(n) - 1, len(values) - len(n)
    if min(freedom) < 1:
        return 1.0
    means = np.bincount(of, values) / n
    between = n @ (means - values.mean()) ** 2 / freedom[0]
    within = ((values - means[of]) ** 2).sum() / freedom[1]
    return float(fdtrc(*freedom, between / within)) if within > 0 else float(between == 0)
