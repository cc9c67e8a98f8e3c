"""Intervals over questions: what other questions of the same kind would show.

A jackknife cannot see questions that were never drawn. For a nearly perfect judge, or one with a
dominant verdict, a single such question would move a coefficient far. So the ends are also computed
with a fraction of such a question, and the farther end is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .cells import FloatArray
from .estimate import Estimate, Reason, Unknown
from .interval_scales import (
    NO_WIDTH,
    Ends,
    constant_share_bound,
    jackknife_error,
    jackknifed,
    linear_error,
    on_f_scale,
    on_log_scale,
    on_root_scale,
    t_quantile,
    weighted_error,
)
from .moments import Strata, Sums, terms_of_moments

# The questions of a study, and what intervals need of them.


UNSEEN = 0.4
"""Weight of a question that always gets the second most frequent verdict, for upper ends."""

NOISE = 0.5
"""Weight of a question that gets nothing but noise, for lower ends."""

NOISE_OF_NUMBERS = 2.0
"""Weight of a noise question of numbers, where few questions carry the noise."""

SETTLED = 0.75
"""Weight of a question that never varies, for upper ends of means over questions."""

FAR = 0.25, 2.0
"""Weight of a question of far numbers, for upper ends, and how much farther than the farthest."""

Formula = Callable[[Any], FloatArray]
"""A coefficient as a function of the `total` of a study."""


@dataclass(frozen=True, eq=False)
class JackknifeUnit:
    """A hypothetical further question.

    Its weight, the mean and mean square of its verdicts, and how often (or far) two of them differ.
    """

    weight: float
    mean: FloatArray
    norm: float
    disagreement: float


class JackknifeSample:
    """The questions of one study, by stratum, and what intervals need of them.

    `strata` are the contributions of each question (or cluster), `parts` their sums, and `total`
    those of all strata together; `most` is the largest variance that there can be, and `numeric`
    says whether the hypothetical questions are of numbers.
    """

    total: Any
    most: float = np.inf
    numeric: bool = False

    def __init__(self, strata: Sequence[Sums]) -> None:
        self.strata, self.parts = strata, [one.over() for one in strata]
        self.total = Strata.of(self.parts)
        self.sizes = np.array([len(one.questions) for one in strata])

    @property
    def n(self) -> int:
        """Questions of all strata."""
        return int(self.sizes.sum())

    @cached_property
    def replications(self) -> float:
        """Verdicts of a question, harmonic mean."""
        return float(self.total.replications)

    @property
    def apart(self) -> bool:
        """Whether no two verdicts of a question agree."""
        return bool(self.total.disagreement == self.total.questions)

    @cached_property
    def without(self) -> list[Any]:
        """`total` without each question, [N] for each stratum."""
        each, parts = enumerate(one.without_each() for one in self.strata), self.parts
        return [Strata.of([*parts[:i], one, *parts[i + 1 :]]) for i, one in each]

    def left_out(self, formula: Formula) -> list[FloatArray]:
        """A coefficient without each question, by stratum."""
        return [formula(one) for one in self.without]

    def deviations(self, formula: Formula) -> FloatArray:
        """Deviations without each question, [N, ...]; see `jackknifed`."""
        return np.concatenate(list(map(jackknifed, self.left_out(formula))))

    def jackknife(self, formula: Formula, level: float) -> tuple[float, float]:
        """The standard error over questions, and how many of it an interval reaches.

        With strata on the degrees of freedom of Satterthwaite (1946).
        """
        squares = np.array([jackknife_error(one) ** 2 for one in self.left_out(formula)])
        total, freedoms = squares.sum(), self.sizes - 1
        freedom = total**2 / (squares**2 / freedoms).sum() if total > 0 else freedoms.sum()
        return float(np.sqrt(total)), t_quantile(level, freedom)

    def steady(self, formula: Formula) -> bool:
        """Whether no question varies."""
        return bool(self.total.disagreement == 0)

    def varying(self, formula: Formula, share: float) -> float:
        """A coefficient if this share of the smallest stratum had no two verdicts alike."""
        fewest, parts = int(self.sizes.argmin()), list(self.parts)
        sums = parts[fewest]
        parts[fewest] = replace(
            sums, disagreement=share * sums.questions, weighted_disagreement=share * sums.verdicts
        )
        return float(formula(Strata.of(parts)))

    @cached_property
    def centres(self) -> list[tuple[FloatArray, float]]:
        """The mean verdict of each stratum, and the mean square: 1 for names."""
        return [(np.asarray(one.means.mean(axis=0)), 1.0) for one in self.strata]

    @cached_property
    def noise(self) -> list[JackknifeUnit]:
        """A question of each stratum that gets nothing but noise: verdicts of all its questions."""
        weight = (NOISE_OF_NUMBERS if self.numeric else NOISE) / len(self.centres)
        return [JackknifeUnit(weight, m, norm, norm - float(m @ m)) for m, norm in self.centres]

    @cached_property
    def toss(self) -> JackknifeUnit:
        """A noise question for means: its names agree at most like tosses of a coin."""
        (noise,) = self.noise
        least = 0.0 if self.numeric else 0.5
        return replace(noise, weight=NOISE, disagreement=max(noise.disagreement, least))

    @cached_property
    def settled(self) -> JackknifeUnit:
        """A question whose verdicts never differ."""
        return replace(self.toss, weight=SETTLED, disagreement=0.0)

    @property
    def sure(self) -> list[list[JackknifeUnit]]:
        """Questions that always get the second most frequent verdict of a stratum."""
        weight = UNSEEN / len(self.centres)
        each = zip(*(second(one) for one, _ in self.centres), strict=False)
        return [[JackknifeUnit(weight, one, 1.0, 0.0) for one in means] for means in each]

    def added(self, question: JackknifeUnit) -> tuple[Any, Any]:
        """`total`, and that without each question, with a fraction of a question."""
        if question not in self._added:  # several coefficients add the same one
            (known,) = self.strata
            more = with_one(known, question, question.weight)
            self._added[question] = more.over(), more.without_each()
        return self._added[question]

    @cached_property
    def _added(self) -> dict[JackknifeUnit, tuple[Any, Any]]:
        return {}

    def plus(self, formula: Formula, question: JackknifeUnit) -> Ends:
        """A coefficient with a fraction of a question added, and its error.

        That of the weighted jackknife (Efron & Tibshirani 1993, ch. 11).
        """
        total, without = self.added(question)
        x = float(formula(total))
        return x, weighted_error(x - formula(without), question.weight)

    def omega_plus(
        self, formula: Formula, questions: Sequence[JackknifeUnit], varies: float = 0.0
    ) -> Ends:
        """Omega with a fraction of a question added to each stratum, and its linearised error.

        `varies` is the variance of how often (or far) their verdicts differ, in units of D squared.
        """
        n, squares = len(self.strata), 0.0
        both = list(zip(self.strata, questions, strict=True))
        weights = [np.append(np.ones(len(one.questions)), more.weight) for one, more in both]
        points = [with_one(one, more) for one, more in both]
        parts = [omega_parts(*each) for each in zip(points, weights, strict=True)]
        within, any_two = (sum(part[i] for part in parts) / n for i in (0, 1))
        for (_, _, of_within, of_any_two), w in zip(parts, weights, strict=True):
            slopes = (within / any_two**2 * of_any_two - of_within / any_two) / n
            slopes[-1] = np.hypot(slopes[-1], varies**0.5)
            squares += linear_error(slopes, w) ** 2
        return float(1 - within / any_two), float(np.sqrt(squares))


def with_one(terms: Sums, question: JackknifeUnit, weight: float = 1.0) -> Sums:
    """The terms with a question added, times a weight."""
    inverse = terms.inverse.mean()
    one = terms_of_moments(
        np.array([1 / inverse if inverse else 1.0]),  # each exact distribution weighs 1
        np.array([question.disagreement]),
        question.mean[None],
        np.array([question.norm]),
        exact=not inverse,
    )
    return terms.each(lambda name, x: np.concatenate([x, weight * getattr(one, name)]))


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


def far_from(means: FloatArray, mean: FloatArray) -> FloatArray:
    """Where a question of far numbers lies: beyond the farthest of these, [N, 1]."""
    away = means - mean
    return np.asarray(mean + FAR[1] * away[(away**2).sum(axis=-1).argmax()])


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


FEWEST_QUESTIONS = 3
"""Fewer do not show how much questions vary."""

TOO_FEW = Reason(Unknown.TOO_FEW, f"an interval needs at least {FEWEST_QUESTIONS} questions")


@dataclass(frozen=True)
class Method:
    """How an interval is made.

    Attributes:
        name: Its name in `Estimate.method`.
        ends: Computes its ends from a formula, a study and a level; NaN if impossible.
        constant: Whether it also works if no question varies.
        bounded: Whether it is for coefficients that are 1 then, and never more.
    """

    name: str
    ends: "Callable[[Formula, JackknifeSample, float], Ends]"
    constant: bool = False
    bounded: bool = True


def t_scale(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """Jackknife-t."""
    x, (error, t) = float(formula(study.total)), study.jackknife(formula, level)
    return x - t * error, x + t * error


def root_scale(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """Jackknife-t, farther where the scale of square roots says so; see `on_root_scale`."""
    error, t = study.jackknife(formula, level)
    return on_root_scale(float(formula(study.total)), t * error, study.most)


def f_scale(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """Jackknife-t on the scale of log F, F = (1 + (R - 1) x) / (1 - x), R the harmonic mean."""
    x = float(formula(study.total))
    return on_f_scale(x, *study.jackknife(formula, level), study.replications)


def noise_or_settled(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """The log scale, or the ends with a fraction of a question added, where these are farther.

    Lower end: a noise question; upper end: one that never varies. Where no two verdicts agree,
    agreement is below 1 - `constant_share_bound`: a share c of questions without agreement shows N
    with c^N.
    """
    error, t = study.jackknife(formula, level)
    low, high = on_log_scale(float(formula(study.total)), error, t)
    if study.apart:  # the mirror image of `exact_bound`
        high = study.varying(formula, constant_share_bound(study.n, level))
    lower = on_log_scale(*study.plus(formula, study.toss), t)[0]
    higher = on_log_scale(*study.plus(formula, study.settled), t)[1]
    return float(np.fmin(low, lower)), float(np.fmax(high, higher))


def plus_a_question(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """The F scale, or the ends with a fraction of a question added, where these are farther.

    Upper end: a question that always gets the second most frequent verdict, on the scale log(1 -
    x). Lower end: a noise question, on the F scale. Each stratum has an equal part of the question.
    """
    r, (error, t) = study.replications, study.jackknife(formula, level)
    steady = study.steady(formula)
    if steady:
        low, high = exact_bound(formula, study, level)
    else:
        low, high = on_f_scale(float(formula(study.total)), error, t, r)
    lower = on_f_scale(*study.omega_plus(formula, study.noise), t, r)[0]
    higher = max(on_log_scale(*study.omega_plus(formula, one), t)[1] for one in study.sure)
    # Below the least omega of R replications the F scale has no ends.
    least = -1 / (r - 1) if r > 1 else -np.inf
    low = float(np.fmax(np.fmin(low, lower), least))
    return low, 1.0 if steady else float(np.fmax(high, higher))


def far_or_noise(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """The F scale, or the ends with questions added, where these are farther.

    Upper end: for skewed or heavy-tailed numbers, the questions not drawn would be the reliable
    ones. The one added lies twice as far from the mean as the farthest drawn, and varies like the
    average question. Lower end: two noise questions, whose numbers are drawn from all questions. N
    questions without one allow no more of them (`constant_share_bound`); R numbers show one in
    1 - 1/R of the cases. The spread of R numbers of a noise question varies like
    chi squared on R - 1 degrees of freedom. If a few questions carry the error, it has fewer
    degrees of freedom than questions: 4N over their kurtosis minus 1.
    """
    low, high = f_scale(formula, study, level)
    (terms,), r = study.strata, study.replications
    mean = terms.means.mean(axis=0)
    far = far_from(terms.means, mean)

    def plus(at: FloatArray, weight: float, disagreement: float, varies: float = 0.0) -> Ends:
        norm = float(at @ at) + disagreement * (1 - 1 / r)
        return study.omega_plus(formula, [JackknifeUnit(weight, at, norm, disagreement)], varies)

    t, few = t_quantile(level, study.n - 1), t_quantile(level, _freedom(terms))
    noise = plus(mean, NOISE_OF_NUMBERS, float(study.total.any_two), 2 / (r - 1))
    lower = on_f_scale(*noise, few, r)[0]
    # More noise questions than N without one leave room for would be too many.
    room = constant_share_bound(study.n * (1 - 1 / r), level)
    lower = max(lower, low * room) if low > 0 else lower
    higher = on_f_scale(*plus(far, FAR[0], float(study.total.within)), t, r)[1]
    return float(np.fmin(low, lower)), float(np.fmax(high, higher))


def exact_bound(formula: Formula, study: JackknifeSample, level: float) -> Ends:
    """The interval if no question varies: exact for agreement, derived from it for the others."""
    bound = constant_share_bound(study.sizes.min(), level)
    return study.varying(formula, 1 - bound), float(formula(study.total))


def interval(
    formula: Formula, method: Method, study: JackknifeSample, level: float
) -> tuple[Ends, str]:
    """The ends of a coefficient's interval, and the name of the method that gave them."""
    if not (method.bounded and study.steady(formula)):
        return method.ends(formula, study, level), method.name
    used = method if method.constant else EXACT_BOUND
    return used.ends(formula, study, level), EXACT_BOUND.name


def within_bounds(found: Estimate, least: float, reached: float = -np.inf) -> Estimate:
    """The estimate without the part of its interval below `least` or above 1.

    Its upper end is at least `reached`, and its value within it.
    """
    if found.value is None or found.low is None or found.high is None:
        return found
    low = min(max(found.low, least), found.value)
    return replace(found, low=low, high=max(min(found.high, 1.0), reached, found.value))


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


T = Method("t", t_scale, bounded=False)

ROOT_SCALE = Method("root scale", root_scale, bounded=False)

NOISE_OR_SETTLED = Method("noise or settled question", noise_or_settled)

FAR_OR_NOISE = Method("far or noise question", far_or_noise)

PLUS_A_QUESTION = Method("plus a question", plus_a_question, constant=True)

EXACT_BOUND = Method("exact bound", exact_bound, constant=True)


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
