"""The contribution of each question, and the weighted sums behind every coefficient.

A formula is evaluated on the sums without each question at once. Verdicts of any scale are
vectors, one-hot for names and of length 1 for numbers, so omega and ICC, and the alphas, share
their formulas.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .cells import Cells, FloatArray

Scale = Literal["nominal", "ordinal", "interval"]

_VECTORS = ("means", "pooled")

_ADDED = ("verdicts", "weighted_disagreement", "weighted_norm", "pooled")
"""Terms that a cluster sums over its questions; it averages the others."""


@dataclass(frozen=True)
class Sums:
    """Sums over questions, of all or, [N], without each; or the terms of each, [N].

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
        categories: Number of declared categories, of names.
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
    categories: float = np.nan

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
        found = self.weighted_norm - (self.pooled**2).sum(axis=-1) / self.verdicts
        return np.where(found > 1e-12 * self.weighted_norm, found, 0.0)

    def each(self, change: Callable[[str, FloatArray], FloatArray]) -> "Sums":
        """Return these sums with `change(name, array)` in place of every array."""
        known = vars(self)
        return Sums(**known | {name: change(name, x) for name, x in known.items() if np.ndim(x)})

    def over(self) -> "Sums":
        """Sum over questions."""
        return self.each(lambda _, x: x.sum(axis=0))

    def without_each(self) -> "Sums":
        """Sum these terms over all questions but each one, [N].

        Adding the sums before and after it loses no digits, unlike subtracting from the total.
        """
        known = vars(self)
        numbers = {name: x for name, x in known.items() if np.ndim(x) == 1}
        vectors = {name: x for name, x in known.items() if np.ndim(x) > 1}
        # Numbers go through one table: of a few questions, each call costs more than its sums.
        of_numbers = dict(zip(numbers, _others(np.array([*numbers.values()])), strict=True))
        return Sums(**known | of_numbers | {name: _others(x.T).T for name, x in vectors.items()})

    def both_ways(self, mirror: NDArray[np.int64]) -> "Sums":
        """Terms of questions that count half as they are, half with names exchanged.

        Category k is mirrored by category `mirror[k]`. Two verdicts of a question are exchanged
        together, so they differ as often as before.
        """
        means, pooled = ((x + x[..., mirror]) / 2 for x in (self.means, self.pooled))
        return replace(self, means=means, pooled=pooled, squares=(means**2).sum(axis=-1))

    def together(self, clusters: NDArray[np.int64]) -> "Sums":
        """Terms of clusters: the mean of their questions' terms, and all their verdicts."""
        sizes = np.bincount(clusters)
        if len(sizes) == len(clusters):
            return self
        order = np.argsort(clusters, kind="stable")
        starts = np.cumsum(sizes) - sizes

        def of_clusters(name: str, x: FloatArray) -> FloatArray:
            summed = np.add.reduceat(x[order], starts)
            each = sizes.reshape(-1, *[1] * (x.ndim - 1))
            return np.asarray(summed if name in _ADDED else summed / each)

        found = self.each(of_clusters)
        return replace(found, squares=(found.means**2).sum(axis=-1))


def _others(x: FloatArray) -> FloatArray:
    """Sums over all but each one, along the last axis."""
    found = np.zeros_like(x)
    np.cumsum(x[..., :-1], axis=-1, out=found[..., 1:])
    found[..., :-1] += np.cumsum(x[..., :0:-1], axis=-1)[..., ::-1]
    return found


@dataclass(frozen=True)
class Strata(Sums):
    """Sums over several strata, such as benchmarks, which count equally.

    Verdicts are compared only within a stratum: W and D are the means of theirs. Other sums are of
    all questions, and there are no vectors, since each stratum has categories of its own.
    """

    parts: tuple[Sums, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Sums]) -> Sums:
        """The sums of one stratum, or of several together."""
        if len(parts) == 1:
            return parts[0]
        names = [one.name for one in fields(Sums)]
        added: dict[str, Any] = {
            name: np.nan if name in _VECTORS else sum(getattr(one, name) for one in parts)
            for name in names
        }
        return cls(**added, parts=tuple(parts))

    @property
    def within(self) -> FloatArray:
        """W, mean over strata."""
        return np.asarray(sum(one.within for one in self.parts) / len(self.parts))

    @property
    def any_two(self) -> FloatArray:
        """D, mean over strata."""
        return np.asarray(sum(one.any_two for one in self.parts) / len(self.parts))


