"""Which verdicts may be kept? Those with enough votes, and a promise how few of them are wrong.

The promise is for a number of labels that was fixed before, or holds at every number of labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil, inf, log
from typing import NamedTuple

import numpy as np

from .cells import ROUNDING, Flags, FloatArray, IntArray

MOST_THRESHOLDS = 50
"""Thresholds that are tested of exact probabilities, which differ on every question."""

LABELS_DIFFER = 0.01
"""The promise is withdrawn where labelled questions differ from others at this level."""

POWER = 0.8
"""The probability with which planned labels keep a promise."""

_PERMUTATIONS = 1_999

_MANY_PERMUTATIONS = 9_999

_MOST_LABELS, _MOST_PLANNED = 10**6, 10**4
"""Most further labels that are tried, with a known share of errors and with a predicted one."""

_AT_ONCE = 64
"""Sizes of a plan that are tried together."""


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes of one judge on N questions.

    Attributes:
        votes: Votes for each of K verdicts, N x K: counts, or probabilities with `tries` infinite.
            Non-responses and abstentions are verdicts.
        decides: Whether each verdict decides something, K.
        tries: Votes that a question has; one with fewer is never kept.
        grades: The verdicts as numbers, K, NaN for those that are none: then the verdict of several
            votes is their mean, rounded (see `rounded_means`). None if it is the most frequent.
        ways: Of each question the votes of its ways of asking, L x K, which fewer votes take in
            turn (see `turns`); None where all tries were asked alike.
        grid: Which of the grades a mean is rounded to, K; None for all.
    """

    votes: FloatArray
    decides: Flags
    tries: float
    grades: FloatArray | None = None
    ways: Sequence[FloatArray] | None = None
    grid: Flags | None = None

    @cached_property
    def top(self) -> IntArray:
        """The verdict of each question, N; -1 where its most frequent one decides nothing.

        That decides nothing if two are the most frequent, or if it is an abstention.
        """
        most = self.votes.max(axis=1, keepdims=True)
        alone = (self.votes > most - ROUNDING).sum(axis=1) == 1
        first = self.votes.argmax(axis=1)
        most = np.where(alone & self.decides[first], first, -1)
        if self.grades is None:
            return most
        return rounded_means(self.votes, self.grades, most, self.grid)

    @cached_property
    def confidence(self) -> FloatArray:
        """The share of the most frequent verdict, N; 0 where it may never be kept."""
        given = self.votes.sum(axis=1)
        enough = given > 0 if np.isinf(self.tries) else given >= self.tries
        share = self.votes.max(axis=1) / (1.0 if np.isinf(self.tries) else np.maximum(given, 1))
        return np.where(enough & (self.top >= 0), share, 0.0)


@dataclass(frozen=True, eq=False)
class Cascade:
    """Judges asked in turn on N questions, each where the ones before were not sure enough.

    Attributes:
        judges: In the order in which they are asked, fixed before any label is seen; at least one.
        right: Whether each verdict is the label, N x K.
        labelled: Whether each question has a label, N.
    """

    judges: tuple[Votes, ...]
    right: Flags
    labelled: Flags

    @cached_property
    def confidence(self) -> FloatArray:
        """The strictest threshold at which any of the judges keeps its verdict, N."""
        return np.asarray(np.max([one.confidence for one in self.judges], axis=0))

    @cached_property
    def thresholds(self) -> FloatArray:
        """What is tested, the strictest first; no label has a part in it.

        The observed confidences; of exact probabilities, quantiles of them.
        """
        every = np.concatenate([one.confidence for one in self.judges])
        exact = any(np.isinf(one.tries) for one in self.judges)
        return steps_of(every[every > 0], MOST_THRESHOLDS if exact else inf)

    def kept_by(self, threshold: float) -> IntArray:
        """The number of the first judge that is this sure of a question, N; -1 for none."""
        sure = np.array([one.confidence >= threshold - ROUNDING for one in self.judges])
        return np.where(sure.any(axis=0), sure.argmax(axis=0), -1)

    def kept_verdict(self, threshold: float) -> IntArray:
        """The verdict that is kept, N; -1 for none."""
        by, top = self.kept_by(threshold), np.array([one.top for one in self.judges])
        return np.where(by < 0, -1, top[np.maximum(by, 0), np.arange(len(by))])

    def step(self, threshold: float) -> "Threshold":
        """What a threshold keeps, and how much of it is wrong."""
        said = self.kept_verdict(threshold)
        kept = said >= 0
        known = kept & self.labelled
        right = self.right[np.arange(len(said)), np.maximum(said, 0)]
        errors = int((known & ~right).sum())
        return Threshold(float(threshold), float(kept.mean()), int(known.sum()), errors)


