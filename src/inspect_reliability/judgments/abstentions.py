"""Verdicts that decide nothing, and those that no label ever is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import compress
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from ..verdicts import NO_VERDICTS
from .count import NUMBER, Judged
from .reading import Note
from .table import Judgments, n_judgments

NOTHING = "none"
"""Declares that every verdict decides."""

_TAKEN = (
    "verdicts {} decide nothing and are neither right nor wrong, by their name: --abstain NAME "
    "names others, --abstain none makes them wrong"
)
_ODD = (
    "verdicts {} are no label, so they are wrong: --abstain NAME if one decides nothing, --map "
    "NAME=LABEL if one is a label in other words"
)
_RARE = 0.1
"""Share of verdicts up to which one that is never right may be an error of the judge."""
_FEW = 5
"""Most names of such verdicts: more are answers in words of their own."""
_ABSENT = "verdicts are {!r}, which --abstain names"


def with_abstentions(judgments: Judgments, declared: Sequence[str] = ()) -> Judgments:
    """Name the verdicts that decide nothing in a column `abstain`.

    Args:
        judgments: Judgments, with their labels.
        declared: Names of such verdicts, whatever their case; "none" if every verdict decides, and
            an output without one is wrong. By default those called tie, draw, unsure and the like,
            if no label is; a note counts them.
    """
    import pandas as pd

    table = judgments.table
    judged = Judged(table)
    if not len(table) or (not declared and ("abstain" in table or not any(judged.right))):
        return judgments
    given = [name for name in dict.fromkeys(judged.choices) if name is not None]
    wanted = {name.casefold() for name in declared}
    if wanted == {NOTHING}:
        found: list[str] = []
    elif declared:
        found = [name for name in given if name.casefold() in wanted] + [*NO_VERDICTS]
    else:
        found = sorted(judged.undecided)
    absent = wanted - {name.casefold() for name in given} - {NOTHING}
    notes = [Note(_ABSENT.format(name), 0, "labels") for name in sorted(absent)]
    taken = [name for name in found if name not in NO_VERDICTS]
    # Where nothing has a label, no verdict is right or wrong.
    labelled = np.array([one is not None for one in judged.right])
    odd = [] if judged.declared else _never_right(judged, labelled, found)
    for what, names in ((_TAKEN, taken), (_ODD, odd)) if not declared else ():
        if names:
            those = [choice in names for choice in judged.choices]
            count = n_judgments(table[those & (labelled | (what is _TAKEN))])
            notes.append(Note(what.format(", ".join(map(repr, names))), count, "labels"))
    column = pd.Series([found] * len(table), table.index, dtype=object)
    return replace(judgments, table=table.assign(abstain=column), said=(*judgments.said, *notes))


def _never_right(
    judged: Judged, labelled: NDArray[np.bool_], undecided: Collection[str]
) -> list[str]:
    """A few verdicts that are none of several labels: "ERROR" may be no answer at all.

    They are rare, or may be the other words for a label that no verdict has.
    """
    known = compress(judged.choices, labelled)
    times, right = Counter(filter(None, known)), judged.ever_right
    unmet = not right <= times.keys()
    rare = {name for name, n in times.items() if unmet or n <= _RARE * times.total()}
    rare -= right.union(undecided)
    few = len(right) > 1 and len(rare) <= _FEW
    return sorted(one for one in rare if few and not one_kind({one, *right}))


def one_kind(names: set[str]) -> bool:
    """Whether all are numbers of a scale, or letters of options."""
    return all(map(NUMBER.fullmatch, names)) or names <= {*ascii_letters}
