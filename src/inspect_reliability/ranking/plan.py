"""What would tell two systems apart: more questions, tries or judges."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, nctdtr, stdtrit

from ..answers.summary import more, next_step
from ..errors import UserError
from ..showing.document import Block, Document, Table, Text
from ..showing.formats import Record, TableColumn, capped, describe, keys_of, most_feasible
from ..showing.keys import declared, legend
from ..stats.cells import FloatArray
from ..stats.estimate import LEVEL
from ..stats.interval_scales import constant_share_bound
from ..stats.intervals import FEWEST_QUESTIONS
from .leaderboards import Leaderboard, leaderboards
from .scores import FEWEST_LEVELS, Contests, Ranking, of_differences
from .systems import Verdicts

_POWER = 0.8

_MOST = 10
"""Most times as many tries or judges as there are, in a design."""

_TRIES = (1, 2, 3, 5, 8, 12, 20)

_FEWEST = {"questions": FEWEST_QUESTIONS, "tries": 1, "judges": FEWEST_LEVELS}
"""Fewer have no interval, or none that speaks for other judges."""

_ENDLESS, _NORMAL = 1e12, 1e6
"""As many as there can be, and degrees of freedom from which t is normal."""

_QUANTILES = (np.arange(16) + 0.5) / 16


class Size(NamedTuple):
    """How often something is judged."""

    questions: float
    tries: float
    judges: float
    runs: float = 1.0


class RankPower(NamedTuple):
    """The variance of a difference, by what it comes from, in a study of this size."""

    size: Size
    questions: float
    judges: float
    both: float
    tries: float
    runs: float = 0.0

    def variances(self, of: Size) -> tuple[float, float, float]:
        """Variances in a study of another size: over questions, judges, and both with tries.

        That over questions has that of both, and that of runs of the systems.
        """
        q, r, j, runs = (own / other for own, other in zip(self.size, of, strict=True))
        both = (self.both + self.tries * r * runs) * q * j
        return (self.questions + self.runs * runs) * q + both, self.judges * j, both

    def power(self, difference: float, of: Size) -> float:
        """The probability that a study of this size finds the difference at 95%.

        The test is that of a ranking: t with Satterthwaite's degrees of freedom. The study's
        variance of judges is what they differ in less what both do, and 0 if that is negative; its
        quantiles are taken in turn.
        """
        questions, judges, both = self.variances(of)
        whole = questions + judges
        if not whole:  # a sign test
            return float(constant_share_bound(of.questions, LEVEL) > 1 / 2)
        free, seen = of.questions - 1, np.zeros(1)
        if of.judges > 1:
            chi = 2 * gammaincinv((of.judges - 1) / 2, _QUANTILES) / (of.judges - 1)
            seen = np.maximum((judges + both) * chi - both, 0)
        found = questions + seen
        own = np.divide(seen**2, of.judges - 1, out=np.zeros_like(seen), where=seen > 0)
        with np.errstate(divide="ignore"):
            frees = found**2 / (questions**2 / free + own)
            of_questions = np.minimum(found**2 / (questions**2 / free), _NORMAL)
        t = stdtrit(np.minimum(frees, _NORMAL), (1 + LEVEL) / 2) * np.sqrt(found / whole)
        return 1 - float(nctdtr(of_questions, difference / math.sqrt(whole), t).mean())

    def enough(
        self, difference: float, name: str, at: Size | None = None, limit: float = _ENDLESS
    ) -> int | None:
        """Fewest questions, tries or judges that find a difference; None beyond the limit.

        Of other things there are as many as in this study, or as in another one.
        """
        at, fewest = at or self.size, _FEWEST[name]

        def found(number: float) -> bool:
            return self.power(difference, at._replace(**{name: number})) >= _POWER

        if limit < fewest or not found(limit):
            return None
        most = fewest
        while not found(most):
            most *= 2
        return bisect_left(range(most), True, lo=max(most // 2, fewest), key=found)

    def cheapest(
        self, difference: float, vary: bool, runs: float | None = None, most: float = _ENDLESS
    ) -> Size | None:
        """The design with the fewest verdicts that finds the difference, or None.

        `vary`: of other numbers of judges, too; `runs`: how many runs of each system, by default as
        many as here; `most`: questions that there may be.
        """
        runs = self.size.runs if runs is None else runs
        best, cost = None, _ENDLESS
        judges = [self.size.judges]
        if vary:
            most_judges = math.ceil(_MOST * self.size.judges)
            judges = [float(n) for n in range(FEWEST_LEVELS, most_judges + 1)]
        tries = _TRIES if self.tries > 0 else (self.size.tries,)
        for r, j in product(tries, judges):
            cheaper = (cost - 1) // (r * j)
            at, limit = Size(cheaper, r, j, runs), min(cheaper, most)
            found = self.enough(difference, "questions", at, limit)
            if found is not None:
                best, cost = at._replace(questions=found), found * r * j
        return best


def power_of_neighbours(
    contests: Contests,
    found: Ranking,
    of_tries: FloatArray | None,
    of_runs: FloatArray | None = None,
    runs: float = 1.0,
) -> Iterator[tuple[int, int, RankPower]]:
    """Each two systems next to each other, with what their difference varies with.

    The variance over questions has that of judges by questions, and both have that of tries: they
    are taken apart as components are (Brennan 2001); so is that of runs, of so many of each system,
    whose variances include those of tries.
    """
    cells = len(np.unique(contests.cell))
    asked, tries_of_each = len(np.unique(contests.question)), len(contests.question) / cells
    size = Size(asked, tries_of_each, max(found.levels, 1), runs)
    over = [of_differences(one) for one in found.moved]
    for i, j in zip(found.order[:-1], found.order[1:], strict=True):
        tries = of_run = 0.0
        if of_tries is not None and not contests.exact:
            tries = _of_difference(of_tries, i, j) / size.tries
        whole = float(over[0][i, j])
        tries = min(tries, whole)
        both = max(float(over[2][i, j]), tries) if over[2:] else tries
        judges = max(float(over[1][i, j]) - both, 0.0) if over[1:] else 0.0
        if of_runs is not None:
            of_run = max(min(_of_difference(of_runs, i, j) / runs, whole) - tries, 0.0)
        alone = max(whole - both - of_run, 0.0)
        yield int(i), int(j), RankPower(size, alone, judges, both - tries, tries, of_run)


def _of_difference(variances: FloatArray, i: int, j: int) -> float:
    return float(variances[i, i] + variances[j, j] - 2 * variances[i, j])


# What would tell two neighbours of a ranking apart: questions, tries, judges, calls and money.


_RUNS = (1, 2, 4)
"""Runs of each system for which the cheapest designs are shown."""

_FEWER = 0.9
"""Calls of a design of very many questions, of those of a feasible one, from which it is named."""

_COUNTED = (
    "Calls are those of the judge. Answers of the systems to new questions, or in more epochs, "
    "are not counted."
)

_MOST_NEIGHBOURS = 8
"""Most neighbours that an answer lists."""


def rank_power(verdicts: Verdicts, by: Sequence[str] = ()) -> list[Record]:
    """What each two neighbours of each ranking take, of each judge and of five or more together.

    Raises:
        UserError: There is no ranking with intervals.
    """
    found = leaderboards(verdicts, by)
    if not by and "judge" in verdicts.names:
        found += [one for one in leaderboards(verdicts, over="judge") if _several(one)]
    records = [record for board in found for record in _of(board)]
    if not records:
        board = found[0].found
        raise UserError(f"Nothing to plan: {board if isinstance(board, str) else board.reason}.")
    return records


def _several(board: Leaderboard) -> bool:
    return isinstance(board.found, Ranking) and board.found.levels > 0


def _of(board: Leaderboard) -> Iterator[Record]:
    known = board.found
    if isinstance(known, str) or known.reason:
        return
    contests = board.contests
    cost = board.table["cost"].mean() if "cost" in board.table else math.nan
    of_runs, runs = board.of_runs or (None, 1.0)
    for i, j, parts in power_of_neighbours(contests, known, board.of_tries, of_runs, runs):
        either = (contests.systems == i).any(axis=1) | (contests.systems == j).any(axis=1)
        difference = float(known.scores[i] - known.scores[j])
        names = {"above": board.systems[i], "below": board.systems[j], "difference": difference}
        each = float(either.sum()) / math.prod(parts.size)
        design = _design(parts, difference, each, cost, known.levels)
        by_runs = _by_runs(parts, difference, each, known.levels) if of_runs is not None else []
        yield {**board.keys, **names, **design, "by_runs": by_runs}


def _design(parts: RankPower, difference: float, each: float, cost: float, levels: int) -> Record:
    """What one difference takes; `each`: calls a question, try and judge."""
    one = difference > 0
    best = _cheapest(parts, difference, levels) if one else None
    calls = None if best is None else math.ceil(each * math.prod(best))
    return {
        "n_questions": int(parts.size.questions),
        "questions": parts.enough(difference, "questions") if one else None,
        "tries": parts.enough(difference, "tries") if one and parts.tries > 0 else None,
        "judges": parts.enough(difference, "judges") if one and levels else None,
        "design": best and _whole(best),
        "calls": calls,
        "cost": None if calls is None or math.isnan(cost) else calls * cost,
        "more_questions": _of_more_questions(parts, difference, each, levels, best),
    }


def _cheapest(
    parts: RankPower, difference: float, levels: int, runs: float | None = None
) -> Size | None:
    """The cheapest design of as many questions as one can ask, else of any number."""
    most = most_feasible(int(parts.size.questions))
    feasible = parts.cheapest(difference, levels > 0, runs, most)
    return feasible or parts.cheapest(difference, levels > 0, runs)


def _of_more_questions(
    parts: RankPower, difference: float, each: float, levels: int, best: Size | None
) -> Record | None:
    """The design with the fewest calls of all, where it has a tenth fewer than the feasible one."""
    fewest = None if best is None else parts.cheapest(difference, levels > 0)
    if fewest is None or best is None or math.prod(fewest) > _FEWER * math.prod(best):
        return None
    return _whole(fewest) | {"calls": math.ceil(each * math.prod(fewest))}


def _whole(size: Size) -> Record:
    return {name: math.ceil(n) for name, n in size._asdict().items()}


def _by_runs(parts: RankPower, difference: float, each: float, levels: int) -> list[Record]:
    """The cheapest design of one run of each system, of two and of four."""
    best = [_cheapest(parts, difference, levels, n) for n in _RUNS if difference > 0]
    return [_whole(one) | {"calls": math.ceil(each * math.prod(one))} for one in best if one]


def rank_power_document(found: Sequence[Record], logs: str) -> Document:
    """What the neighbours take that are not told apart yet, and every two neighbours."""
    open_ = [one for one in found if (one["questions"] or math.inf) > one["n_questions"]]
    said: list[Block] = [_table(open_[:_MOST_NEIGHBOURS], "Neighbours not told apart yet")] * bool(
        open_
    )
    known = [one for one in open_ if one["calls"] and _few_enough(one)]
    if known:
        first = min(known, key=lambda one: one["calls"])
        design = first["design"]
        judges = f" by {design['judges']} judges" if design["judges"] > 1 else ""
        tries = f"{design['tries']}"
        if first["by_runs"]:
            word = "try" if design["tries"] == 1 else "tries"
            tries = f"{design['runs']} runs of each system x {tries} {word}"
        said += _of_runs(first)
        said += _in_fewer_calls(known)
        said.append(Text(_COUNTED, "answer"))
        of = f" in the ranking of {_whose(first)}" if len({*map(_whose, found)}) > 1 else ""
        said += next_step(
            f"to tell {first['above']} from {first['below']}{of}, judge {design['questions']:,} "
            f"questions x {tries}{judges}, then",
            f"rank {logs}",
        )
    elif any(one["calls"] for one in open_):
        n = max(most_feasible(one["n_questions"]) for one in open_)
        said += next_step(f"read these neighbours as tied: none differs within {n:,} questions")
    elif not open_:
        said += next_step("nothing more to judge: each neighbour is told apart, asked alone")
    return Document(
        "What would tell the systems apart?",
        [*said, more(0, len(open_) - _MOST_NEIGHBOURS)],
        {"rows": found},
        more=lambda: [_table(found, "Every two neighbours")],
        explained=lambda: legend(declared("plan --for rank")),
        sheet=found,
    )


def _table(records: Sequence[Record], title: str) -> Table:
    columns = declared("plan --for rank", design=_shown, questions=_questions, calls=_calls)
    if len({*map(_whose, records)}) > 1:
        columns = [TableColumn("", heading="Ranking of", shown=_whose), *columns]
    return Table.of(records, columns, title)


def _of_runs(first: Record) -> Iterator[Table]:
    """What other numbers of runs of each system take, where they are known to move the scores."""
    shown = [one | {"n_questions": first["n_questions"], "design": one} for one in first["by_runs"]]
    if shown:
        title = f"{first['above']} from {first['below']}, by runs (epochs) of each system"
        columns = (
            TableColumn("runs", heading="Runs"),
            TableColumn("design", heading="Q x R x J", shown=_shown),
            TableColumn("calls", heading="Calls", shown=_calls),
        )
        yield Table.of(shown, columns, title)


def _in_fewer_calls(known: Sequence[Record]) -> Iterator[Text]:
    """The first design with fewer calls of more questions than one is thought to make."""
    for one in known:
        if fewer := one["more_questions"]:
            yield Text(
                f"{one['above']} from {one['below']} in fewer calls, {fewer['calls']:,}: "
                f"{_shown({**one, 'design': fewer, 'n_questions': fewer['questions']})}.",
                "answer",
            )
            return


def _whose(record: Record) -> str:
    keys = keys_of(record, before="above")
    return describe(keys) if any(keys.values()) else "all judges"


def _few_enough(record: Record) -> bool:
    return bool(record["design"]["questions"] <= most_feasible(record["n_questions"]))


def _shown(record: Record) -> str:
    if not record["design"]:
        return ""
    if not _few_enough(record):
        return capped(record["design"]["questions"], record["n_questions"])
    return " x ".join(f"{record['design'][name]:,}" for name in ("questions", "tries", "judges"))


def _questions(record: Record) -> str:
    return capped(record["questions"], record["n_questions"]) if record["questions"] else "never"


def _calls(record: Record) -> str:
    return f"{record['calls']:,}" if record["calls"] and _few_enough(record) else ""
