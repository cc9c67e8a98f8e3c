"""Rankings corrected by labels, and whom the judge favours."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from ..stats.cells import ROUNDING, Flags, FloatArray, IntArray
from ..stats.estimate import LEVEL, ReliabilityError
from ..stats.interval_scales import Ends, constant_share_bound, t_quantile
from ..stats.intervals import FEWEST_QUESTIONS
from ..stats.rates import Sample, ppi, weight_of
from .scores import Contests, Ranking, by_mean, farther, mean_of, padded, ranked, within_0_1

FEWEST_LABELS = 30
"""Labels of each system from which it has a correction of its own."""


@dataclass(frozen=True)
class LabelledShares:
    """What systems gained on questions, [Q, S] each; NaN where they have nothing.

    Attributes:
        labels: By the labels.
        judged: By the judge, for what is labelled.
        rest: By the judge, on questions without a label of the system.
    """

    labels: FloatArray
    judged: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, judge: Contests, people: Contests, labelled: Flags) -> "LabelledShares":
        """Of a judge's contests and of people's. `labelled`: which of the judge's have labels."""
        n = int(max(judge.question.max(), people.question.max())) + 1
        labels = padded(people.shares, n)
        judged = padded(judge[labelled].shares, n)
        rest = padded(judge.shares, n)
        known = ~np.isnan(labels) & ~np.isnan(judged)
        return cls(
            np.where(known, labels, np.nan),
            np.where(known, judged, np.nan),
            np.where(np.isnan(labels), rest, np.nan),
        )

    @property
    def n(self) -> IntArray:
        """Labelled questions of each system."""
        return np.asarray((~np.isnan(self.labels)).sum(axis=0))

    @cached_property
    def ends(self) -> Ends:
        """The least and the most that a system gained."""
        every = np.concatenate([self.labels, self.judged, self.rest])
        return float(np.nanmin(every)), float(np.nanmax(every))

    @property
    def are_shares(self) -> bool:
        """Whether all that they gained lies between 0 and 1."""
        return self.ends[0] >= 0 and self.ends[1] <= 1

    @property
    def span(self) -> float:
        """How far apart the biases of two systems may be on a question."""
        return 2 * (self.ends[1] - self.ends[0])

    @property
    def bias(self) -> FloatArray:
        """How much more the judge gives than the labels."""
        return self.judged - self.labels


def corrected_ranking(given: LabelledShares, judged: Ranking) -> Ranking:
    """Systems ranked by what the labels say of their scores.

    With 30 labels of each system, by PPI++ a system (`ppi`). Else all scores get the mean bias as
    one correction, and what the bias of two systems may differ by, with 95% confidence, is added to
    every interval: no test decides whether it differs.

    Args:
        given: Labels and verdicts.
        judged: The ranking by the judge.

    Raises:
        ReliabilityError: The ranking has no intervals, or fewer than two systems have three labels.
    """
    if judged.reason:
        raise ReliabilityError(judged.reason)
    n = given.n
    if n.min() >= FEWEST_LABELS:
        return _each(given)
    known = n >= FEWEST_QUESTIONS
    if known.sum() < 2:
        raise ReliabilityError(
            f"the judge's bias is known of systems with {FEWEST_QUESTIONS} labels or more, and of "
            f"two at least: there are {int(known.sum())}"
        )
    bias = given.bias[:, known]
    means, deviations = mean_of(bias), by_mean(bias)
    apart = ranked(means, [deviations], n[known], span=given.span)
    difference = np.abs(means[:, None] - means[None, :])
    slack = float(np.max((difference + apart.all_reach)[np.triu_indices(len(means), 1)]))
    # The common correction moves every score alike.
    common = np.pad(deviations.mean(axis=1), (0, len(judged.moved[0]) - len(deviations)))
    moved = [judged.moved[0] - common[:, None]]
    least, most = given.ends
    found = ranked(
        judged.scores - means.mean(), moved, judged.n_questions, slack=slack, most=most - least
    )
    own = judged.ends - means.mean() + slack * np.array([-1, 1])
    return _with(found, given, farther(found.ends, own))


def _each(given: LabelledShares) -> Ranking:
    scores = np.zeros(given.labels.shape[1])
    ends = np.full((len(scores), 2), np.nan)
    moved, parts = np.zeros(given.labels.shape), (given.labels, given.judged, given.rest)
    for i in range(len(scores)):
        y, f, rest = (one[:, i] for one in parts)
        known, other = ~np.isnan(y), ~np.isnan(rest)
        sample = Sample(y[known], f[known], rest[other])
        tuned = weight_of(sample)
        left, added = y[known] - tuned * f[known], tuned * rest[other]
        n, others = len(left), max(len(added), 1)
        mean = added.sum() / others
        scores[i] = left.mean() + mean
        moved[known, i] = (left - left.mean()) / np.sqrt(n * (n - 1))
        moved[other, i] = (added - mean) / others
        if given.are_shares:
            ends[i] = ppi(sample).ends or (np.nan, np.nan)
    error = np.sqrt((moved * moved).sum(axis=0))
    moved = np.concatenate([moved, np.diag(_unseen(error, ends, given.n))])
    found = ranked(scores, [moved], given.n, most=given.ends[1] - given.ends[0])
    found = replace(found, error=error)
    return _with(found, given, np.where(np.isnan(ends), found.ends, ends))


def _unseen(error: FloatArray, ends: FloatArray, n: IntArray) -> FloatArray:
    """What half the interval of each score has beyond its error, as one more deviation.

    Few labels that are all alike have no error, and would seem to differ from those that are not.
    """
    half = np.nan_to_num(np.diff(ends)[:, 0] / 2) / stdtrit(n - 1, (1 + LEVEL) / 2)
    return np.sqrt(np.maximum(half**2 - error**2, 0))


def _with(found: Ranking, given: LabelledShares, ends: FloatArray) -> Ranking:
    return replace(found, ends=within_0_1(ends, found.scores) if given.are_shares else ends)


def favoured(
    given: LabelledShares, own: Sequence[int], level: float = 0.95
) -> tuple[float, float] | None:
    """How much more the judge favours some systems than the others, and half the 95% interval.

    That is the mean bias of these less that of the others; None where either has fewer than three
    labels each.
    """
    known = np.flatnonzero(given.n >= FEWEST_QUESTIONS)
    these = np.isin(known, own)
    if not these.any() or these.all():
        return None
    bias = given.bias[:, known]
    weight = np.where(these, 1 / these.sum(), -1 / (~these).sum())
    error = float(np.sqrt(((by_mean(bias) @ weight) ** 2).sum()))
    value, n = float(mean_of(bias) @ weight), int(given.n[known].min())
    if error < ROUNDING:
        return value, (abs(value) + given.span) * (1 - constant_share_bound(n, level))
    return value, error * t_quantile(level, n - 1.0)