class Threshold(NamedTuple):
    """A threshold: the share of questions that it keeps, and how many labelled ones are wrong."""

    threshold: float
    kept: float
    n_labelled: int
    errors: int

    @property
    def error(self) -> float | None:
        """Share of the kept and labelled that are wrong; None without any."""
        return self.errors / self.n_labelled if self.n_labelled else None


class Needed(NamedTuple):
    """Labelled questions by which a threshold probably passes."""

    labels: int
    step: Threshold


class Testing(NamedTuple):
    """How thresholds are tested in a sequence.

    Attributes:
        fewest: Labelled questions that a threshold has to keep.
        max_error: Largest share of them that may be wrong.
        level: The level of each test.
        whole_first: As in `selective_rule`.
    """

    fewest: int
    max_error: float
    level: float
    whole_first: bool


@dataclass(frozen=True)
class Rule:
    """The loosest threshold that keeps the promise.

    Attributes:
        step: What it keeps; None if no threshold keeps the promise.
        path: Every threshold, the strictest first.
        labelled: How many questions have a label.
        testing: How more labels would be tested; None where these are not asked for.
        known: Whether every verdict that could be kept is labelled, so that its errors are counted.
    """

    step: Threshold | None
    path: tuple[Threshold, ...]
    labelled: int = 0
    testing: Testing | None = None
    known: bool = False

    @cached_property
    def needed(self) -> Needed | None:
        """Labels by which a threshold passes with a probability of `POWER`, as these labels tell.

        None if no number does, or where one passes now.
        """
        return self._needed(_predicted(self.path)) if self.path else None

    @cached_property
    def if_as_before(self) -> Needed | None:
        """The same if the share of wrong verdicts is truly that of these labels."""
        return self._needed(np.array([step.error or 0.0 for step in self.path]))

    def _needed(self, error: "FloatArray | _Betas") -> Needed | None:
        """The same if this share of further verdicts is wrong at each threshold."""
        more = self.testing and _more_labels(self.path, error, self.testing)
        return Needed(self.labelled + more.labels, more.step) if more else None

    def refuted(self, max_error: float, confidence: float) -> bool:
        """Whether more than `max_error` is shown to be wrong at every threshold.

        At each, P(Bin(n, max_error) >= errors) <= 1 - `confidence` (Clopper & Pearson 1934).
        """
        from scipy.special import bdtrc

        n = np.array([step.n_labelled for step in self.path])
        errors = np.array([step.errors for step in self.path])
        more = (errors > 0) & (bdtrc(np.maximum(errors - 1, 0), n, max_error) <= 1 - confidence)
        return bool(more.all())


def fewest_kept(max_error: float, confidence: float, whole_first: bool = False) -> int:
    """Labelled questions without an error that promise this, ceil(ln delta / ln(1 - alpha)).

    With `whole_first` by half of the level; see `selective_rule`.
    """
    delta = 1 - (_halved(confidence) if whole_first else confidence)
    return ceil(log(delta) / log(1 - max_error) - ROUNDING)


def selective_rule(
    cascade: Cascade, max_error: float = 0.1, confidence: float = 0.95, whole_first: bool = False
) -> Rule:
    """Find what may be kept so that at most `max_error` of it is wrong.

    Fixed sequence testing (Angelopoulos, Bates, Candes, Jordan & Lei 2021, "Learn then Test"; of
    judges Jung, Brahman & Choi 2024, "Trust or Escalate"): thresholds are tested from the
    strictest on, beginning with the first that keeps enough labelled questions for a test to pass.
    A test passes while P(Bin(n, max_error) <= errors) <= 1 - `confidence`; the last that passes in
    a row is the rule. Labels must be a simple random draw of questions.

    With `whole_first` all that could be kept is tested before, at half of the level, and the
    sequence has the other half: for verdicts that are as often right where votes differ, as grades
    are within one step.
    """
    from scipy.special import bdtr

    needed = fewest_kept(max_error, confidence, whole_first)
    confidence = _halved(confidence) if whole_first else confidence

    def passes(step: Threshold) -> bool:
        return bool(bdtr(step.errors, step.n_labelled, max_error) <= 1 - confidence + ROUNDING)

    path = tuple(map(cascade.step, cascade.thresholds.tolist()))
    if whole_first and path and passes(path[-1]):
        return Rule(path[-1], path)
    found = None
    for step in path:
        if step.n_labelled < needed:
            continue
        if not passes(step):
            break
        found = step
    if found or not path:
        return Rule(found, path)
    testing = Testing(needed, max_error, 1 - confidence, whole_first)
    return Rule(None, path, int(cascade.labelled.sum()), testing)


