"""What is known at any number of labels?

A labeller stops when the answer is known, so how many labels there are depends on what they say. An
interval for a number that was fixed before is then too narrow. `showing/labelling/stop.js` computes
these once more, for the page that stops.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .cells import ROUNDING, Flags, FloatArray, IntArray
from .estimate import check_level
from .interval_scales import Ends
from .planning import log_evidence
from .selective import Cascade, Rule

LOOSEST = 0.5
"""A verdict without more than this share of the votes is never worth keeping."""

_KEPT = (0.4, 0.55, 0.7, 0.85, 1.0)
"""Shares of what could be kept that the thresholds keep, the strictest first.

Each threshold has to be promised before the next. With many, the strictest keep too few labelled
questions, and no rule is found.
"""

_HALVINGS = 30
"""Halvings of a range of limits until its ends are equal."""


BLOCK = 20
"""Labels after which a page looks whether the answer is known: more looks would tell verdicts."""

MIN_KEPT = 0.5
"""Share of all questions whose verdicts are enough to keep."""


@dataclass(frozen=True)
class Goal:
    """What labels are to show.

    Attributes:
        kind: "keep": which verdicts may be kept; "gate": whether the judge is right often enough;
            "width": how often it is right.
        value: Of these the largest share of the kept that may be wrong, the least share of right
            verdicts, or the half-width of the interval.
        min_kept: Share of all questions that is enough to keep.
        confidence: Probability that what is said is true, at every moment.
        within_one: Whether a grade at most a step from the label is right.
    """

    kind: Literal["keep", "gate", "width"]
    value: float
    min_kept: float = MIN_KEPT
    confidence: float = 0.95
    within_one: bool = False

    def kept_enough(self, level: IntArray, wrong: Flags, kept: Sequence[float]) -> bool:
        """Whether the loosest threshold is promised, or one that keeps enough; see `promised`.

        `kept` is the share of all questions that each threshold keeps.
        """
        last = promised(level, wrong, len(kept), self.value, self.confidence)
        return last >= 0 and (last == len(kept) - 1 or kept[last] >= self.min_kept)

    def share_known(self, shares: FloatArray) -> bool:
        """Whether shares of right verdicts, in the order drawn, decide the gate or the width."""
        low, high = share_at_any_time(shares, self.confidence)
        if self.kind == "gate":
            return low >= self.value or high < self.value
        return (high - low) / 2 <= self.value


def could_be_kept(confidence: FloatArray) -> Flags:
    """Whether each verdict has more than half of the votes, N."""
    return np.asarray(confidence > LOOSEST + ROUNDING)


def few_thresholds(confidence: FloatArray) -> FloatArray:
    """At most five thresholds, the strictest first; no label has a part in them.

    They are quantiles of the confidences that could be kept, and the strictest keeps two fifths of
    these.

    Args:
        confidence: Share of the votes of the most frequent verdict of each question, N.
    """
    inside = np.sort(confidence[could_be_kept(confidence)])[::-1]
    if not len(inside):
        return inside
    last = np.ceil(np.array(_KEPT) * len(inside) - ROUNDING).astype(int) - 1
    return np.unique(inside[last])[::-1]


def levels(confidence: FloatArray, thresholds: FloatArray) -> IntArray:
    """The number of the strictest threshold that keeps each question, N; its number for none."""
    return np.asarray((confidence[:, None] < thresholds[None, :] - ROUNDING).sum(axis=1))


def promised(
    level: IntArray, wrong: Flags, thresholds: int, max_error: float, confidence: float = 0.95
) -> int:
    """Return the number of the loosest threshold that keeps a promise; -1 for none.

    The promise: at most `max_error` of the verdicts that a threshold keeps are wrong. Its evidence
    is the wealth of bets that they are, W = mean over l of prod (1 + l / (1 - e) (e - X_i)), over
    the labelled questions that it keeps in the order in which they were drawn, where X_i is 1 if
    the verdict is wrong (Waudby-Smith & Ramdas 2024). W ever reaches 1 / delta with probability
    delta at most if more are wrong (Ville 1939). A threshold is promised if its W has ever reached
    it, and those of all stricter ones have (fixed sequence).

    Args:
        level: `levels` of the labelled questions, in the order in which they were drawn, T.
        wrong: Whether the verdict of each is wrong, T.
        thresholds: How many thresholds there are.
        max_error: Largest share of the kept verdicts that may be wrong, e.
        confidence: Probability that the promise is kept at every moment, 1 - delta.

    Raises:
        ReliabilityError: The confidence is not between 0 and 1.
    """
    check_level(confidence)
    needed = -np.log(1 - confidence)
    for number in range(thresholds):
        payoffs = max_error - wrong[level <= number].astype(np.float64)
        if not (log_evidence(payoffs, 1 - max_error) >= needed).any():
            return number - 1
    return thresholds - 1


def keep_at_any_time(
    cascade: Cascade, order: IntArray, max_error: float, confidence: float
) -> Rule:
    """Find what may be kept by labels whose number depends on them, as `promised` does.

    Where every verdict that could be kept is labelled and the evidence shows nothing, errors are
    counted: the rule is the loosest threshold with at most `max_error` of them.

    Args:
        cascade: Judges, and the labelled questions; one that is passed over has no right verdict.
        order: The labelled questions by number, in the order in which they were drawn.
        max_error: Largest share of the kept verdicts that may be wrong.
        confidence: Probability that the promise is kept at every moment.
    """
    thresholds = few_thresholds(cascade.confidence)
    path, found = tuple(map(cascade.step, thresholds.tolist())), None
    for step in path:
        said = cascade.kept_verdict(step.threshold)[order]
        wrong = ~cascade.right[order, np.maximum(said, 0)][said >= 0]
        if promised(np.zeros(len(wrong), dtype=int), wrong, 1, max_error, confidence) < 0:
            break
        found = step
    reached = np.isin(np.arange(len(cascade.labelled)), order)
    if found or not path or (could_be_kept(cascade.confidence) & ~reached).any():
        return Rule(found, path)
    few = [step for step in path if step.errors <= max_error * step.n_labelled + ROUNDING]
    return Rule(few[-1] if few else None, path, known=True)


def share_at_any_time(shares: FloatArray, level: float = 0.95) -> Ends:
    """The confidence sequence of the mean of shares from 0 to 1, as it is after the last.

    It has all limits that the evidence of `anytime_share` never decided. With probability `level`
    it has the mean after every share at once.

    Args:
        shares: Shares of questions in the order in which they were drawn, T.
        level: Probability that all intervals hold the mean.

    Raises:
        ReliabilityError: The level is not between 0 and 1.
    """
    check_level(level)
    needed = np.log(2 / (1 - level))

    def above(limit: float) -> bool:
        """Whether the mean is known to be above a limit: so it is above every lower one."""
        return bool((log_evidence(shares - limit, limit) >= needed).any())

    def below(limit: float) -> bool:
        return bool((log_evidence(limit - shares, 1 - limit) >= needed).any())

    low = high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low[0] + low[1]) / 2
        low = (middle, low[1]) if above(middle) else (low[0], middle)
        middle = (high[0] + high[1]) / 2
        high = (high[0], middle) if below(middle) else (middle, high[1])
    return low[0], high[1]
