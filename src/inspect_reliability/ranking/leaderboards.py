"""Rankings of systems: one for each judge and condition, with their records."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..answers.row import differing_only_in
from ..errors import UserError
from ..judgments.columns import numbers_of
from ..record import same_model
from ..shell import quote
from ..showing.formats import Record, describe, plain_group
from ..stats import Reason, ReliabilityError
from ..stats.cells import ROUNDING, FloatArray, IntArray
from .ranking_labels import FEWEST_LABELS, LabelledShares, corrected_ranking, favoured
from .scores import FEWEST_LEVELS, Contests, Method, Ranking, means_at, ranking
from .stability import RankStability, rank_stability, variance_of_tries
from .systems import FIRST, Verdicts

_MOST_NAMED = 3
"""Most rankings that a refusal names."""

_LEVELS = ("judge", "wording")
"""What intervals can speak beyond: there are others of it."""

RUNS = ("run", "epoch", "seed", "replication", "try", "trial", "attempt", "repeat")
"""Columns that number tries: their numbers mean nothing across questions."""

_SAME = "no interval: the score is the same on every question"

_OF_ONE_LEVEL = "no interval: its verdicts are all of one {}, and say nothing of another"


class RankingCode(StrEnum):
    """What a caution about a ranking is about."""

    FEW_LABELS = "few_labels"
    NO_STRENGTHS = "no_strengths"
    ONCE = "once"
    OPPONENTS = "opponents"
    QUESTIONS = "questions"
    THESE = "these"


_OPPONENTS = (
    "Systems did not meet the same opponents, so a win rate also says whom they met: --baseline "
    "NAME keeps what all met, --method bt allows for it."
)

_QUESTIONS = "Systems were not judged on the same questions: {}."

_ONCE = "{:.1%} of what was asked was judged only once, so two tries of it are one verdict."

_THESE = "Intervals hold for these {} only: to speak of others takes at least {} of them."

_NUMBERS = (
    *("score", "score_interval", "standard_error", "deviation_of_tries"),
    *("rank", "rank_set", "letters", "n_questions"),
)

OWN = "own family"

_FEW_LABELS = "it takes 3 labels of these systems each, and of others"

_COMMON = (
    "There are fewer than {} labels of each system: one correction serves all scores, and each "
    "interval is wider by how far the judge's bias may differ between systems."
)

_ONE_SYSTEM = "it has one system, and nothing to rank it with"

_WITHOUT = (
    "{:.0%} of single tries have no finite strengths (a system never loses or never wins): they "
    "are left out of what another try changes."
)


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The ranking of one judge, or of what the keys say.

    Attributes:
        keys: The judge and condition, as values of the grouping columns.
        table: Verdicts of this judge under this condition.
        verdicts: All verdicts.
        method: How systems are scored.
        over: What the intervals speak beyond; empty: questions alone.
        labels: What people said of some of it.
        family: Pairs of a judge and a system of its own.
    """

    keys: Record
    table: pd.DataFrame
    verdicts: Verdicts
    method: Method = "mean"
    over: str = ""
    labels: Verdicts | None = None
    family: Collection[tuple[str, str]] = ()

    @cached_property
    def systems(self) -> list[str]:
        """Names of the systems, sorted."""
        return sorted({one for of in self.table["systems"].unique() for one in of})

    @cached_property
    def _asked(self) -> list[Any]:
        return list(pd.unique(self.table["question"]))

    @property
    def questions(self) -> list[str]:
        """The names of questions, by number."""
        return list(map(str, self._asked))

    @property
    def of_pairs(self) -> bool:
        """Whether verdicts are on pairs of systems, which have an order."""
        return len(self.table["systems"].iloc[0]) == 2

    @cached_property
    def of_tries(self) -> FloatArray | None:
        """(Co)variances of scores between tries; None without two, or of strengths."""
        return variance_of_tries(self.contests) if self.method == "mean" else None

    @cached_property
    def of_runs(self) -> tuple[FloatArray, float] | None:
        """(Co)variances of scores between runs of the systems, and how many of these each has.

        Of one run each, judged as often as here, so that variances of tries are in them. None
        without two, or of strengths.
        """
        if "run" not in self.table or self.method != "mean":
            return None
        contests = self._contests(*self.verdicts.names, *self.verdicts.facets)
        output = numbers_of(pd.Series(contests.cell), self.table["run"])
        first = np.unique(output, return_index=True)[1]
        values = [means_at(np.asarray(output), one, len(first)) for one in contests.values.T]
        runs = replace(contests[first], values=np.stack(values, axis=1), exact=False)
        variances = variance_of_tries(runs)
        return None if variances is None else (variances, len(first) / len(np.unique(runs.cell)))

    @cached_property
    def contests(self) -> Contests:
        """The verdicts as numbers."""
        return self._contests()

    def _contests(self, *but: str) -> Contests:
        """The verdicts as numbers; columns `but` do not divide cells."""
        table = self.table
        if table["systems"].map(len).nunique() > 1:
            raise UserError("Verdicts on pairs and on single systems cannot be ranked together.")
        columns = [*self.verdicts.names, *self.verdicts.facets]
        within = [name for name in columns if name in table and name not in but]
        cell = numbers_of(*(table[name] for name in ("question", "systems", *within)))
        return self._numbers(table, np.asarray(cell, np.int64), self.verdicts.exact)

    def _numbers(self, table: pd.DataFrame, cell: IntArray, exact: bool = False) -> Contests:
        number = {name: i for i, name in enumerate(self.systems)}
        codes, names = pd.factorize(table["systems"])
        shown = np.array([[number[one] for one in of] for of in names])
        return Contests(
            question=pd.Index(self._asked).get_indexer(table["question"]),
            systems=shown[codes],
            values=np.array(table["values"].tolist(), float),
            cell=cell,
            n_systems=len(self.systems),
            exact=exact,
            first=np.array([number.get(one, len(number)) for one in table[FIRST]], np.int64)
            if FIRST in table
            else None,
        )

    @cached_property
    def labelled(self) -> LabelledShares | None:
        """Scores by the judge beside those by labels; None if no label is of these systems."""
        if self.labels is None:
            return None
        people, names = self.labels.table, ["question", "systems"]
        names += ["run"] * (
            "run" in self.table and "run" in people and bool(people["run"].notna().all())
        )
        unit = pd.MultiIndex.from_frame(self.table[names])
        told = pd.MultiIndex.from_frame(people[names])
        people, labelled = people[told.isin(unit)], unit.isin(told)
        if people.empty:
            return None
        said = self._numbers(people, np.arange(len(people)))
        return LabelledShares.of(self.contests, said, labelled)

    @cached_property
    def found(self) -> Ranking | str:
        """The ranking, or why there is none."""
        over = pd.factorize(self.table[self.over])[0] if self.over else None
        if len(self.systems) < 2:
            return _ONE_SYSTEM
        try:
            judged = ranking(self.contests, self.method, over, self.questions)
            if self.labels is None:
                return judged
            if self.labelled is None:
                return "no label is of these systems and questions"
            return corrected_ranking(self.labelled, judged)
        except ReliabilityError as error:
            why: str = error.args[0]  # with its code
            return why

    @property
    def why(self) -> str | None:
        """Why it has no intervals, or does not exist."""
        return self.found if isinstance(self.found, str) else self.found.reason

    @cached_property
    def again(self) -> RankStability | None:
        """Another try; None of one system."""
        if len(self.systems) < 2:
            return None
        return rank_stability(self.contests, None, self.method)

    def across(self, name: str) -> RankStability | None:
        """One try at each of two levels."""
        if name not in self.table or self.table[name].nunique() < 2:
            return None
        levels = pd.factorize(self.table[name], sort=True)[0]
        return rank_stability(self._contests(name), levels, self.method, self._drawn_anew(name))

    def _drawn_anew(self, name: str) -> IntArray | None:
        """Where the numbers of runs mean something; None where those of levels do everywhere.

        Runs of a question have nothing in common with those of the next, but where each is a log:
        what moves one log moves it on all its questions. Systems of a pair were shown together.
        Where no column says in which order, only names could make one order of all pairs: each
        question's own two are drawn.
        """
        if name == FIRST:
            return np.asarray(numbers_of(self.table["question"], self.table["systems"]), np.int64)
        if name not in RUNS:
            return None
        table, alone = self.table, len(self.table["systems"].iloc[0]) == 1
        own = [table["systems"]] if alone else []
        if "log" in table and table["log"].notna().all():
            runs = pd.DataFrame({"log": numbers_of(table["log"], *own), "run": table[name]})
            if runs.groupby("log")["run"].nunique().max() == 1:
                return np.asarray(numbers_of(*own) if alone else np.zeros(len(table)), np.int64)
        return np.asarray(numbers_of(table["question"], *own), np.int64)

    @property
    def records(self) -> Iterator[Record]:
        """A record a system, the best first."""
        found, tries = self.found, self.of_tries
        if isinstance(found, str):
            none = dict.fromkeys(_NUMBERS) | {"method": self.method, "reason": found}
            yield from (self.keys | {"system": name} | none for name in self.systems)
            return
        for i in found.order:
            (low, high), error = found.ends[i].tolist(), float(found.error[i])
            known = _OF_ONE_LEVEL.format(self.over) if np.isnan(low) else _SAME
            why = found.reason or (None if high - low > ROUNDING else known)
            yield {
                **self.keys,
                "system": self.systems[i],
                "score": float(found.scores[i]),
                "score_interval": None if why else [low, high],
                "standard_error": None if found.reason or np.isnan(error) else error,
                "deviation_of_tries": None if tries is None else float(np.sqrt(tries[i, i])),
                "rank": int(found.rank[i]),
                "rank_set": None if found.reason else found.rank_set[i].tolist(),
                "letters": found.letters[i] if found.letters and not found.reason else None,
                "n_questions": int(found.n_questions[i]),
                "method": self.method,
                "reason": why,
            }

    @property
    def favours(self) -> Iterator[Record]:
        """How much more the judge gives a system, or its own family, than the others."""
        known = self.labelled
        if known is None:
            return
        judge = str(self.keys.get("judge"))
        own = [
            i
            for i, name in enumerate(self.systems)
            if same_model(judge, name) or (judge, name) in self.family
        ]
        level = 1 - 0.05 / len(self.systems)
        groups = [(name, [i], level) for i, name in enumerate(self.systems)]
        groups += [(OWN, own, 0.95)] * bool(own)
        for name, these, level in groups:
            found = favoured(known, these, level)
            value, reach = found or (None, 0.0)
            yield {
                **self.keys,
                "system": name,
                "bias": value,
                "bias_interval": None if value is None else [value - reach, value + reach],
                "n_labels": int(known.n[these].sum()),
                "reason": None if found else _FEW_LABELS,
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
                **self.keys,
                "above": self.systems[i],
                "below": self.systems[j],
                "difference": value,
                "difference_interval": [value - reach, value + reach]
                if np.isfinite(reach)
                else None,
                "turns": None if turns is None else float(turns[i, j]),
            }

    @property
    def survived(self) -> Iterator[Record]:
        """A record for another try, order, wording or level of a facet."""
        others = [name for name in self.verdicts.facets if name not in self.keys]
        for name in ["try", *others]:
            found = self.again if name == "try" else self.across(name)
            yield from _survived(self, "order" if name == FIRST else name, found)

    @property
    def cautions(self) -> Iterator[Reason]:
        """What keeps its numbers from being trusted as they are."""
        contests = self.contests
        if contests.systems.shape[1] == 2 and self.method == "mean":
            met = np.eye(len(self.systems), dtype=bool)
            met[contests.systems[:, 0], contests.systems[:, 1]] = True
            if not (met | met.T).all():
                yield Reason(RankingCode.OPPONENTS, _OPPONENTS)
        asked = (~np.isnan(contests.shares)).sum(axis=0)
        if asked.min() < len(self.questions):
            least = self.systems[int(asked.argmin())]
            some = f"{least} on {asked.min():,} of {len(self.questions):,}"
            yield Reason(RankingCode.QUESTIONS, _QUESTIONS.format(some))
        once = float(np.mean(np.bincount(contests.cell) < 2))
        if self.again and once and not contests.exact:
            yield Reason(RankingCode.ONCE, _ONCE.format(once))
        if self.again and self.again.without:
            yield Reason(RankingCode.NO_STRENGTHS, _WITHOUT.format(self.again.without))
        if self.labelled and self.labelled.n.min() < FEWEST_LABELS:
            yield Reason(RankingCode.FEW_LABELS, _COMMON.format(FEWEST_LABELS))
        if self.over and isinstance(self.found, Ranking) and not self.found.levels:
            yield Reason(RankingCode.THESE, _THESE.format(f"{self.over}s", FEWEST_LEVELS))