def labels_for_rule(
    path: Sequence[Threshold],
    max_error: float,
    confidence: float,
    whole_first: bool = False,
    more: float = 0.0,
    power: float = POWER,
) -> int | None:
    """Fewest new labelled questions with which a rule begins with some probability.

    Their errors are predicted from some other labels, see `_predicted`.

    Args:
        path: Thresholds, the strictest first, with the errors of those labels.
        max_error: Largest share of the kept verdicts that may be wrong.
        confidence: Probability that the promise is kept.
        whole_first: As in `selective_rule`.
        more: How much larger the share of wrong verdicts is than on those labels.
        power: The probability that the test passes.

    Returns:
        None if no number would do.
    """
    if not path:
        return None
    needed = fewest_kept(max_error, confidence, whole_first)
    delta = 1 - (_halved(confidence) if whole_first else confidence)
    new = [Threshold(step.threshold, step.kept, 0, 0) for step in path]
    testing = Testing(needed, max_error, delta, whole_first)
    found = _more_labels(new, _predicted(path, more), testing, power)
    return found.labels if found else None


class _Betas(NamedTuple):
    """Beta distributions of the share of wrong verdicts, one a threshold.

    Attributes:
        wrong: Their first parameters.
        right: Their second ones.
    """

    wrong: FloatArray
    right: FloatArray


def _predicted(path: Sequence[Threshold], more: float = 0.0) -> _Betas:
    """The share of wrong verdicts at each threshold, as its labels tell, from a uniform prior.

    Errors of further labels are then beta-binomial, and a plan by these has the predictive
    probability of Lee & Liu (2008), "A predictive probability design for phase II cancer clinical
    trials". With the prior of Jeffreys too few plans gave a promise (`bench/keep.py`).

    Args:
        path: Thresholds with the errors of some labels.
        more: How much larger the share of wrong verdicts is than on these.
    """
    known, errors = np.array([(step.n_labelled, step.errors) for step in path], dtype=float).T
    wrong = np.minimum(errors + more * known, known)
    return _Betas(wrong + 1, known - wrong + 1)


def _halved(confidence: float) -> float:
    """The confidence of each of two tests that share the level of one."""
    return 1 - (1 - confidence) / 2


def _more_labels(
    path: Sequence[Threshold],
    error: FloatArray | _Betas,
    testing: Testing,
    power: float = POWER,
) -> Needed | None:
    """Fewest further labelled questions with which the rule begins with some probability.

    The rule begins with the strictest threshold that then keeps enough of them, and passes where
    the errors so far and those of the others are few. How many a threshold keeps is not known
    either: it has to pass with a standard deviation fewer than expected, and with one more.

    Args:
        path: Thresholds, the strictest first, with the errors so far.
        error: The share of further verdicts that is wrong at each, or its distribution.
        testing: How they are tested.
        power: The probability that the test passes.

    Returns:
        How many, and the threshold that passes; None if no number would do.
    """
    sizes = _sizes(_MOST_PLANNED if isinstance(error, _Betas) else _MOST_LABELS)
    for first in range(0, len(sizes), _AT_ONCE):
        more = sizes[first : first + _AT_ONCE]
        fewer = _passing(path, error, testing, power, more, -1)
        if (fewer < 0).all():
            continue
        passed = (fewer >= 0) & (_passing(path, error, testing, power, more, 1) >= 0)
        if passed.any():
            return Needed(int(more[passed.argmax()]), path[fewer[passed.argmax()]])
    return None


