"""Sums over questions: the one thing every coefficient is a function of."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


class Sums(NamedTuple):
    """Weighted sums over questions, each an array [...] over tables or [..., W] over resamples.

    A resample of questions is a vector of weights (how often each question was drawn), so a
    jackknife or a bootstrap over questions is one matrix product, and each formula is evaluated
    on all resamples at once. n is a question's number of verdicts, P the share of its pairs of
    verdicts that agree.
    """

    categories: float
    """Number of declared categories; NaN if it depends on the verdicts (singletons)."""
    pooled: FloatArray
    """Verdicts per category over all questions, [..., K]."""
    shares: FloatArray
    """Sum of the questions' shares per category, [..., K]."""
    pooled_squares: FloatArray
    """Sum over categories of the squared number of verdicts."""
    questions: FloatArray
    verdicts: FloatArray
    """Sum of n."""
    squared_verdicts: FloatArray
    """Sum of n squared."""
    agreement: FloatArray
    """Sum of P."""
    weighted_agreement: FloatArray
    """Sum of n P."""
    modal: FloatArray
    """Sum of the share of the most frequent verdict."""
    modal_loo: FloatArray
    """Sum of the share of verdicts that equal the majority of the others."""
    entropy: FloatArray
    """Sum of the entropy of the verdicts, in nats."""

    def at_agreement(self, bound: float) -> "Sums":
        """The same sums if a share 1 - `bound` of the questions had no two verdicts alike.

        Used where no question varies and `bound` limits the share of questions that do not.
        """
        return self._replace(
            agreement=bound * self.questions,
            weighted_agreement=bound * self.verdicts,
            modal=bound * self.questions,
            modal_loo=bound * self.questions,
            entropy=(1 - bound) * self.questions * np.log(self.categories),
        )


def sums(table: ArrayLike, weights: ArrayLike | None = None, *, singletons: bool = False) -> Sums:
    """Sum tables of counts over their questions.

    Args:
        table: Counts, [..., N, K]; every question needs at least two verdicts.
        weights: Weights of the questions, one resample a row, [W, N]; by default one resample of
            weight 1 whose axis is dropped.
        singletons: Whether each verdict in the last column is a category of its own.
    """
    counts = np.asarray(table, dtype=np.float64)
    per_question = _per_question(counts, singletons)
    resamples = np.ones((1, counts.shape[-2])) if weights is None else np.asarray(weights, float)
    total = resamples @ per_question
    if weights is None:
        total = total[..., 0, :]
    named = counts.shape[-1] - singletons
    pooled, shares, others = np.split(total, [named, 2 * named], axis=-1)
    return Sums(
        float("nan") if singletons else float(named),
        pooled,
        shares,
        (pooled**2).sum(axis=-1) + others[..., 0],
        *np.moveaxis(others[..., 1:], -1, 0),
    )


def _per_question(counts: FloatArray, singletons: bool) -> FloatArray:
    """What is summed, [..., N, 2K + 9]: counts, shares, singletons, eight statistics."""
    n = counts.sum(axis=-1)
    named = counts[..., :-1] if singletons else counts
    alone = counts[..., -1] if singletons else np.zeros_like(n)
    share = named / n[..., None]
    most = np.maximum(named.max(axis=-1, initial=0), alone > 0)
    agreement = (named * (named - 1)).sum(axis=-1) / (n * (n - 1))
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    entropy = alone / n * np.log(n) - (share * logs).sum(axis=-1)
    statistics = [alone, np.ones_like(n), n, n * n, agreement, n * agreement]
    statistics += [most / n, _modal_loo(named, alone, n), entropy]
    return np.concatenate([named, share, np.stack(statistics, axis=-1)], axis=-1)


def _modal_loo(named: FloatArray, alone: FloatArray, n: FloatArray) -> FloatArray:
    """Share of verdicts that equal the majority of the other n - 1, [..., N].

    Only verdicts of the single most frequent category can. Where runners-up tie with it once the
    verdict itself is taken out, the majority is drawn among those that tie.
    """
    most = named.max(axis=-1, initial=0)
    single = (most > 1) & ((named == most[..., None]).sum(axis=-1) == 1)
    ties = (named == most[..., None] - 1).sum(axis=-1) + np.where(most == 2, alone, 0)
    return np.where(single, most / n / (1 + ties), 0.0)
