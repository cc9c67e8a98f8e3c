"""How many replications must vote until their majority, or their mean, is the judge's own."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cells import Cells, Flags, FloatArray, IntArray
from .estimate import LEVEL, Estimate, ReliabilityError
from .grade_steps import TENTH, GradeGrid
from .moments import over_variants, terms_of_names
from .rates import by_question, mean_share
from .turns import (
    NEVER,
    by_way,
    drawn_spreads,
    in_turn,
    of_each,
    ways_to_draw,
    without_replacement,
    won_in_turn,
)

VOTES = (1, 3, 5, 7, 9, 15, 25, 49)
"""Numbers of votes to try; for exact distributions all of them."""

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

    Where questions were asked in several ways, such as orders, each set takes these in turn (see
    `turns`), whatever the other set does. So each way needs two replications for each of its turns.

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
    usable = _of_two(counts)
    if votes is not None:
        tried = sorted(set(votes))
    elif counts.exact:
        tried = list(VOTES)
    else:
        tried = _odd_numbers(int(np.median(usable)) // 2)
    if not tried or tried[0] < 1:
        raise ReliabilityError(
            "A majority needs at least 1 vote, and its stability 2 replications per vote."
        )
    enough = usable >= 2 * tried[-1]
    if not enough.any():
        raise ReliabilityError(
            f"No question has the {2 * tried[-1]} replications that two majorities of "
            f"{tried[-1]} votes need; the most are {usable.max()}."
        )
    kept, generator = counts.rows(enough), np.random.default_rng(0)
    if kept.exact:
        # What is open and was not drawn from counts as one verdict more.
        each = ((won**2).sum(axis=1) for won in winners_by(kept, tried))
    elif kept.variants is None:
        each = (_drawn(kept.table, m, generator) for m in tried)
    else:
        each = (_drawn_in_turn(kept, m, generator) for m in tried)
    found = {}
    for m, same in zip(tried, each, strict=True):
        one = mean_share(by_question(same, kept.clusters), LEVEL, float(kept.replications.mean()))
        found[m] = replace(one, value=float(same.mean()))
    return found


def _of_two(counts: Cells) -> NDArray[Any]:
    """Most replications of which two sets can be, that take the ways of asking in turn, N."""
    if counts.exact or counts.variants is None:
        return counts.replications
    cells, of = counts.by_variant
    fewest = np.full(len(counts.questions), np.iinfo(np.int64).max)
    np.minimum.at(fewest, of, cells.replications)
    ways = np.bincount(of, minlength=len(fewest))
    return np.asarray(2 * ways * (np.where(ways > 0, fewest, 0) // 2))


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
        first = without_replacement(left, m, generator)
        second = without_replacement(left - first, m, generator)
        agreement[rows] = (_won(first) * _won(second)).sum(axis=0).mean(axis=0)
    return np.asarray(agreement[same])


def _drawn_in_turn(given: Cells, m: int, generator: np.random.Generator) -> FloatArray:
    """The same of votes that take ways of asking in turn, N."""
    if m == 1:
        return 1 - over_variants(given, lambda cells: terms_of_names(cells.table)).disagreement
    varying = int(np.count_nonzero((given.table > 0).sum(axis=1) > 1))
    resamples = min(RESAMPLES, max(_FEWEST, _IN_ALL // max(1, varying)))

    def same(ways: NDArray[Any]) -> float:
        left = np.repeat(ways.T[:, :, None], resamples, axis=2)
        both = []
        for _ in range(2):
            taken = drawn_spreads(ways.sum(axis=1), m, resamples, generator)
            both.append(without_replacement(left, taken, generator))
            left = left - both[-1]
        first, second = (_won(one.sum(axis=1)) for one in both)
        return float((first * second).sum(axis=0).mean())

    ways = by_way(given, given.by_variant[0].table)
    return of_each(ways, lambda several: np.array([*map(same, several)]))


def _won(votes: NDArray[np.int64]) -> FloatArray:
    """Each category's share of a majority, [K, ...]; tied ones share it equally."""
    most = votes == votes.max(axis=0)
    return np.asarray(most / most.sum(axis=0))


def winners_by(
    given: Cells, tried: Sequence[int], silent: Collection[str] = ()
) -> Iterator[FloatArray]:
    """What `winners` says of N questions, for each number of verdicts; ways of asking take turns.

    Args:
        given: Verdicts of N questions, each with one or more.
        tried: Numbers of verdicts.
        silent: Names of those that have no vote.

    Yields:
        N x K; what exact distributions leave open counts as one verdict more.
    """
    mute = np.array([name in silent for name in given.categories] + [False] * given.exact)

    def voting(cells: Cells) -> tuple[FloatArray, FloatArray]:
        rows = np.column_stack([cells.shares, cells.unknown]) if cells.exact else cells.table
        return np.where(mute, 0, rows), rows[:, mute].sum(axis=1)

    if given.variants is None:
        rows, lost = voting(given)
        return won_by(rows, tried, given.exact, lost)
    ways = np.column_stack(voting(given.by_variant[0]))
    return won_in_turn(by_way(given, ways), tried, given.exact)


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
    used, found = np.flatnonzero(given > NEVER), np.zeros(len(given))
    own = np.append(given[used], [silent] if silent > NEVER else [])
    if len(own) == 1 or not len(used):
        found[used] = 1.0
        return found
    found[used] = _chances(tuple(own.tolist()), len(used), votes, exact, alone)
    return found


