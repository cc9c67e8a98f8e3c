"""A coefficient and what qualifies it."""

from dataclasses import dataclass

LEVEL = 0.95
"""Confidence level of intervals, where no other is asked for."""


@dataclass(frozen=True)
class Estimate:
    """A coefficient with its interval and what qualifies it.

    Attributes:
        value: The coefficient, never clipped; None if not estimable.
        low: Lower end of its interval, and `high` the upper; None without an interval.
        n_questions: Questions that entered.
        n_replications: Mean replications of these questions.
        left_out: Questions with too few verdicts to enter.
        reason: Why there is no value or, with a value, no interval; else None.
        method: Method of the interval; None without one. All intervals are for other questions of
            the same kind. "Gaffke" weights questions at random, "exact bound" is for questions that
            never vary; all others are jackknives over questions.
        level: Confidence level of the interval.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_questions: int = 0
    n_replications: float = 0.0
    left_out: tuple[str, ...] = ()
    reason: str | None = None
    method: str | None = None
    level: float = LEVEL

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends of its interval; None without one."""
        return None if self.low is None or self.high is None else (self.low, self.high)
