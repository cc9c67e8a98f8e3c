"""Systems in order of their scores: what other questions would change of it.

A contest is one verdict on the systems that it was given. It chooses between two, names the best of
K, or grades a single one. A question is drawn with all its contests; rows are never resampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_letters
from typing import Any, Literal

import numpy as np
from scipy.special import stdtrit

from .bradley_terry import check_finite, strengths, wins
from .ends import constant_share_bound, jackknifed, t_quantile
from .errors import ReliabilityError
from .estimate import LEVEL
from .intervals import FEWEST_QUESTIONS, TOO_FEW
from .long import ROUNDING, Flags, FloatArray, IntArray

Method = Literal["mean", "bt"]

FEWEST_LEVELS = 5
"""Fewer judges or wordings do not show how others would differ."""

_DRAWS = 2_000

_AT_ONCE = 4_000_000
"""Numbers held at a time."""


@dataclass(frozen=True)
class Contests:
    """Verdicts on systems.

    Attributes:
        question: Number of the question of each.
        systems: Numbers of the K systems shown, [N, K], in one order within a cell.
        values: What each of these gained, [N, K].
        cell: What was asked: contests in one cell are tries of it.
        n_systems: How many systems there are.
        exact: Whether values are probabilities, from which a try is drawn.
    """

    question: IntArray
    systems: IntArray
    values: FloatArray
    cell: IntArray
    n_systems: int
    exact: bool = False

    def __getitem__(
        self, rows: "IntArray | np.ndarray[tuple[int], np.dtype[np.bool]]"
    ) -> "Contests":
        return replace(
            self,
            question=self.question[rows],
            systems=self.systems[rows],
            values=self.values[rows],
            cell=self.cell[rows],
        )

    @property
    def shares(self) -> FloatArray:
        """Mean gain of each system on each question, [Q, S]; NaN where it has none."""
        size = (int(self.question.max()) + 1, self.n_systems)
        at = self.question[:, None] * self.n_systems + self.systems
        return means_at(at, self.values, size[0] * size[1]).reshape(size)

    def scores(self, method: Method = "mean") -> FloatArray:
        """The score of each system.

        Raises:
            ReliabilityError: Bradley-Terry has no finite strengths, or there are no pairs.
        """
        if method == "bt":
            if self.systems.shape[1] != 2:
                raise ReliabilityError("Bradley-Terry needs verdicts on pairs of systems")
            return strengths(wins(self.question, self.systems, self.values, self.n_systems)[0])
        return mean_of(self.shares)

    @property
    def are_shares(self) -> bool:
        """Whether gains lie between 0 and 1, and so do their means."""
        return bool(((self.values >= 0) & (self.values <= 1)).all())


def in_parts(many: Any, size: int) -> list[Any]:
    """Parts that fit the memory; each one needs so many numbers."""
    return np.array_split(many, max(1, -(-size * len(many) // _AT_ONCE)))


def means_at(at: IntArray, values: FloatArray, size: int) -> FloatArray:
    """The mean of the values at each of so many places; NaN where there is none."""
    total = np.bincount(at.ravel(), values.ravel(), size)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / np.bincount(at.ravel(), minlength=size))


def mean_of(shares: FloatArray, axis: int = 0) -> FloatArray:
    """The mean over questions; NaN for a system without any."""
    known = ~np.isnan(shares)
    if known.all():
        return np.asarray(shares.mean(axis))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, shares, 0).sum(axis) / known.sum(axis))


@dataclass(frozen=True)
class Ranking:
    """Scores of systems with what is known of their order.

    Attributes:
        scores: One a system.
        error: Its standard error.
        reach: Half the width of its interval.
        rank: 1 is the best; equal scores share one.
        rank_set: Lowest and highest rank of each; all true ranks lie in these together.
        all_reach: [S, S], half the width of the interval of a difference, all asked at once.
        pair_reach: The same of one that is asked alone.
        n_questions: One a system.
        reason: Why there are no intervals.
        moved: Deviations, whose squares and products sum to (co)variances: of questions, [Q, S];
            with levels, of these, [J, S], and of both, [J Q, S].
    """

    scores: FloatArray
    error: FloatArray
    reach: FloatArray
    rank: IntArray
    rank_set: IntArray
    all_reach: FloatArray
    pair_reach: FloatArray
    n_questions: IntArray
    reason: str | None
    moved: Sequence[FloatArray]

    @property
    def levels(self) -> int:
        """How many levels the intervals speak beyond; 0: for these levels."""
        return len(self.moved[1]) if self.moved[1:] else 0

    @property
    def order(self) -> IntArray:
        """The systems, the best first."""
        return np.argsort(self.rank, kind="stable")

    def ends(self, shares: bool) -> FloatArray:
        """Low and high ends of the scores, [S, 2]; those of shares stay between 0 and 1."""
        ends = self.scores[:, None] + np.multiply.outer(self.reach, (-1, 1))
        least, most = (0, 1) if shares else (-np.inf, np.inf)
        beside = np.minimum(self.scores, least), np.maximum(self.scores, most)
        return np.clip(ends, *(one[:, None] for one in beside))

    @cached_property
    def apart(self) -> Flags:
        """[S, S], whether two systems are told apart when all are asked at once."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.scores[:, None] - self.scores) > self.all_reach)

    @cached_property
    def letters(self) -> list[str]:
        """Letters of each system: two share one if they cannot be told apart."""
        order = self.order
        found = [""] * len(order)
        groups = _cliques(~self.apart[np.ix_(order, order)])
        names = ascii_letters + "".join(map(chr, range(0x3B1, 0x3B1 + max(len(groups), 1))))
        for name, group in zip(names, groups, strict=False):
            for place in group:
                found[order[place]] += name
        return found


