"""Intervals over questions: what other questions of the same kind would show.

A jackknife cannot see questions that were never drawn. For a nearly perfect judge, or one with a
dominant verdict, a single such question would move a coefficient far. So the ends are also computed
with a fraction of such a question, and the farther end is kept.

scipy is imported where it is called: importing it takes twice as long as numpy, and a metric alone
does not need it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from .cells import Cells, FloatArray
from .estimate import Estimate
from .sums import Scale, Sums, of_ranks, ratio, terms, terms_of_moments

FEWEST_QUESTIONS = 3
"""Fewer do not show how much questions vary."""

TOO_FEW = f"an interval needs at least {FEWEST_QUESTIONS} questions"

NO_WIDTH = 1e-12
"""A narrower interval is rounding, and would promise certainty."""

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
Ends = tuple[float, float]


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
    """The questions of one study, and the sums over them that intervals need.

    `terms` are the contributions of each of n questions (or clusters), with ranks as numbers;
    `total` is their sum; `ranked` ones are ranked anew for each sum.
    """

    def __init__(self, given: Cells, scale: Scale, known: Sums | None = None) -> None:
        self.given, self.n = given, given.n_clusters
        self.ranked = scale == "ordinal"
        self.terms = known or terms(given.ranked if self.ranked else given)
        self.total = of_ranks(given) if self.ranked else self.terms.over()

    @cached_property
    def without(self) -> Sums:
        """The sums without each question, [N]."""
        if self.ranked:
            return of_ranks(self.given, 1.0 - np.eye(self.n))
        return self.terms.without_each()

    @cached_property
    def with_noise_or_settled(self) -> list[tuple[Sums, Sums, float]]:
        """Both sums with a fraction of a noise question more, and of one that never varies.

        Of each the sum, the sums without one question each, and the weight of that question.
        """
        shares = pooled(self.terms)

        def plus(agreement: float, modal: float, weight: float) -> tuple[Sums, Sums, float]:
            more = with_one(self.terms, shares, 1 - agreement, modal=modal)
            more = more.each(lambda _, x: np.concatenate([x[:-1], weight * x[-1:]]))
            return more.over(), more.without_each(), weight

        noise = plus(noise_agreement(shares), min(shares.max(initial=0.0), 0.5), NOISE)
        return [noise, plus(1.0, 1.0, SETTLED)]


def log_scale(formula: Formula, study: Study, level: float) -> Ends:
    """Jackknife-t on the scale log(1 - x), which follows the skewness of values bounded by 1."""
    x, left_out = float(formula(study.total)), formula(study.without)
    return on_log_scale(x, jackknife_error(left_out), t_quantile(level, study.n - 1))


def f_scale(formula: Formula, study: Study, level: float) -> Ends:
    """Jackknife-t on the scale of log F, F = (1 + (R - 1) x) / (1 - x), R the harmonic mean."""
    x, error = float(formula(study.total)), jackknife_error(formula(study.without))
    return on_f_scale(x, error, t_quantile(level, study.n - 1), float(study.total.replications))


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


@lru_cache(maxsize=1)  # several coefficients have the interval of omega
def plus_a_question(formula: Formula, study: Study, level: float) -> Ends:
    """The F scale, or the ends with a fraction of a question added, where these are farther.

    Upper end: a question that always gets the second most frequent verdict, on the scale log(1 -
    x). Lower end: a noise question, on the F scale. Both use the linearised standard error of omega
    with unequal weights of questions.
    """
    t, r = t_quantile(level, study.n - 1), float(study.total.replications)
    constant = study.total.disagreement == 0
    base = (exact_bound if constant else f_scale)(formula, study, level)
    low, high = with_a_question(base, study.terms, _omega_with, t, r)
    return low, 1.0 if constant else high


def with_a_question(
    base: Ends, terms: Sums, plus: Callable[[Sums, float], Ends], t: float, r: float
) -> Ends:
    """See `farthest`; `plus` gives omega and its error, given the weight of the last question."""
    shares = pooled(terms)
    sure = [plus(with_one(terms, one, 0.0), UNSEEN) for one in second(shares)]
    return farthest(base, plus(with_one(terms, shares), NOISE), sure, t, r)


def farthest(base: Ends, noise: Ends, sure: Sequence[Ends], t: float, r: float) -> Ends:
    """The ends of omega, or those with a question added where these are farther.

    `noise` and `sure` are omega and its error with a fraction of a noise question, and of each
    question that always gets the second most frequent verdict; t is the number of errors that an
    interval reaches.
    """
    low = on_f_scale(*noise, t, r)[0]
    high = max(on_log_scale(*one, t)[1] for one in sure)
    return float(np.fmin(base[0], low)), float(np.fmax(base[1], high))


@lru_cache(maxsize=1)
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
    terms, (weight, farther) = study.terms, FAR
    mean, r = terms.means.mean(axis=0), float(study.total.replications)
    away = terms.means - mean
    far = mean + farther * away[(away**2).sum(axis=-1).argmax()]

    def plus(at: FloatArray, weight: float, disagreement: float, varies: float = 0.0) -> Ends:
        norm = float(at @ at) + disagreement * (1 - 1 / r)
        return _omega_with(with_one(terms, at, disagreement, norm), weight, varies)

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
    numbers = Study(study.given.ranked, "interval", study.terms)
    found = far_or_noise(lambda s: 1 - ratio(s.within, s.any_two), numbers, level)
    return float(np.fmin(low, found[0])), float(np.fmax(high, found[1]))


def exact_bound(formula: Formula, study: Study, level: float) -> Ends:
    """The interval if no question varies: exact for agreement, derived from it for the others."""
    sums, bound = study.total, constant_share_bound(study.n, level)
    at_bound = replace(  # as if a share 1 - bound of the questions had no two verdicts alike
        sums,
        disagreement=(1 - bound) * sums.questions,
        weighted_disagreement=(1 - bound) * sums.verdicts,
        modal=bound * sums.questions,
        modal_loo=bound * sums.questions,
        entropy=(1 - bound) * sums.questions * np.log(sums.categories),
    )
    x, found = float(formula(sums)), float(formula(at_bound))
    return (found, x) if found < x else (x, found)


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
    modal: float = 0.0,
) -> Sums:
    """The terms with a question added, which differs as its shares say, or as given."""
    differ = 1 - mean @ mean if disagreement is None else disagreement
    logs = np.log(mean, out=np.zeros_like(mean), where=mean > 0)
    inverse = terms.inverse.mean()
    one = terms_of_moments(
        np.array([1 / inverse if inverse else 1.0]),  # each exact distribution weighs 1
        np.array([differ]),
        mean[None],
        np.array([norm]),
        exact=not inverse,
        alone=np.zeros(1),
        modal=np.array([modal]),
        modal_loo=np.array([modal]),
        entropy=np.array([0.0 if modal == 1 else -(mean @ logs)]),
    )

    def append(name: str, x: FloatArray) -> FloatArray:
        more = np.broadcast_to(getattr(one, name), (1, *x.shape[1:]))
        return np.concatenate([x, more])

    return terms.each(append)


def _omega_with(more: Sums, weight: float, varies: float = 0.0) -> Ends:
    """Omega and its error, given the weight of the last question; the others weigh 1.

    `varies` is the variance of how often (or far) its verdicts differ, in units of D squared.
    """
    weights = np.append(np.ones(len(more.questions) - 1), weight)
    value, slopes = omega_slopes(more, weights)
    slopes[-1] = np.hypot(slopes[-1], varies**0.5)
    return value, linear_error(slopes, weights)


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


def linear_error(slopes: FloatArray, weights: FloatArray) -> float:
    """Standard error over questions from slopes; the weights may differ."""
    v = weights.sum()
    return float(np.sqrt(weights @ slopes**2 / (v * (v - 1))))


def weighted_error(moved: FloatArray, weight: float) -> float:
    """The same from the change without each question; the last has this weight."""
    weights = np.append(np.ones(len(moved) - 1), weight)
    return linear_error((weights.sum() - weights) / weights * moved, weights)


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


def on_log_scale(x: float, error: float, t: float) -> Ends:
    """The ends 1 - (1 - x) exp(+-t SE / (1 - x))."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        factor = np.exp(t * np.float64(error) / (1 - x))
        return float(1 - (1 - x) * factor), float(1 - (1 - x) / factor)


