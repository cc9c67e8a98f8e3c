"""Omega of verdicts coded as numbers, as the paper's formula takes them.

For comparison only: letters are names, and recoding them moves the values.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ShapeError
from .estimate import Estimate, LeftOut
from .formulas import ratio
from .intervals import FEWEST_QUESTIONS, TOO_FEW, add_interval, jackknife, leave_one_out
from .sums import FloatArray

WARNING = (
    "Letters are names, not numbers: this value depends on which number stands for which verdict."
)


def integer_coded(
    codes: ArrayLike, level: float = 0.95, clusters: NDArray[np.int64] | None = None
) -> dict[str, Estimate]:
    """The parallel one-factor model of integer codes: items are replications, units questions.

    Args:
        codes: Codes of the verdicts, replications x questions, NaN where missing.
        level: Confidence level of the intervals, jackknife over questions on the log scale.
        clusters: Which questions go together (see `Counts`), one integer a question.

    Returns:
        "integer_omega", ICC(1) of one replication, and "integer_omega_composite", 1 - MSW / MSB
        of all of them (Shrout & Fleiss 1979), over the questions with at least two verdicts;
        "cronbach_alpha" (Cronbach 1951), over the replications in which every question has a
        verdict. Each with a warning.

    Raises:
        ShapeError: The codes are not a table of numbers.
    """
    given = table_of_codes(codes).T
    known = ~np.isnan(given)
    replicated = known.sum(axis=1) >= 2
    complete = known[replicated].all(axis=0)
    of = np.arange(len(given)) if clusters is None else clusters
    return {
        "integer_omega": _estimate(_icc, given, replicated, known, of, level, _least_icc),
        "integer_omega_composite": _estimate(_icc_composite, given, replicated, known, of, level),
        "cronbach_alpha": _estimate(_alpha, given[:, complete], replicated, known, of, level),
    }


def _estimate(
    formula: Callable[[FloatArray, FloatArray], FloatArray],
    codes: FloatArray,
    used: NDArray[np.bool_],
    known: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    level: float,
    least: Callable[[FloatArray], float] = lambda codes: 0.0,
) -> Estimate:
    """The formula over the questions used, N x R, with its interval.

    Replications are exchangeable, so the composite and alpha, which can be anything below 0, are
    never truly below it: their intervals end there, or at the value.
    """
    entered = codes[used]
    n, verdicts = len(np.unique(clusters[used])), int((~np.isnan(entered)).sum())
    estimate = Estimate(
        value=None,
        low=None,
        high=None,
        n_questions=n,
        n_replications=verdicts / len(entered) if n else 0.0,
        left_out=LeftOut(known.size - verdicts, tuple(str(i + 1) for i in np.flatnonzero(~used))),
        level=level,
        warning=WARNING,
    )
    if verdicts < 2 * len(entered) or n == 0:
        return replace(estimate, reason="needs at least 2 replications")
    if n == 1:
        return replace(estimate, reason="needs at least 2 questions")
    value = float(formula(entered, np.ones(len(entered))))
    if np.isnan(value):
        return replace(estimate, reason="no variance between questions")
    if value == 1:
        return replace(estimate, value=value, reason="no interval: no question varies")
    if n < FEWEST_QUESTIONS:
        return replace(estimate, value=value, reason=TOO_FEW)
    ends = jackknife(value, formula(entered, leave_one_out(clusters[used])), level, least(entered))
    return add_interval(replace(estimate, value=value), ends, "jackknife")


def _icc(codes: FloatArray, weights: FloatArray) -> FloatArray:
    """(MSB - MSW) / (MSB + (n0 - 1) MSW) for questions weighted [N] or [W, N]."""
    between, within, n0 = _mean_squares(codes, weights)
    return ratio(between - within, between + (n0 - 1) * within)


def _least_icc(codes: FloatArray) -> float:
    """-1 / (n0 - 1), where questions do not differ at all."""
    _, _, n0 = _mean_squares(codes, np.ones(len(codes)))
    return float(-1 / (n0 - 1))


def _icc_composite(codes: FloatArray, weights: FloatArray) -> FloatArray:
    """1 - MSW / MSB."""
    between, within, _ = _mean_squares(codes, weights)
    return 1 - ratio(within, between)


def _alpha(codes: FloatArray, weights: FloatArray) -> FloatArray:
    """R / (R - 1) (1 - sum of the replications' variances / variance of the questions' sums)."""
    r, n = codes.shape[1], weights.sum(axis=-1)
    parts = (weights @ codes**2).sum(axis=-1) - ((weights @ codes) ** 2).sum(axis=-1) / n
    total = codes.sum(axis=1)
    whole = _left(weights @ total**2, (weights @ total) ** 2 / n)
    return (1 - ratio(parts, whole)) * r / (r - 1)


def _mean_squares(
    codes: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean squares between and within questions, and the average replications n0."""
    n = (~np.isnan(codes)).sum(axis=1)
    mean = np.nanmean(codes, axis=1)
    spread = np.nansum((codes - mean[:, None]) ** 2, axis=1)
    questions, verdicts = weights.sum(axis=-1), weights @ n
    between = _left(weights @ (n * mean**2), (weights @ (n * mean)) ** 2 / verdicts)
    with np.errstate(divide="ignore", invalid="ignore"):
        n0 = (verdicts - weights @ n**2 / verdicts) / (questions - 1)
        return between / (questions - 1), weights @ spread / (verdicts - questions), n0


def _left(whole: FloatArray, part: FloatArray) -> FloatArray:
    """A difference of sums of squares, 0 where only rounding is left of it."""
    return np.where(whole - part > 1e-12 * whole, whole - part, 0.0)


def table_of_codes(codes: ArrayLike) -> FloatArray:
    """The codes as a table of numbers.

    Raises:
        ShapeError: They are not.
    """
    try:
        given = np.asarray(codes, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 2:
        raise ShapeError(
            "Codes must form a table of numbers, replications x questions, NaN where missing."
        )
    return given
