"""The published procedure and its noise floor.

It correlates questions over replications. Replications are independent draws, so the true
correlations are 0 for any judge; their absolute values are not, and the result depends on the
numbers of questions and replications. It is for comparison only, never a headline.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...stats import Floor
from ...stats.cells import FloatArray, table_of_numbers

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


# Minres factors with oblimin rotation: the omega_total of the package reliabilipy.
#
# The published procedure fits three factors by L-BFGS-B and rotates them by gradient projection
# (factor_analyzer 0.5.1, ported there from R's psych and GPArotation). Both stop early, so its
# value depends on the path. This twin takes the same path, with the gradient of the fit in closed
# form.


FACTORS = 3

LEAST = 0.005
"""The least uniqueness that a fit may have."""

_SINGULAR = 1e-10
"""Correlations are singular whose least eigenvalue is a smaller share of the largest.

That of correlations between verdicts is above 1e-8, or below 1e-14 by rounding alone."""

_TINY = 100 * np.finfo(float).eps

_TURNS, _HALVINGS, _FLAT = 501, 11, 1e-5
"""Most steps of a rotation, most halvings of a step, and the slope at which it stops."""


def omega_total(correlations: FloatArray) -> float:
    """omega_total of one correlation matrix, k x k."""
    return float(explained(correlations, _rotated(loadings(correlations))))


def loadings(correlations: FloatArray) -> FloatArray:
    """Unrotated loadings, k x 3 (Harman & Jones 1966)."""
    from scipy.optimize import minimize  # slow to import, and most reports have no use for it

    reduced = correlations.copy()
    diagonal = np.einsum("ii->i", reduced)

    def misfit(uniqueness: FloatArray) -> tuple[float, FloatArray]:
        """Sum of squares that three factors leave, and its gradient."""
        diagonal[:] = 1 - uniqueness
        left, vectors = np.linalg.eigh(reduced)
        left[-FACTORS:] = np.minimum(left[-FACTORS:] - _TINY, 0)
        return float(left @ left), -2 * (vectors**2 @ left)

    start = uniquenesses(correlations)
    fit = minimize(
        misfit,
        start,
        method="L-BFGS-B",
        jac=True,
        bounds=[(LEAST, 1)] * len(start),
        options={"maxiter": 1000},
    )
    diagonal[:] = 1 - fit.x
    values, vectors = np.linalg.eigh(reduced)
    most = slice(-1, -FACTORS - 1, -1)
    return np.asarray(vectors[:, most] * np.sqrt(np.maximum(values[most], 0)))


def singular(correlations: FloatArray) -> NDArray[np.bool_]:
    """Whether some variables determine another, for matrices [..., k, k].

    factor_analyzer finds out by inverting the matrix, where rounding decides whether that fails.
    """
    sizes = np.abs(np.linalg.eigvalsh(correlations))
    return np.asarray(sizes.min(axis=-1) <= _SINGULAR * sizes.max(axis=-1))


def uniquenesses(correlations: FloatArray) -> FloatArray:
    """What each variable does not share, by its multiple correlation, [..., k].

    From the pseudo-inverse, as in R's psych: the inverse, where there is one.
    """
    inverse = np.linalg.pinv(correlations, rcond=_SINGULAR, hermitian=True)
    with np.errstate(divide="ignore"):
        return np.asarray(1 / np.einsum("...ii->...i", inverse))


def _rotated(unrotated: FloatArray) -> FloatArray:
    """Loadings rotated by gradient projection (Jennrich 2002), k x f."""
    turns, step = np.eye(unrotated.shape[1]), 1.0
    back, rotated, criterion = _quartimin(unrotated, turns)
    for _ in range(_TURNS):
        slope = _slope(back, rotated, turns)
        steepness = (slope**2).sum()
        if np.sqrt(steepness) < _FLAT:
            break
        step *= 2
        for _ in range(_HALVINGS):
            after = turns - step * slope
            after /= np.sqrt((after**2).sum(axis=0))
            found = _quartimin(unrotated, after)
            if criterion - found[2] > step * steepness / 2:
                break
            step /= 2
        turns, (back, rotated, criterion) = after, found
    return rotated


def _quartimin(unrotated: FloatArray, turns: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """How far variables load on several factors.

    Args:
        unrotated: Loadings, k x f.
        turns: A rotation, f x f, whose columns have length 1.

    Returns:
        The inverse of the rotation, the rotated loadings, and the criterion.
    """
    back = np.asarray(np.linalg.inv(turns), dtype=np.float64)
    rotated = unrotated @ back.T
    squares = rotated**2
    return back, rotated, float(np.einsum("if,if", squares, squares @ _others(turns))) / 4


def _slope(back: FloatArray, rotated: FloatArray, turns: FloatArray) -> FloatArray:
    """Slope of the criterion along rotations whose columns have length 1, f x f."""
    slope = -(rotated.T @ (rotated * (rotated**2 @ _others(turns))) @ back).T
    return np.asarray(slope - turns * (turns * slope).sum(axis=0))


def _others(turns: FloatArray) -> FloatArray:
    """Adds up what a variable has of the other factors."""
    return 1 - np.eye(len(turns))


def explained(correlations: FloatArray, rotated: FloatArray) -> FloatArray:
    """omega_total of correlations [..., k, k] and their rotated loadings [..., k, f].

    As in reliabilipy, the uniqueness of a variable is 1 minus its squared loadings, although the
    rotated factors are correlated.
    """
    total = correlations.sum(axis=(-2, -1))
    return np.asarray((total - rotated.shape[-2] + (rotated**2).sum(axis=(-2, -1))) / total)


_MOST_QUESTIONS = 200
"""Questions that vary, at most; the study had 27. With more, the procedure takes minutes, and comes
close to 1 whatever the judge."""


_ROUNDING = 1e-9
"""Values that differ by less are the same."""


@dataclass(frozen=True)
class AsPublished:
    """The published coefficients, None if not estimable, and what they were computed from.

    Attributes:
        n_varying: Questions whose verdict varies (k).
        n_constant: Questions whose verdict never varies, pooled as 1 (n1).
        n_dropped: Questions that are always a non-response, which are dropped.
        n_replications: Replications in which every question has a verdict.
        n_incomplete: Replications left out because a verdict is missing.
        singular: Whether some questions that vary determine another.
        omega: Pooled omega_total.
        alpha: Pooled Cronbach's alpha.
        omega_floor: Pooled omega_total of permuted columns.
        alpha_floor: Pooled alpha of permuted columns.
        alpha_noise: What alpha is expected to be on pure noise, in closed form.
        reason: Why there is no value; else None.
    """

    n_varying: int
    n_constant: int
    n_dropped: int
    n_replications: int
    n_incomplete: int
    singular: bool = False
    omega: float | None = None
    alpha: float | None = None
    omega_floor: Floor | None = None
    alpha_floor: Floor | None = None
    alpha_noise: float | None = None
    reason: str | None = None


def as_published(
    codes: ArrayLike, non_response: float | None = 6, permutations: int = 200, seed: int = 0
) -> AsPublished:
    """Omega and alpha exactly as in the paper's Table 2, and what noise alone gives.

    Columns that are always a non-response are dropped, other constant columns are counted (n1).
    reliabilipy's three-factor omega_total or alpha of the k others, from absolute correlations, is
    pooled: (n1 + k x) / (n1 + k), which is 1 if k = 0.

    The floor permutes each column on its own, which keeps its verdicts and removes whatever
    replications have in common.

    Args:
        codes: Integer codes of the verdicts, replications x questions, NaN if missing.
        non_response: The code of a non-response; None if it has none of its own.
        permutations: Permutations of the floor.
        seed: Seed of the permutations.

    Raises:
        ShapeError: The codes are not a table of numbers.
    """
    blank, columns, questions = split_varying(codes, non_response)
    return _not_computed(blank, questions) or _computed(blank, columns, permutations, seed)


def split_varying(
    codes: ArrayLike, non_response: float | None
) -> tuple[AsPublished, FloatArray, int]:
    """The counts of the procedure, the questions that vary (replications x questions), and N."""
    given = table_of_numbers(codes)
    complete = given[~np.isnan(given).any(axis=1)]
    dropped = (complete == non_response).all(axis=0)
    varies = (complete != complete[:1]).any(axis=0)
    counts = AsPublished(
        n_varying=int(varies.sum()),
        n_constant=int((~varies & ~dropped).sum()),
        n_dropped=int(dropped.sum()) if len(complete) else 0,
        n_replications=len(complete),
        n_incomplete=len(given) - len(complete),
    )
    return counts, complete[:, varies], given.shape[1]


def pooled_with_constant(counts: AsPublished, value: FloatArray) -> FloatArray:
    """A coefficient of the questions that vary, pooled with the constant ones as 1."""
    varying, constant = counts.n_varying, counts.n_constant
    return (constant + varying * value) / (constant + varying)


def floor_of(values: FloatArray) -> Floor | None:
    """Mean and 95% range of permuted values, ignoring NaN; None without any."""
    known = values[~np.isnan(values)]
    if not known.size:
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    mean = known.mean()
    within = np.clip(mean, low, high)
    mean = within if abs(mean - within) < _ROUNDING else mean
    return Floor(float(mean), float(low), float(high))


def permuted_correlations(standardised: FloatArray, permutations: int, seed: int) -> FloatArray:
    """Absolute correlations after permuting each column on its own, [permutations, k, k]."""
    generator = np.random.default_rng(seed)
    k = standardised.shape[1]
    correlations = np.empty((permutations, k, k))
    for one in correlations:
        shuffled = generator.permuted(standardised, axis=0)
        one[:] = np.abs(shuffled.T @ shuffled) / len(standardised)
    return correlations


def _computed(blank: AsPublished, columns: FloatArray, permutations: int, seed: int) -> AsPublished:
    """The procedure and its floor on the questions that vary, replications x questions."""
    standardised = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    # These matrices are so small that BLAS threads wait for each other far longer than they work.
    with _threads().limit(limits=1):
        correlations = np.abs(np.cov(standardised, rowvar=False, ddof=0))
        observed = np.array([omega_total(correlations), _alpha(correlations)])
        noise = permuted_correlations(standardised, permutations, seed)
        omega_noise = np.array([omega_total(one) for one in noise])
    omega, alpha = (
        float(x) if np.isfinite(x) else None for x in pooled_with_constant(blank, observed)
    )
    return replace(
        blank,
        singular=bool(singular(correlations)),
        omega=omega,
        alpha=alpha,
        omega_floor=floor_of(pooled_with_constant(blank, omega_noise)),
        alpha_floor=floor_of(pooled_with_constant(blank, _alpha(noise))),
        alpha_noise=float(
            pooled_with_constant(blank, _alpha_of_noise(blank.n_varying, len(columns)))
        ),
        reason="the factor analysis has no solution" if omega is None else None,
    )


def _not_computed(blank: AsPublished, questions: int) -> AsPublished | None:
    """The result where the procedure has nothing to fit; else None."""
    reason = None
    if blank.n_replications < 2:
        reason = "needs at least 2 complete replications"
    elif not questions:
        reason = "no question was judged"
    elif blank.n_dropped == questions:
        reason = "every question is always a non-response"
    elif blank.n_varying == 0:
        sure = Floor(1.0, 1.0, 1.0)
        return replace(
            blank, omega=1.0, alpha=1.0, omega_floor=sure, alpha_floor=sure, alpha_noise=1.0
        )
    elif blank.n_varying == 1:
        reason = "a correlation needs at least 2 questions that vary"
    elif blank.n_varying > _MOST_QUESTIONS:
        reason = f"more than {_MOST_QUESTIONS} questions vary, for which it takes minutes"
    return None if reason is None else replace(blank, reason=reason)


@cache
def _threads() -> "ThreadpoolController":
    import scipy.optimize  # noqa: F401  (its BLAS has threads of its own)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _alpha(correlations: FloatArray) -> FloatArray:
    """Cronbach's alpha of standardised items, from correlation matrices [..., k, k]."""
    k = correlations.shape[-1]
    return np.asarray((1 - k / correlations.sum(axis=(-2, -1))) * k / (k - 1))


def _alpha_of_noise(k: int, r: int) -> FloatArray:
    """Alpha with all k(k - 1)/2 absolute correlations at their mean over noise.

    E|r| = Gamma((R - 1)/2) / (sqrt(pi) Gamma(R/2)) for independent normal columns.
    """
    from scipy.special import gammaln

    m = np.exp(gammaln((r - 1) / 2) - gammaln(r / 2)) / np.sqrt(np.pi)
    return np.asarray(k * m / (1 + (k - 1) * m))
