"""Grades of a judge beside labels: whether they are of one scale, and how far a step is."""

from collections.abc import Collection
from itertools import pairwise
from math import floor
from typing import NamedTuple

import numpy as np

from .cells import Flags, FloatArray
from .estimate import Reason, Unknown

_FARTHER = 1.75
"""Times the largest number of one scale that the largest of another one is, at least."""

_BEYOND = 0.1
"""Share of the numbers above the other's largest: a few may be odd ones of the same scale."""

_ROUNDING = 1e-9

_DIGITS = 9
"""Decimals of a distance beyond which it is rounding."""


def other_scale(
    values: FloatArray, verdicts: FloatArray, labels: FloatArray, could: Flags
) -> str | None:
    """Why verdicts and labels are numbers of two scales; None if they may be of one.

    They are of two if one of them goes far beyond the largest of the other, and often, though the
    other is a scale by itself: three numbers, or 0 and 1.

    Args:
        values: The K categories as numbers, NaN for those that are none.
        verdicts: Mean share of each category among verdicts, K.
        labels: Values that labels have, beside those of verdicts.
        could: Which categories the judge gave, or could have given.
    """
    used = [np.unique(values[one & ~np.isnan(values)]) for one in (could, labels > 0)]
    if not all(map(len, used)):
        return None
    for lower, higher, share in ((used[1], used[0], verdicts), (used[0], used[1], labels)):
        largest = np.abs(lower).max()
        beyond = share[np.abs(values) > largest].sum() / share[~np.isnan(values)].sum()
        is_scale = len(lower) > 2 or set(lower) == {0.0, 1.0}
        if is_scale and np.abs(higher).max() >= _FARTHER * largest and beyond > _BEYOND:
            (a, b), (c, d) = ((f"{one.min():g}", f"{one.max():g}") for one in used)
            said = f"verdicts go from {a} to {b} and labels from {c} to {d}: two scales"
            return Reason(Unknown.OTHER_KIND, said)
    return None


def step_of(values: FloatArray, labels: FloatArray, unit: float | None = None) -> float:
    """The smallest distance between two labels; between any numbers where all labels are one.

    With a `unit`, as `grade_unit` has it, a label between grades counts as the nearest ones. Of
    thirds, as schools write 2- and 3+ (2.3 and 2.7), it is the larger of their two distances.
    """
    if unit is None and _are_thirds(values, labels):
        return _OF_THIRDS
    labelled, every = values[(labels > 0) & ~np.isnan(values)], values[~np.isnan(values)]
    if unit is not None:
        labelled, every = (np.concatenate(_nearest(one, unit)) for one in (labelled, every))
    known = np.unique(labelled)
    apart = np.diff(known if len(known) > 1 else np.unique(every))
    return float(apart.min(initial=np.inf))


_THIRDS = (0.0, 0.3, 0.7)
"""Parts of grades with a sign."""

_OF_THIRDS = 0.4
"""How far apart the farther neighbours of these are."""


def _are_thirds(values: FloatArray, shares: FloatArray) -> bool:
    """Whether numbers are thirds, written as .3 and .7, but for less than a fifth of them."""
    known = ~np.isnan(values) & (shares > 0)
    parts = _parts(values[known])
    off = shares[known][~np.isin(parts, _THIRDS)].sum()
    return {*_THIRDS} <= {*parts.tolist()} and bool(off < _REGULAR * shares[known].sum())


def _parts(values: FloatArray) -> FloatArray:
    """What each number has after its whole one."""
    return np.asarray(np.round(values % 1, _DIGITS) % 1)


_UNITS = (1.0, 0.5)
"""Distances of grades, whole or half."""

_REGULAR = 0.2
"""Share of the numbers from which those between grades are grades themselves."""

_FEWEST = 3
"""Grades of a scale; a label of 0 or 1 is none."""


class GradeGrid(NamedTuple):
    """The grades of a scale, equally spaced or thirds, to which a mean of several is rounded.

    Attributes:
        step: How far apart they are; of thirds, how far apart those without a sign are.
        first: One of them.
        parts: How far grades lie above each of these: 0, 0.3 and 0.7 of thirds.
    """

    step: float
    first: float = 0.0
    parts: tuple[float, ...] = (0.0,)

    @classmethod
    def of(cls, grades: Collection[float]) -> "GradeGrid | None":
        """The grid of these grades, whose step is their smallest distance; 1 of a single one.

        None of grades that are neither equally spaced nor thirds.
        """
        known = sorted({*grades})
        grid = cls(min((b - a for a, b in pairwise(known)), default=1.0), known[0])
        if grid.has(np.array(known)).all():
            return grid
        return OF_THIRDS if {*_parts(np.array(known)).tolist()} == {*_THIRDS} else None

    @property
    def unequal(self) -> bool:
        """Whether its grades lie at unequal distances."""
        return len(self.parts) > 1

    def has(self, values: FloatArray | float) -> Flags:
        """Which numbers are grades of it, however far from the first."""
        each = [(values - self.first - part) / self.step for part in self.parts]
        on = [np.abs(places - np.round(places)) < _ROUNDING for places in each]
        return np.asarray(np.any(on, axis=0))

    def nearest(self, number: float, near: float) -> float:
        """The grade nearest to a number; midway the one nearer to `near`, of equals the lower."""
        place = floor((number - self.first) / self.step)
        below = (self.first + one * self.step for one in (place, place + 1))
        each = [one + part for one in below for part in self.parts]  # the lower first
        return min(each, key=lambda one: (round(abs(one - number), _DIGITS), abs(one - near)))


