"""Strengths of systems from pairs (Bradley & Terry 1952); a tie is half a win to each."""

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from .errors import ReliabilityError
from .long import FloatArray, IntArray

Wins = dict[int, tuple[tuple[IntArray, IntArray], FloatArray]]
"""Question -> winners and losers, and what each won: a question's verdicts weigh 1 together."""

_NEAR, _STEPS, _LONGEST = 1e-10, 200, 2.0


def wins(
    question: IntArray, systems: IntArray, values: FloatArray, n_systems: int
) -> tuple[FloatArray, Wins]:
    """What each system won against each other, [S, S], of all questions and of every one."""
    by_question = np.argsort(question, kind="stable")
    names, starts = np.unique(question[by_question], return_index=True)
    total, each = np.zeros((n_systems, n_systems)), Wins()
    for name, rows in zip(names.tolist(), np.split(by_question, starts[1:]), strict=True):
        one, other = systems[rows].T
        at = np.concatenate([one, other]), np.concatenate([other, one])
        own = values[rows].T.ravel() / len(rows)
        each[name] = at, own
        np.add.at(total, at, own)
    return total, each


def strengths(won: FloatArray, start: FloatArray | None = None) -> FloatArray:
    """Log strengths that sum to 0, by Newton's method.

    Raises:
        ReliabilityError: They are not finite: a system never loses or wins, or systems do not
            connect.
    """
    # What a replicate left of a win by subtraction is none.
    won = np.where(won > 1e-9, won, 0.0)
    _check_finite(won)
    n, games = len(won), won + won.T
    found = np.zeros(n) if start is None else start
    for _ in range(_STEPS):
        chance = expit(found[:, None] - found[None, :])
        slope = (won - games * chance).sum(axis=1)
        curve = games * chance * chance.T
        curve = np.diag(curve.sum(axis=1)) - curve + 1 / n
        step = np.linalg.solve(curve, slope)
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
        found = found + step
        if np.abs(step).max() < _NEAR:
            break
    return np.asarray(found - found.mean())


def _check_finite(won: FloatArray) -> None:
    if connected_components(won > 0, connection="weak")[0] > 1:
        raise ReliabilityError("systems do not connect, so Bradley-Terry has no strengths")
    if connected_components(won > 0, connection="strong")[0] > 1:
        raise ReliabilityError(
            "a system, or a group of them, never loses or never wins, so Bradley-Terry has no "
            "finite strengths"
        )