@lru_cache(maxsize=1 << 12)  # judges and questions of a study share many counts
def _chances(own: tuple[float, ...], used: int, votes: int, exact: bool, alone: int) -> FloatArray:
    """Probability of each of the first U categories to win, U, as `winners` says."""
    ways = _ways(np.array(own)[:, None], votes, exact)
    return _majority(ways[:used], ways[used:], alone)


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


def places_of(values: FloatArray, grid: GradeGrid | None = None) -> IntArray | None:
    """The places of equally spaced grades, from 0; None if they are not, or are too many.

    Args:
        values: Different numbers, K.
        grid: What grades they are, where this is known: thirds have places in tenths.
    """
    if len(values) < 2:
        return None
    known = np.sort(values)
    step = TENTH if grid is not None and grid.unequal else np.diff(known).min()
    found = (values - known[0]) / step
    places: IntArray = np.round(found).astype(np.int64)
    if places.max() >= MOST_GRADES or np.abs(found - places).max() > 1e-6:
        return None
    return places


def never_given(values: FloatArray, grid: GradeGrid | None = None) -> list[float]:
    """The grades of a scale between those given; none where no mean is rounded to these."""
    known = np.unique(values)
    if (places := places_of(known, grid)) is None:
        return []
    every = np.arange(places.max() + 1)
    between = np.interp(every, places, known)[~np.isin(every, places)]
    found: list[float] = (between if grid is None else between[grid.has(between)]).tolist()
    return found


def means(
    table: NDArray[Any],
    places: IntArray,
    tried: Sequence[int],
    exact: bool,
    silent: FloatArray,
    grid: Flags,
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
        grid: Which places, from 0 to the last, are grades that a mean is rounded to, G; a verdict
            may lie between them.

    Yields:
        For each number, N x G: the probability of each place from 0 to the last.
    """
    rows = np.column_stack([table, silent])
    distinct, same = np.unique(rows, axis=0, return_inverse=True)
    parts = [distinct[i : i + _AT_ONCE] for i in range(0, len(distinct), _AT_ONCE)]
    for m in tried:
        nearest = _nearest(m, grid)
        found = [np.einsum("njs,jsg->ng", _sums(one, places, m, exact), nearest) for one in parts]
        yield np.concatenate(found)[same.reshape(-1)]


def means_in_turn(
    ways: Sequence[NDArray[Any]],
    places: IntArray,
    tried: Sequence[int],
    exact: bool,
    grid: Flags,
) -> Iterator[FloatArray]:
    """As `means`, of votes that take ways of asking in turn.

    Args:
        ways: Of each of N questions, counts or probabilities of its ways, L x K + 1: the last are
            of verdicts without a grade.
        places: Place of each grade on the scale, K.
        tried: Numbers of verdicts.
        exact: Whether these are probabilities.
        grid: Which places are grades that a mean is rounded to, G.
    """
    last = int(places.max())
    for m in tried:
        nearest = _nearest(m, grid)

        def rounded(own: NDArray[Any], m: int = m, nearest: FloatArray = nearest) -> FloatArray:
            def likely(taken: IntArray) -> FloatArray:
                found = np.zeros((*own.shape[:2], m + 1, m * last + 1))
                for i, n in enumerate(taken.tolist()):
                    found[:, i, : n + 1, : n * last + 1] = _sums(own[:, i], places, n, exact)
                return found

            sums = in_turn(own, m, exact, likely).clip(0)
            return np.asarray(np.einsum("njs,jsg->ng", sums, nearest))

        yield of_each(ways, rounded, nearest.size // (last + 1))


def _sums(rows: NDArray[Any], places: IntArray, m: int, exact: bool) -> FloatArray:
    """Probability of j verdicts with a grade among m, and of the sum of their places, N x j x S.

    NaN for fewer than m verdicts.
    """
    ways = np.zeros((len(rows), m + 1, m * int(places.max()) + 1))
    ways[:, 0, 0] = 1.0
    for counts, place in zip(rows[:, :-1].T, places.tolist(), strict=True):
        before, ways = ways, np.zeros_like(ways)
        for n in range(m + 1):
            own = ways_to_draw(counts, n, exact)[:, None, None]
            shift = n * place
            ways[:, n:, shift:] += own * before[:, : m + 1 - n, : ways.shape[2] - shift]
    mute = np.stack([ways_to_draw(rows[:, -1], m - j, exact) for j in range(m + 1)], axis=1)
    ways *= mute[:, :, None]
    total = ways.sum(axis=(1, 2), keepdims=True)  # 0 where there are fewer verdicts than m
    found: FloatArray = np.divide(ways, total, out=np.full_like(ways, np.nan), where=total > 0)
    return found


def _nearest(m: int, grid: Flags) -> FloatArray:
    """The grade nearest to a mean of j places with sum s, j x S x G; halves where it is midway."""
    last = len(grid) - 1
    found = np.zeros((m + 1, m * last + 1, len(grid)))
    for j in range(1, m + 1):
        mean = np.arange(j * last + 1) / j
        apart = np.where(grid, np.abs(mean[:, None] - np.arange(len(grid))), np.inf)
        nearest = apart <= apart.min(axis=1, keepdims=True) + _ROUNDING
        found[j, : len(mean)] = nearest / nearest.sum(axis=1, keepdims=True)
    return found
