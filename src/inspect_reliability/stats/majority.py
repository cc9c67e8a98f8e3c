"""How many replications must vote until their majority, or their mean, is the judge's own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cells import Cells, FloatArray, IntArray
from .estimate import LEVEL, Estimate, ReliabilityError
from .rates import by_question, mean_share

VOTES = (1, 3, 5, 7, 9, 15, 25, 49)
"""Numbers of votes to try; for exact distributions all of them."""

_NEVER = 1e-9
"""Verdicts this unlikely win no majority."""

ComplexArray = NDArray[np.complex128]

RESAMPLES = 1000
"""Draws per question, if it stands alone or among at most twenty."""

_FEWEST = 100
_IN_ALL = 20_000
"""Draws for a mean over questions: it errs by .0035 at most (one standard error)."""


def stable_majority(counts: Cells, votes: Sequence[int] | None = None) -> dict[int, Estimate]:
    """How often the majority of m replications equals that of m others of the same judge.

    Two disjoint sets of m are drawn without replacement from a question's R replications, so m is
    at most R/2: 1,000 times, or 20,000 times in all with more than twenty varying questions. Tied
    verdicts win with equal chance. Such draws are right only for the mean over questions: with m
    near R/2 the two sets are nearly complements. For exact distributions every figure is exact.

    Args:
        counts: Verdicts per question.
        votes: Numbers of votes; by default odd ones, up to half of the median replications, or up
            to 49.

    Returns:
        Number of votes -> probability that two majorities are the same, mean over questions, with
        its interval.

    Raises:
        ReliabilityError: No question has two replications per vote, or `votes` are out of range.
    """
    replications = counts.replications
    if votes is not None:
        tried = sorted(set(votes))
    elif counts.exact:
        tried = list(VOTES)
    else:
        tried = _odd_numbers(int(np.median(replications)) // 2)
    if not tried or tried[0] < 1:
        raise ReliabilityError(
            "A majority needs at least 1 vote, and its stability 2 replications per vote."
        )
    enough = replications >= 2 * tried[-1]
    if not enough.any():
        raise ReliabilityError(
            f"No question has the {2 * tried[-1]} replications that two majorities of "
            f"{tried[-1]} votes need; the most are {replications.max()}."
        )
    kept, generator = counts.rows(enough), np.random.default_rng(0)
    if kept.exact:
        # What is open and was not drawn from counts as one verdict more.
        shares = np.column_stack([kept.shares, kept.unknown])
        each = ((won**2).sum(axis=1) for won in won_by(shares, tried, exact=True))
    else:
        each = (_drawn(kept.table, m, generator) for m in tried)
    found = {}
    for m, same in zip(tried, each, strict=True):
        one = mean_share(by_question(same, kept.clusters), LEVEL, float(kept.replications.mean()))
        found[m] = replace(one, value=float(same.mean()))
    return found


def _odd_numbers(most: int) -> list[int]:
    """Odd numbers up to `most`, denser where votes still matter; `most` itself if odd."""
    steps = [*VOTES, 99, 199, 499]
    largest = most - (most % 2 == 0)
    return sorted({m for m in [*steps, largest] if 1 <= m <= most})


def _drawn(table: NDArray[np.int64], m: int, generator: np.random.Generator) -> FloatArray:
    """Agreement of two majorities of m votes drawn without replacement, N."""
    if m == 1:  # two votes are two replications
        n, pairs = table.sum(axis=1), (table * (table - 1)).sum(axis=1)
        return np.asarray(pairs / (n * (n - 1)))
    # Which category is which makes no difference.
    ordered, same = np.unique(np.sort(table, axis=1)[:, ::-1], axis=0, return_inverse=True)
    others = ordered[:, 1:].sum(axis=1)
    # A verdict that all others together cannot reach has every majority.
    open_ = 2 * others >= m
    resamples = min(RESAMPLES, max(_FEWEST, _IN_ALL // max(1, int(np.count_nonzero(others)))))
    kinds = (ordered > 0).sum(axis=1)
    agreement = np.ones(len(ordered))
    for k in np.unique(kinds[open_]):
        rows = open_ & (kinds == k)
        left = np.repeat(ordered[rows, :k].T[:, None], resamples, axis=1)
        first = _without_replacement(left, m, generator)
        second = _without_replacement(left - first, m, generator)
        agreement[rows] = (_won(first) * _won(second)).sum(axis=0).mean(axis=0)
    return np.asarray(agreement[same])


def _won(votes: NDArray[np.int64]) -> FloatArray:
    """Each category's share of a majority, [K, ...]; tied ones share it equally."""
    most = votes == votes.max(axis=0)
    return np.asarray(most / most.sum(axis=0))


