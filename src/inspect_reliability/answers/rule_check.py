"""Do labels of new questions agree with a saved rule?"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..showing.formats import percent
from ..stats.cells import ROUNDING
from ..stats.interval_scales import one_sided
from ..stats.selective import Threshold
from .promise import Promise


@dataclass(frozen=True)
class RuleCheck:
    """What labels show of what a rule keeps, where other labels made the rule.

    Attributes:
        step: What the rule keeps, and how many of the labelled are wrong.
        promise: What the rule promises.
        unfit: Why these labels can check nothing, if they cannot.
    """

    step: Threshold
    promise: Promise
    unfit: Sequence[str] = ()

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that is wrong: each one-sided, by Clopper and Pearson."""
        n, errors = self.step.n_labelled, self.step.errors
        return one_sided(errors, n, self.promise.confidence)

    @property
    def contradicts(self) -> bool:
        """Whether more is shown to be wrong than the rule allows."""
        known = self.step.n_labelled and not self.unfit
        return bool(known) and self.ends[0] > self.promise.max_error

    @property
    def words(self) -> str:
        """What the labels show, without a stop."""
        n, errors, allowed = self.step.n_labelled, self.step.errors, self.promise.max_error
        if not n:
            return "none of the labelled questions is kept, so their labels do not check the rule"
        is_ = "is" if errors == 1 else "are"
        found = f"{errors:,} of {n:,} kept verdicts with a label {is_} {self.promise.wrong}"
        if self.unfit:
            return f"{found}, which does not check the rule: {self.unfit[0]}"
        sure = f"with {percent(self.promise.confidence)} confidence"
        least, most = (f"{100 * one:.1f}%" for one in self.ends)
        if self.contradicts:
            allows = f"the rule allows {percent(allowed)}"
            return f"{found}, which contradicts the rule: {sure} at least {least} is, and {allows}"
        if (1 - self.promise.confidence) ** (1 / n) <= allowed:
            return f"{found}: so few labels cannot contradict the rule"
        if errors <= allowed * n + ROUNDING:
            return (
                f"{found}: agrees with the rule ({sure} at most {most} is, by these labels alone)"
            )
        by_chance = f"more than {percent(allowed)}, which may be chance"
        return f"{found}: {by_chance} ({sure} at least {least} is)"
