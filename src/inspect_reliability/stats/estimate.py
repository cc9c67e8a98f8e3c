"""A coefficient and what qualifies it."""

from dataclasses import dataclass
from typing import Literal

IntervalMethod = Literal["jackknife", "exact bound"]


@dataclass(frozen=True)
class LeftOut:
    """What did not enter an estimate.

    Attributes:
        verdicts: Number of verdicts that were missing or excluded.
        questions: Questions with fewer than two replications.
    """

    verdicts: int = 0
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimate:
    """A coefficient, which never travels alone.

    Attributes:
        value: The coefficient, never clipped; None if it is not estimable.
        low: Lower end of its interval; None without an interval.
        high: Upper end of its interval; None without an interval.
        n_questions: Questions that entered.
        n_replications: Replications per question that entered: their mean over the questions.
        left_out: What did not enter.
        reason: Why there is no value or, with a value, why there is no interval; else None.
        method: How the interval was made; None without an interval. Both generalise to other
            questions of the same kind: the jackknife over questions on the log scale, or the exact
            bound where no question varies (that of a non-response rate is for these questions
            only, and its warning says so).
        level: Confidence level of the interval.
        warning: What a reader must know before using the value; None if nothing.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_questions: int = 0
    n_replications: float = 0.0
    left_out: LeftOut = LeftOut()
    reason: str | None = None
    method: IntervalMethod | None = None
    level: float = 0.95
    warning: str | None = None