def ranking(
    contests: Contests,
    method: Method = "mean",
    over: IntArray | None = None,
    names: Sequence[str] = (),
    level: float = LEVEL,
) -> Ranking:
    """Rank systems, with intervals over questions.

    Scores have jackknife-t intervals. Rank sets come from all differences at once (max-t; Mogstad,
    Romano, Shaikh & Wilhelm 2024), whose largest |t| is that of Gaussian multipliers of the
    questions, over a chi of as many degrees of freedom. With `over`, the level of each contest (its
    judge or wording), the variance of levels is added, with Satterthwaite's degrees of freedom.

    Raises:
        ReliabilityError: Bradley-Terry has no finite strengths.
    """
    scores, shares = contests.scores(method), contests.shares
    n = (~np.isnan(shares)).sum(axis=0)
    levels = 0 if over is None else len(np.unique(over))
    levels *= levels >= FEWEST_LEVELS
    moved, reason = [np.full(shares.shape, np.nan)], None
    try:
        if n.min() < FEWEST_QUESTIONS:
            raise ReliabilityError(TOO_FEW)
        moved = [_by_bt(contests, names) if method == "bt" else by_mean(shares)]
    except ReliabilityError as why:
        levels, reason = 0, str(why)
    if over is not None and levels:
        without = [contests[over != one].scores(method) for one in np.unique(over)]
        moved.append(jackknifed(np.array(without)))
        if method == "mean":  # what levels differ in on each question is in both
            moved.append(_by_both(contests, over, len(shares)))
    return ranked(scores, moved, n, level, reason=reason)


def ranked(
    scores: FloatArray,
    moved: Sequence[FloatArray],
    n: IntArray,
    level: float = LEVEL,
    slack: float = 0.0,
    reason: str | None = None,
    span: float = 0.0,
) -> Ranking:
    """Systems in order of their scores, with joint rank sets.

    Args:
        scores: One a system.
        moved: Deviations, as in a ranking.
        n: Questions of each system.
        level: Confidence level.
        slack: What each score, and each difference, may be wrong by besides.
        reason: Why there are no intervals.
        span: How far apart two may be on a question; by default as far as they are.
    """
    apart = [of_differences(one) for one in moved]
    difference = scores[:, None] - scores[None, :]
    far = np.abs(difference) + np.maximum(np.abs(difference), span)
    error, *reaches = _reaches(moved, apart, far, n, level)
    reach, every, pair_reach = (one + slack for one in reaches)
    with np.errstate(invalid="ignore"):
        above = difference > every
    rank_set = np.stack([1 + above.sum(axis=0), len(scores) - above.sum(axis=1)], axis=1)
    rank = 1 + (difference < -ROUNDING).sum(axis=1)
    return Ranking(scores, error, reach, rank, rank_set, every, pair_reach, n, reason, moved)


def of_differences(moved: FloatArray) -> FloatArray:
    """Variances of the differences of scores, [S, S], from deviations."""
    own = (moved * moved).sum(axis=0)
    return np.asarray(np.add.outer(own, own) - 2 * moved.T @ moved)


def by_mean(shares: FloatArray) -> FloatArray:
    """Deviations of questions, [Q, S], whose squares and products sum to (co)variances of means."""
    n = (~np.isnan(shares)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(shares - mean_of(shares)) / np.sqrt(n * (n - 1)))


def _by_bt(contests: Contests, names: Sequence[str]) -> FloatArray:
    """The same by the jackknife over questions."""
    total, each = wins(contests.question, contests.systems, contests.values, contests.n_systems)
    check_finite(total)
    without = []
    for questions in in_parts(np.array([*each]), total.size):
        left = np.repeat(total[None], len(questions), axis=0)
        for own, question in zip(left, questions.tolist(), strict=True):
            np.subtract.at(own, *each[question])
            own[own < ROUNDING] = 0  # what subtraction leaves of a win is none
            try:
                check_finite(own)
            except ReliabilityError as error:
                name = names[question] if len(names) else [*each].index(question) + 1
                raise ReliabilityError(f"not estimable without question {name}: {error}") from None
        without.append(strengths(left))
    return jackknifed(np.concatenate(without))