def _survived(board: Leaderboard, across: str, found: RankStability | None) -> Iterator[Record]:
    if found:
        yield {
            **board.keys,
            "across": across,
            "tau": found.tau,
            "tau_interval": list(found.ends) if found.ends else None,
            "leader_changes": found.leader_changes,
            "leader_changes_interval": list(found.leader_ends) if found.leader_ends else None,
            "compared": found.compared,
        }


def leaderboards(
    verdicts: Verdicts,
    by: Sequence[str] = (),
    pool: Sequence[str] = (),
    method: Method = "mean",
    over: str = "",
    labels: Verdicts | None = None,
    family: Collection[tuple[str, str]] = (),
) -> list[Leaderboard]:
    """A ranking for each judge and condition.

    Args:
        verdicts: Verdicts on systems.
        by: Columns that divide rankings; by default judge, benchmark and temperature.
        pool: Columns that do not.
        method: "mean" or "bt".
        over: "judge" or "wording": intervals also speak for others of these.
        labels: What people said of some of the same.
        family: Pairs of a judge and a system of its own.

    Raises:
        UserError: There is no such column, or no others of it.
    """
    if over == "order":
        raise UserError(
            "Each pair was shown in both its orders, and it has no others that --over order could "
            "speak for. What an order changes is in 'survival' (--full)."
        )
    if labels and (method == "bt" or over):
        raise UserError("Labels correct mean scores: leave out --method bt and --over.")
    if method == "bt" and (odd := [n for n in _at_once(verdicts) if n != 2]):
        on = "single systems" if odd[0] == 1 else f"{odd[0]} systems at once"
        raise UserError(
            f"--method bt compares two systems at a time, and there are verdicts on {on}: leave it "
            "out."
        )
    systems = {one for of in verdicts.table["systems"].unique() for one in of}
    if absent := [name for _, name in family if name not in systems]:
        raise UserError(f"No system is called {absent[0]!r} (found {', '.join(sorted(systems))}).")
    if family and not labels:
        raise UserError("--family asks whom the judge favours: give labels (--labels FILE).")
    if over and over not in _LEVELS:
        raise UserError(f"--over takes {' or '.join(_LEVELS)}, not {over!r}.")
    named = [*by, *pool, *([over] if over else [])]
    if absent := [name for name in named if name not in verdicts.table]:
        known = ", ".join(
            name for name in map(str, verdicts.table) if name not in ("systems", "values", FIRST)
        )
        raise UserError(f"There is no column {absent[0]!r} (found {known}).")
    names = [name for name in by or verdicts.names if name not in (*pool, over)]
    parts: Any = verdicts.table.groupby(names, sort=True, dropna=False) if names else [((), None)]
    found = []
    for values, rows in parts:
        keys = plain_group(dict(zip(names, values, strict=True)))
        table = verdicts.table if rows is None else rows.reset_index(drop=True)
        found.append(Leaderboard(keys, table, verdicts, method, over, labels, family))
    _refuse_single(found)
    return found


