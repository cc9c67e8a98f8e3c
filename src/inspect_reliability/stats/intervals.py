"""Intervals over questions: what other questions of the same kind would show.

A jackknife cannot see questions that were never drawn. For a nearly perfect judge, or one with a
dominant verdict, a single such question would move a coefficient far. So the ends are also computed
with a fraction of such a question, and the farther end is kept.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from .cells import Cells
from .ends import (
    NO_WIDTH,
    Ends,
    constant_share_bound,
    jackknife_error,
    linear_error,
    on_f_scale,
    on_log_scale,
    t_quantile,
    weighted_error,
)
from .estimate import Estimate
from .long import FloatArray
from .sums import Scale, Strata, Sums, of_ranks, ratio, terms, terms_of_moments, without_each

FEWEST_QUESTIONS = 3
"""Fewer do not show how much questions vary."""

TOO_FEW = f"an interval needs at least {FEWEST_QUESTIONS} questions"


UNSEEN = 0.4
"""Weight of a question that always gets the second most frequent verdict, for upper ends."""

NOISE = 0.5
"""Weight of a question that gets nothing but noise, for lower ends."""

NOISE_OF_NUMBERS = 2.0
"""The same for numbers, where few questions carry the noise."""

SETTLED = 0.75
"""Weight of a question that never varies, for upper ends of means over questions."""

FAR = 0.25, 2.0
"""Weight of a question of far numbers, for upper ends, and how much farther than the farthest."""

Formula = Callable[[Sums], FloatArray]
Plus = Callable[[list[Sums], float], Ends]


@dataclass(frozen=True)
class Method:
    """How an interval is made.

    Attributes:
        name: Its name in `Estimate.method`.
        ends: Computes its ends from a formula, a study and a level; NaN if impossible.
        constant: Whether it also works if no question varies.
    """

    name: str
    ends: "Callable[[Formula, Study, float], Ends]"
    constant: bool = False


class Study:
    """The questions of one study, by stratum, and the sums over them that intervals need.

    `strata` are the contributions of each question (or cluster), with ranks as numbers; `parts`
    their sums, and `total` those of all strata together. `ranked` verdicts are ranked anew for each
    sum.
    """

    def __init__(self, strata: Sequence[Sums], ranked: Cells | None = None) -> None:
        self.strata, self.ranked = strata, ranked
        self.parts = [one.over() for one in strata] if ranked is None else [of_ranks(ranked)]
        self.total = Strata.of(self.parts)
        self.sizes = np.array([len(one.questions) for one in strata])
        self.n = int(self.sizes.sum())

    @classmethod
    def of(cls, given: Cells, scale: Scale) -> Self:
        """A study without strata."""
        if scale == "ordinal":
            return cls([terms(given.ranked)], given)
        return cls([terms(given)])

    @cached_property
    def without(self) -> list[Sums]:
        """The sums without each question, [N] for each stratum."""
        if self.ranked is not None:
            return [of_ranks(self.ranked, 1.0 - np.eye(self.n))]
        return without_each(self.strata, self.parts)

    def left_out(self, formula: Formula) -> list[FloatArray]:
        """A coefficient without each question, by stratum."""
        return [formula(one) for one in self.without]

    def jackknife(self, formula: Formula, level: float) -> tuple[float, float]:
        """The standard error over questions, and how many of it an interval reaches.

        With strata on the degrees of freedom of Satterthwaite (1946).
        """
        squares = np.array([jackknife_error(one) ** 2 for one in self.left_out(formula)])
        return float(np.sqrt(squares.sum())), self.t(level, squares)

    def t(self, level: float, squares: FloatArray) -> float:
        """The t quantile, given the variance that each stratum contributes."""
        total, freedoms = squares.sum(), self.sizes - 1
        freedom = total**2 / (squares**2 / freedoms).sum() if total > 0 else freedoms.sum()
        return t_quantile(level, freedom)

    @cached_property
    def with_noise_or_settled(self) -> list[tuple[Sums, Sums, float]]:
        """Both sums with a fraction of a noise question more, and of one that never varies.

        Of each the sum, the sums without one question each, and the weight of that question.
        """
        (known,) = self.strata
        shares = pooled(known)

        def plus(agreement: float, weight: float) -> tuple[Sums, Sums, float]:
            more = with_one(known, shares, 1 - agreement)
            more = more.each(lambda _, x: np.concatenate([x[:-1], weight * x[-1:]]))
            return more.over(), more.without_each(), weight

        return [plus(noise_agreement(shares), NOISE), plus(1.0, SETTLED)]


def log_scale(formula: Formula, study: Study, level: float) -> Ends:
    """Jackknife-t on the scale log(1 - x), which follows the skewness of values bounded by 1."""
    return on_log_scale(float(formula(study.total)), *study.jackknife(formula, level))


def f_scale(formula: Formula, study: Study, level: float) -> Ends:
    """Jackknife-t on the scale of log F, F = (1 + (R - 1) x) / (1 - x), R the harmonic mean."""
    x, r = float(formula(study.total)), float(study.total.replications)
    return on_f_scale(x, *study.jackknife(formula, level), r)


def noise_or_settled(formula: Formula, study: Study, level: float) -> Ends:
    """The log scale, or the ends with a fraction of a question added, where these are farther.

    Lower end: a noise question; upper end: one that never varies. Their standard error is that of
    the weighted jackknife (Efron & Tibshirani 1993, ch. 11). Where no two verdicts agree, agreement
    is below 1 - `constant_share_bound`: a share c of questions without agreement shows N with c^N.
    """
    base, total = log_scale(formula, study, level), study.total
    if total.disagreement == total.questions:  # the mirror image of `exact_bound`
        bound = constant_share_bound(study.n, level)
        base = base[0], float(formula(replace(total, disagreement=bound * total.questions)))

    def plus(more: Sums, without: Sums, weight: float) -> Ends:
        x = float(formula(more))
        return x, weighted_error(x - formula(without), weight)

    noise, settled = (plus(*one) for one in study.with_noise_or_settled)
    return farthest_mean(base, noise, settled, t_quantile(level, study.n - 1))


def farthest_mean(base: Ends, noise: Ends, settled: Ends, t: float) -> Ends:
    """The ends of a mean over questions, or those with a question added where these are farther.

    `noise` and `settled` are the mean and its error with a fraction of a noise question, and of one
    that never varies; t is the number of errors that an interval reaches.
    """
    low, high = on_log_scale(*noise, t)[0], on_log_scale(*settled, t)[1]
    return float(np.fmin(base[0], low)), float(np.fmax(base[1], high))


def plus_a_question(formula: Formula, study: Study, level: float) -> Ends:
    """The F scale, or the ends with a fraction of a question added, where these are farther.

    Upper end: a question that always gets the second most frequent verdict, on the scale log(1 -
    x). Lower end: a noise question, on the F scale. Both use the linearised standard error of omega
    with unequal weights of questions; each stratum has an equal part of the question.
    """
    r, (_, t) = float(study.total.replications), study.jackknife(formula, level)
    constant = study.total.disagreement == 0
    base = (exact_bound if constant else f_scale)(formula, study, level)
    low, high = with_a_question(base, study.strata, _omega_with, t, r)
    # Below the least omega of R replications the F scale has no ends.
    return float(np.fmax(low, -1 / (r - 1))), 1.0 if constant else high


def with_a_question(base: Ends, strata: Sequence[Sums], plus: Plus, t: float, r: float) -> Ends:
    """See `farthest`; `plus` gives omega and its error, given the weight of the last question."""
    shares = [pooled(one) for one in strata]

    def added(means: Iterable[FloatArray], disagreement: float | None, weight: float) -> Ends:
        both = zip(strata, means, strict=True)
        return plus([with_one(one, mean, disagreement) for one, mean in both], weight)

    sure = [added(one, 0.0, UNSEEN) for one in zip(*map(second, shares), strict=False)]
    return farthest(base, added(shares, None, NOISE), sure, t, r)


def farthest(base: Ends, noise: Ends, sure: Sequence[Ends], t: float, r: float) -> Ends:
    """The ends of omega, or those with a question added where these are farther.

    `noise` and `sure` are omega and its error with a fraction of a noise question, and of each
    question that always gets the second most frequent verdict; t is the number of errors that an
    interval reaches.
    """
    low = on_f_scale(*noise, t, r)[0]
    high = max(on_log_scale(*one, t)[1] for one in sure)
    return float(np.fmin(base[0], low)), float(np.fmax(base[1], high))


def far_or_noise(formula: Formula, study: Study, level: float) -> Ends:
    """The F scale, or the ends with questions added, where these are farther.

    Upper end: for skewed or heavy-tailed numbers, the questions not drawn would be the reliable
    ones. The one added lies twice as far from the mean as the farthest drawn, and varies like the
    average question. Lower end: two noise questions, whose numbers are drawn from all questions,
    but no more of them than N questions without one allow (`constant_share_bound`), of R numbers
    that show one in 1 - 1/R of the cases. The spread of R numbers of a noise question varies like
    chi squared on R - 1 degrees of freedom. If a few questions carry the error, it has fewer
    degrees of freedom than questions: 4N over their kurtosis minus 1.
    """
    low, high = f_scale(formula, study, level)
    (terms,), (weight, farther) = study.strata, FAR
    mean, r = terms.means.mean(axis=0), float(study.total.replications)
    away = terms.means - mean
    far = mean + farther * away[(away**2).sum(axis=-1).argmax()]

    def plus(at: FloatArray, weight: float, disagreement: float, varies: float = 0.0) -> Ends:
        norm = float(at @ at) + disagreement * (1 - 1 / r)
        return _omega_with([with_one(terms, at, disagreement, norm)], weight, varies)

    t, few = t_quantile(level, study.n - 1), t_quantile(level, _freedom(terms))
    noise = plus(mean, NOISE_OF_NUMBERS, float(study.total.any_two), 2 / (r - 1))
    lower = on_f_scale(*noise, few, r)[0]
    # More noise questions than N without one leave room for would be too many.
    room = constant_share_bound(study.n * (1 - 1 / r), level)
    lower = max(lower, low * room) if low > 0 else lower
    higher = on_f_scale(*plus(far, weight, float(study.total.within)), t, r)[1]
    return float(np.fmin(low, lower)), float(np.fmax(high, higher))


def ranks(formula: Formula, study: Study, level: float) -> Ends:
    """The F scale, or the ends of the ranks as numbers, where these are farther."""
    low, high = f_scale(formula, study, level)
    found = far_or_noise(lambda s: 1 - ratio(s.within, s.any_two), Study(study.strata), level)
    return float(np.fmin(low, found[0])), float(np.fmax(high, found[1]))


def exact_bound(formula: Formula, study: Study, level: float) -> Ends:
    """The interval if no question varies: exact for agreement, derived from it for the others."""
    fewest, at_bound = int(study.sizes.argmin()), list(study.parts)
    sums, bound = at_bound[fewest], constant_share_bound(study.sizes[fewest], level)
    at_bound[fewest] = replace(  # a share 1 - bound of the questions had no two verdicts alike
        sums,
        disagreement=(1 - bound) * sums.questions,
        weighted_disagreement=(1 - bound) * sums.verdicts,
    )
    return float(formula(Strata.of(at_bound))), float(formula(study.total))


def with_ends(
    found: Estimate,
    ends: Ends,
    method: str,
    undefined: str = "no interval: only one or two questions vary",
) -> Estimate:
    """The estimate with these ends, or with the reason for none."""
    low, high = ends
    if np.isnan(low) or np.isnan(high):
        return replace(found, reason=undefined)
    if high - low < NO_WIDTH:
        reason = "no interval: the value is the same whichever questions are asked"
        return replace(found, reason=reason)
    return replace(found, low=float(low), high=float(high), reason=None, method=method)


LOG_SCALE = Method("log scale", log_scale)
NOISE_OR_SETTLED = Method("noise or settled question", noise_or_settled)
FAR_OR_NOISE = Method("far or noise question", far_or_noise)
RANKS = Method("ranks as numbers", ranks)
PLUS_A_QUESTION = Method("plus a question", plus_a_question, constant=True)
EXACT_BOUND = Method("exact bound", exact_bound, constant=True)


def with_one(
    terms: Sums,
    mean: FloatArray,
    disagreement: float | None = None,
    norm: float = 1.0,
) -> Sums:
    """The terms with a question added, which differs as its shares say, or as given."""
    differ = 1 - mean @ mean if disagreement is None else disagreement
    inverse = terms.inverse.mean()
    one = terms_of_moments(
        np.array([1 / inverse if inverse else 1.0]),  # each exact distribution weighs 1
        np.array([differ]),
        mean[None],
        np.array([norm]),
        exact=not inverse,
    )

    def append(name: str, x: FloatArray) -> FloatArray:
        more = np.broadcast_to(getattr(one, name), (1, *x.shape[1:]))
        return np.concatenate([x, more])

    return terms.each(append)


def _omega_with(strata: Sequence[Sums], weight: float, varies: float = 0.0) -> Ends:
    """Omega and its error, given the weight of the last questions; the others weigh 1.

    `varies` is the variance of how often (or far) their verdicts differ, in units of D squared.
    """
    n, squares = len(strata), 0.0
    weights = [np.append(np.ones(len(one.questions) - 1), weight / n) for one in strata]
    parts = [omega_parts(*one) for one in zip(strata, weights, strict=True)]
    within, any_two = (sum(part[i] for part in parts) / n for i in (0, 1))
    for (_, _, of_within, of_any_two), w in zip(parts, weights, strict=True):
        slopes = (within / any_two**2 * of_any_two - of_within / any_two) / n
        slopes[-1] = np.hypot(slopes[-1], varies**0.5)
        squares += linear_error(slopes, w) ** 2
    return float(1 - within / any_two), float(np.sqrt(squares))


def _freedom(terms: Sums) -> float:
    """Degrees of freedom of the ICC's standard error: N - 1, or fewer if few questions count.

    The variance of N values has a relative variance of their kurtosis minus 1, over N.
    """
    n = len(terms.questions)
    _, slopes = omega_slopes(terms, np.ones(n))
    fourth, second = (slopes**4).mean(), (slopes**2).mean() ** 2
    if not fourth > second > 0:
        return n - 1
    return float(np.clip(4 * n / (fourth / second - 1), 2, n - 1))


def omega_parts(
    points: Sums, weights: FloatArray, at: Sums | None = None
) -> tuple[np.float64, np.float64, FloatArray, FloatArray]:
    """W and D, and their slopes in the weight of each question, [N].

    A slope is V dW / dw at fixed total weight V; with `at`, slopes are those of other questions.
    """
    v = weights.sum()
    mean, norm = weights @ points.means / v, weights @ points.norm / v
    within, own = weights @ points.disagreement / v, norm - weights @ points.squares / v
    any_two = (v * (norm - mean @ mean) - own) / (v - 1)
    at = points if at is None else at
    moved = v * (at.norm - norm - 2 * (at.means - mean) @ mean) - (at.norm - at.squares - own)
    return within, any_two, at.disagreement - within, moved / (v - 1)


def omega_slopes(
    points: Sums, weights: FloatArray, at: Sums | None = None
) -> tuple[float, FloatArray]:
    """Omega (for numbers ICC), and its slope in the weight of each question; see `omega_parts`."""
    within, any_two, of_within, of_any_two = omega_parts(points, weights, at)
    return 1 - within / any_two, within / any_two**2 * of_any_two - of_within / any_two


def agreement_slopes(
    points: Sums, weights: FloatArray, at: Sums | None = None
) -> tuple[float, FloatArray]:
    """The same of agreement."""
    value = float(1 - weights @ points.disagreement / weights.sum())
    return value, 1 - (points if at is None else at).disagreement - value


def second(shares: FloatArray) -> list[FloatArray]:
    """One-hot vectors of the second most frequent verdict, several in a tie.

    With a single category, it is a verdict that no other question got.
    """
    if len(shares) < 2:
        return [np.zeros_like(shares)]
    share = np.sort(shares)[-2]
    return [
        one
        for one, own in zip(np.eye(len(shares)), shares, strict=True)
        if abs(own - share) < NO_WIDTH
    ]


def pooled(terms: Sums) -> FloatArray:
    """Share of each verdict, mean over questions."""
    return np.asarray(terms.means.mean(axis=0))


def noise_agreement(shares: FloatArray) -> float:
    """How often the verdicts of a noise question agree; at most like tosses of a coin."""
    return min(float(shares @ shares), 0.5)
