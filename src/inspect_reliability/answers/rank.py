"""Systems in order: who is ahead, who cannot be told apart, and would the order come out again?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..errors import UserError
from ..judgments.systems import Verdicts
from ..showing.columns import declared
from ..showing.document import Block, Caution, Document, Table, Text
from ..showing.values import Record, describe, grouped, plain, share
from ..stats import ReliabilityError
from ..stats.ranking import FEWEST_LEVELS, Contests, Method, Ranking, ranking
from ..stats.survival import Survival, survival
from .brief import more, next_step, worst

_MOST = 12
"""Most systems, or rankings, that an answer shows."""

_LEVELS = ("judge", "wording")
"""What intervals can speak beyond: there are others of it."""

_LEADS = 0.05
"""A leader that changes more often at another try is no leader."""

_OPPONENTS = (
    "systems did not meet the same opponents, so a win rate also says whom they met: --baseline "
    "NAME keeps what all met, --method bt allows for it"
)
_QUESTIONS = "systems were not judged on the same questions: {}"
_THESE = "intervals are for these {}: another {} needs at least {} levels"

_WITHOUT = (
    "{:.0%} of single tries have no finite strengths (a system never loses or never wins): they "
    "are left out of what another try changes"
)

_WORDS = (
    "Score: share of wins, ties as half (or the mean score), by question; then the mean of "
    "questions. With --method bt: log strength, 0 on average.",
    "In brackets: the 95% interval over questions.",
    "Rank set: all true ranks lie in these sets together, with 95% confidence.",
    "Groups: systems that share a letter cannot be told apart.",
    "Another try: two rankings of one try each of the same judge on the same questions. A ranking "
    "of all tries together is steadier.",
    "Tau: 1 if two rankings have one order, -1 if one is the reverse of the other, ties 0.",
    "Turns: how often the order of two neighbours turns; a tie counts half.",
)


@dataclass(frozen=True, eq=False)
class Board:
    """The ranking of one judge, or of what the keys say.

    Attributes:
        keys: Its values in the grouping columns.
        table: Its verdicts.
        verdicts: All verdicts.
        method: How systems are scored.
        over: What the intervals speak beyond; empty: questions alone.
    """

    keys: Record
    table: pd.DataFrame
    verdicts: Verdicts
    method: Method = "mean"
    over: str = ""

    @cached_property
    def systems(self) -> list[str]:
        """Their names."""
        return sorted({one for of in self.table["systems"].unique() for one in of})

    @cached_property
    def questions(self) -> list[str]:
        """The names of questions, by number."""
        return list(map(str, pd.factorize(self.table["question"])[1]))

    def contests(self, *but: str) -> Contests:
        """The verdicts as numbers; columns `but` do not divide cells."""
        table = self.table
        width = table["systems"].map(len)
        if width.nunique() > 1:
            raise UserError("Verdicts on pairs and on single systems cannot be ranked together.")
        number = {name: i for i, name in enumerate(self.systems)}
        columns = [*self.verdicts.names, *self.verdicts.facets]
        within = [name for name in columns if name in table and name not in but]
        keys = table[["question", "systems", *within]]
        cell = keys.groupby(list(keys), sort=False, dropna=False).ngroup()
        codes, names = pd.factorize(table["systems"])
        shown = np.array([[number[one] for one in of] for of in names])
        return Contests(
            pd.factorize(table["question"])[0],
            shown[codes],
            np.array(table["values"].tolist(), float),
            np.asarray(cell, dtype=np.int64),
            len(self.systems),
            self.verdicts.exact,
        )

    @cached_property
    def found(self) -> Ranking | str:
        """The ranking, or why there is none."""
        over = None
        if self.over in self.table:
            over = pd.factorize(self.table[self.over])[0]
        try:
            return ranking(self.contests(), self.method, over, self.questions)
        except ReliabilityError as error:
            return str(error)

    @cached_property
    def again(self) -> Survival | None:
        """Another try."""
        return survival(self.contests(), None, self.method)

    def across(self, name: str) -> Survival | None:
        """One try at each of two levels."""
        if name not in self.table or self.table[name].nunique() < 2:
            return None
        levels = pd.factorize(self.table[name])[0]
        return survival(self.contests(name), levels, self.method)

    @property
    def records(self) -> Iterator[Record]:
        """A record a system, the best first."""
        found = self.found
        for i in found.order if isinstance(found, Ranking) else range(len(self.systems)):
            own: Record = {**plain(self.keys), "system": self.systems[i]}
            if isinstance(found, str):
                empty = ("score", "score_interval", "rank", "rank_set", "letters", "n_questions")
                yield own | dict.fromkeys(empty) | {"method": self.method, "reason": found}
                continue
            value, reach = float(found.scores[i]), float(found.reach[i])
            known = found.reason is None
            yield own | {
                "score": value,
                "score_interval": [value - reach, value + reach] if known else None,
                "rank": int(found.rank[i]),
                "rank_set": found.rank_set[i].tolist() if known else None,
                "letters": found.letters[i] if known else None,
                "n_questions": int(found.n_questions[i]),
                "method": self.method,
                "reason": found.reason,
            }

    @property
    def neighbours(self) -> Iterator[Record]:
        """A record for each two systems next to each other."""
        found = self.found
        if isinstance(found, str):
            return
        turns = self.again.turns if self.again else None
        for i, j in zip(found.order[:-1], found.order[1:], strict=True):
            value, reach = float(found.scores[i] - found.scores[j]), float(found.pair_reach[i, j])
            yield {
                **plain(self.keys),
                "above": self.systems[i],
                "below": self.systems[j],
                "difference": value,
                "difference_interval": [value - reach, value + reach] if reach == reach else None,
                "turns": None if turns is None else float(turns[i, j]),
            }

    @property
    def survived(self) -> Iterator[Record]:
        """A record for another try, order, wording or level of a facet."""
        others = [name for name in self.verdicts.facets if name not in self.keys]
        for name in ["try", *others]:
            yield from _survived(self, name, self.again if name == "try" else self.across(name))

    @property
    def cautions(self) -> Iterator[str]:
        """What keeps its numbers from being trusted as they are."""
        contests = self.contests()
        if contests.systems.shape[1] == 2 and self.method == "mean":
            met = np.eye(len(self.systems), dtype=bool)
            met[contests.systems[:, 0], contests.systems[:, 1]] = True
            if not (met | met.T).all():
                yield _OPPONENTS
        asked = (~np.isnan(contests.shares)).sum(axis=0)
        if asked.min() < len(self.questions):
            least = self.systems[int(asked.argmin())]
            yield _QUESTIONS.format(f"{least} on {asked.min():,} of {len(self.questions):,}")
        if self.again and self.again.without:
            yield _WITHOUT.format(self.again.without)
        if self.over and isinstance(self.found, Ranking) and not self.found.levels:
            yield _THESE.format(f"{self.over}s", self.over, FEWEST_LEVELS)


def _survived(board: Board, across: str, found: Survival | None) -> Iterator[Record]:
    if found:
        yield {
            **plain(board.keys),
            "across": across,
            "tau": found.tau,
            "tau_interval": list(found.ends) if found.ends else None,
            "leader_changes": found.leader_changes,
        }


def boards(
    verdicts: Verdicts,
    by: Sequence[str] = (),
    pool: Sequence[str] = (),
    method: Method = "mean",
    over: str = "",
) -> list[Board]:
    """A ranking for each judge and condition.

    Args:
        verdicts: Verdicts on systems.
        by: Columns that divide rankings; by default judge, benchmark and temperature.
        pool: Columns that do not.
        method: "mean" or "bt".
        over: "judge" or "wording": intervals also speak for others of these.

    Raises:
        UserError: There is no such column, or no others of it.
    """
    if over == "order":
        raise UserError(
            "A pair has two orders, and both are shown: there are no others to speak for. What an "
            "order changes is in 'survival' (--full)."
        )
    if over and over not in _LEVELS:
        raise UserError(f"--over takes {' or '.join(_LEVELS)}, not {over!r}.")
    named = [*by, *pool, *([over] if over else [])]
    if absent := [name for name in named if name not in verdicts.table]:
        known = ", ".join(
            name for name in map(str, verdicts.table) if name not in ("systems", "values")
        )
        raise UserError(f"There is no column {absent[0]!r} (found {known}).")
    names = [name for name in by or verdicts.names if name not in (*pool, over)]
    parts: Any = verdicts.table.groupby(names, sort=True, dropna=False) if names else [((), None)]
    found = []
    for values, rows in parts:
        keys = dict(zip(names, values, strict=True))
        table = verdicts.table if rows is None else rows.reset_index(drop=True)
        found.append(Board(keys, table, verdicts, method, over))
    return found


def rank_document(found: Sequence[Board]) -> Document:
    """Who is ahead and whether that would come out again; then every number."""
    results: dict[str, list[Record]] = {
        "ranking": [one for board in found for one in board.records],
        "survival": [one for board in found for one in board.survived],
        "neighbours": [one for board in found for one in board.neighbours],
    }
    results["survival"] += _across_judges(found)
    told = Caution.each(
        ((text, describe(board.keys)) for board in found for text in board.cautions), len(found)
    )
    results["cautions"] = [{"caution": one.text, "about": list(one.rows)} for one in told]
    return Document(
        "Which system is ahead?",
        _answer(found, results, told),
        results,
        more=lambda: list(_every(found, results, told)),
        explained=lambda: [Text(one) for one in _WORDS],
        sheet=results["ranking"],
    )


def _across_judges(found: Sequence[Board]) -> Iterator[Record]:
    """What another judge changes, under each condition."""
    alike: dict[str, tuple[Record, list[Board]]] = {}
    for board in found:
        keys = {name: value for name, value in board.keys.items() if name != "judge"}
        alike.setdefault(str(keys), (keys, []))[1].append(board)
    for keys, several in alike.values():
        first = several[0]
        table = pd.concat([one.table for one in several], ignore_index=True)
        whole = Board(keys, table, first.verdicts, first.method)
        missing = {"judge": None} if "judge" in first.keys else {}
        for record in _survived(whole, "judge", whole.across("judge")):
            yield missing | record


def _answer(
    found: Sequence[Board], results: dict[str, list[Record]], told: Sequence[Caution]
) -> list[Block]:
    said: list[Block] = []
    first = found[0]
    if len(found) == 1:
        n = len(first.questions)
        title = f"{describe(first.keys)}: " if first.keys else ""
        title += f"{len(first.systems)} systems, {n:,} questions"
        records = results["ranking"]
        said.append(_table(records[:_MOST], title))
        said += [Text(f"Why: {records[0]['reason']}.", "answer")] * bool(records[0]["reason"])
    else:
        said.append(_leaders(found))
    said += [Text(one, "answer") for one in _in_words(found, results)]
    said += worst(told)
    said += next_step(*_next(found, told))
    left = len(results["ranking"]) if len(found) == 1 else len(found)
    return [*said, more(len(told) - 1, left - _MOST)]


def _table(records: Sequence[Record], title: str) -> Table:
    return Table.of(records, declared("ranking", rank_set=_set), title)


def _set(record: Record) -> str:
    low, high = record["rank_set"] or ("", "")
    return f"{low}-{high}" if low != high else str(low)


def _leaders(found: Sequence[Board]) -> Table:
    """A line a ranking: who leads, and whether another try says so."""
    lines = []
    for board in found[:_MOST]:
        known, tries = board.found, board.again
        if isinstance(known, str):
            lines.append([describe(board.keys), f"not estimable: {known}", "", "", ""])
            continue
        top = known.order[0]
        leader = f"{board.systems[top]} {known.scores[top]:.2f}"
        pairs = zip(known.order[:-1], known.order[1:], strict=True)
        apart = f"{sum(bool(known.apart[i, j]) for i, j in pairs)} of {len(known.order) - 1}"
        n = len(board.questions)
        changes = share(tries.leader_changes, n) if tries else ""
        tau = f"{tries.tau:.2f}" if tries else ""
        lines.append([describe(board.keys), leader, apart, tau, changes])
    headings = [
        "Ranking of",
        "Leader",
        "Neighbours told apart",
        "Tau, another try",
        "Leader changes",
    ]
    return Table(headings, lines)


def _in_words(found: Sequence[Board], results: dict[str, list[Record]]) -> Iterator[str]:
    """Whether neighbours are told apart, and what another try, order and judge change."""
    alone = len(found) == 1
    if alone and isinstance(found[0].found, Ranking) and not found[0].found.reason:
        known, pairs = found[0].found, results["neighbours"]
        order = list(zip(known.order[:-1], known.order[1:], strict=True))
        joint = sum(bool(known.apart[i, j]) for i, j in order)
        one = sum(pair["difference_interval"][0] > 0 for pair in pairs)
        yield (
            f"Of {len(pairs)} neighbours {joint} can be told apart, all asked at once "
            f"({one} if one is asked alone)."
        )
    for across in dict.fromkeys(record["across"] for record in results["survival"]):
        own = [one for one in results["survival"] if one["across"] == across]
        mean = {key: float(np.mean([one[key] for one in own])) for key in ("tau", "leader_changes")}
        n = len(found[0].questions)
        whom = " of this judge" if across == "try" and alone and "judge" in found[0].keys else ""
        on_average = "" if len(own) == 1 else ", on average"
        yield (
            f"Another {across}{whom} changes the leader in {share(mean['leader_changes'], n)} of "
            f"cases{on_average} (tau {mean['tau']:.2f}{_ends(own)})."
        )


def _ends(own: Sequence[Record]) -> str:
    ends = own[0]["tau_interval"]
    return f" [{ends[0]:.2f}, {ends[1]:.2f}]" if len(own) == 1 and ends else ""


def _next(found: Sequence[Board], told: Sequence[Caution]) -> tuple[str]:
    """What the ranking asks for."""
    board = found[0]
    if any(one.text == _OPPONENTS for one in told):
        return ("rank by strength (--method bt), or against one baseline (--baseline NAME)",)
    if any(one.again and one.again.leader_changes > _LEADS for one in found):
        return ("judge each question several times, and report the ranking of all tries",)
    if not board.again:
        return ("judge each question at least twice, to see whether the order comes out again",)
    return ("report rank sets or groups beside the ranks",)


def _every(
    found: Sequence[Board], results: dict[str, list[Record]], told: Sequence[Caution]
) -> Iterator[Block]:
    for board in found:
        own = list(board.records)
        yield _table(own, describe(board.keys) if board.keys else "Ranking")
        yield Table.of(list(board.neighbours), declared("neighbours", difference=_difference))
    if results["survival"]:
        keys = map(grouped, found[0].keys)
        yield Table.of(results["survival"], [*keys, *declared("survival", tau=_tau)], "Survival")
    yield from told


def _difference(record: Record) -> str:
    ends = record["difference_interval"]
    shown = f" [{ends[0]:+z.3f}, {ends[1]:+z.3f}]" if ends else ""
    return f"{record['difference']:+z.3f}{shown}"


def _tau(record: Record) -> str:
    return f"{record['tau']:.2f}{_ends([record])}"
