"""What interval another number of questions like a pilot's would have."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .cells import Cells, FloatArray
from .coefficients import Coefficient
from .estimate import LEVEL
from .interval_scales import NO_WIDTH, Ends, share_ends, t_quantile
from .intervals import FEWEST_QUESTIONS

_HALVES = 20
"""Random halves of a pilot whose mean interval is compared with its own."""


@dataclass(frozen=True)
class Scaled:
    """The interval of a coefficient in a pilot of n questions.

    Attributes:
        value: The coefficient.
        ends: Its interval.
        n: Questions of the pilot.
        added: The part of how far each end is from the value that shrinks with the number of
            questions, as what a hypothetical question adds does; the rest shrinks with its root.
    """

    value: float
    ends: Ends
    n: int
    added: Ends = (0.0, 0.0)

    def __call__(self, n: int, times: float, more: float) -> Ends:
        """That of another number: with its t quantile over the root of n.

        With fewer questions than the pilot's, `added` grows faster than that. With more it is taken
        to shrink as the rest does, since what small halves show of large studies errs.
        """
        quantile, of_the_pilot = (t_quantile(LEVEL, one - 1) for one in (n, self.n))
        root = (quantile + more) / of_the_pilot * np.sqrt(self.n / n)
        faster = max(root, self.n / n)
        low, high = (
            float(self.value + times * (root * (end - self.value - added) + faster * added))
            for end, added in zip(self.ends, self.added, strict=True)
        )
        return low, high

    def wider(self, times: float) -> "Scaled":
        """The same with an interval that is so many times as wide."""
        low, high = (self.value + times * (end - self.value) for end in self.ends)
        added = (times * self.added[0], times * self.added[1])
        return replace(self, ends=(low, high), added=added)


def scaled(pilot: Cells, row: Coefficient) -> Scaled:
    """The interval of a coefficient in other numbers of questions.

    Half of a pilot's questions would have an interval as much wider as the root of 2, if it came
    from their number alone. What random halves have more is what each interval adds to its
    questions.
    """
    found, n = row(pilot), len(pilot.questions)
    assert found.value is not None
    assert found.ends is not None
    own = Scaled(found.value, found.ends, n)
    half, generator = n // 2, np.random.default_rng(0)
    if half < FEWEST_QUESTIONS:
        return own
    reaches = []
    for _ in range(_HALVES):
        some = row(pilot.rows(np.sort(generator.permutation(n)[:half])))
        if some.value is not None and some.ends is not None:
            reaches.append([end - some.value for end in some.ends])
    if len(reaches) < _HALVES:
        return own
    root = t_quantile(LEVEL, half - 1) / t_quantile(LEVEL, n - 1) * np.sqrt(n / half)
    reach = np.array(own.ends) - own.value
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (np.mean(reaches, axis=0) / reach - root) / (n / half - root)
    low, high = (reach * np.nan_to_num(share).clip(0, 1)).tolist()
    return replace(own, added=(low, high))


@dataclass(frozen=True)
class OfShares:
    """The interval of a mean of shares, of which a pilot had so many each.

    That of so many questions as the pilot's is its own: its labels are enough where that is narrow
    enough, and else are not.
    """

    shares: FloatArray
    numbers: FloatArray

    def __call__(self, n: int, times: float, more: float) -> Ends:
        """That of n questions with the pilot's shares."""
        from scipy.special import ndtr, ndtri

        quantile = times * ndtri((1 + LEVEL) / 2) + more
        level = float(np.clip(2 * ndtr(quantile) - 1, NO_WIDTH, 1 - NO_WIDTH))
        return share_ends(self.shares, level, self.numbers * n / self.numbers.sum())


Interval = Callable[[int, float, float], Ends]
"""The interval to expect of n questions, with its error multiplied and a quantile added to its."""
