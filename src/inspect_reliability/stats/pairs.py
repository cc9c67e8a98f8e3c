"""Sums over pairs of verdicts, by the facets that they share."""

from copy import copy
from functools import cached_property

import numpy as np

from .cells import Cells
from .long import FloatArray, IntArray, codes
from .study import FAR, Question, far_from
from .sums import terms_of_rows

_NO_PAIR = 1e-12
"""Weight of pairs below which only rounding is left."""


class Pairs:
    """Sums for D_S per cell: weight, mean and mean square of its verdicts."""

    def __init__(self, cells: Cells) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            known = terms_of_rows(cells)  # a single verdict has no pair within its cell
        self.means, self.norms, self.differ = known.means, known.norm, known.disagreement
        self.paired = cells.replications > 1
        self.cluster, self.clusters = cells.clusters, cells.n_clusters
        self.question = codes(cells.questions)
        self.levels = [_numbered(one) for one in cells.facets.values()]
        # Each cluster weighs 1, each of its questions alike, each cell of one alike.
        own = 1 / np.bincount(self.question)[self.question]
        members = np.bincount(self.cluster, own)[self.cluster]
        self.weights = own / members
        self.within_weights = own / np.sqrt(members)
        self.mean = self.weights @ self.means / self.clusters
        self.norm = float(self.weights @ self.norms / self.clusters)

    @property
    def far(self) -> Question:
        """A hypothetical question of far numbers; see `far_or_noise`."""
        means = np.array([np.bincount(self.cluster, self.weights * x) for x in self.means.T]).T
        far = far_from(means, self.mean)
        num, den = self.within
        within = float(num[:, -1].sum() / den[:, -1].sum())
        return Question(FAR[0], far, float(far @ far) + within, within)

    def sums(self, more: Question | None = None) -> tuple[FloatArray, FloatArray]:
        """D_S over all questions, [2^m], and without each, [N, 2^m]; `more` is one of N."""
        num, den = self.within
        if more is not None:
            alike = more.weight * den.mean(axis=0, keepdims=True)
            num = np.concatenate([num, more.disagreement * alike])
            den = np.concatenate([den, alike])
        found = np.empty((1 + len(num), 2 * num.shape[1]))
        found[:, 1::2] = _ratios(num, den, np.sum(num, axis=0), np.sum(den, axis=0))
        num, den = self._between(more)
        found[:, 0::2] = _ratios(num, den, np.sum(num, axis=0) / 2, np.sum(den, axis=0) / 2)
        return found[0], found[1:]

    @cached_property
    def within(self) -> tuple[FloatArray, FloatArray]:
        """Differences and weights of pairs on each question, by shared facets, [N, 2^k]."""
        w = self.within_weights
        num, den = np.zeros((2, self.clusters, 1 << len(self.levels)))
        for place, group, of in self._groups(self.question, self.cluster):
            sums, squares = np.bincount(group, w), np.bincount(group, w * self.norms)
            squared = sum(np.bincount(group, w * x) ** 2 for x in self.means.T)
            num[:, place] = np.bincount(of, sums * squares - squared)
            den[:, place] = np.bincount(of, sums**2)
        _exactly(num, den)
        pairs = np.where(self.paired, w**2, 0.0)
        differ = np.where(self.paired, self.differ, 0.0)
        num[:, -1] = np.bincount(self.cluster, pairs * differ)
        den[:, -1] = np.bincount(self.cluster, pairs)
        return num, den

    def _between(self, more: Question | None = None) -> tuple[FloatArray, FloatArray]:
        """The same for pairs of each question with the others."""
        rows = self if more is None else self._with(more)
        w, q = rows.weights, rows.weights * rows.norms
        num, den = np.zeros((2, int(rows.cluster.max()) + 1, 1 << len(rows.levels)))
        everything = np.zeros_like(rows.cluster)
        both = zip(
            rows._groups(rows.cluster, rows.cluster),
            rows._groups(everything, everything),
            strict=True,
        )
        for (place, one, of), (_, every, _) in both:
            at = np.zeros(len(of), np.int64)
            at[one] = every
            own_w, own_q = np.bincount(one, w), np.bincount(one, q)
            other_w = np.bincount(every, w)[at] - own_w
            found = own_w * (np.bincount(every, q)[at] - own_q) + own_q * other_w
            for x in rows.means.T:
                own = np.bincount(one, w * x)
                found -= 2 * own * (np.bincount(every, w * x)[at] - own)
            num[:, place] = np.bincount(of, found)
            den[:, place] = np.bincount(of, 2 * own_w * other_w)
        return _exactly(num, den)

    def _with(self, more: Question) -> "Pairs":
        """These with a further question, the same in every cell, in proportion to the cells."""
        found = copy(self)
        [(*_, cell, _)] = self._groups(np.zeros_like(self.cluster), self.cluster)[-1:]
        share = np.bincount(cell, self.weights) / self.clusters
        n = len(share)
        found.weights = np.append(self.weights, more.weight * share)
        found.norms = np.append(self.norms, np.full(n, more.norm))
        found.means = np.concatenate([self.means, np.tile(more.mean, (n, 1))])
        found.cluster = np.append(self.cluster, np.full(n, self.clusters))
        found.levels = []
        for one in self.levels:
            level = np.zeros(n, np.int64)
            level[cell] = one
            found.levels.append(np.append(one, level))
        return found

    def _groups(self, first: IntArray, owner: IntArray) -> list[tuple[int, IntArray, IntArray]]:
        """For each set of facets: its bits, the group of each row, and the owner of each group."""
        found = [(0, first)]
        for i, one in enumerate(self.levels):
            most = one.max() + 1
            found += [(bits | 1 << i, _numbered(of * most + one)) for bits, of in found]
        groups = []
        for bits, group in found:
            of = np.zeros(group.max() + 1, np.int64)
            of[group] = owner
            groups.append((bits, group, of))
        return groups


def _ratios(num: FloatArray, den: FloatArray, whole: FloatArray, all_: FloatArray) -> FloatArray:
    """The ratio over all questions, and without each; NaN without a pair."""
    above = np.concatenate([whole[None], whole - num])
    below = np.concatenate([all_[None], all_ - den])
    known = below > _NO_PAIR * len(num)
    return np.where(known, above / np.where(known, below, 1.0), np.nan)


def _numbered(values: IntArray) -> IntArray:
    return np.asarray(np.unique(values, return_inverse=True)[1])


def _exactly(num: FloatArray, den: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turn sums over pairs that share at least each set into those that share exactly it, in place.

    0 where only rounding errors remain.
    """
    sets = num.shape[1]
    for at_least in (num, den):
        for bit in (1 << i for i in range(sets.bit_length() - 1)):
            without = [place for place in range(sets) if not place & bit]
            at_least[:, without] -= at_least[:, [place | bit for place in without]]
    nothing = den <= _NO_PAIR
    num[nothing] = den[nothing] = 0.0
    return num, den
