"""Strengths of systems from pairs (Bradley & Terry 1952); a tie is half a win to each."""

import numpy as np
from scipy.special import expit

from .errors import ReliabilityError
from .long import Flags, FloatArray, IntArray

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


def strengths(won: FloatArray) -> FloatArray:
    """Log strengths that sum to 0, by Newton's method.

    Args:
        won: What each system won against each other, [..., S, S].

    Raises:
        ReliabilityError: See `check_finite`.
    """
    check_finite(won)
    n, games = won.shape[-1], won + won.swapaxes(-1, -2)
    found = np.zeros(won.shape[:-1])
    for _ in range(_STEPS):
        chance = expit(found[..., :, None] - found[..., None, :])
        slope = (won - games * chance).sum(axis=-1)
        curve = games * chance * chance.swapaxes(-1, -2)
        curve = np.eye(n) * curve.sum(axis=-1)[..., None] - curve + 1 / n
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True, initial=0)
        found = found + step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
        if longest.max(initial=0) < _NEAR:
            break
    return np.asarray(found - found.mean(axis=-1, keepdims=True))


def are_finite(won: FloatArray) -> Flags:
    """Whether systems that won this, [..., S, S], have finite strengths (Ford 1957).

    They do where wins lead from each system to each other, if need be by way of others.
    """
    reached = (won > 0) | np.eye(won.shape[-1], dtype=bool)
    for _ in range(won.shape[-1].bit_length()):  # each time by twice as many wins
        reached = reached.astype(np.float32) @ reached > 0
    return np.asarray(reached.all(axis=(-2, -1)))


def check_finite(won: FloatArray) -> None:
    """Refuse what has no finite strengths.

    Raises:
        ReliabilityError: A system never loses or wins, or systems do not connect.
    """
    if are_finite(won).all():
        return
    if not are_finite(won + won.swapaxes(-1, -2)).all():
        raise ReliabilityError("systems do not connect, so Bradley-Terry has no strengths")
    raise ReliabilityError(
        "a system, or a group of them, never loses or never wins, so Bradley-Terry has no "
        "finite strengths"
    )
