"""The contribution of each question, and the weighted sums behind every coefficient.

A resample of questions is a vector of weights, so leaving out questions is one matrix product, and
a formula is evaluated on all resamples at once. Verdicts of any scale are vectors, one-hot for
names and of length 1 for numbers, so omega and ICC, and the alphas, share their formulas.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cells import Cells, FloatArray, mid_ranks

Scale = Literal["nominal", "ordinal", "interval"]

_ABSENT: FloatArray = np.float64(np.nan)  # type: ignore[assignment]
_VECTORS = ("means", "pooled", "items", "item_squares")
_ADDED = ("verdicts", "weighted_disagreement", "weighted_norm", "pooled", "alone")
"""Terms that a cluster sums over its questions; it averages the others."""


@dataclass(frozen=True)
class Sums:
    """Sums over questions, [..., W] for W resamples or [...] for one; or the terms, [..., N].

    Attributes:
        questions: 1: the sum is the number of questions.
        disagreement: Half the mean squared distance of two verdicts of a question; for names the
            share of pairs that differ, 1 - P.
        norm: Mean squared length of the verdicts; 1 for names.
        squares: Squared length of the mean.
        inverse: 1 / n, of n verdicts; 0 of a distribution that is known exactly.
        verdicts: n.
        weighted_disagreement: n times the disagreement.
        weighted_norm: n times the norm.
        means: Mean of the verdicts as vectors, [..., K]; for names the share of each category.
        pooled: Sum of the verdicts, [..., K].
        alone: Verdicts that are each a category of their own.
        categories: Names only: number of declared categories; NaN if it depends on the verdicts.
        modal: Names only: share of the most frequent verdict.
        modal_loo: Names only: share of verdicts that equal the majority of the others.
        entropy: Names only: entropy of the verdicts, in nats.
        items: Numbers only: the replications in which every question has a verdict, [..., R].
        item_squares: Numbers only: their squares, [..., R].
        total_squares: Numbers only: square of the sum over these replications.
    """

    questions: FloatArray
    disagreement: FloatArray
    norm: FloatArray
    squares: FloatArray
    inverse: FloatArray
    verdicts: FloatArray
    weighted_disagreement: FloatArray
    weighted_norm: FloatArray
    means: FloatArray
    pooled: FloatArray
    alone: FloatArray = _ABSENT
    categories: float = np.nan
    modal: FloatArray = _ABSENT
    modal_loo: FloatArray = _ABSENT
    entropy: FloatArray = _ABSENT
    items: FloatArray = _ABSENT
    item_squares: FloatArray = _ABSENT
    total_squares: FloatArray = _ABSENT

    @property
    def replications(self) -> FloatArray:
        """Verdicts of a question, harmonic mean."""
        with np.errstate(divide="ignore"):
            return self.questions / self.inverse

    @property
    def within(self) -> FloatArray:
        """W: how often (or far) two verdicts on the same question differ."""
        return self.disagreement / self.questions

    @property
    def any_two(self) -> FloatArray:
        """D: how often (or far) verdicts on two different questions differ; 0 if never."""
        cross = (self.means**2).sum(axis=-1) - self.squares
        with np.errstate(divide="ignore", invalid="ignore"):
            norm = self.norm / self.questions
            found = norm - cross / (self.questions * (self.questions - 1))
        return np.where(found > 1e-12 * norm, found, 0.0)

    @property
    def total(self) -> FloatArray:
        """Sum of squares of all verdicts about their mean; 0 if they never differ."""
        squares = ((self.pooled**2).sum(axis=-1) + np.nan_to_num(self.alone)) / self.verdicts
        found = self.weighted_norm - squares
        return np.where(found > 1e-12 * self.weighted_norm, found, 0.0)

    def each(self, change: Callable[[str, FloatArray], FloatArray]) -> "Sums":
        """The same sums with `change` applied to every array, by name."""
        known = vars(self)
        return Sums(**known | {name: change(name, x) for name, x in known.items() if np.ndim(x)})

    def over(self, weights: ArrayLike | None = None) -> "Sums":
        """Sum over questions by weights [W, N]; by default all are 1, and W is dropped."""
        if weights is None:
            return self.each(lambda name, x: x.sum(axis=-2 if name in _VECTORS else -1))
        w = np.asarray(weights, dtype=np.float64)
        return self.each(lambda name, x: w @ x if name in _VECTORS else x @ w.T)

    def without_each(self) -> "Sums":
        """Sum these terms over all questions but each one, [N].

        Adding the sums before and after it loses no digits, unlike subtracting from the total.
        """

        def others(_: str, x: FloatArray) -> FloatArray:
            nothing = np.zeros_like(x[:1])
            before = np.concatenate([nothing, np.cumsum(x[:-1], axis=0)])
            after = np.concatenate([np.cumsum(x[:0:-1], axis=0)[::-1], nothing])
            return np.asarray(before + after)

        return self.each(others)

    def together(self, clusters: NDArray[np.int64]) -> "Sums":
        """Terms of clusters: the mean of their questions' terms, and all their verdicts."""
        sizes = np.bincount(clusters)
        if len(sizes) == len(clusters):
            return self
        order = np.argsort(clusters, kind="stable")
        starts = np.cumsum(sizes) - sizes

        def of_clusters(name: str, x: FloatArray) -> FloatArray:
            axis, each = (-2, sizes[:, None]) if name in _VECTORS else (-1, sizes)
            summed = np.add.reduceat(x.take(order, axis), starts, axis)
            return np.asarray(summed if name in _ADDED else summed / each)

        found = self.each(of_clusters)
        return replace(found, squares=(found.means**2).sum(axis=-1))


