"""What moves a verdict? How often two verdicts differ, by the facets they share.

D_S is the mean difference of two judgments that share the levels of exactly the facets in S and
differ in all others; the question is one of the facets. Inclusion and exclusion over groups that
share at least S gives it without listing pairs. Agreement, omega over any facets, flips and
variance components are differences and ratios of D_S.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from .cells import Cells, FloatArray, IntArray, codes
from .estimate import Estimate, ReliabilityError, check_level
from .exchanged_pairs import both_ways
from .interval_scales import Ends
from .intervals import (
    FAR,
    FEWEST_QUESTIONS,
    NOISE_OR_SETTLED,
    PLUS_A_QUESTION,
    ROOT_SCALE,
    TOO_FEW,
    Formula,
    JackknifeSample,
    JackknifeUnit,
    Method,
    T,
    far_from,
    interval,
    with_ends,
    within_bounds,
)
from .moments import ratio, terms_of_rows

# Sums over pairs of verdicts, by the facets that they share.


_NO_PAIR = 1e-12
"""Weight of pairs below which only rounding is left."""

_NO_DIFFERENCE = 1e-12
"""A smaller part of the mean square of verdicts, or of 1, is rounding."""


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
        self.own = 1 / np.bincount(self.question)[self.question]
        members = np.bincount(self.cluster, self.own)[self.cluster]
        self.weights = self.own / members
        # Between questions, both ways of calling the responses of a pair count.
        mirrored = cells.turned or (cells.mirrored and not cells.numeric)
        self.both = Pairs(both_ways(cells)) if mirrored else self
        self.mean = self.both.weights @ self.both.means / self.clusters
        self.norm = float(self.weights @ self.norms / self.clusters)

    @property
    def far(self) -> JackknifeUnit:
        """A hypothetical question of far numbers; see `far_or_noise`."""
        means = np.array([np.bincount(self.cluster, self.weights * x) for x in self.means.T]).T
        far = far_from(means, self.mean)
        num, den = self.within
        within = float(num[:, -1].sum() / den[:, -1].sum())
        return JackknifeUnit(FAR[0], far, float(far @ far) + within, within)

    def sums(self, more: JackknifeUnit | None = None) -> tuple[FloatArray, FloatArray]:
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
        found[np.abs(found) < _NO_DIFFERENCE * self.norm] = 0.0
        return found[0], found[1:]

    @cached_property
    def within(self) -> tuple[FloatArray, FloatArray]:
        """D of pairs on each question, and 1 where it has such a pair, by shared facets, [N, 2^k].

        A question counts once, however many of its cells are missing: otherwise those with few
        cells would weigh less across a facet than within its levels.
        """
        w, of_question = self.own, np.zeros(self.question.max() + 1, np.int64)
        of_question[self.question] = self.cluster
        num, den = np.zeros((2, len(of_question), 1 << len(self.levels)))
        for place, group, of in self._groups(self.question, self.question):
            sums, squares = np.bincount(group, w), np.bincount(group, w * self.norms)
            squared = sum(np.bincount(group, w * x) ** 2 for x in self.means.T)
            num[:, place] = np.bincount(of, sums * squares - squared)
            den[:, place] = np.bincount(of, sums**2)
        _exactly(num, den)
        pairs = np.where(self.paired, w**2, 0.0)
        differ = np.where(self.paired, self.differ, 0.0)
        num[:, -1] = np.bincount(self.question, pairs * differ)
        den[:, -1] = np.bincount(self.question, pairs)
        known = den > 0
        each = np.where(known, num / np.where(known, den, 1.0), 0.0)
        found, several = (
            np.array([np.bincount(of_question, one) for one in table.T]).T
            for table in (each, known.astype(float))
        )
        return found / np.maximum(several, 1.0), np.minimum(several, 1.0)

    def _between(self, more: JackknifeUnit | None = None) -> tuple[FloatArray, FloatArray]:
        """Differences and weights of pairs of each question with the others, by shared facets."""
        rows = self.both if more is None else self.both._with(more)
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

    def _with(self, more: JackknifeUnit) -> "Pairs":
        """Add a further question, the same in every cell, in proportion to the cells."""
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


QUESTION = "question"

SEED = "seed"


class Differences(NamedTuple):
    """D_S of one or several sets of questions.

    Attributes:
        facets: The facets, the question first.
        table: D of each subset of the facets, [..., 2^m], where bit i is facet i; NaN without a
            pair.
    """

    facets: tuple[str, ...]
    table: FloatArray

    def of(self, shared: Iterable[str]) -> FloatArray:
        """D of judgments that share exactly these facets.

        Raises:
            ReliabilityError: There is no such facet.
        """
        return np.asarray(self.table[..., self.place(shared)])

    def place(self, shared: Iterable[str]) -> int:
        """The column of judgments that share exactly these facets."""
        asked = set(shared)
        if unknown := sorted(asked.difference(self.facets)):
            known = ", ".join(self.facets)
            raise ReliabilityError(f"Unknown facet {unknown[0]!r}. Use one of: {known}.")
        return sum(1 << i for i, name in enumerate(self.facets) if name in asked)


@dataclass(frozen=True, eq=False)
class Disagreement:
    """D_S of a study and everything derived from it, with intervals over questions.

    Intervals are for other questions of the same kind at the levels that were tried. An estimate
    without a value names the reason; for instance, the design may lack the pairs it needs.
    """

    cells: Cells
    level: float = 0.95

    @property
    def facets(self) -> tuple[str, ...]:
        """All facets, the question first."""
        return (QUESTION, *self.cells.facets)

    @property
    def levels(self) -> dict[str, int]:
        """Facet -> number of levels tried, without the question."""
        return {name: len(np.unique(one)) for name, one in self.cells.facets.items()}

    def d(self, *shared: str) -> float:
        """D of judgments that share exactly these facets; NaN where no two judgments do."""
        return float(self.whole.of(shared))

    def by_question(self, *shared: str) -> FloatArray:
        """D of each question (cluster), the question being shared; NaN without a pair."""
        place = self.whole.place((QUESTION, *shared)) // 2
        num, den = (one[:, place] for one in self.pairs.within)
        return np.where(den > 0, num / np.where(den > 0, den, 1.0), np.nan)

    @cached_property
    def whole(self) -> Differences:
        """D_S over all questions."""
        return self._sums[0]

    @cached_property
    def without(self) -> Differences:
        """D_S without each question (cluster) in turn, [N, 2^m]."""
        return self._sums[1]

    def agreement(self, over: Iterable[str] = ()) -> Estimate:
        """How often verdicts on a question agree across these facets, or across seeds alone.

        Over the facet of judges, this is agreement between judges.
        """
        shared, _ = self._all_but(over)
        return self.estimate(lambda d: 1 - d.of(shared), NOISE_OR_SETTLED)

    def omega(self, over: Iterable[str] = ()) -> Estimate:
        """Omega if these facets may vary too: 1 - D_qX / D_X, with X all other facets."""
        over = tuple(over)
        shared, others = self._all_but(over)
        return self.estimate(
            lambda d: 1 - ratio(d.of(shared), d.of(others)),
            PLUS_A_QUESTION,
            self._replications(over),
        )

    def flips(self, facet: str) -> Estimate:
        """How much more often verdicts differ across this facet than across seeds alone."""
        shared, _ = self._all_but([facet])
        return self.estimate(lambda d: d.of(shared) - d.of(self.facets), ROOT_SCALE)

    def beyond_noise(self, facet: str) -> Estimate:
        """Omega across a facet over omega within: 1 if its levels differ only by noise.

        This is a correlation corrected for attenuation (Spearman 1904).
        """
        shared, others = self._all_but([facet])

        def corrected(d: Differences) -> FloatArray:
            within = 1 - ratio(d.of(self.facets), d.of((*others, facet)))
            steady = np.where(within > _NO_DIFFERENCE, within, 0.0)
            return ratio(1 - ratio(d.of(shared), d.of(others)), steady)

        return self.estimate(corrected)

    def correlation(self, facet: str) -> Estimate:
        """Correlation over questions between single verdicts at two levels of a facet.

        (D_X - D_qX) / D_fX, with X all other facets: the mean covariance of two levels over the
        mean variance of one.
        """
        shared, others = self._all_but([facet])
        return self.estimate(lambda d: ratio(d.of(others) - d.of(shared), d.of((*others, facet))))

    def components(self) -> dict[tuple[str, ...], Estimate]:
        """Variance components: the facets that act together -> their part of D_0.

        v_C = sum over S inside C of (-1)^(size C - size S + 1) D_S (Koch 1967; Brennan 2001). They
        sum to how often two verdicts drawn anywhere differ. Negative ones are shown. ("seed",) is D
        of judgments that share everything. With one verdict per cell, it cannot be separated from
        the highest interaction, and both are named together.
        """
        return {
            names: self.estimate(formula, ROOT_SCALE) for names, formula in self.component.items()
        }

    def estimate(
        self, formula: Formula, method: Method = T, replications: float = np.inf
    ) -> Estimate:
        """Any function of D_S, NaN if undefined, with its interval by this method.

        For omega, `replications` is the number of verdicts per question that its pairs come from.
        """
        check_level(self.level)
        n = self.cells.n_clusters
        value = float(formula(self.whole))
        reason = "no two judgments share what it compares" if np.isnan(value) else TOO_FEW
        known = None if np.isnan(value) else value
        each = float(self.cells.replications.mean())
        found = Estimate(known, None, None, n, each, reason=reason, level=self.level)
        if known is None or n < FEWEST_QUESTIONS:
            return found
        mean = method is NOISE_OR_SETTLED
        with np.errstate(divide="ignore", invalid="ignore"):
            study = _Crossed(self, replications, mean)
            ends, name = interval(formula, method, study, self.level)
        undefined = "no interval: it is not estimable without some question"
        found = with_ends(found, ends, name, undefined)
        return within_bounds(found, 0.0 if mean else -np.inf) if method.bounded else found

    @cached_property
    def pairs(self) -> Pairs:
        """Sums over its pairs of verdicts."""
        return Pairs(self.cells)

    @cached_property
    def _sums(self) -> tuple[Differences, Differences]:
        return self.sums()

    def sums(self, more: JackknifeUnit | None = None) -> tuple[Differences, Differences]:
        """D_S over all questions and without each, with a fraction of one more."""
        whole, without = self.pairs.sums(more)
        return Differences(self.facets, whole), Differences(self.facets, without)

    def _all_but(self, over: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All other facets, with and without the question."""
        varied = set(over)
        self.whole.of(varied)
        if QUESTION in varied:
            raise ReliabilityError("The question is what is judged: name other facets.")
        shared = tuple(name for name in self.facets if name not in varied)
        return shared, shared[1:]

    def _replications(self, over: tuple[str, ...]) -> float:
        """The largest number of verdicts on a question that all differ in these facets."""
        if over:
            return float(min(self.levels[name] for name in over))
        alone = (1 / self.cells.replications)[self.cells.replications > 1]
        return float(1 / alone.mean()) if alone.any() else np.inf

    @cached_property
    def component(self) -> dict[tuple[str, ...], Formula]:
        """The formula of each variance component; see `components`."""
        single = bool(np.isnan(self.whole.of(self.facets)))

        def component(names: tuple[str, ...], most: int) -> Formula:
            inside = [one for one in subsets(names) if len(one) <= most]

            def formula(d: Differences) -> FloatArray:
                signed = ((-1) ** (len(names) - len(one) + 1) * d.of(one) for one in inside)
                return np.asarray(sum(signed))

            return formula

        found = {names: component(names, len(names)) for names in subsets(self.facets) if names}
        if not single:
            return found | {(SEED,): lambda d: d.of(self.facets)}
        del found[self.facets]
        return found | {(*self.facets, SEED): component(self.facets, len(self.facets) - 1)}


