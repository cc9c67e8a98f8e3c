"""The bets of `watch`: on the checks of a judge, and on a stream of production."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd

from ..answers.drift import verdicts_moved
from ..errors import UserError
from ..judgments.table import Judgments
from ..log_files import read_log
from ..record import same_model
from ..showing.formats import Record
from ..stats.cells import Flags, IntArray
from ..verdicts import FAILED_CALL, NON_RESPONSE
from .bets import (
    BASELINE,
    LOOKS,
    MeanChange,
    Power,
    Watched,
    change_of_agreement,
    change_of_mean,
    copied,
    moved,
    once,
    power,
    rank_of_draws,
    stands_out,
    turned_at,
    watch_stream,
)
from .checks import CHECK, Check, checks_of, in_stream, with_empty
from .nights import lost_nights
from .no_verdict import ask_what_none_means, without_failed_calls
from .repairs import number_of, with_repairs
from .streams import Stream, anchors, outputs, without_outages

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec

Changed = Literal["none", "judge", "system", "judge_system_unknown"]

_CHANGED = {
    **{"judge": "the judge", "system": "the system"},
    "judge_system_unknown": "the judge or the system",
}

FEW = "fewer than half of the anchors were judged"
"""Why a check is left out that failed for most of the anchors."""

NONE_TWICE = "no output was judged in two checks, and only what is judged again shows a change"
"""Why checks that share no anchor show nothing."""

_ENOUGH = 0.5
"""Probability with which a change of a tenth of the anchors must be found in time."""

_SAME_JUDGE = 0.05
"""Level at which anchors must show no difference before a change is called the system's."""

_TIMES = (2, 4, 8)
"""How many times as many anchors are tried, where these are too few."""


@dataclass(frozen=True, eq=False)
class Side:
    """A stream with the checks that it is made of, and the bet against it.

    Attributes:
        stream: Its verdicts.
        numbers: The number of each of its checks among all checks, from 0.
        watched: The bet.
    """

    stream: Stream
    numbers: Sequence[int]
    watched: Watched

    @property
    def since(self) -> int | None:
        """The number of the first check after the change."""
        return None if self.watched.since is None else self.numbers[self.watched.since]

    @property
    def found(self) -> int | None:
        """The number of the check at which the bet reached what decides."""
        return None if self.watched.alarm is None else self.numbers[self.watched.alarm]

    def sides(self, since: int) -> tuple[IntArray, IntArray]:
        """The draws before a check, and from it on, Q x K each."""
        later = np.array(self.numbers) >= since
        counts = self.stream.counts
        return counts[~later].sum(axis=0), counts[later].sum(axis=0)


class Odd(NamedTuple):
    """A check of the baseline that differs from all others of it.

    Attributes:
        number: Its number among all checks, from 0.
        begins: The check to begin at: itself as the last of the baseline, else the one after it.
        stays: Whether the checks after the baseline differ from these others, too.
    """

    number: int
    begins: int
    stays: bool


