"""Rates of verdicts over questions: means, differences, the floor of noise, and by a few labels."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import EllipsisType
from typing import NamedTuple, Self

import numpy as np

from .cells import Cells, Flags, FloatArray, IntArray
from .estimate import LEVEL, Estimate, check_level
from .exchanged_pairs import both_ways, in_several
from .interval_scales import linear_error, share_ends, t_quantile
from .intervals import FEWEST_QUESTIONS, NOISE, TOO_FEW, with_ends, within_bounds
from .moments import Sums, over_variants, terms_of_moments, terms_of_names, terms_of_rows


def rate(counts: Cells, category: str = "non-response", level: float = 0.95) -> Estimate:
    """Share of the verdicts in one category, mean over questions.

    One verdict per question is enough, and the category need not be declared. The interval is that
    of `mean_share`, also of fewer than three questions.

    Raises:
        ReliabilityError: The level is not between 0 and 1.
    """
    shares, estimate = question_rates(counts, category, level)
    if estimate.value is None:
        return estimate
    return mean_share(shares, level, estimate.n_replications, estimate.left_out, fewest=1)


def mean_share(
    values: FloatArray,
    level: float,
    n_replications: float,
    left_out: tuple[str, ...] = (),
    fewest: int = FEWEST_QUESTIONS,
    most: float = 1.0,
) -> Estimate:
    """The mean over questions of shares from 0 to `most`, with its interval; see `share_ends`."""
    n = len(values)
    found = Estimate(float(values.mean()), None, None, n, n_replications, left_out, level=level)
    if n < fewest:
        return replace(found, reason=TOO_FEW)
    low, high = share_ends(values / most, level)
    return replace(found, low=low * most, high=high * most, method="Gaffke")


def standard_error(values: FloatArray) -> float | None:
    """SD over replications / sqrt(R) of the mean over questions; None with fewer than two.

    Args:
        values: [N, R], NaN if missing; or means, [R].
    """
    values = np.atleast_2d(values)
    means = np.ma.masked_invalid(values).mean(axis=0).compressed()
    return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else None


def gini_mean_difference(counts: Cells, values: Mapping[str, float]) -> Estimate:
    """How far two replications of a question differ, mean over questions, in units of the verdicts.

    Twice the sum of F (1 - F) over the gaps between values, F being the share of verdicts up to a
    value (Gini 1912; unbiased for every question). The interval is that of `mean_share`, for the
    difference as a share of the whole range. Verdicts without a value are left out.

    Raises:
        NoJudgmentsError: Nothing was replicated.
    """
    names = sorted(set(values).intersection(counts.categories), key=values.__getitem__)
    given = counts.only(names).replicated
    gaps = np.diff([values[name] for name in names])
    reach = float(gaps.sum()) or 1.0
    apart = over_variants(given, partial(_far, gaps=gaps)).disagreement
    shares = by_question(2 * apart / reach, given.clusters)
    found = mean_share(shares.clip(0, 1), LEVEL, float(given.replications.mean()))
    value, low, high = (x if x is None else x * reach for x in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def _far(given: Cells, gaps: FloatArray) -> Sums:
    """Terms of verdicts as vectors: the root of each gap up to which they lie, else 0."""
    below = given.shares.cumsum(axis=1)[:, :-1]
    apart, n = below * (1 - below), given.weights
    if given.exact:
        k = len(gaps) + 1
        apart += given.excess(np.triu(np.ones((k, k)))[:, :-1])
    else:
        n = given.replications.astype(np.float64)
        apart *= (n / (n - 1))[:, None]
    return terms_of_moments(n, apart @ gaps, below * np.sqrt(gaps), below @ gaps, given.exact)


def by_question(
    values: FloatArray, clusters: IntArray, known: Flags | EllipsisType = ...
) -> FloatArray:
    """The mean of values, [N, ...], over the known rows of each question (cluster)."""
    _, of = np.unique(clusters[known], return_inverse=True)
    n = np.bincount(of)
    sums = np.zeros((len(n), *values.shape[1:]))
    np.add.at(sums, of, values[known])
    return np.asarray(sums / n.reshape(-1, *[1] * (values.ndim - 1)))


def both_of(given: Cells, kinds: FloatArray) -> FloatArray:
    """How often two verdicts of a row are both of a kind, N x J; NaN of rows with only one.

    Where variants have different numbers of verdicts, each variant weighs the same, and two
    verdicts are of one variant as often as if all the verdicts had been dealt equally to these.

    Args:
        given: Counts of N rows.
        kinds: Which of the K categories are of which of the J kinds, K x J.
    """

    def pairs(counts: FloatArray) -> FloatArray:
        n, known = counts.sum(axis=1, keepdims=True), counts @ kinds
        return np.asarray(known * (known - 1) / np.where(n > 1, n * (n - 1), np.nan))

    found = pairs(given.table)
    if not given.uneven.any():
        return found
    cells, of = given.by_variant
    share, within = cells.shares @ kinds, pairs(cells.table)

    def summed(x: FloatArray) -> FloatArray:
        whole = np.zeros((len(found), x.shape[1]))
        np.add.at(whole, of, x)
        return whole

    again = np.where(cells.replications > 1, 1.0, 0.0)[:, None]
    n, variants = given.replications[:, None], summed(np.ones_like(again))
    with np.errstate(divide="ignore", invalid="ignore"):
        own = summed(np.nan_to_num(within)) / summed(again)
        others = (summed(share) ** 2 - summed(share**2)) / (variants * (variants - 1))
        same = (n - variants) / (variants * (n - 1))
        dealt = same * own + (1 - same) * others
    return np.where(given.uneven[:, None], dealt, found)


def question_rates(
    counts: Cells, category: str, level: float = 0.95
) -> tuple[FloatArray, Estimate]:
    """The share of a category on each question, and its mean."""
    check_level(level)
    given = counts.replications
    shares = by_question(counts.share_of(category), counts.clusters, given > 0)
    none = Estimate(left_out=counts.fewer_than(1), reason="there are no verdicts", level=level)
    if not len(shares):
        return shares, none
    value, each = float(shares.mean()), float(given[given > 0].mean())
    return shares, replace(
        none, value=value, n_questions=len(shares), n_replications=each, reason=None
    )


class Shift(NamedTuple):
    """How often a verdict is given at one level of a facet.

    `share` is the mean over questions; `change`, over questions with several levels, is the share
    there minus that at the other levels.
    """

    level: int
    category: str
    share: Estimate
    change: Estimate


def shifts(cells: Cells, facet: str, level: float = 0.95) -> Iterator[Shift]:
    """The share of each category at each level of a facet, and its difference from other levels.

    Verdicts are names. Questions (clusters) weigh the same, and so do the cells of one at a level.
    Changes are paired: the levels of a question are compared with each other, with a t interval
    over questions. Across orders, each question with `mirrored` verdicts counts half as it is, half
    with names and orders exchanged; what was shown in one order only is left out.

    Raises:
        ReliabilityError: The confidence level is not between 0 and 1.
    """
    check_level(level)
    given = cells.rows(cells.replications > 0)
    if facet in given.turned:
        if (several := in_several(given, facet)) is None:
            return
        given = both_ways(several)
    levels, at = np.unique(given.facets[facet], return_inverse=True)
    place = given.clusters * len(levels) + at
    shares = np.full((given.n_clusters, len(levels), len(given.categories)), np.nan)
    shares.reshape(-1, shares.shape[2])[np.unique(place)] = by_question(given.shares, place)
    known = ~np.isnan(shares[..., 0])
    several = known.sum(axis=1) > 1
    for k, category in enumerate(given.categories):
        for j, one in enumerate(levels.tolist()):
            here, own = known[:, j], shares[:, j, k]
            each = float(given.replications[at == j].sum() / here.sum())
            paired = here & several
            elsewhere = np.nanmean(np.delete(shares[paired, :, k], j, axis=1), axis=1)
            change = mean_difference(own[paired] - elsewhere, level, each)
            yield Shift(one, category, mean_share(own[here], level, each), change)


def mean_shift(cells: Cells, facet: str, values: Mapping[str, float]) -> Estimate:
    """The mean number at the last level of a facet less that at the first, paired over questions.

    Verdicts that are no number have no part in it. Questions weigh the same, and so do the cells of
    one at a level.
    """
    number = np.array([values.get(one, np.nan) for one in cells.categories])
    known = ~np.isnan(number)
    given = cells.rows((cells.replications > 0) & (cells.shares[:, known].sum(axis=1) > 0))
    shares = given.shares[:, known]
    means = shares @ number[known] / shares.sum(axis=1)
    levels, at = np.unique(given.facets[facet], return_inverse=True)
    place = given.clusters * len(levels) + at
    each = np.full((given.n_clusters, len(levels)), np.nan)
    each.reshape(-1)[np.unique(place)] = by_question(means, place)
    moved = each[:, -1] - each[:, 0] if len(levels) > 1 else each[:0].reshape(-1)
    tries = float(given.replications.mean()) if len(place) else 0.0
    return mean_difference(moved[~np.isnan(moved)], LEVEL, tries)


def mean_number(cells: Cells, values: Mapping[str, float]) -> Estimate:
    """The mean number of a question's verdicts, mean over questions, with its t interval.

    Verdicts that are no number have no part in it. Rows of one question weigh the same.
    """
    number = np.array([values.get(one, np.nan) for one in cells.categories])
    known = ~np.isnan(number)
    given = cells.rows((cells.replications > 0) & (cells.shares[:, known].sum(axis=1) > 0))
    shares = given.shares[:, known]
    means = by_question(shares @ number[known] / shares.sum(axis=1), given.clusters)
    return mean_difference(means, LEVEL, float(given.replications.mean()))


def mean_difference(values: FloatArray, level: float, n_replications: float) -> Estimate:
    """The mean over questions of differences, with its t interval."""
    n = len(values)
    mean = float(values.mean()) if n else None
    reason = TOO_FEW if n else "no question has two levels"
    found = Estimate(mean, None, None, n, n_replications, reason=reason, level=level)
    if mean is None or n < FEWEST_QUESTIONS:
        return found
    reach = float(t_quantile(level, n - 1) * values.std(ddof=1) / np.sqrt(n))
    return with_ends(found, (mean - reach, mean + reach), "t")


# What chance alone would show: omega of shuffled verdicts, and tests of stopping rules.


ROUNDING = 1e-15

PERMUTATIONS = 999

ENOUGH = 20
"""Permutations as large as what was seen, after which no more are dealt: its chance is above 2%."""

FEW = 5
"""Questions with fewer verdicts are incomplete, unless a fifth of all have as few."""


@dataclass(frozen=True)
class Floor:
    """Omega of verdicts dealt to questions at random: mean, 2.5% and 97.5% quantile."""

    mean: float
    low: float
    high: float


def noise_floor(counts: Cells) -> Floor | None:
    """Omega of the same verdicts dealt to the questions at random, in closed form.

    Dealing keeps how often each verdict occurs and how many each question has. D - W is a weighted
    sum over agreeing pairs of verdicts. The weights of each verdict sum to 0, so the mean is 0. The
    variance is 2 (a - 2 b + c) times the sum of the squared weights. a is the chance that one pair
    agrees, b that two pairs with a verdict in common do, c that two without do (Mantel 1967).
    The ends are those of F with the degrees of freedom that have this variance (Welch 1937); they
    are too narrow if only a handful of verdicts differ from the rest.

    Questions with fewer than two verdicts are left out. None with fewer than two questions, or if
    all verdicts are the same.
    """
    from scipy.special import fdtri

    if not (counts.replications >= 2).any():
        return None
    used = counts.replicated
    number = used.n_clusters
    times, alone, pairs, inverse = used.table.sum(axis=0).astype(np.float64), *_squares(used)
    times = (times + times[used.mirror]) / 2
    whole = times.sum()
    one = _falling(times, 2).sum() / _falling(whole, 2)
    if number < 2 or one == 1:
        return None
    common = _falling(times, 3).sum() / _falling(whole, 3)
    two = _falling(times, 4).sum() + _falling(times, 2).sum() ** 2 - (_falling(times, 2) ** 2).sum()
    apart = two / _falling(whole, 4)
    of = used.clusters
    weight = 1 / (np.bincount(of)[of] * number) ** 2
    own = np.bincount(of, weight * alone)
    within, between = (weight * pairs).sum(), own.sum() ** 2 - (own**2).sum()
    between *= (number / (number - 1)) ** 2
    spread, differ = 2 * (one - 2 * common + apart), 1 - one
    variance = spread * (within + between) / differ**2
    if variance < ROUNDING:
        return Floor(0.0, 0.0, 0.0)
    # The share of squares between questions: a beta variable with this mean and variance.
    r = 1 / np.mean(inverse)
    mean = (number - 1) / (number * r - 1)
    slope = number * (number - 1) * r * (r - 1) / (number * r - 1) ** 2
    freedom = 2 * (mean * (1 - mean) / (variance * slope**2) - 1)
    f = fdtri(mean * freedom, (1 - mean) * freedom, np.array([0.025, 0.975]))
    low, high = (f - 1) / (f + r - 1)
    return Floor(float(-spread * between / differ**2), float(low), float(high))


def _squares(given: Cells) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Squared weights of the verdicts of each question, of their pairs, and 1 / R; see `terms`."""
    n = given.replications.astype(np.float64)
    if given.variants is None:
        return 1 / n, 1 / (n * (n - 1)), 1 / n
    cells, of = given.by_variant
    each = cells.replications
    variants = np.bincount(of)
    again = np.bincount(of, each > 1)
    own, squares = np.bincount(of, 1 / each), np.bincount(of, 1 / each**2)
    within = np.bincount(of, np.where(each > 1, 1 / np.maximum(each * (each - 1), 1), 0.0))
    weight = (variants / np.maximum(again, 1)) ** 2
    pairs = (weight * within + own**2 - squares) / variants**4
    once = again == 0
    pairs[once] = 1 / (n * (n - 1))[once]
    return own / variants**2, pairs, terms_of_rows(given).inverse