class _Crossed(JackknifeSample):
    """Judgments with facets as a study: its `total` is their D_S.

    `mean` says whether a coefficient is a mean over questions; others are ratios of D_S.
    """

    apart = False

    def __init__(self, given: Disagreement, replications: float, mean: bool) -> None:
        self.given, self.mean, self.numeric = given, mean, given.cells.numeric
        self.centres = [(given.pairs.mean, given.pairs.norm)]
        self.total, self.without = given.whole, [given.without]
        self.sizes, self.replications = np.array([given.cells.n_clusters]), replications
        if not self.numeric:
            self.most = 1 - 1 / float((given.pairs.mean > 0).sum())

    def steady(self, formula: Formula) -> bool:
        """Whether no question varies in what it compares."""
        return float(formula(self.total)) == 1

    def varying(self, formula: Formula, share: float) -> float:
        """A coefficient if this share of the questions had no two verdicts alike."""
        return 1 - share / (1.0 if self.mean else float(np.nanmax(self.total.table)))

    @property
    def sure(self) -> list[list[JackknifeUnit]]:
        """Questions of far numbers, or of the second most frequent verdict."""
        return [[self.given.pairs.far]] if self.numeric else super().sure

    def added(self, question: JackknifeUnit) -> tuple[Differences, Differences]:
        """D_S over all questions and without each, with a fraction of one."""
        return self.given.sums(question)

    def omega_plus(
        self, formula: Formula, questions: Sequence[JackknifeUnit], varies: float = 0.0
    ) -> Ends:
        """A ratio of D_S with a fraction of a question added, and its error."""
        (question,) = questions
        return self.plus(formula, question)


def disagreement(cells: Cells, level: float = 0.95) -> Disagreement:
    """How often two verdicts differ, by the facets they share.

    Two different names differ by 1, two numbers by half their squared difference, ranks
    (`Cells.ranked`) likewise. Questions weigh the same, and so do the cells of a question, whatever
    their number of verdicts; cells may be missing. Pairs of two questions weigh as the cells that
    they can be compared in. Different questions of one cluster are never
    compared, and share its weight.

    Raises:
        ReliabilityError: The level of the intervals is not between 0 and 1.
    """
    check_level(level)
    return Disagreement(cells.rows(cells.replications > 0), level)


def subsets(names: Sequence[str]) -> list[tuple[str, ...]]:
    """All subsets of some names, the smallest first."""
    return list(chain.from_iterable(combinations(names, k) for k in range(len(names) + 1)))
