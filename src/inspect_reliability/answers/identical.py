"""Judges, or temperatures, whose verdicts are all the same: two names of one judge?"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np

from ..showing.document import Grave
from ..showing.values import grouped_by, told_apart
from ..stats import Reason
from .row import Row, alike

_FEWEST = 3
"""Fewer questions are easily judged alike by chance."""

_MOST_NAMED = 3


def identical(rows: Sequence[Row]) -> Mapping[str, Reason]:
    """Name of each row that has the verdicts of another -> what to check."""
    return dict(_said(rows))


def _said(rows: Sequence[Row]) -> Iterator[tuple[str, Reason]]:
    for _, members in alike(rows, "judge", "temperature"):
        for same in grouped_by(members, _verdicts).values() if members[1:] else ():
            n = len(same[0].counts.questions)
            if not same[1:] or n < _FEWEST or same[0].without_verdict == 1:
                continue
            named = told_apart([row.keys for row in same], "judge")
            names = [named(row.keys) for row in same]
            some = names if len(names) <= _MOST_NAMED else names[: _MOST_NAMED - 1]
            left = len(names) - len(some)
            last = f"{left:,} more" if left else some.pop()
            says = Reason(
                Grave.IDENTICAL,
                f"{', '.join(some)} and {last} gave the same verdicts on all {n:,} questions: to "
                "these numbers they are one judge. Check that none is a copy of another.",
            )
            yield from ((row.name, says) for row in same)


def _verdicts(row: Row) -> Hashable:
    """How often each question got each verdict, whatever the order of either."""
    counts = row.counts
    table = np.round(counts.shares, 9) if counts.exact else counts.table
    questions = sorted(range(len(counts.questions)), key=counts.questions.__getitem__)
    used = [k for k in range(len(counts.categories)) if table[:, k].any()]
    used.sort(key=counts.categories.__getitem__)
    names = tuple(counts.questions[i] for i in questions), tuple(counts.categories[k] for k in used)
    return counts.exact, names, table[np.ix_(questions, used)].tobytes()