def _falling(x: FloatArray, k: int) -> FloatArray:
    """X (x - 1) ... (x - k + 1)."""
    return np.asarray(np.prod([x - i for i in range(k)], axis=0))


def stopped_by_verdicts(counts: Cells) -> float | None:
    """P-value of the correlation between numbers of verdicts and agreement.

    A rule such as "stop at 5 if all are equal, else go on to 20" biases every coefficient, and no
    formula mends it: adapt the number of questions, never the replications of one. The correlation
    shows such a rule; the test permutes. None if all questions have equally many, or never vary.
    """
    n = counts.replications
    few = n < FEW
    used = n >= (2 if few.mean() > 0.2 else FEW)
    if not used.any():
        return None
    agreement = 1 - terms_of_names(counts.table[used]).disagreement
    return goes_with(n[used], agreement)


def goes_with(numbers: FloatArray | IntArray, values: FloatArray) -> float | None:
    """P-value of a correlation at least as large, by permutation.

    None if either never varies, or there are fewer than four. Once `ENOUGH` are as large, it is
    their share of those dealt (Besag & Clifford 1991).
    """
    if len(numbers) < 4 or np.ptp(numbers) == 0 or np.ptp(values) == 0:
        return None
    x, y = numbers - numbers.mean(), values - values.mean()
    generator, least, reached = np.random.default_rng(0), abs(x @ y) - 1e-12, 0
    for dealt in range(1, PERMUTATIONS + 1):
        reached += int(abs(x @ generator.permutation(y)) >= least)
        if reached == ENOUGH:
            return reached / dealt
    return (1 + reached) / (1 + PERMUTATIONS)


