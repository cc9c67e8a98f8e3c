"""Minres factors with oblimin rotation: the omega_total of the package reliabilipy.

The published procedure fits three factors by L-BFGS-B and rotates them by gradient projection
(factor_analyzer 0.5.1, ported there from R's psych and GPArotation). Both stop early, so its value
depends on the path. This twin takes the same path, with the gradient of the fit in closed form.
"""

import numpy as np
from numpy.typing import NDArray

from ...stats.long import FloatArray

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
