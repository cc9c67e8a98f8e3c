"""What the statistics refuse, as named errors."""

from collections.abc import Iterable


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
