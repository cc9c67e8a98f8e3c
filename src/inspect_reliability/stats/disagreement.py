"""What moves a verdict? How often two verdicts differ, by the facets they share.

D_S is the mean difference of two judgments that share the levels of exactly the facets in S and
differ in all others; the question is one of the facets. Inclusion and exclusion over groups that
share at least S gives it without listing pairs. Agreement, omega over any facets, flips and
variance components are differences and ratios of D_S.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Literal, NamedTuple

import numpy as np

from .cells import Cells
from .ends import (
    Ends,
    constant_share_bound,
    jackknife_error,
    on_f_scale,
    on_log_scale,
    on_root_scale,
    t_quantile,
    weighted_error,
)
from .errors import ReliabilityError, check_level
from .estimate import Estimate
from .intervals import (
    FEWEST_QUESTIONS,
    NOISE,
    NOISE_OF_NUMBERS,
    SETTLED,
    TOO_FEW,
    UNSEEN,
    farthest,
    farthest_mean,
    noise_agreement,
    second,
    with_ends,
)
from .long import FloatArray
from .pairs import Pairs, Question
from .sums import ratio

QUESTION = "question"
SEED = "seed"

Kind = Literal["agreement", "omega", "variance", "difference"]
"""How an interval is made: on which scale, and which questions that were not drawn it adds."""


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


Formula = Callable[[Differences], FloatArray]


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
        num, den = (one[:, place] for one in self._pairs.within)
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
        return self.estimate(lambda d: 1 - d.of(shared), "agreement")

    def omega(self, over: Iterable[str] = ()) -> Estimate:
        """Omega if these facets may vary too: 1 - D_qX / D_X, with X all other facets."""
        over = tuple(over)
        shared, others = self._all_but(over)
        return self.estimate(
            lambda d: 1 - ratio(d.of(shared), d.of(others)), "omega", self._replications(over)
        )

    def flips(self, facet: str) -> Estimate:
        """How much more often verdicts differ across this facet than across seeds alone."""
        shared, _ = self._all_but([facet])
        return self.estimate(lambda d: d.of(shared) - d.of(self.facets), "variance")

    def beyond_noise(self, facet: str) -> Estimate:
        """Omega across a facet over omega within: 1 if its levels differ only by noise.

        This is a correlation corrected for attenuation (Spearman 1904).
        """
        shared, others = self._all_but([facet])

        def corrected(d: Differences) -> FloatArray:
            within = 1 - ratio(d.of(self.facets), d.of((*others, facet)))
            return ratio(1 - ratio(d.of(shared), d.of(others)), within)

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
            names: self.estimate(formula, "variance") for names, formula in self.component.items()
        }

    def dependability(
        self,
        levels: Mapping[str, float] | None = None,
        replications: float = 1,
        existing: Mapping[str, int] | None = None,
    ) -> Estimate:
        """Dependability of the mean verdict over this many levels of each facet.

        v_q / (v_q + the sum of the other components, each divided by the number of levels of its
        facets): Phi of a D-study (Brennan 2001). `existing` gives the number of levels that a facet
        has at all, such as the two orders of a pair: the effect of all of them on a question is the
        question's own (Cochran 1977, ch. 2; Brennan 2001, ch. 3). Negative components can put it
        outside 0 and 1: it then has no value, and the reason says what it would be.

        Raises:
            ReliabilityError: There is no such facet or level, or more replications are asked for
                and no cell has two.
        """
        weights = self.weights(levels, replications, existing)

        def phi(d: Differences) -> FloatArray:
            parts = {names: self.component[names](d) for names in weights}
            noise = sum(parts[names] * (one - every) for names, (one, every) in weights.items())
            own = sum(parts[names] * weights[names][1] for names in parts if QUESTION in names)
            return ratio(np.asarray(own), np.asarray(own + noise))

        found = self.estimate(phi, "omega", np.inf)
        if found.value is None or 0 <= found.value <= 1:
            return found
        why = "a variance component is negative, so it would be {:.2f}: more questions may tell"
        return replace(found, value=None, low=None, high=None, reason=why.format(found.value))

    def weights(
        self,
        levels: Mapping[str, float] | None = None,
        replications: float = 1,
        existing: Mapping[str, int] | None = None,
    ) -> dict[tuple[str, ...], tuple[float, float]]:
        """The weight of each component in the mean over this many levels, and over all there are.

        Arguments and errors are those of `dependability`.
        """
        number = dict.fromkeys(self.facets, 1.0) | dict(levels or {}) | {QUESTION: 1.0}
        there_are = dict.fromkeys(self.facets, np.inf) | dict(existing or {}) | {QUESTION: 1.0}
        self.whole.of({**number, **there_are})
        if replications != 1 and (SEED,) not in self.component:
            raise ReliabilityError("No cell has two verdicts: what more would do is not known.")
        if beyond := [name for name in self.facets if number[name] > there_are[name]]:
            most = f"Only {there_are[beyond[0]]} levels of {beyond[0]!r} exist"
            raise ReliabilityError(f"{most}, not {number[beyond[0]]}.")

        def weight(names: tuple[str, ...], numbers: Mapping[str, float], seeds: float) -> float:
            every = SEED in names
            product = np.prod([n for facet, n in numbers.items() if every or facet in names])
            return float(1 / (product * (seeds if every else 1.0)))

        return {
            names: (weight(names, number, replications), weight(names, there_are, np.inf))
            for names in self.component
        }

    def estimate(
        self, formula: Formula, kind: Kind = "difference", replications: float = np.inf
    ) -> Estimate:
        """Any function of D_S, NaN if undefined, with its interval.

        "agreement" and "omega" are at most 1 and have their own intervals; a "difference" has the
        jackknife-t interval, a "variance" that of `on_root_scale`. For omega, `replications` is the
        number of verdicts per question that its pairs come from.
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
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high, method = self._ends(formula, kind, value, replications)
        undefined = "no interval: it is not estimable without some question"
        return with_ends(found, (low, high), method, undefined)

    def _ends(self, formula: Formula, kind: Kind, x: float, r: float) -> tuple[float, float, str]:
        n = self.cells.n_clusters
        t, bound = t_quantile(self.level, n - 1), constant_share_bound(n, self.level)
        error = jackknife_error(formula(self.without))
        if kind == "difference":
            return x - t * error, x + t * error, "t"
        if kind == "variance":
            most = np.inf if self.cells.numeric else 1 - 1 / (self._pairs.mean > 0).sum()
            return *on_root_scale(x, t * error, most), "root scale"
        mean, norm = self._pairs.mean, self._pairs.norm
        noise = Question(NOISE, mean, norm, norm - float(mean @ mean))
        if kind == "agreement":
            if x == 1:
                return bound, 1.0, "exact bound"
            if not self.cells.numeric:
                noise = noise._replace(disagreement=1 - noise_agreement(mean))
            settled = noise._replace(weight=SETTLED, disagreement=0.0)
            added = self._plus(formula, noise), self._plus(formula, settled)
            low, high = farthest_mean(on_log_scale(x, error, t), *added, t)
            return max(low, min(0.0, x)), high, "noise or settled question"
        if x == 1:
            base: Ends = (1 - (1 - bound) / float(np.nanmax(self.whole.table)), 1.0)
        else:
            base = on_f_scale(x, error, t, r)
        if self.cells.numeric:
            sure, noise = [self._pairs.far], noise._replace(weight=NOISE_OF_NUMBERS)
        else:
            sure = [Question(UNSEEN, one, 1.0, 0.0) for one in second(mean)]
        more = [self._plus(formula, one) for one in sure]
        low, high = farthest(base, self._plus(formula, noise), more, t, r)
        least = -1 / (r - 1) if r > 1 else -np.inf
        low, high = min(max(low, least), x), min(max(high, x), max(1.0, x))
        return low, high, "exact bound" if x == 1 else "plus a question"

    def _plus(self, formula: Formula, question: Question) -> Ends:
        """The value with a fraction of a question added, and its standard error."""
        whole, without = self._pairs.sums(question)
        x = float(formula(Differences(self.facets, whole)))
        without_each = formula(Differences(self.facets, without))
        return x, weighted_error(x - without_each, question.weight)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self.cells)

    @cached_property
    def _sums(self) -> tuple[Differences, Differences]:
        whole, without = self._pairs.sums()
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
            inside = [one for one in _subsets(names) if len(one) <= most]

            def formula(d: Differences) -> FloatArray:
                signed = ((-1) ** (len(names) - len(one) + 1) * d.of(one) for one in inside)
                return np.asarray(sum(signed))

            return formula

        found = {names: component(names, len(names)) for names in _subsets(self.facets) if names}
        if not single:
            return found | {(SEED,): lambda d: d.of(self.facets)}
        del found[self.facets]
        return found | {(*self.facets, SEED): component(self.facets, len(self.facets) - 1)}


def disagreement(cells: Cells, level: float = 0.95) -> Disagreement:
    """How often two verdicts differ, by the facets they share.

    Two different names differ by 1, two numbers by half their squared difference, ranks
    (`Cells.ranked`) likewise. Questions weigh the same, and so do the cells of a question, whatever
    their number of verdicts; cells may be missing. Different questions of one cluster are never
    compared, and share its weight.

    Raises:
        ReliabilityError: The level of the intervals is not between 0 and 1.
    """
    check_level(level)
    return Disagreement(cells.rows(cells.replications > 0), level)


def shares_of(**components: float | None) -> dict[str, float] | None:
    """Component -> share of the sum of the known ones; None if nothing varies."""
    known = {name: float(part) for name, part in components.items() if part is not None}
    total = sum(known.values())
    return {name: part / total for name, part in known.items()} if total > 0 else None


def _subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(names, k) for k in range(len(names) + 1)))