def on_f_scale(x: float, error: float, t: float, r: float) -> Ends:
    """The ends of log F +- t SE dlog F / dx, F = (1 + (R - 1) x) / (1 - x), carried back to x.

    With infinitely many replications that is the scale log(x / (1 - x)). An error that is not known
    has no bound below: without one question nothing would be left to estimate.
    """
    if np.isnan(error):
        return -np.inf, np.nan
    if np.isinf(r):
        return _on_odds_scale(x, t * error)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        above = np.float64(1 + (r - 1) * x)
        if above <= 0:
            return np.nan, np.nan
        slope = r / ((1 - x) * above)
        f = above / (1 - x) * np.exp(np.array([-1, 1]) * t * error * slope)
        low, high = np.where(np.isinf(f), 1.0, (f - 1) / (f + r - 1))
    return float(low), float(high)


def _on_odds_scale(x: float, reach: float) -> Ends:
    """The ends on the scale of odds; at 0, of the smallest value that could not be 0."""
    if reach >= 1:
        return 0.0, 1.0
    at = max(x, reach)
    if at <= 0:  # no agreement beyond chance, and no error
        return 0.0, 0.0
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        odds = np.float64((1 - at) / at) * np.exp(np.array([1, -1]) * reach / (at * (1 - at)))
        low, high = 1 / (1 + odds)
    return float(low) if x > reach else 0.0, float(high)