def _passing(
    path: Sequence[Threshold],
    error: FloatArray | _Betas,
    testing: Testing,
    power: float,
    more: IntArray,
    deviations: int,
) -> IntArray:
    """The threshold that passes with each of some numbers of further labels; -1 for none.

    Each keeps the expected number of them, and so many standard deviations.
    """
    needed, max_error, delta, whole_first = testing
    kept, known, errors = np.array([(s.kept, s.n_labelled, s.errors) for s in path]).T
    expected = np.multiply.outer(kept, more)
    new = expected + deviations * np.sqrt(expected * (1 - kept[:, None]))
    new = np.clip(new + ROUNDING, 0, more).astype(int)
    n = new + known[:, None].astype(int)
    enough = n >= needed
    step = np.where(enough.any(axis=0), enough.argmax(axis=0), -1)
    whole = [np.full(len(more), len(path) - 1)] if whole_first else []
    passed, at = np.full(len(more), -1), np.arange(len(more))
    for tried in (step, *whole):
        left = _most_wrong(n[tried, at], max_error, delta) - errors[tried].astype(int)
        passes = _at_most(left, new[tried, at], error, tried) >= power
        passed = np.where((tried >= 0) & (left >= 0) & passes, tried, passed)
    return passed


def _at_most(left: IntArray, n: IntArray, error: FloatArray | _Betas, at: IntArray) -> FloatArray:
    """How probably at most so many of n are wrong, by the error of some thresholds."""
    from scipy.special import bdtr, betaln

    left = np.clip(left, 0, n)
    if not isinstance(error, _Betas):
        return np.asarray(bdtr(left, n, error[at]))
    wrong, right = (one[at] for one in error)
    k = np.arange(left.max(initial=0))
    own, a, b = n[:, None], wrong[:, None], right[:, None]
    # The beta-binomial of k + 1 is that of k times this.
    times = np.maximum(own - k, 1) * (a + k) / ((k + 1) * np.maximum(b + own - k - 1, 1))
    logs = np.pad(np.log(times).cumsum(axis=1), ((0, 0), (1, 0)))
    logs += (betaln(wrong, right + n) - betaln(wrong, right))[:, None]
    return np.asarray(np.exp(logs).sum(axis=1, where=np.arange(len(k) + 1) <= left[:, None]))


def _most_wrong(n: IntArray, max_error: float, delta: float) -> IntArray:
    """The most wrong ones of n with which a test passes; -1 where it does with none.

    The largest k with Bin(k; n, max_error) <= delta, from its normal approximation on:
    `scipy.stats`, which has it, takes half a second to load.
    """
    from scipy.special import bdtr, ndtri

    def fails(k: IntArray) -> Flags:
        return (k >= 0) & (bdtr(np.maximum(k, 0), n, max_error) > delta + ROUNDING)

    near = n * max_error + ndtri(delta) * np.sqrt(n * max_error * (1 - max_error))
    most = np.clip(near, -1, n).astype(int)
    while (lower := fails(most)).any():
        most = most - lower
    while (higher := (most < n) & ~fails(most + 1)).any():
        most = most + higher
    return np.asarray(most)