def _without_replacement(
    left: NDArray[np.int64], m: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw m (multivariate hypergeometric), one category after another, [K, ...]."""
    drawn = np.empty_like(left)
    others = left.sum(axis=0)
    wanted = np.full_like(others, m)
    for of_k, taken in zip(left[:-1], drawn, strict=False):
        others -= of_k
        taken[:] = generator.hypergeometric(of_k, others, wanted)
        wanted -= taken
    drawn[-1] = wanted
    return drawn


def won_by(
    table: NDArray[Any], tried: Sequence[int], exact: bool, silent: ArrayLike = 0.0, alone: int = 0
) -> Iterator[FloatArray]:
    """What `winners` says of N questions, N x K, for each number of verdicts in turn."""
    # Many questions have the same counts, and which verdict has which makes no difference.
    order = np.argsort(-table, axis=1, kind="stable")
    ordered = np.take_along_axis(table, order, axis=1)
    rows = np.column_stack([ordered, np.broadcast_to(silent, len(table))])
    distinct, same = np.unique(rows, axis=0, return_inverse=True)
    for votes in tried:
        won = [winners(row[:-1], votes, exact, row[-1], alone) for row in distinct]
        found = np.empty(table.shape)
        np.put_along_axis(found, order, np.array(won)[same.reshape(-1)], axis=1)
        yield found


def winners(
    given: NDArray[Any], votes: int, exact: bool, silent: float = 0.0, alone: int = 0
) -> FloatArray:
    """Probability of each category to win the majority of this many verdicts, K.

    They are drawn from its probabilities if `exact`, else without replacement from its counts,
    which is unbiased for a vote of the judge. Tied verdicts win with equal chance.

    Args:
        given: Count or probability of each category, K.
        votes: How many verdicts are drawn.
        exact: Whether these are probabilities.
        silent: Count or probability of verdicts that have no vote.
        alone: Votes that a winner needs, if tied verdicts do not win; 0 if they do.
    """
    used, found = np.flatnonzero(given > _NEVER), np.zeros(len(given))
    own = np.append(given[used], [silent] if silent > _NEVER else [])
    if len(own) == 1 or not len(used):
        found[used] = 1.0
        return found
    ways = _ways(own[:, None], votes, exact)
    found[used] = _majority(ways[: len(used)], ways[len(used) :], alone)
    return found


def _ways(own: FloatArray, votes: int, exact: bool) -> FloatArray:
    """Weight of each number of verdicts of a category, U x m + 1: independent, given their sum."""
    numbers = np.arange(votes + 1)
    if exact:  # Poisson numbers, given their sum
        mean = votes * own / own.sum()
        ways = numbers * np.log(mean) - _log_factorials(votes) - mean
    else:  # binomial numbers, given their sum
        own, whole = own.astype(np.int64), int(own.sum())
        logs, odds = _log_factorials(whole), votes / (whole - votes + 0.5)
        left = own - numbers
        ways = logs[own] - logs[numbers] - logs[left.clip(0)] + numbers * np.log(odds)
        ways = np.where(left < 0, -np.inf, ways - own * np.log1p(odds))
    return np.asarray(np.exp(ways))


def _majority(each: FloatArray, silent: FloatArray, alone: int) -> FloatArray:
    """Probability of each category to have most votes, U, from weights of 0, 1, ..., m verdicts.

    A category with c votes wins if all others have fewer. If it ties with d of them, it wins in 1
    of 1 + d cases, which is the integral of t^d from 0 to 1. Numbers of votes are independent given
    their sum. So their generating functions are multiplied on the unit circle, with a weight t for
    each tie. Gauss-Legendre integrates over t, exactly for so few ties.
    """
    turns, back = _circle(len(each) + len(silent), each.shape[1] - 1)
    parts = each[:, None] * turns
    back = back * (silent @ turns.T).prod(axis=0)[:, None]
    whole = (parts.sum(axis=2).prod(axis=0) @ back[:, 0]).real
    below = np.cumsum(parts, axis=2) - parts  # fewer than c votes, [U, L, m + 1]
    found = np.zeros(len(each))
    for point, weight in [(0.0, 1.0)] if alone else _ties(len(each)):
        ways = below + point * parts
        # Row by row, in half the time of a cumulative product along the first axis.
        before = list(accumulate(ways[:-1], mul, initial=back))
        after = accumulate(ways[:0:-1], mul, initial=np.ones_like(back))
        # All votes but c: one coefficient of the inverse transform of the others' product.
        others = zip(reversed(before), after, strict=True)
        ended = np.array([(first * last).sum(axis=0).real for first, last in others])[::-1]
        found += weight * (each * ended)[:, max(alone, 1) :].sum(axis=1)
    return np.asarray(found / whole)


@lru_cache
def _ties(categories: int) -> list[tuple[float, float]]:
    """Points and weights of an integral from 0 to 1 over powers below the number of categories."""
    points, weights = np.polynomial.legendre.leggauss(categories // 2 + 1)
    return list(zip((points + 1) / 2, weights / 2, strict=True))


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


# Of a scale, the mean of several verdicts votes instead.


MOST_GRADES = 101
"""Most grades of a scale whose means are known: sums of verdicts are counted one by one."""

_AT_ONCE = 2_000
"""Questions whose sums are counted together."""

_ROUNDING = 1e-9


def places_of(values: FloatArray) -> IntArray | None:
    """The places of equally spaced grades, from 0; None if they are not, or are too many.

    Args:
        values: Different numbers, K.
    """
    if len(values) < 2:
        return None
    known = np.sort(values)
    step = np.diff(known).min()
    found = (values - known[0]) / step
    places: IntArray = np.round(found).astype(np.int64)
    if places.max() >= MOST_GRADES or np.abs(found - places).max() > 1e-6:
        return None
    return places


def means(
    table: NDArray[Any], places: IntArray, tried: Sequence[int], exact: bool, silent: FloatArray
) -> Iterator[FloatArray]:
    """Probability of each grade to be nearest to the mean of so many verdicts.

    The verdicts are drawn without replacement from a question's counts, all subsets alike, which is
    unbiased; from its probabilities if `exact`. A mean midway between two grades counts half for
    each. Verdicts without a grade have no part in the mean; without any other there is none.

    Args:
        table: Counts or probabilities of grades, N x K.
        places: Place of each grade on the scale, K; see `places_of`.
        tried: Numbers of verdicts.
        exact: Whether these are probabilities.
        silent: Count or probability of verdicts without a grade, N.

    Yields:
        For each number, N x G: the probability of each place from 0 to the last.
    """
    rows = np.column_stack([table, silent])
    distinct, same = np.unique(rows, axis=0, return_inverse=True)
    parts = [distinct[i : i + _AT_ONCE] for i in range(0, len(distinct), _AT_ONCE)]
    for m in tried:
        nearest = _nearest(m, int(places.max()) + 1)
        found = [np.einsum("njs,jsg->ng", _sums(one, places, m, exact), nearest) for one in parts]
        yield np.concatenate(found)[same.reshape(-1)]


def _sums(rows: NDArray[Any], places: IntArray, m: int, exact: bool) -> FloatArray:
    """Probability of j verdicts with a grade among m, and of the sum of their places, N x j x S."""
    ways = np.zeros((len(rows), m + 1, m * int(places.max()) + 1))
    ways[:, 0, 0] = 1.0
    for counts, place in zip(rows[:, :-1].T, places.tolist(), strict=True):
        before, ways = ways, np.zeros_like(ways)
        for n in range(m + 1):
            weight = _weight(counts, n, exact)[:, None, None]
            shift = n * place
            ways[:, n:, shift:] += weight * before[:, : m + 1 - n, : ways.shape[2] - shift]
    mute = np.stack([_weight(rows[:, -1], m - j, exact) for j in range(m + 1)], axis=1)
    ways *= mute[:, :, None]
    return np.asarray(ways / ways.sum(axis=(1, 2), keepdims=True))


def _weight(counts: NDArray[Any], n: int, exact: bool) -> FloatArray:
    """Ways to draw n verdicts of one kind: p^n / n! of a probability, else a binomial number."""
    if exact:
        return np.asarray(counts**n / np.prod(np.arange(1.0, n + 1)))
    from scipy.special import comb  # takes twice as long to import as numpy

    return np.asarray(comb(counts, n))


def _nearest(m: int, grades: int) -> FloatArray:
    """The grade nearest to a mean of j places with sum s, j x S x G; halves where it is midway."""
    found = np.zeros((m + 1, m * (grades - 1) + 1, grades))
    for j in range(1, m + 1):
        mean = np.arange(j * (grades - 1) + 1) / j
        apart = np.abs(mean[:, None] - np.arange(grades))
        nearest = apart <= apart.min(axis=1, keepdims=True) + _ROUNDING
        found[j, : len(mean)] = nearest / nearest.sum(axis=1, keepdims=True)
    return found