def on_root_scale(x: float, reach: float, most: float) -> Ends:
    """The ends x +- reach, or those on the scale of square roots where these are farther.

    A variance component is the square of an effect, so its error grows with it, and a small
    estimate comes with an error that is too small. So does one near its maximum. There the root is
    no scale, and an end is at most a quarter of the reach farther out.
    """
    below, above = (min(0.25, reach / (4 * max(room, 1e-9))) for room in (most - x, x))
    return x - reach * (1 + below), x + reach * (1 + above)


def t_quantile(level: float, degrees_of_freedom: float) -> float:
    """The value that |t| exceeds with probability 1 - level."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def level_of(t: float, degrees_of_freedom: float) -> float:
    """The level with this t quantile, above 0 and below 1."""
    from scipy.special import stdtr

    return float(np.clip(2 * stdtr(max(degrees_of_freedom, 1), t) - 1, NO_WIDTH, 1 - NO_WIDTH))


def clopper_pearson(successes: float, trials: float, level: float) -> Ends:
    """The exact binomial interval of a share (Clopper & Pearson 1934)."""
    from scipy.special import betaincinv

    tail, failures = (1 - level) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes > 0 else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures > 0 else 1.0
    return float(low), float(high)


def jackknife_error(left_one_out: FloatArray) -> float:
    """Standard error over questions, from the N values without each question."""
    n = len(left_one_out)
    return float(np.sqrt((n - 1) / n * ((left_one_out - left_one_out.mean()) ** 2).sum()))


def constant_share_bound(n_questions: float, level: float) -> float:
    """Exact lower bound of the agreement, if no question varies.

    If a share c of all questions shows R verdicts that are alike, N of N do with probability c^N
    (Clopper & Pearson 1934). Agreement is at least that share.
    """
    return float(((1 - level) / 2) ** (1 / n_questions))
