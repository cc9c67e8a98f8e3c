"""Scores of systems in order: mean scores, or strengths from pairs (Bradley & Terry 1952).

A tie is half a win to each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_letters
from typing import Any, Literal

import numpy as np
from scipy.special import expit, stdtrit

from ..stats.cells import ROUNDING, Flags, FloatArray, IntArray
from ..stats.estimate import LEVEL, ReliabilityError
from ..stats.interval_scales import Ends, constant_share_bound, jackknifed, t_quantile
from ..stats.intervals import FEWEST_QUESTIONS, TOO_FEW
from ..stats.rates import mean_share

Wins = dict[int, tuple[tuple[IntArray, IntArray], FloatArray]]
"""Question -> winners and losers, and what each won: a question's verdicts weigh 1 together."""

_NEAR, _STEPS, _LONGEST = 1e-10, 200, 2.0


def wins(
    question: IntArray, systems: IntArray, values: FloatArray, n_systems: int
) -> tuple[FloatArray, Wins]:
    """What each system won against each other, [S, S], of all questions and of every one."""
    by_question = np.argsort(question, kind="stable")
    names, starts = np.unique(question[by_question], return_index=True)
    total, each = np.zeros((n_systems, n_systems)), Wins()
    for name, rows in zip(names.tolist(), np.split(by_question, starts[1:]), strict=True):
        one, other = systems[rows].T
        at = np.concatenate([one, other]), np.concatenate([other, one])
        own = values[rows].T.ravel() / len(rows)
        each[name] = at, own
        np.add.at(total, at, own)
    return total, each


def strengths(won: FloatArray) -> FloatArray:
    """Log strengths that sum to 0, by Newton's method.

    Args:
        won: What each system won against each other, [..., S, S].

    Raises:
        ReliabilityError: See `check_finite`.
    """
    check_finite(won)
    n, games = won.shape[-1], won + won.swapaxes(-1, -2)
    found = np.zeros(won.shape[:-1])
    for _ in range(_STEPS):
        chance = expit(found[..., :, None] - found[..., None, :])
        slope = (won - games * chance).sum(axis=-1)
        curve = games * chance * chance.swapaxes(-1, -2)
        curve = np.eye(n) * curve.sum(axis=-1)[..., None] - curve + 1 / n
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True, initial=0)
        found = found + step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
        if longest.max(initial=0) < _NEAR:
            break
    return np.asarray(found - found.mean(axis=-1, keepdims=True))


def are_finite(won: FloatArray) -> Flags:
    """Whether systems that won this, [..., S, S], have finite strengths (Ford 1957).

    They do where wins lead from each system to each other, if need be by way of others.
    """
    reached = (won > 0) | np.eye(won.shape[-1], dtype=bool)
    for _ in range(won.shape[-1].bit_length()):  # each time by twice as many wins
        reached = reached.astype(np.float32) @ reached > 0
    return np.asarray(reached.all(axis=(-2, -1)))


def check_finite(won: FloatArray) -> None:
    """Refuse what has no finite strengths.

    Raises:
        ReliabilityError: A system never loses or wins, or systems do not connect.
    """
    if are_finite(won).all():
        return
    if not are_finite(won + won.swapaxes(-1, -2)).all():
        raise ReliabilityError("systems do not connect, so Bradley-Terry has no strengths")
    raise ReliabilityError(
        "a system, or a group of them, never loses or never wins, so Bradley-Terry has no "
        "finite strengths"
    )


# Systems in order of their scores: what other questions would change of it.
#
# A contest is one verdict on the systems that it was given. It chooses between two, names the best
# of K, or grades a single one. A question is drawn with all its contests; rows are never resampled.


Method = Literal["mean", "bt"]

FEWEST_LEVELS = 5
"""Fewer judges or wordings do not show how others would differ."""

_DRAWS, _PART = 2_000, 100
"""Draws of the largest |t|, and how many of them at a time."""

_FEWEST_FLIPPED = 12
"""The signs of fewer questions have too few patterns, and hold a little less than they say."""