def terms(given: Cells) -> Sums:
    """The contribution of each question (or cluster); every question needs two verdicts."""
    return terms_of_rows(given).together(given.clusters)


def terms_of_rows(given: Cells) -> Sums:
    """The contribution of each row."""
    if given.scores.size:
        return _of_scores(given.scores)
    if given.numeric:
        return _of_numbers(given, np.array(given.values) - min(given.values))
    if given.exact:
        return _of_shares(given)
    return terms_of_names(given.table, singletons=given.singletons)


def terms_of_names(table: ArrayLike, *, singletons: bool = False) -> Sums:
    """The contribution of each question of a table of counts; tables [..., N, K]."""
    counts = np.asarray(table, dtype=np.float64)
    n = counts.sum(axis=-1)
    named = counts[..., :-1] if singletons else counts
    alone = counts[..., -1] if singletons else np.zeros_like(n)
    share = named / n[..., None]
    differ = 1 - (named * (named - 1)).sum(axis=-1) / (n * (n - 1))
    most = np.maximum(named.max(axis=-1, initial=0), alone > 0)
    return terms_of_moments(
        n,
        differ,
        share,
        pooled=named,
        alone=alone,
        categories=np.nan if singletons else float(named.shape[-1]),
        modal=most / n,
        modal_loo=_modal_loo(named, alone, n),
        entropy=_entropy(named, alone, n),
    )


def terms_of_shares(shares: FloatArray) -> Sums:
    """Terms of questions with these shares of agreeing pairs, [N]."""
    return terms_of_moments(np.full(len(shares), 2.0), 1 - shares, shares[:, None])


def terms_of_moments(
    n: FloatArray,
    differ: FloatArray,
    means: FloatArray,
    norm: FloatArray | None = None,
    exact: bool = False,
    **more: Any,
) -> Sums:
    """Terms of questions from their numbers of verdicts, disagreement, mean and mean square."""
    norm = np.ones_like(n) if norm is None else norm
    known: dict[str, Any] = {
        "questions": np.ones_like(n),
        "disagreement": differ,
        "norm": norm,
        "squares": (means**2).sum(axis=-1),
        "inverse": np.zeros_like(n) if exact else 1 / n,
        "verdicts": n,
        "weighted_disagreement": n * differ,
        "weighted_norm": n * norm,
        "means": means,
        "pooled": n[..., None] * means,
    }
    return Sums(**known | more)


