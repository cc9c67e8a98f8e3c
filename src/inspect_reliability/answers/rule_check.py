"""Do labels of new questions agree with a saved rule?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..record.rule import KeepRule
from ..showing.formats import chance, percent, share
from ..stats.cells import ROUNDING, IntArray
from ..stats.interval_scales import one_sided
from ..stats.selective import LABELS_DIFFER, Threshold, levels_differ
from .promise import Promise


def judged_otherwise(given: KeepRule, agreeing: IntArray) -> str | None:
    """Why a rule's promise may not hold of questions whose votes are not as steady; else None.

    `levels_differ` compares how many votes agree. Of a rule that does not say it, only what was
    kept is known; one that does not say how many questions made it had its labelled ones at least.

    Args:
        given: The rule.
        agreeing: Questions here by the most votes that agree, as the rule has them.
    """
    made, least = np.array(given.agreeing), 0
    if not given.agreeing:
        least, of = given.votes_needed - 1, given.n_questions or given.n_labelled
        made = np.array([of - round(given.kept * of), round(given.kept * of)])
        agreeing = np.array([agreeing[: least + 1].sum(), agreeing[least + 1 :].sum()])
    if (p_value := levels_differ(made, agreeing)) > LABELS_DIFFER:
        return None
    then, now = (one[::-1].cumsum()[::-1] / one.sum() for one in (made, agreeing))
    at = int(np.abs(then - now).argmax())
    needed, votes = at + least, given.votes
    alike = f"{f'all {votes}' if needed == votes else f'{needed} or more of {votes}'} votes alike"
    alike = alike if votes > 1 else "a verdict"
    return (
        f"of the questions that the rule was made of, {share(then[at], int(made.sum()))} had "
        f"{alike}, and {share(now[at], int(agreeing.sum()))} of these "
        f"({chance(p_value)}): these verdicts are others, and its promise may not hold"
    )


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
    def _checks(self) -> bool:
        """Whether the labels can check anything."""
        return bool(self.step.n_labelled and not self.unfit)

    @property
    def contradicts(self) -> bool:
        """Whether more is shown to be wrong than the rule allows."""
        return self._checks and self.ends[0] > self.promise.max_error

    @property
    def confirms(self) -> bool:
        """Whether these labels by themselves show what the rule promises."""
        return self._checks and self.ends[1] <= self.promise.max_error

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