def _refuse_single(found: Sequence[Leaderboard]) -> None:
    """Refuse rankings of one system each.

    Raises:
        UserError: No ranking has two systems.
    """
    if any(len(board.systems) > 1 for board in found):
        return
    differ = [key for key in found[0].keys if len({str(board.keys[key]) for board in found}) > 1]
    first = [({key: of.keys[key] for key in differ}, of.systems[0]) for of in found[:_MOST_NAMED]]
    each = "; ".join(f"{describe(keys)}: {system}" for keys, system in first)
    together = " ".join(f"--pool {quote(key)}" for key in differ)
    raise UserError(
        f"Each ranking would have one system ({each}). If these were given the same questions, "
        f"rank them together: {together}."
    )


def _at_once(verdicts: Verdicts) -> list[int]:
    """On how many systems a verdict is."""
    return sorted({len(of) for of in verdicts.table["systems"].unique()})


def across_judges(found: Sequence[Leaderboard]) -> Iterator[Record]:
    """What another judge changes, under each condition."""
    for keys, several in differing_only_in(found, "judge"):
        first = several[0]
        table = pd.concat([one.table for one in several], ignore_index=True)
        whole = Leaderboard(keys, table, first.verdicts, first.method)
        missing = {"judge": None} if "judge" in first.keys else {}
        for record in _survived(whole, "judge", whole.across("judge")):
            yield missing | record
