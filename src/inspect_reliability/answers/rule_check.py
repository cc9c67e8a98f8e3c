"""Do labels of new questions agree with a saved rule?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..judgments.count import NUMBER
from ..record.rule import KeepRule
from ..showing.formats import chance, percent, share
from ..stats.cells import ROUNDING, IntArray
from ..stats.interval_scales import one_sided
from ..stats.selective import LABELS_DIFFER, Cascade, Threshold, levels_differ
from .promise import Promise


def agreeing_in(cascade: Cascade) -> IntArray:
    """Questions by the most votes that agree, from 0, where nothing could be kept, on."""
    votes = int(cascade.judges[0].tries)
    return np.bincount(np.rint(cascade.confidence * votes).astype(int), None, votes + 1)


def said_in(cascade: Cascade, names: Sequence[str], threshold: float) -> dict[str, int]:
    """Questions by verdict: that of the judge that keeps it, else of the one asked last.

    Args:
        cascade: The judges.
        names: The names of their verdicts.
        threshold: What keeps a verdict.
    """
    by = cascade.kept_by(threshold)
    last = np.where(by < 0, len(cascade.judges) - 1, by)
    top = np.array([one.top for one in cascade.judges])[last, np.arange(len(by))]
    said = np.bincount(top[top >= 0], minlength=len(names)).tolist()
    return {name: n for name, n in zip(names, said, strict=True) if n}


def judged_otherwise(given: KeepRule, cascade: Cascade, names: Sequence[str]) -> str | None:
    """Why a rule's promise may not hold of questions that are judged otherwise; else None.

    `levels_differ` compares how many votes agree, then which verdicts they make.

    Args:
        given: The rule.
        cascade: Its judges here.
        names: The names of their verdicts.
    """
    found = _as_steady(given, agreeing_in(cascade))
    if found is None and given.verdicts:
        found = _said(given.verdicts, said_in(cascade, names, given.share))
    return found and f"of the questions that the rule was made of, {found}: {_CHANGED}"


_CHANGED = "the judge changed, or what it judges did, so that its promise may not hold"


def _as_steady(given: KeepRule, agreeing: IntArray) -> str | None:
    """In words, that fewer or more votes agree; None where it may be chance.

    Of a rule that does not say how many agreed, only what was kept is known; one that does not say
    how many questions made it had its labelled ones at least.
    """
    made, least = np.array(given.agreeing), 0
    if not given.agreeing:
        least, of = given.votes_needed - 1, given.n_questions or given.n_labelled
        made = np.array([of - round(given.kept * of), round(given.kept * of)])
        agreeing = np.array([agreeing[: least + 1].sum(), agreeing[least + 1 :].sum()])
    if (p_value := levels_differ(made, agreeing)) > LABELS_DIFFER:
        return None
    at, then, now = _farthest(made, agreeing)
    needed, votes = at + least, given.votes
    alike = f"{f'all {votes}' if needed == votes else f'{needed} or more of {votes}'} votes alike"
    alike = alike if votes > 1 else "a verdict"
    return f"{then} had {alike}, and {now} of these ({chance(p_value)})"


def _said(made: Mapping[str, int], said: Mapping[str, int]) -> str | None:
    """In words, that verdicts are others; None where it may be chance.

    Grades have an order. Names have that of how often both samples have them, which the order of
    the samples does not change.
    """
    numbers = all(map(NUMBER.fullmatch, {**made, **said}))
    one, other = Counter[Any](), Counter[Any]()
    for of, counts in ((made, one), (said, other)):
        for name, n in of.items():
            counts[float(name) if numbers else name] += n  # 3.0 is 3
    both = one + other
    names = sorted(both) if numbers else sorted(both, key=lambda name: (-both[name], name))
    then, now = (np.array([counts[name] for name in names]) for counts in (one, other))
    if (p_value := levels_differ(then, now)) > LABELS_DIFFER:
        return None
    if numbers:
        at, was, is_ = _farthest(then, now)
        return f"{was} had a grade of {names[at]:g} or more, and {is_} of these ({chance(p_value)})"
    at = int(np.abs(then / then.sum() - now / now.sum()).argmax())
    was, is_ = (share(of[at] / of.sum(), int(of.sum())) for of in (then, now))
    return f"{was} had the verdict {names[at]!r}, and {is_} of these ({chance(p_value)})"


def _farthest(made: IntArray, here: IntArray) -> tuple[int, str, str]:
    """The level at or above which two samples differ most, and the share of each there."""
    then, now = (one[::-1].cumsum()[::-1] / one.sum() for one in (made, here))
    at = int(np.abs(then - now).argmax())
    return at, share(then[at], int(made.sum())), share(now[at], int(here.sum()))


@dataclass(frozen=True)
class RuleCheck:
    """What labels show of what a rule keeps, where other labels made the rule.

    Attributes:
        step: What the rule keeps, and how many of the labelled are wrong.
        promise: What the rule promises.
        n_labelled: Questions with a label, kept or not.
        unfit: Why these labels can check nothing, if they cannot.
    """

    step: Threshold
    promise: Promise
    n_labelled: int
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
    def is_open(self) -> bool:
        """Whether more is wrong than the rule allows, and so few labels do not decide on it."""
        allowed = self.promise.max_error * self.step.n_labelled + ROUNDING
        undecided = self._checks and not (self.contradicts or self.confirms)
        return undecided and self.step.errors > allowed

    def labels_to_decide(self, most: int) -> int | None:
        """Further labels of kept verdicts that contradict the rule if errors stay as frequent.

        None if so many as `most` do not.
        """
        from scipy.special import bdtrc

        n = self.step.n_labelled + np.arange(1, most + 1)
        errors = np.rint(n * self.step.errors / self.step.n_labelled)
        sure = bdtrc(errors - 1, n, self.promise.max_error) <= 1 - self.promise.confidence
        return int(sure.argmax()) + 1 if sure.any() else None

    @property
    def words(self) -> str:
        """What the labels show, without a stop."""
        n, errors, allowed = self.step.n_labelled, self.step.errors, self.promise.max_error
        if not n:
            of = (
                "the labelled question is not"
                if self.n_labelled == 1
                else (f"none of the {self.n_labelled:,} labelled questions is")
            )
            return f"{of} kept, so labels do not check the rule"
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
        neither = f"more than {percent(allowed)}, which neither confirms nor contradicts the rule"
        return f"{found}: {neither} ({sure} at least {least} is)"