@dataclass(frozen=True, eq=False)
class Watching:
    """What the checks of a judge say.

    Attributes:
        checks: Every check, in order of time.
        first: The number of the first that counts, from 0.
        anchors: The anchors.
        production: The judged outputs of production, if there are any.
        alpha: Probability of a false alarm, of both together.
        logged: Whether production is in logs, whose outputs `rejudge` can judge again.
        judged: The judgments of the anchors, with the number of their check.
        failed: Check -> how many judgments without a verdict are left out of it as failed calls.
        counted: What is said if they are answers of the judge; None where none are left out.
    """

    checks: Sequence[Check]
    first: int
    anchors: Side
    production: Side | None
    alpha: float
    logged: bool = False
    judged: pd.DataFrame = field(default_factory=pd.DataFrame)
    failed: Mapping[int, int] = field(default_factory=dict)
    counted: "Watching | None" = None

    @property
    def needed(self) -> float:
        """What a bet must be worth to decide."""
        return _needed(self.alpha, 2 if self.production else 1)

    @cached_property
    def power(self) -> Power | None:
        """How soon a change of a tenth of the anchors would be found; None before a baseline.

        After a change it is how soon one would have been found right after the baseline.
        """
        side = self.anchors
        few, p = side.stream.few, side.watched.p
        if len(few) - few.sum() < BASELINE:
            return None
        known = np.flatnonzero(~few)[: None if side.watched.alarm is None else BASELINE]
        unit, seed = side.watched.unit, self.checks[side.numbers[0]].seed
        counts = side.stream.counts[known]
        return power(counts, side.stream.values, self.needed, unit, seed, p[known])

    @cached_property
    def anchors_needed(self) -> tuple[int, Power] | None:
        """How many anchors like these would find such a change in time; None if not known."""
        side = self.anchors
        known = side.stream.counts[~side.stream.few][:BASELINE]
        for times in _TIMES:
            seed = self.checks[side.numbers[0]].seed
            found = power(known, side.stream.values, self.needed, "draw", seed, times=times)
            if found.found >= _ENOUGH:
                return times * len(side.stream.cells), found
        return None

    @cached_property
    def another(self) -> int | None:
        """The first of the last checks that are all of another judge; None if the last is not."""
        number = len(self.checks)
        while number and (self.checks[number - 1].reason or "").startswith("another judge"):
            number -= 1
        return number if number < len(self.checks) else None

    @cached_property
    def left_out(self) -> dict[int, str]:
        """Why a check says nothing, by its number; those before the first are not counted."""
        few = self.anchors.stream.few
        failed = {n: FEW for n, of in zip(self.anchors.numbers, few, strict=True) if of}
        others = {n: one.reason for n, one in enumerate(self.checks) if one.reason}
        known = {number: reason for number, reason in others.items() if number >= self.first}
        return dict(sorted((failed | known).items()))

    @cached_property
    def untested(self) -> int | None:
        """The first of the last checks that say nothing, for one reason; None if the last does."""
        if self.another is not None:
            return None
        number, last = len(self.checks), self.left_out.get(len(self.checks) - 1)
        while last and self.left_out.get(number - 1) == last:
            number -= 1
        return number if last else None

    @cached_property
    def checks_in_words(self) -> str:
        """The checks of the stream that say something, as a share of all: "19 of 30 checks"."""
        every = len(self.checks) - self.first
        said = every - len(self.left_out)
        return f"{said} of {every} checks" if said < every else f"{every} checks"

    @cached_property
    def last_run(self) -> "EvalSpec | None":
        """What the log of the last whole check says of its run; None for a file, or if it went."""
        number = max((one for one in self.anchors.numbers if one not in self.left_out), default=-1)
        with suppress(UserError):
            if places := self.checks[number].places:
                return read_log(places[-1], header_only=True).eval
        return None

    @cached_property
    def none_twice(self) -> bool:
        """Whether several checks share no anchor, so that nothing can show a change."""
        judged = self.anchors.stream.counts.sum(axis=-1) > 0
        return len(judged) > 1 and int(judged.sum(axis=0).max()) < 2

    @cached_property
    def not_enough(self) -> str | None:
        """Why quiet checks show nothing yet; None if they do."""
        if self.none_twice:
            return NONE_TWICE
        side, known = self.anchors, int((~self.anchors.stream.few).sum())
        if known <= BASELINE:
            are = "is" if known == 1 else "are"
            return f"the baseline is {BASELINE} checks, and there {are} {known}"
        if self.untested is not None:
            n, every = len(self.checks) - self.untested, len(self.checks) - self.first
            last = f"the last {n} of {every} checks were" if n > 1 else "the last check was"
            return f"{last} left out ({self.left_out[self.untested]})"
        if self.odd and self.odd.stays:
            odd = self.odd.number
            return (
                f"check {odd + 1} ({self.checks[odd].time}) differs from the others of the "
                "baseline, and so do the checks after the baseline: the judge may have changed"
            )
        if self.turned is not None:
            return (
                f"the baseline is not of one judge: checks before check {self.turned + 1} "
                f"({self.checks[self.turned].time}) agree, and so do all since, but these differ "
                "from those: the judge may have changed"
            )
        few = side.watched.unit == "draw" and self.power and self.power.found < _ENOUGH
        return f"{len(side.stream.cells)} anchors are too few" if few else None

    @cached_property
    def _differing(self) -> tuple[IntArray, IntArray] | None:
        """The numbers of whole checks, and their draws, T x Q x K.

        None unless a baseline makes each check count as one draw.
        """
        side = self.anchors
        known = np.flatnonzero(~side.stream.few)
        if side.watched.unit == "draw" or side.watched.alarm is not None or len(known) <= BASELINE:
            return None
        counts = side.stream.counts[known].astype(np.int64)
        copies = copied(side.stream.counts)[known[BASELINE]]
        counts[:, copies] = once(counts[:, copies])
        return np.array(side.numbers)[known], counts

    def _generator(self, numbers: IntArray) -> np.random.Generator:
        return np.random.default_rng(self.checks[numbers[BASELINE]].seed)

    @cached_property
    def turned(self) -> int | None:
        """The check of the baseline since which all checks are others; None without one."""
        if self._differing is None or self.odd is not None:
            return None
        numbers, counts = self._differing
        found = turned_at(counts, self.anchors.stream.values, self._generator(numbers))
        return None if found is None else int(numbers[found])

    @cached_property
    def odd(self) -> Odd | None:
        """The check of the baseline that makes each check count as one draw; None without one."""
        if self._differing is None:
            return None
        side, (numbers, counts) = self.anchors, self._differing
        first, later = counts[:BASELINE], counts[BASELINE:].sum(axis=0)
        generator = self._generator(numbers)
        found = stands_out(first, side.stream.values, generator)
        if found is None:
            return None
        pool = np.delete(first, found, 0).sum(axis=0) + later
        p = rank_of_draws(pool, later, side.stream.values, generator)
        begins = found if found == BASELINE - 1 else found + 1
        number, start = (int(numbers[one]) for one in (found, begins))
        return Odd(number, start, p <= _SAME_JUDGE)

    @cached_property
    def changed(self) -> Changed:
        """What changed."""
        judge = self.anchors.watched.alarm is not None or self.another is not None
        if judge:
            return "judge_system_unknown" if self.production else "judge"
        if self.production is None or self.production.watched.alarm is None:
            return "none"
        return "system" if self._same_judge else "judge_system_unknown"

    @cached_property
    def known(self) -> Changed | None:
        """What changed; None where too little is known to say that nothing did."""
        return None if self.changed == "none" and self.not_enough else self.changed

    @property
    def in_short(self) -> str:
        """What is said, in a few words."""
        if self.known is None:
            return f"not enough to watch: {self.not_enough}"
        if self.since is None:
            return "nothing shows a change"
        return f"{_CHANGED[self.changed]} changed since check {self.since + 1}"

    @cached_property
    def _same_judge(self) -> bool:
        """Whether the anchors would have shown by now that the judge changed with the stream."""
        assert self.production is not None
        assert self.production.since is not None
        before, after = self.anchors.sides(self.production.since)
        numbers = [number for number in self.anchors.numbers if number not in self.left_out]
        looks = sum(number >= self.production.since for number in numbers)
        power = self.power
        if power is None or power.found < _ENOUGH or looks < (power.most or LOOKS):
            return False
        generator = np.random.default_rng(self.checks[self.anchors.numbers[-1]].seed)
        p = rank_of_draws(before + after, after, self.anchors.stream.values, generator)
        return p > _SAME_JUDGE

    @property
    def since(self) -> int | None:
        """The number of the first check after the change, from 0; None without one."""
        if self.changed == "none":
            return None
        known = [one for one in (self.anchors.since, self.another) if one is not None]
        beside = self.production.since if self.production else None
        return min(known, default=beside)

    @cached_property
    def moved(self) -> Flags:
        """The anchors that differ since the change, at a false discovery rate of 10%."""
        if self.anchors.since is None:
            return np.zeros(len(self.anchors.stream.cells), dtype=bool)
        generator = np.random.default_rng(self.checks[self.anchors.since].seed)
        return moved(*self.anchors.sides(self.anchors.since), self.anchors.stream.values, generator)

    @cached_property
    def direction(self) -> dict[str, Record]:
        """How the verdicts of the judge moved since its change, by criterion; empty without one.

        It is what `compare` says of the checks before and since.
        """
        table, since = self.judged, self.anchors.since
        if since is None:
            return {}
        criteria = table["scorer"].astype(str) if "scorer" in table else ""
        return {
            str(name): verdicts_moved(of[of[CHECK] < since], of[of[CHECK] >= since])
            for name, of in table.assign(criterion=criteria).groupby("criterion")
        }

    @cached_property
    def same_again(self) -> MeanChange | None:
        """How often two verdicts of a check on an anchor are the same, before a change and since.

        None without a change, or where no check has two verdicts on three anchors.
        """
        if self.anchors.since is None:
            return None
        later = np.array(self.anchors.numbers) >= self.anchors.since
        counts = self.anchors.stream.counts
        return change_of_agreement(counts[~later], counts[later])

    @cached_property
    def right(self) -> tuple[int, MeanChange] | None:
        """How many anchors have labels, and how right the judge is on them since the change.

        None without any, or without a change.
        """
        if self.anchors.since is None:
            return None
        right = self.anchors.stream.right
        before, after = self.anchors.sides(self.anchors.since)
        known = ~np.isnan(right).any(axis=1) & (before.sum(axis=1) > 0) & (after.sum(axis=1) > 0)
        if not known.any():
            return None
        return int(known.sum()), change_of_mean(before[known], after[known], right[known])