_LOWER = 0.25

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
        first: Number of the system shown first in each, where only that tells orders apart; of one
            that is not ranked, `n_systems`.
    """

    question: IntArray
    systems: IntArray
    values: FloatArray
    cell: IntArray
    n_systems: int
    exact: bool = False
    first: IntArray | None = None

    def __getitem__(
        self, rows: "IntArray | np.ndarray[tuple[int], np.dtype[np.bool]]"
    ) -> "Contests":
        return replace(
            self,
            question=self.question[rows],
            systems=self.systems[rows],
            values=self.values[rows],
            cell=self.cell[rows],
            first=None if self.first is None else self.first[rows],
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
        ends: Low and high end of its interval, [S, 2].
        rank: 1 is the best; equal scores share one.
        rank_set: Lowest and highest rank of each; all true ranks lie in these together.
        all_reach: [S, S], half the width of the interval of a difference, all asked at once.
        pair_reach: [S, S], half the width of the interval of a difference that is asked alone.
        n_questions: One a system.
        reason: Why there are no intervals.
        moved: Deviations, whose squares and products sum to (co)variances: of questions, [Q, S];
            with levels, of these, [J, S], and of both, [J Q, S].
    """

    scores: FloatArray
    error: FloatArray
    ends: FloatArray
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

    @cached_property
    def apart(self) -> Flags:
        """[S, S], whether two systems are told apart when all are asked at once."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.scores[:, None] - self.scores) > self.all_reach)

    @cached_property
    def letters(self) -> list[str] | None:
        """Letters of each system: two share one if they cannot be told apart.

        None where the alphabet has too few.
        """
        order = self.order
        groups = _groups(~self.apart[np.ix_(order, order)])
        if len(groups) > len(ascii_letters):
            return None
        found = [""] * len(order)
        for name, group in zip(ascii_letters, groups, strict=False):
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

    Scores have jackknife-t intervals, and mean shares those of any share (`mean_share`). Rank sets
    come from all differences at once (max-t; Mogstad, Romano, Shaikh & Wilhelm 2024). With `over`,
    the level of each contest (its judge or wording), the variance of levels is added, with
    Satterthwaite's degrees of freedom.

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
        levels, reason = 0, why.args[0]
    if over is not None and levels:
        without = [contests[over != one].scores(method) for one in np.unique(over)]
        moved.append(jackknifed(np.array(without)))
        if method == "mean":  # what levels differ in on each question is in both
            moved.append(_by_both(contests, over, len(shares)))
    if method == "bt" or not contests.are_shares:
        return ranked(scores, moved, n, level, reason=reason)
    found = ranked(scores, moved, n, level, reason=reason, most=1.0)
    if reason:
        return found
    ends = np.array([_of_share(own[~np.isnan(own)], level) for own in shares.T])
    return replace(found, ends=within_0_1(farther(found.ends, ends) if levels else ends, scores))


def _of_share(values: FloatArray, level: float) -> Ends:
    return mean_share(values.clip(0, 1), level, 1.0).ends or (np.nan, np.nan)


def farther(ends: FloatArray, others: FloatArray) -> FloatArray:
    """The farther ends of two intervals, [S, 2]; none where one of them is not known."""
    low, high = np.minimum(ends, others)[:, 0], np.maximum(ends, others)[:, 1]
    return np.stack([low, high], axis=1)


def within_0_1(ends: FloatArray, scores: FloatArray) -> FloatArray:
    """Ends of shares, [S, 2], between 0 and 1, and never beyond their score."""
    low, high = np.clip(ends, 0, 1).T
    return np.stack([np.minimum(low, scores), np.maximum(high, scores)], axis=1)


def ranked(
    scores: FloatArray,
    moved: Sequence[FloatArray],
    n: IntArray,
    level: float = LEVEL,
    slack: float = 0.0,
    reason: str | None = None,
    span: float = 0.0,
    most: float = np.inf,
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
        most: How far apart two with equal scores on all may be on a question; by default no bound.
    """
    apart = [of_differences(one) for one in moved]
    difference = scores[:, None] - scores[None, :]
    far = np.abs(difference) + np.maximum(np.abs(difference), span)
    far = np.where(far < ROUNDING, most, far)
    error, *reaches = _reaches(moved, apart, far, n, level)
    reach, every, pair_reach = (one + slack for one in reaches)
    ends = scores[:, None] + np.multiply.outer(reach, (-1, 1))
    with np.errstate(invalid="ignore"):
        above = difference > every
    rank_set = np.stack([1 + above.sum(axis=0), len(scores) - above.sum(axis=1)], axis=1)
    rank = 1 + (difference < -ROUNDING).sum(axis=1)
    return Ranking(scores, error, ends, rank, rank_set, every, pair_reach, n, reason, moved)


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
    """Deviations of questions, [Q, S], of log strengths, by the jackknife."""
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

    def reaching(critical: Any, pairs: float) -> FloatArray:
        """Of differences that are the same on every question, what none of them shows."""
        unseen = 1 - constant_share_bound(fewest, 1 - (1 - level) / pairs)
        return np.asarray(np.where(same, far * unseen, critical * errors))

    quantile = (1 + level) / 2
    reach, alone = error * stdtrit(free, quantile), reaching(stdtrit(frees, quantile), 1)
    known = np.flatnonzero(~np.isnan(error))  # without its one judge, a system has no score
    if len(known) < 3:
        return error, reach, alone, alone
    at, every = np.ix_(known, known), np.full(spread.shape, np.nan)
    asked = [one.take(known, axis=1) for one in moved[:2]]
    every[at] = _critical(asked, np.where(same, np.inf, spread)[at], frees[at], level)
    return error, reach, reaching(every, len(known) * (len(known) - 1) / 2), alone


