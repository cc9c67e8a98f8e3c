"""Two rankings of the same systems: which places moved beyond noise?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..answers.summary import more, next_step
from ..errors import UserError
from ..judgments.days import by_date
from ..showing.document import Block, Document, Table, Text
from ..showing.formats import Record
from ..showing.keys import declared, legend
from ..stats import ReliabilityError
from ..stats.cells import ROUNDING
from .leaderboards import Leaderboard
from .scores import by_mean, mean_of, ranked, ranking
from .systems import Verdicts

_MOST = 12
"""Most systems that an answer shows."""

_EACH = 0.975
"""Confidence of the rank sets of either side: those of both hold together with 95%."""


def split_by(verdicts: Verdicts, key: str) -> tuple[tuple[Verdicts, Verdicts], tuple[str, str]]:
    """The verdicts of the two values of a column, and these.

    Raises:
        UserError: There is no such column, or it has not two values.
    """
    values = sorted(verdicts.table[key].dropna().unique()) if key in verdicts.table else []
    if dates := by_date([*map(str, values)]):
        values.sort(key=lambda one: dates[str(one)])
    if len(values) != 2:
        raise UserError(
            f"Two rankings are compared, and {key!r} has {len(values)} values: name two files."
        )
    parts = (verdicts.table[verdicts.table[key] == one] for one in values)
    one, other = (replace(verdicts, table=part.reset_index(drop=True)) for part in parts)
    return (one, other), (str(values[0]), str(values[1]))


def rank_agreement(first: Verdicts, second: Verdicts) -> list[Record]:
    """Each system in both rankings, on the systems and questions of both.

    Raises:
        UserError: The two have fewer than two systems, or no question, in common.
    """
    both = (first, second)
    named = ({name for of in one.table["systems"] for name in of} for one in both)
    systems = set.intersection(*named)
    tables = [one.table[one.table["systems"].map(systems.issuperset)] for one in both]
    shared = set.intersection(*({*one["question"]} for one in tables))
    if len(systems) < 2 or not shared:
        raise UserError(
            f"Nothing to compare: the two rankings have {len(systems)} systems and {len(shared)} "
            "questions in common."
        )
    sides = []
    for one, table in zip(both, tables, strict=True):
        kept = table[table["question"].isin(shared)]
        own = kept.sort_values("question", kind="stable").reset_index(drop=True)
        sides.append(Leaderboard({}, own, one))
    return list(_records(sides))


def _records(sides: Sequence[Leaderboard]) -> Iterator[Record]:
    known = [side.contests for side in sides]
    systems = sides[0].systems
    try:
        before, after = (ranking(one, level=_EACH) for one in known)
        moved = known[1].shares - known[0].shares
        change = ranked(mean_of(moved), [by_mean(moved)], np.sum(~np.isnan(moved), axis=0))
    except (ReliabilityError, ValueError):
        raise UserError(
            "The two sides do not have the same systems on the same questions."
        ) from None
    reason = before.reason or after.reason
    for i in before.order:
        low = int(after.rank_set[i, 0] - before.rank_set[i, 1])
        high = int(after.rank_set[i, 1] - before.rank_set[i, 0])
        ends = change.ends[i].tolist()
        yield {
            "system": systems[i],
            "first_rank": int(before.rank[i]),
            "second_rank": int(after.rank[i]),
            "first_score": float(before.scores[i]),
            "second_score": float(after.scores[i]),
            "change": float(change.scores[i]),
            "change_interval": ends if ends[1] - ends[0] > ROUNDING else None,
            "places": None if reason else [low, high],
            "moved": None if reason else low > 0 or high < 0,
            "n_questions": int(change.n_questions[i]),
            "reason": reason,
        }


def rank_agreement_document(found: Sequence[Record], names: Sequence[str]) -> Document:
    """Which places moved beyond noise, and every system in both rankings."""
    title = f"{names[0]} (first), {names[1]} (second)"
    moved = [one["system"] for one in found if one["moved"]]
    changed = sum(one["first_rank"] != one["second_rank"] for one in found)
    return Document(
        "Which places moved?",
        [*_answer(found, moved, changed, title), more(0, len(found) - _MOST)],
        {"rows": found},
        more=partial(_every, found, title),
        explained=lambda: legend(declared("compare --for rank")),
        sheet=found,
    )


def _every(found: Sequence[Record], title: str) -> list[Block]:
    return [Table.of(found, declared("compare --for rank", moved=_moved), title)]


def _answer(
    found: Sequence[Record], moved: Sequence[str], changed: int, title: str
) -> Iterator[Block]:
    yield from _every(found[:_MOST], title)
    if why := found[0]["reason"]:
        yield Text(f"Whether places moved beyond noise is not known: {why}.", "answer")
        return
    named = f": {', '.join(moved[:5])}" if moved else ""
    yield Text(
        f"Of {len(found)} systems {changed} have another place, and {len(moved)} moved beyond "
        f"noise{named}.",
        "answer",
    )
    words = "read outputs of the systems that moved" if moved else "keep either ranking"
    yield from next_step(words)


def _moved(record: Record) -> str:
    return {True: "yes", False: "no", None: ""}[record["moved"]]