def _needed(alpha: float, bets: int) -> float:
    """What each of so many bets must be worth to decide, with a false alarm by any in alpha."""
    return bets / alpha


def watching(
    judgments: Judgments,
    production: Judgments | None = None,
    *,
    alpha: float = 0.05,
    since: str | None = None,
    by: Sequence[str] = (),
    compare: str = "",
    repairs: Mapping[str, str] | None = None,
    in_python: bool = False,
) -> Watching:
    """Bet against an unchanged judge, and an unchanged stream of production.

    Args:
        judgments: The checks: runs of one judge on the same outputs.
        production: Judged outputs of production.
        alpha: Probability of a false alarm, however often one looks.
        since: The check to begin at, by its number or its time; the first by default.
        by: Columns whose levels are groups of the stream: it is no change that one grows.
        compare: The call that compares the checks instead, where they are two files without times.
        repairs: Time of a check -> that of the check that its judgments repair, or "new".
        in_python: Whether the user speaks Python.

    Raises:
        UserError: There are no times, no such check, or another judge in the stream.
        OpenQuestionError: Judgments may repair an earlier check, and nothing says whether they do;
            or what changed depends on whether judgments without a verdict are failed calls.
    """
    table, made = checks_of(judgments, compare)
    table, runs = with_empty(table, made, judgments, lost_nights(judgments, made))
    table, runs = with_repairs(table, runs, judgments, repairs or {}, in_python)
    first = number_of(runs, since) if since else 0
    checks = [*in_stream(table, runs, first)]
    own = [number for number, one in enumerate(checks) if one.reason is None]
    needed = _needed(alpha, 2 if production else 1)
    judged = table[table[CHECK].isin(own)].reset_index(drop=True)
    rows, there = None, list[int]()
    if production is not None:
        rows, there = _production(production, checks, own)
        by = by or _groups(rows)

    def found(judged: pd.DataFrame, rows: pd.DataFrame | None) -> Watching:
        of = anchors(_renumbered(judged, own), len(own))
        seeds = [checks[number].seed for number in own]
        side = Side(of, own, watch_stream(of.counts, of.values, needed, seeds, of.few))
        beside = None
        if rows is not None:
            made = outputs(_renumbered(rows, there), len(there), by)
            seeds = [checks[number].seed + 1 for number in there]
            never = np.zeros(len(there), dtype=bool)
            bet = watch_stream(made.counts, made.values, needed, seeds, never)
            beside = Side(made, there, bet)
        logged = production is not None and bool(production.logs)
        return Watching(checks, first, side, beside, alpha, logged, judged)

    known, none = without_failed_calls(judged, judgments)
    beside, none_beside = without_failed_calls(rows, production)
    failed = Counter([*none, *none_beside])
    if not failed:
        return found(judged, rows)
    counted, left = found(without_outages(judged), rows), found(known, beside)
    if left.known != counted.known:
        said = {FAILED_CALL: left.in_short, NON_RESPONSE: counted.in_short}
        ask_what_none_means(failed.total(), judgments, said, in_python)
    return replace(left, failed=failed, counted=counted)