def _critical(
    moved: Sequence[FloatArray], spread: FloatArray, frees: FloatArray, level: float
) -> FloatArray:
    """Critical values of |t| where all differences are asked at once, [S, S].

    Signs of questions are flipped at random, and each difference has an error of its own in each
    flip, as in the study: few questions and many systems bring errors that are far too small. The
    critical value is never above Bonferroni's, which flips of few questions may exceed. It is never
    below that of Gaussian multipliers of the questions over one chi for all. Flips of a handful of
    questions, or of levels, say too little: there it is Bonferroni's, with levels at the lower
    quartile of the degrees of freedom.

    Args:
        moved: Deviations of questions, [Q, S], and of levels, if any.
        spread: Variances of differences, [S, S]; infinite where there is none to ask for.
        frees: Their degrees of freedom, [S, S].
        level: Confidence level of all together.
    """
    upper = np.triu_indices(len(spread), 1)
    freedom, scale = float(np.median(frees[upper])), 1 / np.sqrt(spread)
    random, largest, flipped = np.random.default_rng(0), list[FloatArray](), list[FloatArray]()
    for _ in range(_DRAWS // _PART):
        normal = [random.standard_normal((_PART, len(one))) for one in moved]
        drawn = sum(a @ b for a, b in zip(normal, moved, strict=True))
        chi = np.sqrt(random.chisquare(freedom, _PART) / freedom)
        largest.append(_largest(np.asarray(drawn), scale) / chi)
        flipped.append(_largest(np.sign(normal[0]) @ moved[0], scale))
    least = max(float(np.quantile(largest, level)), t_quantile(level, freedom))
    tail = (1 - level) / 2 / len(upper[0])
    if moved[1:]:  # found are those whose few levels happen to vary too little
        few = float(np.quantile(frees[upper], _LOWER))
        return np.full(spread.shape, max(least, float(stdtrit(few, 1 - tail))))
    # Of n questions, t^2 = (n - 1) z^2 / (n - z^2): a flip leaves the sum of squares as it is.
    z = float(np.quantile(flipped, level, method="higher")) ** 2 * (1 + ROUNDING)
    room = np.where(frees < _FEWEST_FLIPPED - 1, 0, frees + 1 - z)
    of_flips = np.sqrt(frees * z / np.where(room > 0, room, np.inf))
    most = stdtrit(frees, 1 - tail)
    return np.maximum(least, np.where(room > 0, np.minimum(of_flips, most), most))


def _largest(drawn: FloatArray, scale: FloatArray) -> FloatArray:
    """The largest difference of two systems in each of D draws, [D, S], by its scale."""
    systems, largest = np.ascontiguousarray(drawn.T), np.zeros(len(drawn))
    for i, one in enumerate(systems[:-1], 1):
        t = (systems[i:] - one) * scale[i - 1, i:, None]
        np.maximum(largest, np.abs(t, out=t).max(axis=0), out=largest)
    return largest


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


def _groups(near: Flags) -> list[list[int]]:
    """Groups of systems all near each other: any two that are near share one.

    Each is as large as can be. All such groups would be too many to list, so each one has two
    systems that no earlier group has, and takes those first that share none with it yet (a clique
    cover; Gramm, Guo, Hueffner & Niedermeier 2008).
    """
    found, shared = list[list[int]](), ~near
    for i in range(len(near)):
        for j in range(len(near) - 1, i - 1, -1):  # the farthest first
            if shared[i, j]:
                continue
            group, free = sorted({i, j}), near[i] & near[j]
            free[group] = False
            gain = (~shared[group]).sum(axis=0)
            while free.any():
                group.append(int(np.where(free, gain, -1).argmax()))
                free &= near[group[-1]]
                free[group[-1]] = False
                gain += ~shared[group[-1]]
            shared[np.ix_(group, group)] = True
            found.append(sorted(group))
    return sorted(found)
