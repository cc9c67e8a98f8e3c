"""Rates corrected by a few labels, as if people had judged everything."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .cells import Cells
from .estimate import LEVEL, Estimate
from .interval_scales import linear_error, t_quantile
from .intervals import NOISE, within_bounds
from .long import FloatArray
from .rates import by_question, mean_share

NO_REST = "every question is labelled: the labels themselves are the rate"
ONE_CATEGORY = "the labels do not have both categories"
NO_BETTER_THAN_CHANCE = "the judge is right no more often than by chance"
MAY_BE_CHANCE = "no interval: by so few labels the judge may be right no more often than by chance"


@dataclass(frozen=True, eq=False)
class Sample:
    """A category on labelled and other questions, all drawn at random.

    Attributes:
        labels: Share of labels in the category, for each of n labelled questions.
        judged: Share of verdicts in it, for the same questions.
        rest: Share of verdicts in it, for each of N other questions.
    """

    labels: FloatArray
    judged: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, given: Cells, labels: Cells, category: str) -> Self:
        """One category of these verdicts and labels.

        Only labelled outputs of a question enter; the other questions have no label.
        """
        row = {name: i for i, name in enumerate(labels.questions)}
        place = np.array([row.get(name, -1) for name in given.questions])
        labelled, judged = place >= 0, given.replications > 0
        said, truth = given.share_of(category), labels.share_of(category)[place]
        rest = judged & ~np.isin(given.clusters, given.clusters[labelled & judged])
        known = labelled & judged
        return cls(
            by_question(truth, given.clusters, known),
            by_question(said, given.clusters, known),
            by_question(said, given.clusters, rest),
        )

    @property
    def all_judged(self) -> FloatArray:
        """Share of verdicts in the category, for every question."""
        return np.concatenate([self.judged, self.rest])

    def differs(self) -> float:
        """Standard errors between the verdicts on labelled and on other questions.

        About standard normal if the labelled questions were drawn at random.
        """
        n, rest, spread = len(self.judged), len(self.rest), self.all_judged.std()
        if not rest or spread == 0:
            return 0.0
        return float((self.judged.mean() - self.rest.mean()) / spread / np.sqrt(1 / n + 1 / rest))


def ppi(sample: Sample) -> Estimate:
    """Prediction-powered inference for a mean, with the judge's optimal weight.

    The mean of the labels, plus lambda times the judge's mean on the other questions minus its mean
    on the labelled ones; lambda = cov(y, f) / (var f (1 + n / N)), limited to 0 to 1 (Angelopoulos,
    Duchi & Zrnic 2023, PPI++, arXiv 2311.01453). A worthless judge gets 0, so the labels count
    alone, as they do without other questions.

    The interval is that of the labels alone (`share_ends`), and shorter by the ratio of standard
    errors with and without the judge. Both have half a question more that the judge got wrong: few
    labels that it got right do not show that it is always right.
    """
    y, f, rest = sample.labels, sample.judged, sample.rest
    alone = mean_share(y, LEVEL, 1.0)
    tuned = weight_of(sample)
    if not tuned:
        return alone
    left, other = y - tuned * f, tuned * rest.mean()
    found = replace(alone, value=float(left.mean() + other), method=None)
    if alone.low is None or alone.high is None:
        return found
    weights = np.append(np.ones(len(y)), NOISE)

    def error(values: FloatArray, more: float) -> float:
        """Standard error of a mean with half a question of this value more."""
        values = np.append(values, more)
        return linear_error(values - np.average(values, weights=weights), weights)

    of_rest = tuned * rest.std() / np.sqrt(len(rest))
    low, high = (
        found.value + (end - y.mean()) * np.hypot(error(left, more), of_rest) / error(y, label)
        for end, more, label in ((alone.low, -tuned, 0.0), (alone.high, 1.0, 1.0))
    )
    return within_bounds(replace(found, low=float(low), high=float(high), method="PPI++"), 0.0)


def weight_of(sample: Sample) -> float:
    """The judge's optimal weight, lambda of `ppi`; 0 without other questions."""
    y, f = sample.labels, sample.judged
    if not len(sample.rest):
        return 0.0
    variance = float(sample.all_judged.var(ddof=1))  # as in ppi-python
    if not variance:
        return 0.0
    cov = np.mean((y - y.mean()) * (f - f.mean()))
    return float(np.clip(cov / (variance * (1 + len(y) / len(sample.rest))), 0, 1))


def rogan_gladen(sample: Sample) -> Estimate:
    """The rate implied by sensitivity and specificity: (p + q0 - 1) / (q0 + q1 - 1), from 0 to 1.

    p is the judge's share on the other questions. q1 is its share of the category where labels say
    so, q0 its share of other categories where they do not (Rogan & Gladen 1978). The interval is
    that of Lang & Reiczigel (2014) in the form of Lee et al. (2025, arXiv 2511.21140), with their
    pseudo-verdicts; a mean over several verdicts has its own variance, smaller than that of one.
    There must be exactly two categories.
    """
    y, f, rest = sample.labels, sample.judged, sample.rest
    found = Estimate(n_questions=len(y), n_replications=1.0)
    if not len(rest):
        return replace(found, reason=NO_REST)
    if not 0 < y.sum() < len(y):
        return replace(found, reason=ONE_CATEGORY)
    p, q1, q0 = rest.mean(), y @ f / y.sum(), (1 - y) @ (1 - f) / (1 - y).sum()
    if q1 + q0 <= 1:
        return replace(found, reason=NO_BETTER_THAN_CHANCE)
    z = t_quantile(LEVEL, np.inf)

    value = _rate(p, q1, q0)
    p, of_p = _with_pseudo(rest, np.ones(len(rest)), z**2)
    q1, of_q1 = _with_pseudo(f, y, 2)
    q0, of_q0 = _with_pseudo(1 - f, 1 - y, 2)
    if (slope := q1 + q0 - 1) <= 0:
        return replace(found, value=value, reason=MAY_BE_CHANCE)
    theta = _rate(p, q1, q0)
    shift = 2 * z**2 * (theta * of_q1 - (1 - theta) * of_q0)
    half = z * np.sqrt(of_p + theta**2 * of_q1 + (1 - theta) ** 2 * of_q0) / slope
    low, high = float(theta + shift - half), float(theta + shift + half)
    return within_bounds(replace(found, value=value, low=low, high=high, method="Lee et al."), 0.0)


def _with_pseudo(values: FloatArray, weights: FloatArray, more: float) -> tuple[float, float]:
    """Weighted mean and its variance after adding `more` values, half of them 0 and half 1."""
    n = weights.sum() + more
    mean = (weights @ values + more / 2) / n
    return float(mean), float(((weights @ values**2 + more / 2) / n - mean**2) / n)


def _rate(shown: float, sensitivity: float, specificity: float) -> float:
    return float(np.clip((shown + specificity - 1) / (sensitivity + specificity - 1), 0, 1))