def _renumbered(table: pd.DataFrame, numbers: Sequence[int]) -> pd.DataFrame:
    """The judgments of some checks, which are numbered anew."""
    place = {number: n for n, number in enumerate(numbers)}
    kept = table[table[CHECK].isin(place)]
    return kept.assign(**{CHECK: kept[CHECK].map(place)}).reset_index(drop=True)


def _groups(rows: pd.DataFrame) -> list[str]:
    """The groups of production where nothing is said of them: its benchmarks and categories."""
    named = [name for name in ("benchmark", "category") if name in rows]
    return [name for name in named if rows[name].notna().all()]


def _production(
    judgments: Judgments, checks: Sequence[Check], own: Sequence[int]
) -> tuple[pd.DataFrame, list[int]]:
    """The rows of production by the check of the anchors that follows them; later ones wait."""
    table, runs = checks_of(judgments)
    judge = checks[own[0]].judge
    if others := sorted({one.judge for one in runs if not same_model(one.judge, judge)}):
        raise UserError(
            f"The stream was judged by {', '.join(others)}, and the anchors by {judge}. Anchors "
            "show whether a judge changed only where they are judged by the same one."
        )
    when = np.array([checks[number].when for number in own])
    place = np.searchsorted(when, [one.when for one in runs])
    at = pd.Series([own[one] if one < len(own) else -1 for one in place])
    table = table.assign(**{CHECK: table[CHECK].map(at)})
    table = table[table[CHECK] >= 0].reset_index(drop=True)
    if table.empty:
        raise UserError(
            "The whole stream is later than the last check of the anchors. Judge them again first."
        )
    return table, sorted(table[CHECK].unique().tolist())
