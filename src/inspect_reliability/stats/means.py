"""How often the mean of several verdicts on a scale, rounded to a grade, is that of the label."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .long import FloatArray, IntArray

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
