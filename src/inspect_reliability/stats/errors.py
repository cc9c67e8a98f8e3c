"""What the statistics refuse, by name."""

from collections.abc import Iterable


class ReliabilityError(ValueError):
    """Judgments that no coefficient can be computed from."""


class NoJudgmentsError(ReliabilityError):
    """There is no verdict at all."""

    def __init__(self) -> None:
        super().__init__("There are no verdicts: nothing was judged, or every verdict is missing.")


class ShapeError(ReliabilityError):
    """The judgments do not form questions x replications."""


class UnknownCategoryError(ReliabilityError):
    """Verdicts outside the declared categories."""

    def __init__(self, unknown: Iterable[str], declared: Iterable[str]) -> None:
        super().__init__(
            f"Unknown verdicts {', '.join(map(repr, unknown))}: the declared categories are "
            f"{', '.join(map(repr, declared))}. Correct the verdicts or declare the categories."
        )
