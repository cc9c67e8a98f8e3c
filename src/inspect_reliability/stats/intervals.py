"""Intervals over questions: what other questions of the same kind would show.

A jackknife cannot see questions that were never drawn. For a nearly perfect judge, or one with a
dominant verdict, a single such question would move a coefficient far. So the ends are also computed
with a fraction of such a question, and the farther end is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .ends import (
    NO_WIDTH,
    Ends,
    constant_share_bound,
    on_f_scale,
    on_log_scale,
    on_root_scale,
    t_quantile,
)
from .estimate import Estimate, Reason, Unknown
from .long import FloatArray
from .study import FAR, NOISE_OF_NUMBERS, Formula, Question, Study, far_from, omega_slopes
from .sums import Sums

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
    ends: "Callable[[Formula, Study, float], Ends]"
    constant: bool = False
    bounded: bool = True


def t_scale(formula: Formula, study: Study, level: float) -> Ends:
    """Jackknife-t."""
    x, (error, t) = float(formula(study.total)), study.jackknife(formula, level)
    return x - t * error, x + t * error


def root_scale(formula: Formula, study: Study, level: float) -> Ends:
    """See `on_root_scale`."""
    error, t = study.jackknife(formula, level)
    return on_root_scale(float(formula(study.total)), t * error, study.most)


def f_scale(formula: Formula, study: Study, level: float) -> Ends:
    """Jackknife-t on the scale of log F, F = (1 + (R - 1) x) / (1 - x), R the harmonic mean."""
    x = float(formula(study.total))
    return on_f_scale(x, *study.jackknife(formula, level), study.replications)


def noise_or_settled(formula: Formula, study: Study, level: float) -> Ends:
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


def plus_a_question(formula: Formula, study: Study, level: float) -> Ends:
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


def far_or_noise(formula: Formula, study: Study, level: float) -> Ends:
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
        return study.omega_plus(formula, [Question(weight, at, norm, disagreement)], varies)

    t, few = t_quantile(level, study.n - 1), t_quantile(level, _freedom(terms))
    noise = plus(mean, NOISE_OF_NUMBERS, float(study.total.any_two), 2 / (r - 1))
    lower = on_f_scale(*noise, few, r)[0]
    # More noise questions than N without one leave room for would be too many.
    room = constant_share_bound(study.n * (1 - 1 / r), level)
    lower = max(lower, low * room) if low > 0 else lower
    higher = on_f_scale(*plus(far, FAR[0], float(study.total.within)), t, r)[1]
    return float(np.fmin(low, lower)), float(np.fmax(high, higher))


def exact_bound(formula: Formula, study: Study, level: float) -> Ends:
    """The interval if no question varies: exact for agreement, derived from it for the others."""
    bound = constant_share_bound(study.sizes.min(), level)
    return study.varying(formula, 1 - bound), float(formula(study.total))


def interval(formula: Formula, method: Method, study: Study, level: float) -> tuple[Ends, str]:
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
