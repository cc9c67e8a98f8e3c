"""Minres factors with oblimin rotation, as reliabilipy's `omega_total` has them, many at a time.

The published procedure fits three factors by L-BFGS-B with numerical gradients (factor_analyzer
0.5.1, ported there from R's psych and GPArotation) and stops early, so its value depends on the
path. This twin takes the same path with the gradient in closed form and rotates all matrices
together, which makes a permutation floor of hundreds of fits affordable. Where the optimum is
flat (about one fit of pure noise in a hundred) the two can stop at different places.
"""

import numpy as np
from scipy.optimize import minimize

from ..stats.sums import FloatArray

FACTORS = 3
TINY = 100 * np.finfo(float).eps


def omega_total(correlations: FloatArray) -> FloatArray:
    """(V - U) / V: V the sum of a correlation matrix, U the sum of its uniquenesses.

    As in reliabilipy, the uniqueness of a variable is 1 minus its squared loadings, although the
    rotated factors are correlated.

    Args:
        correlations: Correlation matrices, [B, k, k], k >= 2.

    Returns:
        One value each, NaN where the matrix is singular.
    """
    loadings = np.full((*correlations.shape[:2], min(FACTORS, correlations.shape[1])), np.nan)
    for matrix, fitted in zip(correlations, loadings, strict=True):
        try:
            fitted[:] = _minres(matrix)
        except np.linalg.LinAlgError:
            continue
    regular = ~np.isnan(loadings).any(axis=(1, 2))
    common = np.full(len(correlations), np.nan)
    common[regular] = (_oblimin(loadings[regular]) ** 2).sum(axis=(1, 2))
    total = correlations.sum(axis=(1, 2))
    return np.asarray((total - correlations.shape[1] + common) / total)


def _minres(correlations: FloatArray) -> FloatArray:
    """Unrotated loadings, k x 3 (Harman & Jones 1966).

    Raises:
        LinAlgError: The matrix is singular.
    """
    reduced = correlations.copy()
    diagonal = np.einsum("ii->i", reduced)

    def misfit(uniqueness: FloatArray) -> tuple[float, FloatArray]:
        """Sum of squares that three factors leave, and its gradient."""
        diagonal[:] = 1 - uniqueness
        left, vectors = np.linalg.eigh(reduced)
        left[-FACTORS:] = np.minimum(left[-FACTORS:] - TINY, 0)
        return float(left @ left), -2 * (vectors**2 @ left)

    with np.errstate(divide="ignore"):
        start = 1 / np.diag(np.linalg.inv(correlations))
    fit = minimize(
        misfit,
        start,
        method="L-BFGS-B",
        jac=True,
        bounds=[(0.005, 1)] * len(start),
        options={"maxiter": 1000},
    )
    diagonal[:] = 1 - fit.x
    values, vectors = np.linalg.eigh(reduced)
    most = slice(-1, -FACTORS - 1, -1)
    return np.asarray(vectors[:, most] * np.sqrt(np.maximum(values[most], 0)))


def _oblimin(loadings: FloatArray) -> FloatArray:
    """Loadings rotated to oblique simple structure, [B, k, 3] (Jennrich 2002).

    Gradient projection with step halving, each matrix with its own step, until each has
    converged; those that have leave the batch.
    """
    rotated = loadings.copy()
    live = np.arange(len(loadings))
    rotation = np.tile(np.eye(loadings.shape[2]), (len(loadings), 1, 1))
    step = np.ones(len(loadings))
    for _ in range(501):
        slope, criterion = _quartimin(rotated[live])
        gradient = -_t(_t(rotated[live]) @ slope @ np.linalg.inv(rotation[live]))
        projected = gradient - rotation[live] * (rotation[live] * gradient).sum(1, keepdims=True)
        steepness = (projected**2).sum(axis=(1, 2))
        moving = np.sqrt(steepness) >= 1e-5
        live, criterion = live[moving], criterion[moving]
        projected, steepness = projected[moving], steepness[moving]
        if not live.size:
            break
        step[live] *= 2
        before, todo = rotation[live], np.arange(len(live))
        for _ in range(11):
            at = live[todo]
            turned = before[todo] - step[at, None, None] * projected[todo]
            turned /= np.sqrt((turned**2).sum(axis=1, keepdims=True))
            rotation[at], rotated[at] = turned, loadings[at] @ _t(np.linalg.inv(turned))
            gained = criterion[todo] - _quartimin(rotated[at])[1]
            todo = todo[~(gained > 0.5 * steepness[todo] * step[at])]
            if not todo.size:
                break
            step[live[todo]] /= 2
    return rotated


def _quartimin(loadings: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope and value of the criterion: squared loadings of one variable on two factors."""
    squares = loadings**2
    others = squares.sum(axis=2, keepdims=True) - squares
    return loadings * others, (squares * others).sum(axis=(1, 2)) / 4


def _t(matrices: FloatArray) -> FloatArray:
    return np.swapaxes(matrices, 1, 2)
