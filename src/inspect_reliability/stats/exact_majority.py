"""How often do two majorities agree, where the distribution of a verdict is known?"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .sums import FloatArray

ComplexArray = NDArray[np.complex128]

VOTES = (1, 3, 5, 7, 9, 15, 25, 49)
"""Numbers of votes to try."""

_NEVER = 1e-9
"""Verdicts this unlikely win no majority."""


def majority_agreement(shares: FloatArray, votes: int) -> FloatArray:
    """Probability that the majorities of two sets of votes are the same, N.

    Verdicts that tie win with equal chance.

    Args:
        shares: How likely each verdict is, N x K.
        votes: Votes in each set.
    """
    # Many questions have the same shares, and which verdict has which makes no difference.
    distinct, same = np.unique(np.sort(shares, axis=1), axis=0, return_inverse=True)
    found = np.array([float((winners(row, votes) ** 2).sum()) for row in distinct])
    return np.asarray(found[same])


def winners(shares: FloatArray, votes: int) -> FloatArray:
    """Probability of each category to have the majority of so many independent votes, K.

    Given its number of votes c, a category wins where all others have fewer, or ties with some d
    of them and wins in 1 of 1 + d, the integral of t^d from 0 to 1. Votes are independent Poisson
    numbers given their sum; their generating functions are multiplied on the unit circle, with a
    weight t for each tie, and integrated over t by Gauss and Legendre, exactly for so few ties.
    """
    used = np.flatnonzero(shares > _NEVER)
    found = np.zeros(len(shares))
    if len(used) == 1:
        found[used] = 1.0
        return found
    chance = shares[used] / shares[used].sum()
    points, weights = _ties(len(used))
    turns, back = _circle(len(used), votes)
    mean, numbers = votes * chance[:, None], np.arange(votes + 1)
    each = np.exp(numbers * np.log(mean) - _log_factorials(votes) - mean)  # [K, m + 1]
    parts = each[:, None] * turns
    below = np.cumsum(parts, axis=2) - parts  # fewer than c votes, [K, L, m + 1]
    for point, weight in zip(points, weights, strict=True):
        ways = below + point * parts
        one = np.ones_like(ways[:1])
        before = np.cumprod(np.concatenate([one, ways[:-1]]), axis=0)
        after = np.cumprod(np.concatenate([one, ways[:0:-1]]), axis=0)[::-1]
        # All votes but c: one coefficient of the inverse transform of the others' product.
        ended = (before * after * back).sum(axis=1).real
        found[used] += weight * (each * ended).sum(axis=1)
    return np.asarray(found / found.sum())


@lru_cache
def _ties(categories: int) -> tuple[FloatArray, FloatArray]:
    """Points and weights of an integral from 0 to 1 over powers below the number of categories."""
    points, weights = np.polynomial.legendre.leggauss(categories // 2 + 1)
    return (points + 1) / 2, weights / 2


@lru_cache
def _circle(categories: int, votes: int) -> tuple[ComplexArray, ComplexArray]:
    """Powers at points of the upper half circle, and those of the inverse transform, L x m + 1."""
    half = ((categories - 1) * votes + 1) // 2 + 1
    turns = np.exp(-2j * np.pi * np.outer(np.arange(half), np.arange(votes + 1)) / (2 * half - 1))
    # A point and its mirror image have the same real part.
    twice = np.where(np.arange(half) == 0, 1, 2)[:, None]
    return turns, twice * turns[:, ::-1].conj()


@lru_cache
def _log_factorials(votes: int) -> FloatArray:
    return np.cumsum(np.log(np.arange(votes + 1.0).clip(1)))
