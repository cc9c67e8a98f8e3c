"""Weighted sums over questions: the one thing every coefficient is a function of.

A resample of questions is a vector of weights (how often each question was drawn), so that
leaving out, or resampling, questions is one matrix product, and a formula is evaluated on all
resamples at once. Verdicts of any scale are vectors, one-hot for names and of length 1 for
numbers, so that omega and ICC, and the alphas of the three scales, share their formulas.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .counts import Counts
from .numbers import Numbers

FloatArray = NDArray[np.float64]

Scale = Literal["nominal", "ordinal", "interval"]

_NONE: FloatArray = np.float64(np.nan)  # type: ignore[assignment]


@dataclass(frozen=True)
class Sums:
    """Sums over questions, each [..., W] for W resamples, or [...] without weights.

    Of a question, n is the number of its verdicts, and its disagreement half the mean squared
    difference of two of them: for names the share of pairs of verdicts that differ, 1 - P.

    Attributes:
        questions: Number of questions.
        verdicts: Sum of n.
        squared_verdicts: Sum of n squared.
        disagreement: Sum of the disagreement.
        weighted_disagreement: Sum of n times the disagreement.
        squares: Sum of the squared verdicts; for names the number of verdicts.
        pooled_squares: Square of the sum of the verdicts; for names the sum over categories of the
            squared number of verdicts.
        categories: Names only: number of declared categories; NaN if it depends on the verdicts.
        shares: Names only: sum of the questions' shares per category, [..., K].
        modal: Names only: sum of the share of the most frequent verdict.
        modal_loo: Names only: sum of the share of verdicts that equal the majority of the others.
        entropy: Names only: sum of the entropy of the verdicts, in nats.
        items: Numbers only: number of replications in which every question has a verdict.
        item_squares: Numbers only: sum of squares between questions, summed over them.
        total_squares: Numbers only: sum of squares between the questions' totals over them.
    """

    questions: FloatArray
    verdicts: FloatArray
    squared_verdicts: FloatArray
    disagreement: FloatArray
    weighted_disagreement: FloatArray
    squares: FloatArray
    pooled_squares: FloatArray
    categories: float = np.nan
    shares: FloatArray = _NONE
    modal: FloatArray = _NONE
    modal_loo: FloatArray = _NONE
    entropy: FloatArray = _NONE
    items: int = 0
    item_squares: FloatArray = _NONE
    total_squares: FloatArray = _NONE

    @property
    def within(self) -> FloatArray:
        """Sum of squares within questions."""
        return self.weighted_disagreement - self.disagreement

    @property
    def total(self) -> FloatArray:
        """Sum of squares of all verdicts about their mean."""
        return _left(self.squares, self.pooled_squares / self.verdicts)

    @property
    def between(self) -> FloatArray:
        """Sum of squares between questions."""
        return _left(self.total, self.within)

    def at_agreement(self, bound: float) -> "Sums":
        """The same sums if a share 1 - `bound` of the questions had no two verdicts alike.

        Used where no question varies and `bound` limits the share of questions that do not.
        """
        return replace(
            self,
            disagreement=(1 - bound) * self.questions,
            weighted_disagreement=(1 - bound) * self.verdicts,
            modal=bound * self.questions,
            modal_loo=bound * self.questions,
            entropy=(1 - bound) * self.questions * np.log(self.categories),
        )


def sums(given: Counts | Numbers, scale: Scale, weights: ArrayLike | None = None) -> Sums:
    """Sum verdicts over questions.

    Args:
        given: Verdicts; every question needs at least two.
        scale: "interval" for `Numbers`, another for `Counts`.
        weights: Weights of the questions, one resample a row, [W, N]; by default one resample of
            weight 1 whose axis is dropped.
    """
    if isinstance(given, Numbers):
        return _sums_of_numbers(given.values, weights)
    if scale == "ordinal":
        return _sums_of_ranks(given.table, weights)
    return sums_of_names(given.table, weights, singletons=given.singletons)


def sums_of_names(
    table: ArrayLike, weights: ArrayLike | None = None, *, singletons: bool = False
) -> Sums:
    """Sum tables of counts, [..., N, K]; see `sums`."""
    counts = np.asarray(table, dtype=np.float64)
    n = counts.sum(axis=-1)
    named = counts[..., :-1] if singletons else counts
    alone = counts[..., -1] if singletons else np.zeros_like(n)
    share = named / n[..., None]
    most = np.maximum(named.max(axis=-1, initial=0), alone > 0)
    differ = 1 - (named * (named - 1)).sum(axis=-1) / (n * (n - 1))
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    entropy = alone / n * np.log(n) - (share * logs).sum(axis=-1)
    modal_loo = _modal_loo(named, alone, n)
    columns = [np.ones_like(n), n, n * n, differ, n * differ, alone, most / n, modal_loo, entropy]
    total = _weighted(np.concatenate([np.stack(columns, axis=-1), named, share], axis=-1), weights)
    questions, verdicts, squared, differ, weighted, alone, *rest = np.moveaxis(total, -1, 0)[:9]
    pooled, shares = np.split(total[..., 9:], 2, axis=-1)
    return Sums(
        questions,
        verdicts,
        squared,
        differ,
        weighted,
        squares=verdicts,
        pooled_squares=(pooled**2).sum(axis=-1) + alone,
        categories=np.nan if singletons else float(named.shape[-1]),
        shares=shares,
        modal=rest[0],
        modal_loo=rest[1],
        entropy=rest[2],
    )


def _modal_loo(named: FloatArray, alone: FloatArray, n: FloatArray) -> FloatArray:
    """Share of verdicts that equal the majority of the other n - 1, [..., N].

    Only verdicts of the single most frequent category can. Where runners-up tie with it once the
    verdict itself is taken out, the majority is drawn among those that tie.
    """
    most = named.max(axis=-1, initial=0)
    single = (most > 1) & ((named == most[..., None]).sum(axis=-1) == 1)
    ties = (named == most[..., None] - 1).sum(axis=-1) + np.where(most == 2, alone, 0)
    return np.where(single, most / n / (1 + ties), 0.0)


def _sums_of_ranks(table: NDArray[np.int64], weights: ArrayLike | None) -> Sums:
    """Each category is the number of its mid-rank among the verdicts of the resample.

    The difference of two categories is the number of verdicts from one to the other, less half of
    those in the two: the difference of their mid-ranks (Krippendorff 2019, section 12.3.4).
    """
    given = np.ones((1, len(table))) if weights is None else np.asarray(weights, dtype=np.float64)
    pooled, n = given @ table, table.sum(axis=1).astype(np.float64)
    verdicts = pooled.sum(axis=1)
    rank = np.cumsum(pooled, axis=1) - pooled / 2
    rank = rank - ((pooled * rank).sum(axis=1) / verdicts)[:, None]
    differ = (rank**2 @ table.T - (rank @ table.T) ** 2 / n) / (n - 1)
    # Where a question, or the whole resample, does not vary only rounding is left of it.
    differ[:, (table > 0).sum(axis=1) == 1] = 0.0
    squares = np.where((pooled > 0).sum(axis=1) > 1, (pooled * rank**2).sum(axis=1), 0.0)
    found = [given.sum(axis=1), verdicts, given @ n**2, (given * differ).sum(axis=1)]
    found += [(given * differ) @ n, squares, np.zeros_like(squares)]
    return Sums(*(part[0] if weights is None else part for part in found))


def _sums_of_numbers(values: FloatArray, weights: ArrayLike | None) -> Sums:
    # Differences from one of the values are exact where values are equal, and small.
    x = values - np.nanmin(values)
    known = ~np.isnan(x)
    n = known.sum(axis=1).astype(np.float64)
    differ = np.nanvar(x, axis=1) * n / (n - 1)
    items = x[:, known.all(axis=0)]
    whole = items.sum(axis=1)
    columns = [np.ones_like(n), n, n * n, differ, n * differ, np.nansum(x**2, axis=1)]
    columns += [np.nansum(x, axis=1), whole, whole**2]
    total = _weighted(np.column_stack([*columns, items, items**2]), weights)
    parts = np.moveaxis(total[..., :9], -1, 0)
    questions, verdicts, squared, differ, weighted, squares, pooled, whole, whole_squares = parts
    item, item_squares = np.split(total[..., 9:], 2, axis=-1)
    return Sums(
        questions,
        verdicts,
        squared,
        differ,
        weighted,
        squares,
        pooled**2,
        items=items.shape[1],
        item_squares=(item_squares - item**2 / questions[..., None]).sum(axis=-1),
        total_squares=_left(whole_squares, whole**2 / questions),
    )


def _weighted(per_question: FloatArray, weights: ArrayLike | None) -> FloatArray:
    """Sums of columns over questions, [..., W, columns], or [..., columns] without weights."""
    if weights is None:
        return np.asarray(per_question.sum(axis=-2))
    return np.asarray(np.asarray(weights, dtype=np.float64) @ per_question)


def _left(whole: FloatArray, part: FloatArray) -> FloatArray:
    """A difference of sums of squares, 0 where only rounding is left of it."""
    return np.where(whole - part > 1e-12 * whole, whole - part, 0.0)
