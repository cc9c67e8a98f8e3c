"""Which later judgments repair an earlier check: they are calls of it that failed, made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UserError
from ..judgments.columns import CHECK_ID, of_role
from ..judgments.days import readings_of
from ..judgments.judge_of import differs
from ..judgments.reading import Choice, Code, Note, Reading, refuse
from ..stats.cells import IntArray
from .checks import CHECK, Check, with_repair
from .streams import draws_by_check, names_of_cells

if TYPE_CHECKING:
    import pandas as pd

    from ..judgments.table import Judgments

NEW = "new"
"""What is said of judgments that repair no check."""

_USUAL = 0.25
"""Quantile of the draws of other checks that a check was to make: three in four make as many."""

_LOOKS = (
    "judgments of {} look like a repair of the check of {}, which lacks as many of these outputs"
)

_BY_COLUMN = f" (or say it in a column {CHECK_ID} of the rows)"


def with_repairs(
    table: pd.DataFrame,
    checks: Sequence[Check],
    judgments: Judgments,
    said: Mapping[str, str],
    in_python: bool = False,
) -> tuple[pd.DataFrame, list[Check]]:
    """The table and its checks, with each repair in the check that it repairs.

    What a log or a column says is known already. A later run is also known to repair the one check
    that has its seed. Anything else that makes what an earlier check lacks is asked about.

    Args:
        table: Judgments with the numbers of their checks.
        checks: The checks.
        judgments: What they are from.
        said: Time of a check -> that of the check that its judgments repair, or "new".
        in_python: Whether the user speaks Python.

    Raises:
        UserError: There is no such check, or it lacks nothing that the other made.
        OpenQuestionError: Judgments may repair a check, and nothing says whether they do.
    """
    meant = {
        number_of(checks, one): None if of == NEW else number_of(checks, of)
        for one, of in said.items()
    }
    found, asked, known = _Draws.of(table, checks), list[Note](), [*checks]
    for number, check in enumerate(checks):
        ways = [*found.repaired_by(number)]
        if number in meant:
            if (of := meant[number]) is None:
                continue
            if of not in ways:
                raise UserError(
                    f"Check {check.time} made nothing that check {checks[of].time} lacks, and so "
                    "is no repair of it."
                )
        elif not ways or CHECK_ID in table:
            continue
        elif (same := _of_its_seed(ways, number, checks)) is not None:
            of = same
        else:
            asked.append(_question(number, ways, found, checks, judgments, in_python))
            continue
        rows = found.repair(number)
        table, known[of] = with_repair(table, known[of], of, rows, (check.when, check.time))
        known[of] = known[of].made_also_by(check)
        found.move(number, of)
    refuse(asked)
    left = sorted({*table[CHECK], *(n for n, one in enumerate(known) if one.reason)})
    place = {number: n for n, number in enumerate(left)}
    table = table.assign(**{CHECK: table[CHECK].map(place)}).reset_index(drop=True)
    return table, [known[number] for number in left]


def number_of(checks: Sequence[Check], meant: str) -> int:
    """The check that is meant, by its time or its number from 1.

    Raises:
        UserError: There is none, or a day can be read in two ways.
    """
    known = {one.time: number for number, one in reversed([*enumerate(checks)])}
    known |= {str(number + 1): number for number in range(len(checks))}
    found = [one for one in readings_of(meant) if one in known]
    if len(found) != 1:
        raise UserError(
            f"There is no check {meant}. Name one by its number, 1 to {len(checks)}, or by its "
            f"time, as {checks[-1].time}."
        )
    return known[found[0]]


def _of_its_seed(ways: Sequence[int], number: int, checks: Sequence[Check]) -> int | None:
    """The check that a later run repairs, as its seed says: no other check has it."""
    seeds = {*checks[number].seeds}
    same = [n for n, one in enumerate(checks) if n != number and seeds & {*one.seeds}]
    return same[0] if len(same) == 1 and same[0] in ways else None


def _question(
    number: int,
    ways: Sequence[int],
    found: _Draws,
    checks: Sequence[Check],
    judgments: Judgments,
    in_python: bool,
) -> Note:
    """What is asked of a check that may be a repair of one of several."""
    later, times = checks[number].time, [checks[one].time for one in ways]

    def call(of: str) -> str:
        words = Reading().call({"columns": {later: of}}).partition(" ")[2]
        return f"repairs={{{later!r}: {of!r}}}" if in_python else f"--repair {words}"

    choices = [Choice(f"they repair the check of {one}", {}, call(one)) for one in times]
    choices.append(Choice("they are draws of their own", {}, call(NEW)))
    where = (*checks[number].places, *judgments.files, "data frame")[0]
    what = _LOOKS.format(later, " or ".join(times)) + _BY_COLUMN * (not checks[number].places)
    return Note(what, len(found.repair(number)), where, Code.REPEATS_OPEN, tuple(choices))


@dataclass(eq=False)
class _Draws:
    """How often each output was asked about, and answered, at each check, T x Q.

    Attributes:
        checks: The checks.
        rows: Their rows: the number of the check, that of the output, and which draw it is there.
        asked: Draws of each output, failed ones included.
        answered: Those with a verdict.
    """

    checks: Sequence[Check]
    rows: pd.DataFrame
    asked: IntArray
    answered: IntArray

    @classmethod
    def of(cls, table: pd.DataFrame, checks: Sequence[Check]) -> _Draws:
        """Count the draws."""
        cell = names_of_cells(table)
        for name in of_role(table, "part"):
            cell = cell + ", " + table[name].astype(str)
        rows = table[[CHECK]].assign(cell=cell.factorize()[0])
        rows["draw"] = rows.groupby([CHECK, "cell"]).cumcount()
        asked, answered = draws_by_check(table, rows["cell"].to_numpy(), len(checks))
        return cls(checks, rows, asked, answered)

    def _own(self, number: int, but: int | None = None) -> IntArray:
        """The draws of each output that a check is to make: as many as most others but one make."""
        judge, without = self.checks[number].settings, {number, but}
        others = [
            n
            for n, one in enumerate(self.checks)
            if n not in without and self.asked[n].any() and not differs(judge, one.settings)
        ]
        if not others:
            return np.zeros_like(self.asked[number])
        return np.quantile(self.asked[others], _USUAL, axis=0, method="lower").astype(np.int64)

    def _made(self, number: int) -> IntArray:
        """The draws of a check that may be a repair: all, or those beyond its own."""
        asked, own = self.asked[number], self._own(number)
        whole = (asked >= own).all() and not self.checks[number].places
        made: IntArray = asked - own if whole else asked
        return made

    def repaired_by(self, number: int) -> Iterator[int]:
        """The earlier checks of its judge that lack what this one made."""
        total = self.asked.sum(axis=1)
        if total[number] == np.median(total[total > 0]):
            return
        made = self._made(number)
        lacking = self.asked.max(axis=0) - self.answered[:number]
        for n in np.flatnonzero((made <= lacking).all(axis=1)).tolist() if made.any() else ():
            alike = not differs(self.checks[n].settings, self.checks[number].settings)
            if alike and self.answered[n].any():
                usual = np.maximum(self._own(n, number), self.asked[n])
                if (made <= usual - self.answered[n]).all():
                    yield n

    def repair(self, number: int) -> pd.Index[int]:
        """The rows of a check that may be a repair: the last of each output."""
        first = self.asked[number] - self._made(number)
        own = self.rows[self.rows[CHECK] == number]
        late: pd.Index[int] = own.index[own["draw"].to_numpy() >= first[own["cell"]]]
        return late

    def move(self, number: int, to: int) -> None:
        """Count the repair of a check as part of the one that it repairs."""
        made = self._made(number)
        self.asked[number] -= made
        self.answered[number] -= made
        self.answered[to] += made
