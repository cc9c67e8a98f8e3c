"""Whether tries give the verdicts of others on every question, as copies from a cache do."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ..judgments.columns import N_JUDGMENTS, numbers_of, of_role

if TYPE_CHECKING:
    import pandas as pd

_CHANCE = 1e-6
"""Chance of so many equal tries among draws, below which they are copies."""

_MOST_EMPTY = 2
"""Cells for each judgment up to which a number names the same try everywhere."""


def copied_tries(table: pd.DataFrame) -> tuple[int, int] | None:
    """How many tries have the verdicts of an earlier one on all questions, and how many there are.

    None where this may be chance: two draws agree on a question as often as its verdicts do, and on
    all of them with the product of these shares.
    """
    if "place" in table or N_JUDGMENTS in table:
        return None
    known = of_role(table, "unit", "part", "facet", without=("time",))
    cell = numbers_of(*(table[name] for name in known))
    cells = int(cell.max()) + 1
    for number in ("seed", "replication"):
        level = numbers_of(table[number]) if number in table else cell * 0
        levels = int(level.max()) + 1
        # Each try is of most questions: a seed may be of one question alone.
        if levels > 2 and levels * cells <= _MOST_EMPTY * len(table):
            break
    else:
        return None
    if np.bincount(level * cells + cell).max() > 1:
        return None
    verdict = numbers_of(table["verdict"])
    given = np.full((levels, cells), -1)
    given[level, cell] = verdict
    n = np.bincount(cell, minlength=cells)
    of_verdict = numbers_of(cell, verdict)
    others = np.bincount(of_verdict)[of_verdict] - 1  # tries of a row's question with its verdict
    same = np.bincount(cell, weights=others, minlength=cells)
    pairs = n * (n - 1)
    chance = np.ones(cells)
    np.divide(same, pairs, out=chance, where=same > 0)
    alike = np.log(chance)  # a verdict that is there once is in no two tries that are equal
    tries = Counter(map(tuple, given.tolist()))
    of_two = 2 * np.log(levels)
    each = [(n - 1, alike[np.array(of) >= 0].sum() + of_two) for of, n in tries.items() if n > 1]
    found = [(more, chance) for more, chance in each if chance < 0]
    if sum(more * chance for more, chance in found) >= np.log(_CHANCE):
        return None
    return sum(more for more, _ in found), levels
