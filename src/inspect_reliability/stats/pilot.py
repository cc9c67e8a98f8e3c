"""What a pilot shows of omega and agreement in studies of another size.

A question moves either coefficient by the mean of a kernel over the pairs of its verdicts. With R
verdicts the mean square of that is

    [2 M2 + 4 (R - 2) M1 + (R - 2)(R - 3) M0] / (R (R - 1)),

M being the mean product of the kernels of two pairs that share two, one or no verdict (Hoeffding
1948). Without bias, M2 takes two verdicts of a question, M1 three and M0 four. So three
replications say nothing of more, and four or more say something of any number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from .cells import ROUNDING, FloatArray
from .interval_scales import Ends, jackknife_error
from .intervals import UNSEEN, Formula, JackknifeSample, JackknifeUnit, second
from .moments import Sums

FOR_ANY = 4
"""Verdicts of a question that show all three products."""

_BLOCK = 100_000
"""Questions at once: more take more memory, and are no faster."""


class Point(NamedTuple):
    """What omega and agreement are computed from.

    The number of questions, how often two verdicts on one and on two of them differ, and the mean
    shares of the verdicts.
    """

    questions: float
    within: float
    any_two: float
    mean: FloatArray


class Moves(NamedTuple):
    """How a question moves a coefficient: the kernel of two of its verdicts, x and y.

    It is `differ` if they do, plus `constant`, plus the mean of slope[x] and slope[y].
    """

    differ: float
    constant: float
    slope: FloatArray


def _agreement(at: Point, r: float) -> Moves:
    return Moves(-1.0, at.within, np.zeros_like(at.mean))


def _omega(at: Point, r: float) -> Moves:
    """Omega of questions of r verdicts, and its slopes; see `omega_slopes`."""
    lean = at.within / at.any_two**2 / (at.questions - 1)
    differ = -1 / at.any_two - lean * (1 - 1 / r)
    slope = -2 * lean * at.questions * at.mean
    return Moves(differ, float(-differ * at.within - slope @ at.mean), slope)


MOVES: dict[str, Callable[[Point, float], Moves]] = {"omega": _omega, "agreement": _agreement}
"""Coefficient -> how a question of so many verdicts moves it."""

MEANS = {"omega": 2, "agreement": 1}
"""Means over questions that a coefficient is made of: each takes a degree of freedom."""


@dataclass(frozen=True, eq=False)
class Pilot:
    """What a pilot shows of a coefficient.

    Vectors lie in the plane of the mean shares of its verdicts and the second most frequent one.

    Attributes:
        replications: Verdicts of a question; infinity for exact distributions.
        shown: Verdicts that each of them has, `FOR_ANY` at most.
        at: Its questions together.
        rare: The second most frequent verdict, [2].
        moving: Questions that move the coefficient otherwise than most do.
        products: M2, M1 and M0 of the kernels "differ", 1 and the two axes of the plane, [3, 4, 4];
            0 where it takes more verdicts.
        squares: M2, M1 and M0 of the coefficient's own kernel on each question, [3, N].
    """

    coefficient: str
    replications: float
    shown: int
    at: Point
    rare: FloatArray
    moving: int
    products: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, coefficient: str, known: Sums, replications: float, shown: int) -> Self:
        """From the terms of its questions, [N]."""
        n, sums, k = len(known.questions), known.over(), known.means.shape[1]
        mean = sums.means / n
        rare = second(mean)[0]
        axes = np.linalg.qr(np.stack([mean, rare], axis=1))[0].T
        axes = np.pad(axes, ((0, 2 - len(axes)), (0, 0)))  # one category has a single axis
        at = Point(n, float(sums.within), float(sums.any_two), axes @ mean)
        own = MOVES[coefficient](at, replications)
        kernels = [Moves(1.0, 0.0, np.zeros(k)), Moves(0.0, 1.0, np.zeros(k))]
        kernels += [Moves(0.0, 0.0, axis) for axis in axes]
        kernels += [own._replace(slope=own.slope @ axes)]
        products, moved, squares = np.zeros((3, 4, 4)), np.zeros(n), np.zeros((3, n))
        for start in range(0, n, _BLOCK):
            block = slice(start, start + _BLOCK)
            of_block = Sums(
                **{name: x[block] if np.ndim(x) else x for name, x in vars(known).items()}
            )
            *parts, whole = (_Pairs(of_block, kernel) for kernel in kernels)
            moved[block], squares[:, block] = whole.mean, whole.times(whole, shown)
            for i, j in zip(*np.tril_indices(4), strict=True):
                products[:, i, j] += parts[i].times(parts[j], shown).sum(axis=1) / n
        return cls(
            coefficient,
            replications,
            shown,
            at,
            axes @ rare,
            moving=int(np.count_nonzero(np.abs(moved - np.median(moved)) > ROUNDING)),
            products=np.tril(products) + np.tril(products, -1).transpose(0, 2, 1),
            squares=squares,
        )

    def tells(self, replications: float) -> bool:
        """Whether it says, however roughly, how precise so many replications are."""
        if np.isinf(replications) or np.isinf(self.replications):
            return replications == self.replications
        return self.shown == FOR_ANY or replications <= self.shown

    def products_of(self, replications: float) -> FloatArray:
        """Mean products of how a question of so many replications moves each kernel, [4, 4]."""
        if replications not in self._products:  # a plan tries many numbers of questions
            self._products[replications] = np.tensordot(_chances(replications), self.products, 1)
        return self._products[replications]

    @cached_property
    def _products(self) -> dict[float, FloatArray]:
        return {}

    def error(self, replications: float) -> float:
        """Standard error of the log of that of the coefficient; infinity if one may be below 0.

        The jackknife over questions, as if how they move it were known.
        """
        each = _chances(replications) @ self.squares
        left_out = (each.sum() - each) / (len(each) - 1)
        return jackknife_error(np.log(left_out)) if (left_out > 0).all() else np.inf


class Expected(JackknifeSample):
    """A study of n questions like those of a pilot, with r replications each.

    Its standard error is multiplied by `times`, and reaches so many of it.
    """

    def __init__(self, pilot: Pilot, n: int, r: float, times: float, t: float) -> None:
        self.pilot, self.total, self.centres = pilot, pilot.at, [(pilot.at.mean, 1.0)]
        self.sizes, self.replications, self.times, self.t = np.array([n]), r, times, t
        self.products = pilot.products_of(r)

    @property
    def apart(self) -> bool:
        """Whether no two verdicts of a question agree."""
        return self.pilot.at.within == 1

    def steady(self, formula: Formula) -> bool:
        """Never: a pilot without a question that varies tells nothing."""
        return False

    def varying(self, formula: Formula, share: float) -> float:
        """A coefficient if this share of the questions had no two verdicts alike."""
        return float(formula(self.pilot.at._replace(within=share)))

    @property
    def sure(self) -> list[list[JackknifeUnit]]:
        """A question that always gets the second most frequent verdict."""
        return [[JackknifeUnit(UNSEEN, self.pilot.rare, 1.0, 0.0)]]

    def jackknife(self, formula: Formula, level: float) -> tuple[float, float]:
        """The error to expect, and how many of it the interval reaches."""
        nothing = JackknifeUnit(0.0, self.pilot.at.mean, 1.0, 0.0)
        return self.plus(formula, nothing)[1], self.t

    def plus(self, formula: Formula, question: JackknifeUnit) -> Ends:
        """A coefficient with a fraction of a question added, and its error."""
        weight, s, disagreement = question.weight, question.mean, question.disagreement
        at, n = self.pilot.at, self.n
        v = n + weight
        differ = n * (n - 1) * at.any_two + 2 * n * weight * (1 - at.mean @ s)
        differ += weight * (weight - 1) * (1 - s @ s)
        point = Point(
            v,
            (n * at.within + weight * disagreement) / v,
            float(differ / (v * (v - 1))),
            (n * at.mean + weight * s) / v,
        )
        moves = MOVES[self.pilot.coefficient](point, self.replications)
        lost = MEANS[self.pilot.coefficient]
        kernels = np.array([moves.differ, moves.constant, *moves.slope])
        square = float(kernels @ self.products @ kernels) / (1 - lost / at.questions)
        added = moves.differ * disagreement + moves.constant + moves.slope @ s
        squares = (n - lost) * max(square, 0.0) * self.times**2 + weight * added**2
        return float(formula(point)), float(np.sqrt(squares / (v * (v - 1))))

    def omega_plus(
        self, formula: Formula, questions: Sequence[JackknifeUnit], varies: float = 0.0
    ) -> Ends:
        """Omega with a fraction of a question added, and its error, by the weighted jackknife."""
        (question,) = questions
        return self.plus(formula, question)


class _Pairs:
    """A kernel of the pairs of verdicts of each of N questions."""

    def __init__(self, known: Sums, kernel: Moves) -> None:
        self.known, self.kernel = known, kernel
        self.values = kernel.constant + kernel.slope
        if not known.inverse.any():  # exact distributions
            self.mean = kernel.differ * known.disagreement + known.means @ self.values
            return
        counts, n = known.pooled, known.verdicts
        self.sum = counts @ self.values
        # Of each verdict with all others of its question.
        with_others = kernel.differ * (n[:, None] - counts) + self.sum[:, None] / 2
        self.with_others = with_others + np.multiply.outer(n - 2, self.values) / 2
        self.total = (counts * self.with_others).sum(axis=1)
        self.mean = self.total / (n * (n - 1))

    def times(self, other: Self, shown: int) -> FloatArray:
        """M2, M1 and M0 of two kernels on each question, [3, N]."""
        found = np.zeros((3, len(self.known.verdicts)))
        if not self.known.inverse.any():
            found[2] = self.mean * other.mean
            return found
        counts, n, (a, b) = self.known.pooled, self.known.verdicts, (self.kernel, other.kernel)
        apart = counts * (n[:, None] - counts)
        two = a.differ * b.differ * apart.sum(axis=1)
        two += apart @ (a.differ * other.values + b.differ * self.values)
        two += ((n - 2) * (counts @ (self.values * other.values)) + self.sum * other.sum) / 2
        one = (counts * self.with_others * other.with_others).sum(axis=1) - two
        none = self.total * other.total - 4 * one - 2 * two
        pairs = n * (n - 1)
        found[0] = two / pairs
        if shown > 2:
            found[1] = one / pairs / (n - 2)
        if shown > 3:
            found[2] = none / pairs / (n - 2) / (n - 3)
        return found


def _chances(replications: float) -> FloatArray:
    """How often two pairs of so many verdicts share two, one and none of them, [3]."""
    r = replications
    if np.isinf(r):
        return np.array([0.0, 0.0, 1.0])
    return np.array([2.0, 4 * (r - 2), (r - 2) * (r - 3)]) / (r * (r - 1))