OF_THIRDS = GradeGrid(1.0, 0.0, _THIRDS)
"""Whole grades, and those with a sign."""

TENTH = 0.1
"""What thirds are multiples of, as they are written."""


def grid_of(values: FloatArray, labels: FloatArray, unit: float | None) -> GradeGrid | None:
    """The grades that a mean is rounded to, as for `step_of`; None if every number is one."""
    if unit is not None:
        return GradeGrid(unit)
    return OF_THIRDS if _are_thirds(values, labels) else None


def multiples(values: FloatArray, shares: FloatArray) -> float | None:
    """What numbers are multiples of, but for less than a fifth of them: 1, 0.5, or None of neither.

    Args:
        values: The K categories as numbers, NaN for those that are none.
        shares: Mean share of each category among them, K.
    """
    number = ~np.isnan(values)
    off = {unit: _off_grid(unit, values[number], shares[number]) for unit in _UNITS}
    return next((unit for unit in _UNITS if off[unit] < _REGULAR), None)


def grade_unit(values: FloatArray, verdicts: FloatArray, labels: FloatArray) -> float | None:
    """What grades are multiples of: whole, half, or None where neither is known.

    It is what labels are multiples of, whatever lies between these among verdicts; where labels lie
    between the judge's grades, as means of several people, it is what those are multiples of. So
    halves are grades where the judge and people both give them regularly, and no single verdict or
    label makes them so.

    Args:
        values: The K categories as numbers, NaN for those that are none.
        verdicts: Mean share of each category among verdicts, K.
        labels: The same of labels.
    """
    number = ~np.isnan(values)
    judge, people = multiples(values, verdicts), multiples(values, labels)
    many = np.count_nonzero(verdicts[number]) > 1
    if judge and many and _off_grid(judge, values[number], labels[number]) >= _REGULAR:
        return judge
    if people is None or not labels[number].any():
        return None
    ends = np.nanmin(values), np.nanmax(values)
    return people if ends[1] // people + -ends[0] // people + 1 >= _FEWEST else None


def both_have_halves(values: FloatArray, verdicts: FloatArray, labels: FloatArray) -> bool:
    """Whether some verdicts and some labels are half grades, so that two steps may be meant.

    Args:
        values: The K categories as numbers, NaN for those that are none.
        verdicts: Mean share of each category among verdicts, K.
        labels: The same of labels.
    """
    halves = GradeGrid(1.0, 0.5).has(values)
    return bool(verdicts[halves].any() and labels[halves].any())


def _off_grid(unit: float, values: FloatArray, weights: FloatArray) -> float:
    """The share of numbers that are no multiple of a unit."""
    return float(weights[~GradeGrid(unit).has(values)].sum() / max(weights.sum(), _ROUNDING))


def _nearest(values: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """The grade that each number is nearest to, twice; both for one midway."""
    places = values / unit
    return np.ceil(places - 0.5 - _ROUNDING) * unit, np.floor(places + 0.5 + _ROUNDING) * unit


def nearest_grades(
    values: FloatArray, labels: FloatArray, unit: float, finest: float | None = None
) -> FloatArray:
    """The grade that each label is nearest to, label x grade, K x K; halves for a label midway.

    A label that is nearest to a grade that nobody gave is no grade but itself, and so is one that
    is a multiple of `finest`, as a judge's verdicts are.
    """
    found = np.eye(len(values))
    between = (labels > 0) & (values % unit > 0)
    if finest is not None:
        between &= ~GradeGrid(finest).has(values)
    for place in np.flatnonzero(between):
        at = np.unique(_nearest(values[place], unit))
        columns = np.flatnonzero(np.isin(values, at))
        if not len(columns):  # the judge never gave that grade
            continue
        found[place] = 0
        found[place, columns] = 1 / len(at)
    return found


def close(values: FloatArray, labels: FloatArray, step: float) -> FloatArray:
    """How often labels are at most a step from each category, N x K; 0 for those of no number."""
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    at, reach = values[order], step * (1 + 1e-9)
    upto = np.pad(labels[:, order].cumsum(axis=1), ((0, 0), (1, 0)))
    first, last = np.searchsorted(at, at - reach), np.searchsorted(at, at + reach, "right")
    found = np.zeros(labels.shape)
    found[:, order] = upto[:, last] - upto[:, first]
    return found


def near(values: FloatArray, verdicts: FloatArray, labels: FloatArray, step: float) -> FloatArray:
    """How often a verdict and a label are at most a step apart, N; from shares, N x K."""
    return np.asarray((verdicts * close(values, labels, step)).sum(axis=1))
