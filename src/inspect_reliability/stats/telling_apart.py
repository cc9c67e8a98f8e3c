"""What would tell two systems apart: more questions, tries or judges."""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from .ends import t_quantile
from .long import FloatArray
from .ranking import Contests, Ranking, of_differences

_POWER = 0.8
_MOST = 10
"""Most times as many tries or judges as there are, in a design."""

_TRIES = (1, 2, 3, 5, 8, 12, 20)


class Size(NamedTuple):
    """How often something is judged."""

    questions: float
    tries: float
    judges: float


class Apart(NamedTuple):
    """The variance of a difference, by what it comes from, in a study of this size."""

    size: Size
    questions: float
    judges: float
    both: float
    tries: float

    def variance(self, of: Size) -> float:
        """The variance of the difference in a study of another size."""
        q, r, j = (own / other for own, other in zip(self.size, of, strict=True))
        return self.questions * q + self.judges * j + self.both * q * j + self.tries * q * r * j

    def enough(self, difference: float, name: str, at: Size | None = None) -> int | None:
        """So many of one thing that the difference is found; None if no number is enough.

        Of other things there are as many as in this study, or as in another one.
        """
        wanted, at = _wanted(difference), at or self.size
        at_most = self.variance(at._replace(**{name: math.inf}))
        if wanted <= at_most:
            return None
        now = self.variance(at) - at_most
        number = float(getattr(at, name)) * now / (wanted - at_most)
        return max(math.ceil(round(number, 6)), 1)

    def cheapest(self, difference: float, vary: bool) -> Size | None:
        """The design with the fewest verdicts that finds the difference; `vary`: of judges too."""
        designs = []
        judges = [self.size.judges]
        if vary:
            judges = [float(n) for n in range(1, math.ceil(_MOST * self.size.judges) + 1)]
        tries = _TRIES if self.tries > 0 else (self.size.tries,)
        for r, j in product(tries, judges):
            found = self.enough(difference, "questions", Size(self.size.questions, r, j))
            if found is not None:
                designs.append(Size(max(found, 3), r, j))
        return min(designs, key=math.prod, default=None)


def _wanted(difference: float) -> float:
    """The variance with which a difference is found at 95% with a probability of 80%."""
    return (difference / (t_quantile(0.95, np.inf) + t_quantile(2 * _POWER - 1, np.inf))) ** 2


def neighbours_apart(
    contests: Contests, found: Ranking, of_tries: FloatArray | None
) -> Iterator[tuple[int, int, Apart]]:
    """Each two systems next to each other, with what their difference varies with.

    The variance over questions has that of judges by questions, and both have that of tries: they
    are taken apart as components are (Brennan 2001).
    """
    cells = len(np.unique(contests.cell))
    size = Size(
        len(np.unique(contests.question)), len(contests.question) / cells, max(found.levels, 1)
    )
    over = [of_differences(one) for one in found.moved]
    for i, j in zip(found.order[:-1], found.order[1:], strict=True):
        tries = 0.0
        if of_tries is not None and not contests.exact:
            tries = float(of_tries[i, i] + of_tries[j, j] - 2 * of_tries[i, j]) / size.tries
        whole = float(over[0][i, j])
        tries = min(tries, whole)
        both = max(float(over[2][i, j]), tries) if over[2:] else tries
        judges = max(float(over[1][i, j]) - both, 0.0) if over[1:] else 0.0
        yield int(i), int(j), Apart(size, max(whole - both, 0.0), judges, both - tries, tries)