def _modal_loo(named: FloatArray, alone: FloatArray, n: FloatArray) -> FloatArray:
    """Share of verdicts that equal the majority of the other n - 1, [..., N].

    Only verdicts of the single most frequent category can. Where runners-up tie with it once the
    verdict itself is taken out, the majority is drawn among those that tie.
    """
    most = named.max(axis=-1, initial=0)
    single = (most > 1) & ((named == most[..., None]).sum(axis=-1) == 1)
    ties = (named == most[..., None] - 1).sum(axis=-1) + np.where(most == 2, alone, 0)
    return np.where(single, most / n / (1 + ties), 0.0)


def _entropy(named: FloatArray, alone: FloatArray, n: FloatArray) -> FloatArray:
    """Zhang's (2012) estimate: sum of n_k / n (1 / n_k + ... + 1 / (n - 1)).

    Its bias falls off exponentially with n; that of the plug-in estimate is about (K - 1) / 2n.
    """
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, max(n.max(), 2)))])
    last = harmonic[n.astype(np.int64) - 1]
    left = last[..., None] - harmonic[np.maximum(named.astype(np.int64) - 1, 0)]
    return np.asarray(((named * left).sum(axis=-1) + alone * last) / n)


def _of_scores(values: FloatArray) -> Sums:
    x = values - np.nanmin(values)  # exact where values are equal, and small
    known = ~np.isnan(x)
    n = known.sum(axis=1).astype(np.float64)
    mean, norm = np.nanmean(x, axis=1), np.nanmean(x**2, axis=1)
    differ = np.nanvar(x, axis=1) * n / (n - 1)
    items = x[:, known.all(axis=0)]
    more = {"items": items, "item_squares": items**2, "total_squares": items.sum(axis=1) ** 2}
    return terms_of_moments(n, differ, mean[:, None], norm, **more)


def _of_shares(given: Cells) -> Sums:
    shares = given.shares
    alike = shares**2 - given.excess(np.eye(shares.shape[1]))
    named, unknown = shares, given.unknown
    if given.singletons:
        named, alike = shares[:, :-1], alike[:, :-1]
        unknown = unknown + shares[:, -1]
    most = named.max(axis=1, initial=0)
    # Of what is open nothing is known: it may be each of the K categories alike.
    spread = named + unknown[:, None] / max(named.shape[1], 1)
    logs = np.log(spread, out=np.zeros_like(spread), where=spread > 0)
    return terms_of_moments(
        given.weights,
        1 - alike.sum(axis=1),
        named,
        exact=True,
        alone=np.zeros(len(named)),
        categories=np.nan if given.singletons else float(named.shape[1]),
        modal=most,
        modal_loo=most,
        entropy=-(spread * logs).sum(axis=1),
    )


def _of_numbers(given: Cells, values: FloatArray) -> Sums:
    n = given.weights
    mean, norm = given.shares @ values, given.shares @ values**2
    if given.exact:
        differ = norm - mean**2 + given.excess(values[:, None])[:, 0]
    else:
        n = given.replications.astype(np.float64)
        differ = (given.table * (values - mean[:, None]) ** 2).sum(axis=1) / (n - 1)
    return terms_of_moments(n, differ, mean[:, None], norm, given.exact)


def of_ranks(given: Cells, weights: FloatArray | None = None) -> Sums:
    """Sums of ranked verdicts, by weights of the clusters; see `Sums.over`.

    Each category is its mid-rank among the verdicts of the resample: two differ by the number of
    verdicts from one to the other, minus half of those in the two (Krippendorff 2019, section
    12.3.4). Ranks change with the resample, so questions contribute no terms of their own.
    """
    resamples = np.ones((1, given.n_clusters)) if weights is None else weights
    found = []
    for w in resamples[:, given.clusters]:
        pooled = w @ given.weighted
        ranks = mid_ranks(pooled)
        # About their mean, so that no digits are lost.
        found.append(_of_numbers(given, ranks - pooled @ ranks / pooled.sum()).over(w[None]))
    together = found[0].each(lambda name, _: np.concatenate([getattr(x, name) for x in found]))
    return together.each(lambda _, x: x[0]) if weights is None else together


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Their quotient, NaN where the denominator is not positive."""
    positive = denominator > 0
    return np.where(positive, numerator / np.where(positive, denominator, 1.0), np.nan)
