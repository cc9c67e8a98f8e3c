"""The best of several candidates by a few labels, with an error that knows it was chosen.

Whoever takes the best of m candidates on n labels sees the luckiest of them: its share is too high,
and the usual interval around it holds less often than it says.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, log, log1p

import numpy as np
from scipy.special import ndtri

from .cells import ROUNDING, FloatArray, IntArray
from .estimate import LEVEL, ReliabilityError, check_level
from .interval_scales import Ends, level_of, share_ends, t_quantile
from .intervals import FEWEST_QUESTIONS

FLIPS = 2_000
"""Sign flips: 5% of them are 100."""

HALVES = 500
"""Times that the questions are halved; each half chooses once."""

_POWER = 0.8416
"""The normal quantile of a power of .8."""

_DIGITS = 12
"""Of means that are equal."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """How often each of m candidates is right on each of n questions.

    Every quantity treats questions as independent draws. Of several outputs of one question, give
    the mean. Where candidates are equally often right, the first of them is preferred.

    Attributes:
        right: Shares from 0 to 1, n x m: 0 or 1 of a single verdict, of replications a mean.
        group: Number of each candidate's price, m, not falling: only their place tells candidates
            of one group apart. By default each is a group of its own.
        level: Confidence of all intervals together, and of every claim.

    Raises:
        ReliabilityError: There are fewer than three questions or two candidates, or shares are
            missing, or the level is not between 0 and 1.
    """

    right: FloatArray
    level: float = LEVEL
    group: IntArray | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        n, m = self.right.shape
        if n < FEWEST_QUESTIONS or m < 2:
            raise ReliabilityError(
                f"A choice needs {FEWEST_QUESTIONS} questions and 2 candidates, not {n} and {m}."
            )
        if not ((self.right >= 0) & (self.right <= 1)).all():
            raise ReliabilityError("How often a candidate is right is a share from 0 to 1.")

    @property
    def n(self) -> int:
        """How many questions there are."""
        return len(self.right)

    @cached_property
    def accuracy(self) -> FloatArray:
        """How often each is right, m."""
        return np.asarray(self.right.mean(axis=0).round(_DIGITS))

    @property
    def chosen(self) -> int:
        """The candidate that is right most often; the first of several."""
        return int(self.accuracy.argmax())

    @cached_property
    def after_choosing(self) -> float:
        """How often a candidate is right that was chosen like this one.

        Questions are halved at random; the best on one half is measured on the other, and the
        other way round. The mean over 500 draws of halves, and over equals of one group, so that
        their place does not matter. Half of the labels choose a little worse than all of them, so
        it is too low rather than too high.
        """
        sums, size = _halves(self.n) @ self.right, self.n // 2
        others = self.right.sum(axis=0) - sums
        there, back = self._of_best(sums, others), self._of_best(others, sums)
        return float((there / (self.n - size) + back / size) / 2)

    def _of_best(self, chosen: FloatArray, measured: FloatArray) -> float:
        """The mean of what is measured of the best of another half, HALVES x m each."""
        rounded = chosen.round(_DIGITS - 3)
        group = np.arange(rounded.shape[1]) if self.group is None else self.group
        best = rounded == rounded.max(axis=1, keepdims=True)
        best &= group == group[best.argmax(axis=1), None]
        return float(((measured * best).sum(axis=1) / best.sum(axis=1)).mean())

    def interval(self, one: int) -> Ends:
        """The interval of a candidate; those of all hold together, so that of the chosen one does.

        It is that of `share_ends` at a stricter level: that of the largest studentised error of any
        candidate, if the signs of errors are flipped at random, those of a question together, and
        errors are studentised anew (max-t; Westfall & Young 1993). Never below the t quantile.
        """
        return share_ends(self.right[:, one], self._level)

    def alone(self, one: int) -> Ends:
        """The interval of a candidate that other labels chose."""
        return share_ends(self.right[:, one], self.level)

    @cached_property
    def _level(self) -> float:
        errors = self.right - self.right.mean(axis=0)
        largest = np.abs(_studentised(_signs(self.n) @ errors, (errors**2).sum(axis=0), self.n))
        t = np.quantile(largest.max(axis=1), self.level, method="higher")
        return level_of(max(float(t), t_quantile(self.level, self.n - 1)), self.n - 1)

    @cached_property
    def after_interval(self) -> Ends:
        """The interval of the chosen one; `after_choosing` lies within."""
        low, high = self.interval(self.chosen)
        return min(low, self.after_choosing), max(high, self.after_choosing)

    def difference(self, one: int, other: int) -> float:
        """How much more often the first of two is right."""
        return float((self.accuracy[one] - self.accuracy[other]).round(_DIGITS))

    def at_least(self, one: int, other: int) -> float:
        """The lower limit of `difference`, which holds for every `one` beside this `other` at once.

        So any candidate may be picked because of it. The critical value is that of the largest
        studentised difference from `other` if signs are flipped at random, one-sided and never
        below that of t (Dunnett 1955, by flips). The limit is that of `share_ends` for the share
        (1 + difference) / 2: of 0/1 it is a sign test of what the two differ in.
        """
        if one == other:
            return 0.0
        shares = (1 + self.right[:, one] - self.right[:, other]) / 2
        return 2 * share_ends(shares, self._level_beside(other))[0] - 1

    def better(self, current: int) -> list[int]:
        """Candidates that are right more often than this one; any is not with 1 - level at most."""
        others = np.flatnonzero(self.accuracy > self.accuracy[current]).tolist()
        return [one for one in others if self.at_least(one, current) > ROUNDING]

    def loss(self, one: int) -> float:
        """The most that any other candidate may be right more often than this one.

        It is the largest upper limit over all others. These hold together for every `one`,
        whichever candidate is truly the best (multiple comparisons with the best; Hsu 1984).
        """
        others = (other for other in self._best_first if other != one)
        return max(-self.at_least(one, other) for other in others)

    def not_worse(self, most: float) -> list[int]:
        """Candidates beside which no other is better by `most` or more.

        Any of them is wrong with 1 - level at most, so the cheapest may be taken.
        """
        found = []
        for one in range(len(self.accuracy)):
            others = (other for other in self._best_first if other != one)
            if all(self.at_least(one, other) > -most for other in others):
                found.append(one)
        return found

    def labels_needed(self, one: int, most: float) -> int | None:
        """Labels that would show with a power of .8 that a candidate is `not_worse`.

        If it is as good as any other that is better here, and verdicts differ as often. None if
        more labels would not help, since `most` is 0.
        """
        if most <= 0:
            return None
        # Of many labels, whose critical values are smaller than those of few.
        each = (1 - self.level) / (len(self.accuracy) - 1)
        needed = 0.0
        for other in self._best_first:
            if other == one:
                continue
            apart = self.right[:, one] - self.right[:, other]
            room = most + max(self.difference(one, other), 0.0)
            tail = max((1 - self._level_beside(other)) / 2, each)
            reach = -float(ndtri(tail)) + _POWER
            rare = log(tail) / log1p(-min(room, 1 - ROUNDING))  # what n equal questions rule out
            needed = max(needed, reach**2 * float(apart.var(ddof=1)) / room**2, rare)
        return ceil(needed)

    @cached_property
    def _best_first(self) -> list[int]:
        return [*map(int, np.argsort(-self.accuracy, kind="stable"))]

    @cached_property
    def _flipped(self) -> FloatArray:
        """Sums of what is right under each flip, FLIPS x m: differences of these are theirs."""
        return np.asarray(_signs(self.n) @ self.right)

    @cached_property
    def _squares(self) -> FloatArray:
        """Sums of squared differences of each two candidates, m x m."""
        products = self.right.T @ self.right
        own = np.diag(products)
        return (own[:, None] + own - 2 * products).clip(0)

    def _critical_beside(self, other: int) -> float:
        known = self._critical
        if other not in known:
            apart = self._flipped - self._flipped[:, [other]]
            largest = _studentised(apart, self._squares[other], self.n).max(axis=1)
            t = float(np.quantile(largest, self.level, method="higher"))
            known[other] = max(t, t_quantile(2 * self.level - 1, self.n - 1))
        return known[other]

    @cached_property
    def _critical(self) -> dict[int, float]:
        return {}

    def _level_beside(self, other: int) -> float:
        return level_of(self._critical_beside(other), self.n - 1)


@lru_cache(maxsize=1)
def _signs(n: int) -> FloatArray:
    """A random sign of each question, FLIPS x n."""
    return np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, n))


@lru_cache(maxsize=1)
def _halves(n: int) -> FloatArray:
    """1 for each question of a random half, HALVES x n."""
    order = np.random.default_rng(0).random((HALVES, n)).argsort(axis=1)
    return (order < n // 2).astype(np.float64)


def _studentised(sums: FloatArray, squares: FloatArray, n: int) -> FloatArray:
    """Means over their standard errors, from the sums of n values and of their squares; 0 of 0."""
    means = sums / n
    variance = ((squares - n * means**2) / (n - 1) / n).clip(0)
    moved = np.abs(means) > ROUNDING
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(moved, means / np.sqrt(variance), 0.0))
