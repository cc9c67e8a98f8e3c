"""The cheapest numbers of orders, wordings, judges and seeds for a study."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from .disagreement import QUESTION, SEED, Differences, Disagreement, disagreement
from .ends import jackknife_error
from .errors import ReliabilityError
from .estimate import Estimate
from .long import FloatArray
from .planning import MOST_QUESTIONS, fewest, safety_of
from .sums import ratio

MOST_CALLS = 100
"""Calls on one question of the largest design that is tried."""


@dataclass(frozen=True)
class Crossing:
    """A crossed design: levels of each facet, and replications of each cell.

    Attributes:
        levels: Facet -> number of levels.
        n_replications: Replications of each cell; infinity for exact distributions.
        dependability: Dependability of a question's mean verdict in this design.
        n_questions: Number of questions, and `half_width` the expected half-width of the 95%
            interval of the mean; None if the goal does not depend on them.
    """

    levels: Mapping[str, int]
    n_replications: float
    dependability: Estimate
    n_questions: int | None = None
    half_width: float | None = None

    @property
    def calls(self) -> int:
        """Calls per question."""
        return int(_calls([*self.levels.values(), self.n_replications]))


class _Tried(NamedTuple):
    """A design, and the weights of the components in its mean and in that of all levels."""

    levels: dict[str, int]
    replications: float
    mean: FloatArray
    every: FloatArray

    @property
    def calls(self) -> float:
        return _calls([*self.levels.values(), self.replications])


def cheapest_dependable(
    pilot: Disagreement,
    wanted: float,
    assurance: float = 0.8,
    existing: Mapping[str, int] | None = None,
) -> Crossing:
    """The design with the fewest calls per question whose mean verdict is dependable enough.

    Among equally cheap designs, the most dependable one.

    Args:
        pilot: Judgments in which the facets vary.
        wanted: Dependability, below 1.
        assurance: Required certainty over pilots of other questions: the lower end of a one-sided
            jackknife interval at this level must reach `wanted`.
        existing: Facet -> number of levels that exist; see `Disagreement.dependability`.

    Raises:
        ReliabilityError: No design of up to `MOST_CALLS` calls reaches it, the pilot lacks pairs of
            verdicts for a component, or a share is not between 0 and 1.
    """
    safety = safety_of(assurance)
    if not 0 < wanted < 1:
        raise ReliabilityError(f"The dependability must lie between 0 and 1, not be {wanted}.")
    whole, without = (_parts(pilot, of) for of in (pilot.whole, pilot.without))
    own = np.array([QUESTION in names for names in pilot.component])

    def surely(design: _Tried) -> float:
        of_question, rest = design.every * own, design.mean - design.every
        value, each = (ratio(p @ of_question, p @ (of_question + rest)) for p in (whole, without))
        return float(value) - safety * jackknife_error(each)

    for _, alike in groupby(_designs(pilot, existing), key=lambda design: design.calls):
        best = max(alike, key=surely)
        if surely(best) >= wanted:
            levels, seeds, *_ = best
            return Crossing(levels, seeds, pilot.dependability(levels, seeds, existing))
    raise ReliabilityError(
        f"no design of up to {MOST_CALLS} calls on a question is as dependable as {wanted:g}"
    )


def cheapest_precise(
    pilot: Disagreement,
    half_width: float,
    assurance: float = 0.8,
    existing: Mapping[str, int] | None = None,
) -> Crossing:
    """The design with the fewest calls in all that estimates the mean to within a half-width.

    The mean is that of numbers or, for names, the share of each. The half-width is that of the 95%
    interval, for other questions and other levels; otherwise see `cheapest_dependable`.

    Raises:
        ReliabilityError: As `cheapest_dependable`, or more than a million questions are needed.
    """
    from scipy.special import ndtri

    safety, wanted = safety_of(assurance), (half_width / float(ndtri(0.975))) ** 2
    if not half_width > 0:
        raise ReliabilityError(f"The half-width must be positive, not {half_width}.")
    cells = pilot.cells
    each = [pilot]
    if not cells.numeric:
        each = [
            disagreement(cells.as_numbers({name: float(name == one) for name in cells.categories}))
            for one in cells.categories
            if cells.columns([one]).table.any()
        ]
    known = [(_parts(one, one.whole), _parts(one, one.without)) for one in each]
    drawn = np.array([bool({QUESTION, SEED} & {*names}) for names in pilot.component])

    def variance(weights: FloatArray, safety: float = safety) -> float:
        """Variance of the least certain mean."""
        found = (
            float(parts @ weights) + safety * jackknife_error(without @ weights)
            for parts, without in known
        )
        return max(found)

    def over(design: _Tried, n: float) -> FloatArray:
        return np.where(drawn, design.mean / n, design.mean - design.every)

    def cost(design: _Tried) -> float:
        """Calls in all: variance from questions shrinks with their number, the rest must fit."""
        always = variance(over(design, np.inf))
        alone = variance(np.where(drawn, design.mean, 0.0))
        return design.calls * alone / (wanted - always) if always < wanted else np.inf

    best = min(_designs(pilot, existing), key=cost)
    enough = fewest(lambda n: variance(over(best, n)) <= wanted)
    if enough is None:
        raise ReliabilityError(
            f"no design of up to {MOST_CALLS} calls on a question and {MOST_QUESTIONS:,} questions "
            f"knows the mean to within {half_width:g}"
        )
    expected = float(ndtri(0.975) * np.sqrt(max(variance(over(best, enough), 0.0), 0.0)))
    reached = pilot.dependability(best.levels, best.replications, existing)
    return Crossing(best.levels, best.replications, reached, enough, expected)


def _designs(pilot: Disagreement, existing: Mapping[str, int] | None) -> Iterator[_Tried]:
    facets, exact = list(pilot.levels), pilot.cells.exact
    tops = [(existing or {}).get(name, MOST_CALLS) for name in facets]
    tops.append(1 if exact or (SEED,) not in pilot.component else MOST_CALLS)

    def numbers(tops: list[int], calls: int) -> Iterator[tuple[int, ...]]:
        if not tops:
            yield ()
            return
        for n in range(1, min(tops[0], calls) + 1):
            yield from ((n, *rest) for rest in numbers(tops[1:], calls // n))

    for found in sorted(numbers(tops, MOST_CALLS), key=_calls):
        levels = dict(zip(facets, found, strict=False))
        seeds = np.inf if exact else found[-1]
        weights = pilot.weights(levels, seeds, existing)
        yield _Tried(levels, seeds, *np.array(list(weights.values())).T)


def _calls(numbers: Collection[float]) -> float:
    return float(np.prod([n for n in numbers if np.isfinite(n)]))


def _parts(pilot: Disagreement, d: Differences) -> FloatArray:
    """The variance components, [..., C]; negative ones become 0, or designs would gain by them.

    Raises:
        ReliabilityError: One is not estimable.
    """
    found = np.stack([formula(d) for formula in pilot.component.values()], axis=-1)
    if np.isnan(found).any():
        raise ReliabilityError("no two judgments share what a variance component compares")
    return np.maximum(found, 0.0)
