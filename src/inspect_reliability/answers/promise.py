"""What `keep` promises: how much of what is kept may be wrong, and what counts as wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..record.rule import KeepRule
from ..showing.formats import percent
from .row import NO_LABELS


@dataclass(frozen=True)
class Promise:
    """What is promised: the options of the command.

    Attributes:
        max_error: Largest share of the kept verdicts that may be wrong.
        confidence: Probability that the promise is kept.
        prices: Dollars of a call by judge, where the judgments do not say.
        epsilon: What a person costs more than a judge, in the test against people.
        within_one: Whether a verdict on a scale is right if it is at most a step from the label.
        no_labels: Why there are no labels, where there are none.
        given: The rule that is applied as it is, where other labels made it; None to make one.
    """

    max_error: float = 0.1
    confidence: float = 0.95
    prices: Mapping[str, float] = field(default_factory=dict)
    epsilon: float = 0.1
    within_one: bool = False
    no_labels: str = NO_LABELS
    given: KeepRule | None = None

    @property
    def wrong(self) -> str:
        """What it calls wrong, in words."""
        return "more than a step off" if self.within_one else "wrong"

    @property
    def words(self) -> str:
        """The promise in words."""
        return f"with {percent(self.confidence)} confidence {self.most}"

    @property
    def most(self) -> str:
        """What it promises, where its confidence was said."""
        return f"at most {percent(self.max_error)}"