# By a few labels, as if people had judged everything.


NO_REST = "every question is labelled: the labels themselves are the rate"
NO_OTHERS = "rogan-gladen needs questions without a label, and every question has a labelled output"
MIXED = "rogan-gladen takes one label a question, and outputs of one question have different ones"
ONE_CATEGORY = "the labels do not have both categories"
NO_BETTER_THAN_CHANCE = "the judge is right no more often than by chance"
MAY_BE_CHANCE = "no interval: by so few labels the judge may be right no more often than by chance"


@dataclass(frozen=True, eq=False)
class Sample:
    """A category on labelled and other questions, all drawn at random, and so are their outputs.

    Attributes:
        labels: Share of labels in the category, for each of n labelled questions.
        judged: Share of verdicts in it, for the same questions, of their labelled outputs.
        rest: Share of verdicts in it, for each of N other questions.
        whole: Share of verdicts in it, for each labelled question, of all its outputs; `judged`
            where it is empty.
        covered: Share of the outputs of each labelled question that have a label; 1 where it is
            empty.
        mixed: Whether outputs of one question have different labels.
    """

    labels: FloatArray
    judged: FloatArray
    rest: FloatArray
    whole: FloatArray = field(default_factory=lambda: np.empty(0))
    covered: FloatArray = field(default_factory=lambda: np.empty(0))
    mixed: bool = False

    @classmethod
    def of(cls, given: Cells, labels: Mapping[str, float], category: str) -> Self:
        """One category of these verdicts, and the share of labels that each question has in it."""
        said = given.share_of(category)
        truth = np.array([labels.get(name, np.nan) for name in given.questions])
        labelled, judged = ~np.isnan(truth), given.replications > 0
        known = labelled & judged
        own = judged & np.isin(given.clusters, given.clusters[known])

        def each(values: FloatArray, of: Flags) -> FloatArray:
            return by_question(values, given.clusters, of)

        share = each(truth, known)
        return cls(
            share,
            each(said, known),
            each(said, judged & ~own),
            each(said, own),
            each(known.astype(np.float64), own),
            bool((each(truth**2, known) - share**2 > ROUNDING).any()),
        )

    @property
    def all_judged(self) -> FloatArray:
        """Share of verdicts in the category, for every question."""
        return np.concatenate([self.whole if len(self.whole) else self.judged, self.rest])

    @property
    def unlabelled(self) -> float:
        """The share of outputs without a label, mean over all questions."""
        n = len(self.labels)
        without = len(self.rest) + float((1 - self.covered).sum())
        return without / max(n + len(self.rest), 1)

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
    alone, as they do where everything is labelled.

    Where questions have several outputs, those without a label count as others do, whatever their
    question: the judge's mean on all outputs, less that on the labelled ones, is divided by the
    share without a label. Its variance is over questions, which are the clusters.

    The interval is that of the labels alone (`share_ends`), and shorter by the ratio of standard
    errors with and without the judge. Both have half a question more that the judge got wrong: few
    labels that it got right do not show that it is always right.
    """
    y, rest = sample.labels, sample.rest
    alone = mean_share(y, LEVEL, 1.0)
    tuned = weight_of(sample)
    if not tuned:
        return alone
    left, by_rest = (
        y - tuned * _beside(sample),
        tuned / (len(sample.all_judged) * sample.unlabelled),
    )
    found = replace(alone, value=float(left.mean() + by_rest * rest.sum()), method=None)
    if alone.low is None or alone.high is None:
        return found
    weights = np.append(np.ones(len(y)), NOISE)

    def error(values: FloatArray, more: float) -> float:
        """Standard error of a mean with half a question of this value more."""
        values = np.append(values, more)
        return linear_error(values - np.average(values, weights=weights), weights)

    of_rest = by_rest * rest.std() * np.sqrt(len(rest)) if len(rest) else 0.0
    low, high = (
        found.value + (end - y.mean()) * np.hypot(error(left, more), of_rest) / error(y, label)
        for end, more, label in ((alone.low, -tuned, 0.0), (alone.high, 1.0, 1.0))
    )
    return within_bounds(replace(found, low=float(low), high=float(high), method="PPI++"), 0.0)


def _beside(sample: Sample) -> FloatArray:
    """What the labelled questions have in the judge's mean of labelled less other outputs.

    With one output a question, that is `judged`.
    """
    n, every = len(sample.labels), sample.all_judged
    return np.asarray((sample.judged - n / len(every) * every[:n]) / sample.unlabelled)


def weight_of(sample: Sample) -> float:
    """The judge's optimal weight, lambda of `ppi`; 0 where everything is labelled."""
    y, n, others = sample.labels, len(sample.labels), len(sample.rest)
    every, without = sample.all_judged, sample.unlabelled
    if not without or n < 1 or len(every) < 2:
        return 0.0
    # The variance, times n, of the judge's mean on labelled less other outputs: of f = g + d it is
    # N / M var g, and more where only some outputs of a question have a label.
    g, d = every[:n], sample.judged - every[:n]
    share = others / (n + others)
    variance = share * float(every.var(ddof=1))  # as in ppi-python
    variance += 2 * share * float(np.mean((g - g.mean()) * d)) + float(d.var())
    if variance <= 0:
        return 0.0
    cov = np.mean((y - y.mean()) * _beside(sample))
    return float(np.clip(cov * without**2 / variance, 0, 1))


def rogan_gladen(sample: Sample) -> Estimate:
    """The rate implied by sensitivity and specificity: (p + q0 - 1) / (q0 + q1 - 1), from 0 to 1.

    p is the judge's share on the other questions. q1 is its share of the category where labels say
    so, q0 its share of other categories where they do not (Rogan & Gladen 1978). The interval is
    that of Lang & Reiczigel (2014) in the form of Lee et al. (2025, arXiv 2511.21140), with their
    pseudo-verdicts; a mean over several verdicts has its own variance, smaller than that of one.
    There must be exactly two categories, and outputs of one question must have the same label.
    """
    y, f, rest = sample.labels, sample.judged, sample.rest
    found = Estimate(n_questions=len(y), n_replications=1.0)
    if not sample.unlabelled:
        return replace(found, reason=NO_REST)
    if sample.mixed or not len(rest):
        return replace(found, reason=MIXED if sample.mixed else NO_OTHERS)
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