@cache
def _sizes(most: int) -> IntArray:
    """Numbers of further labels that are tried."""
    sizes = [1]
    while (size := sizes[-1] + max(1, sizes[-1] // 100)) <= most:
        sizes.append(size)
    return np.array(sizes)


def steps_of(values: FloatArray, most: float = MOST_THRESHOLDS) -> FloatArray:
    """The different values, the highest first; quantiles where there are more than `most`."""
    found = np.unique(values)
    if len(found) > most:
        places = np.linspace(0, 1, int(most))
        found = np.unique(np.quantile(values, places, method="inverted_cdf"))
    return found[::-1]


class Difference(NamedTuple):
    """Where labelled questions differ most from the others: shares above it, and the p value."""

    threshold: float
    labelled: float
    others: float
    p_value: float


def labels_differ(
    values: FloatArray,
    labelled: Flags,
    steps: FloatArray,
    alike: IntArray | None = None,
    seed: int = 0,
) -> Difference | None:
    """Compare labelled and other questions by a permutation test of a value, as the confidence.

    The statistic is the largest difference of the shares at or above a step from those expected of
    a random draw. It does not see labels that differ at equal values.

    Args:
        values: A value of each of N questions.
        labelled: Whether each has a label, N.
        steps: Where shares are compared, the highest first.
        alike: What makes values comparable, as the number of tries, N: questions are permuted among
            those where it is equal; by default among all.
        seed: Seed of the permutations.

    Returns:
        None if every question is labelled, or none, of all that are alike.
    """
    if not len(steps) or not len(values):
        return None
    # A level a step, and a last one for what is below all.
    level = (values[:, None] < steps[None, :] - ROUNDING).sum(axis=1)
    kinds = np.zeros(len(values), dtype=np.int64) if alike is None else alike
    random, size = np.random.default_rng(seed), len(steps) + 1
    compared = np.zeros(len(values), dtype=bool)
    drawn, expected = np.zeros((_PERMUTATIONS, size)), np.zeros(size)
    for kind in np.unique(kinds):
        of = kinds == kind
        n, every = int(labelled[of].sum()), np.bincount(level[of], minlength=size)
        if 0 < n < of.sum():
            compared |= of
            expected += n / of.sum() * every
            drawn += random.multivariate_hypergeometric(every, n, _PERMUTATIONS, method="marginals")
    if not compared.any():
        return None
    with_label = labelled & compared
    own, rest = (
        np.bincount(level[one], minlength=size) for one in (with_label, compared & ~labelled)
    )

    def apart(counts: FloatArray) -> FloatArray:
        return np.asarray(np.abs((counts - expected).cumsum(axis=-1)[..., :-1]))

    found = apart(own.astype(float))
    at = int(found.argmax())
    as_far = apart(drawn).max(axis=1) >= found[at] - ROUNDING * len(values)
    p_value = (1 + int(as_far.sum())) / (1 + _PERMUTATIONS)
    with_labels, others = (float(one.cumsum()[at] / one.sum()) for one in (own, rest))
    return Difference(float(steps[at]), with_labels, others, p_value)


def levels_differ(one: IntArray, other: IntArray, seed: int = 0) -> float:
    """The p value of "both samples are of one distribution" over levels in their order.

    A permutation test by the statistic of Anderson and Darling for samples with ties (Scholz &
    Stephens 1987, A_akN): it weighs differences at every level, so it sees those of neighbouring
    levels that one threshold does not.

    Args:
        one: How many of a sample have each level, L.
        other: The same of another sample, L.
        seed: Seed of the permutations.
    """
    every, n = one + other, int(one.sum())
    every, one = every[every > 0], one[every > 0]
    size = int(every.sum())
    if len(every) < 2 or not 0 < n < size:
        return 1.0
    below = every.cumsum() - every / 2
    weights = every / (below * (size - below) - size * every / 4)

    def apart(drawn: IntArray) -> FloatArray:
        own = drawn.cumsum(axis=-1) - drawn / 2
        return np.asarray(((size * own - n * below) ** 2 * weights).sum(axis=-1))

    drawn = np.random.default_rng(seed).multivariate_hypergeometric(
        every, n, _MANY_PERMUTATIONS, method="marginals"
    )
    as_far = apart(drawn) >= apart(one) * (1 - ROUNDING)
    return (1 + int(as_far.sum())) / (1 + _MANY_PERMUTATIONS)


def half_width(distances: FloatArray, max_error: float, confidence: float = 0.95) -> float | None:
    """The distance that holds the labels of all but `max_error` of questions, with this confidence.

    The upper limit of a tolerance interval (Wilks 1941): the k-th smallest of n distances of mean
    verdict and label, for the smallest k with P(Bin(n, 1 - max_error) < k) of the confidence. None
    with fewer than `fewest_kept`. Grades have ties, and are held more often.
    """
    from scipy.special import bdtr

    n = len(distances)
    sure = bdtr(np.arange(n), n, 1 - max_error) >= confidence - ROUNDING
    return float(np.sort(distances)[sure.argmax()]) if sure.any() else None


def rounded_means(
    votes: FloatArray, grades: FloatArray, most: IntArray, grid: Flags | None = None
) -> IntArray:
    """The grade nearest to the mean of a question's grades, N.

    Midway between two, it is the one on the side of the most frequent verdict, or the lower one if
    that is midway as well. Where the most frequent is no number, it stays the verdict.

    Args:
        votes: Votes for each of K verdicts, N x K.
        grades: These as numbers, K, NaN for those that are none.
        most: The most frequent verdict of each question, N, -1 for none.
        grid: Which of the numbers are grades that a mean is rounded to, K; None for all.
    """
    order = np.argsort(grades, kind="stable")  # of equals the lower one
    number = order[~np.isnan(grades[order])]
    own = most[of := np.isin(most, number)]
    given, values = votes[of][:, number], grades[number]
    apart = np.abs((given @ values / given.sum(axis=1))[:, None] - values)
    apart = apart if grid is None else np.where(grid[number], apart, inf)
    nearest = apart <= apart.min(axis=1, keepdims=True) + ROUNDING
    aside = np.where(nearest, np.abs(grades[own][:, None] - values), inf)
    found = most.copy()
    found[of] = number[aside.argmin(axis=1)]
    return found