def terms(given: Cells, scale: Scale | None = None) -> Sums:
    """The contribution of each question (or cluster); every question needs two verdicts.

    Names of ordinal scale are the numbers of their ranks. Each question with `mirrored` verdicts
    counts half as it is, half with names exchanged.
    """
    rows = given.ranked if scale == "ordinal" else given
    found = terms_of_rows(rows)
    if given.mirrored and not rows.numeric:
        found = found.both_ways(given.mirror)
    return found.together(given.clusters)


def terms_of_rows(given: Cells) -> Sums:
    """The contribution of each row."""
    return over_variants(given, _of_rows)


def _of_rows(given: Cells) -> Sums:
    if given.values is not None:
        return _of_numbers(given, np.array(given.values) - min(given.values, default=0.0))
    if given.exact:
        return _of_shares(given)
    return terms_of_names(given.table)


_NO_DIFFERENCE = 1e-12
"""A smaller part of the mean square of verdicts is rounding."""


def over_variants(given: Cells, terms: Callable[[Cells], Sums]) -> Sums:
    """These terms of each row, each of whose tries may draw one of its L variants at random.

    With means m, norms v and disagreements d of the variants, two tries differ in

        W = mean(v) - |mean(m)|^2 + (1 / L^2) sum[d - (v - |m|^2)],

    the mean over all L^2 pairs of variants, however many verdicts each has. A variant with a single
    verdict has no d of its own and takes the mean of the others; where none has two verdicts, all
    pairs are of two variants. `inverse` is that of as many verdicts as have the same least omega:
    L (R - 1) + 1 of R in each.
    """
    if given.variants is None:
        return terms(given)
    (cells, of), size = given.by_variant, len(given.questions)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = terms(cells)  # a single verdict has no disagreement
    n = np.bincount(of, minlength=size)

    def summed(x: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(of, x, minlength=size))

    again = cells.replications > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.stack([summed(x) for x in each.means.T], axis=1) / n[:, None]
        norm, known = summed(each.norm) / n, summed(again.astype(np.float64))
        across = norm - (means**2).sum(axis=1) - summed(each.norm - each.squares) / n**2
        within = summed(np.where(again, each.disagreement, 0.0)) / known
        differ = across + np.where(known > 0, within, across * n / (n - 1)) / n
        more = np.where(again, (n / known)[of] / (1 - each.inverse) - 1, 0.0)
        noise = np.where(known > 0, summed(more) / n**2, 1 / (n - 1))
        inverse = noise / (1 + noise)
        differ = np.where(np.abs(differ) < _NO_DIFFERENCE * norm, 0.0, differ)
        differ = np.where(np.abs(differ - norm) < _NO_DIFFERENCE * norm, norm, differ)
    verdicts = given.weights if given.exact else given.replications.astype(np.float64)
    k = each.categories
    return terms_of_moments(verdicts, differ, means, norm, inverse=inverse, categories=k)


def terms_of_names(table: ArrayLike) -> Sums:
    """The contribution of each question of a table of counts, [N, ..., K]."""
    counts = np.asarray(table, dtype=np.float64)
    n = counts.sum(axis=-1)
    differ = 1 - (counts * (counts - 1)).sum(axis=-1) / (n * (n - 1))
    k = float(counts.shape[-1])
    return terms_of_moments(n, differ, counts / n[..., None], pooled=counts, categories=k)


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


def _of_shares(given: Cells) -> Sums:
    shares = given.shares
    alike = shares**2 - given.excess(np.eye(shares.shape[1]))
    differ, k = 1 - alike.sum(axis=1), float(shares.shape[1])
    return terms_of_moments(given.weights, differ, shares, exact=True, categories=k)


def _of_numbers(given: Cells, values: FloatArray) -> Sums:
    n = given.weights
    mean, norm = given.shares @ values, given.shares @ values**2
    if given.exact:
        differ = norm - mean**2 + given.excess(values[:, None])[:, 0]
    else:
        n = given.replications.astype(np.float64)
        differ = (given.table * (values - mean[:, None]) ** 2).sum(axis=1) / (n - 1)
    return terms_of_moments(n, differ, mean[:, None], norm, given.exact)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide elementwise; NaN where the denominator is not positive."""
    positive = denominator > 0
    return np.where(positive, numerator / np.where(positive, denominator, 1.0), np.nan)