def padded(shares: FloatArray, n: int) -> FloatArray:
    """Shares with rows for all n questions."""
    return np.pad(shares, ((0, n - len(shares)), (0, 0)), constant_values=np.nan)


def _by_both(contests: Contests, over: IntArray, questions: int) -> FloatArray:
    """Deviations of level x question, [J Q, S], from both means."""
    each = [contests[over == level].shares for level in np.unique(over)]
    shares = np.stack([padded(one, questions) for one in each])
    with np.errstate(invalid="ignore"):
        of_level, of_question = mean_of(shares, 1)[:, None], mean_of(shares, 0)[None]
        whole = mean_of(of_level[:, 0])
    j, q = shares.shape[:2]
    free = np.sqrt(j * q * (j - 1) * (q - 1))
    return np.asarray(
        np.nan_to_num(shares - of_level - of_question + whole).reshape(j * q, -1) / free
    )


def _reaches(
    moved: Sequence[FloatArray],
    apart: Sequence[FloatArray],
    far: FloatArray,
    n: IntArray,
    level: float,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Standard errors and reaches of scores; of all differences at once, and of one alone."""
    own, levels = [(one * one).sum(axis=0) for one in moved], len(moved[1]) if moved[1:] else 0
    fewest = np.minimum.outer(n, n).clip(1)
    error, free = _combined(own, n, levels)
    errors, frees = _combined(apart, fewest, levels)
    spread = np.asarray(sum(apart[:2]))
    same = spread <= 1e-12 * np.add.outer(error**2, error**2)

    def reaching(critical: Any, pairs: int) -> FloatArray:
        """Of differences that are the same on every question, what none of them shows."""
        unseen = 1 - constant_share_bound(fewest, 1 - (1 - level) / pairs)
        return np.asarray(np.where(same, far * unseen, critical * errors))

    quantile = (1 + level) / 2
    reach, alone = error * stdtrit(free, quantile), reaching(stdtrit(frees, quantile), 1)
    if np.isnan(error).any() or len(n) < 3:
        return error, reach, alone, alone
    random = np.random.default_rng(0)
    upper = np.triu_indices(len(n), 1)
    scale = np.sqrt(np.where(same, np.inf, spread))[upper]
    freedom, largest = float(np.median(frees[upper])), []
    for _ in range(_DRAWS // 100):
        drawn = np.asarray(sum(random.standard_normal((100, len(d))) @ d for d in moved[:2]))
        t = np.abs(drawn[:, upper[0]] - drawn[:, upper[1]]) / scale
        largest.append(t.max(axis=1) / np.sqrt(random.chisquare(freedom, 100) / freedom))
    critical = max(float(np.quantile(largest, level)), t_quantile(level, freedom))
    return error, reach, reaching(critical, len(upper[0])), alone


def _combined(
    variances: Sequence[FloatArray], n: IntArray, levels: int
) -> tuple[FloatArray, FloatArray]:
    """The standard error, and its degrees of freedom (Satterthwaite's with levels)."""
    of_questions = np.maximum(variances[0], 0)
    if not levels:
        return np.sqrt(of_questions), (n - 1).astype(float)
    both = variances[2] if variances[2:] else 0.0
    of_levels = np.maximum(variances[1] - both, 0)
    total = of_questions + of_levels
    with np.errstate(divide="ignore", invalid="ignore"):
        free = total**2 / (of_questions**2 / (n - 1) + of_levels**2 / (levels - 1))
    return np.sqrt(total), np.nan_to_num(free, nan=levels - 1.0)


def _cliques(near: Flags) -> list[list[int]]:
    """The largest groups of systems all near each other, by their first (Bron & Kerbosch 1973)."""
    n = len(near)
    beside = [sum(1 << j for j in range(n) if near[i, j] and i != j) for i in range(n)]
    found: list[list[int]] = []

    def members(mask: int) -> list[int]:
        return [i for i in range(n) if mask >> i & 1]

    def grow(group: int, free: int, done: int) -> None:
        if not free and not done:
            found.append(members(group))
            return
        pivot = max(members(free | done), key=lambda i: (free & beside[i]).bit_count())
        for i in members(free & ~beside[pivot]):
            grow(group | 1 << i, free & beside[i], done & beside[i])
            free, done = free & ~(1 << i), done | 1 << i

    grow(0, (1 << n) - 1, 0)
    return sorted(found)
