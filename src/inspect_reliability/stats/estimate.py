"""An estimate with what qualifies it, and the errors of the statistics."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# What the statistics refuse, as named errors.


class ReliabilityError(ValueError):
    """No statistic can be computed from this input."""


class NoJudgmentsError(ReliabilityError):
    """There is no verdict."""

    def __init__(self) -> None:
        super().__init__("No verdicts: nothing was judged, or every verdict is missing.")


class ShapeError(ReliabilityError):
    """The verdicts do not form questions x replications."""


class UnknownCategoryError(ReliabilityError):
    """Verdicts outside the declared categories."""

    def __init__(self, unknown: Iterable[str], declared: Iterable[str]) -> None:
        super().__init__(
            f"Unknown verdicts {', '.join(map(repr, unknown))}: the declared categories are "
            f"{', '.join(map(repr, declared))}. Correct the verdicts or declare the categories."
        )


class UnknownCoefficientError(ReliabilityError):
    """The name is not in the table of coefficients."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"Unknown coefficient {name!r}. Use one of: {', '.join(known)}.")


def check_level(level: float) -> None:
    """Raise ReliabilityError for a confidence level outside (0, 1)."""
    if not 0 < level < 1:
        raise ReliabilityError(
            f"The confidence level must lie between 0 and 1, not be {level}. For 95% pass 0.95."
        )


LEVEL = 0.95
"""Confidence level of intervals, where no other is asked for."""


class Reason(str):
    """Words that tell a reader why something is not known, or not to be trusted, with a code.

    Programs know it by the code: other words change nothing but what is read.
    """

    code: StrEnum

    def __new__(cls, code: StrEnum, words: str) -> "Reason":
        """Return the words with their code."""
        made = super().__new__(cls, words)
        made.code = code
        return made

    def __getnewargs__(self) -> tuple[StrEnum, str]:  # type: ignore[override]  # what copies take
        return self.code, str(self)


class Unknown(StrEnum):
    """Codes of what is not known."""

    TOO_FEW = "too_few"
    OTHER_KIND = "other_kind"  # which no more data of this kind tells
    NO_NUMBERS = "no_numbers"  # the same, as verdicts have no numbers or no order
    NO_SCALE = "no_scale"  # the same, as verdicts and labels are on no scale
    NO_NEAREST = "no_nearest"  # the same, as a mean has no nearest grade


def code_of(words: str | None) -> StrEnum | None:
    """The code of a reason; None of other words, and without any."""
    return words.code if isinstance(words, Reason) else None


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
        """Both ends of the interval; None if the estimate has no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)
