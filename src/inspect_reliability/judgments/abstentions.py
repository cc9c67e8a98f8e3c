"""Verdicts that decide nothing: declared, or known by their names."""

from collections.abc import Sequence
from dataclasses import replace

from ..verdicts import NO_VERDICTS
from .count import Judged
from .table import Judgments, Note, n_judgments

NOTHING = "none"
"""Declares that every verdict decides."""

_TAKEN = (
    "verdicts {} decide nothing and are neither right nor wrong, by their name: --abstain NAME "
    "names others, --abstain none makes them wrong"
)
_ABSENT = "verdicts are {!r}, which --abstain names"


def with_abstentions(judgments: Judgments, declared: Sequence[str] = ()) -> Judgments:
    """The same judgments, with the verdicts that decide nothing in a column `abstain`.

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
    names = {name.casefold() for name in given} | {NOTHING}
    notes = [
        Note(_ABSENT.format(name), 0, "labels") for name in declared if name.casefold() not in names
    ]
    if not declared and (taken := [name for name in found if name not in NO_VERDICTS]):
        count = n_judgments(table[[choice in taken for choice in judged.choices]])
        notes = [Note(_TAKEN.format(", ".join(map(repr, taken))), count, "labels")]
    column = pd.Series([found] * len(table), table.index, dtype=object)
    return replace(
        judgments,
        table=table.assign(abstain=column),
        said=(*judgments.said, *notes),
    )
