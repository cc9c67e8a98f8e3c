"""What would tell two systems apart: more questions, tries or judges."""

import math
from bisect import bisect_left
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, nctdtr, stdtrit

from .ends import constant_share_bound
from .estimate import LEVEL
from .intervals import FEWEST_QUESTIONS
from .long import FloatArray
from .ranking import FEWEST_LEVELS, Contests, Ranking, of_differences

_POWER = 0.8
_MOST = 10
"""Most times as many tries or judges as there are, in a design."""

_TRIES = (1, 2, 3, 5, 8, 12, 20)

_FEWEST = {"questions": FEWEST_QUESTIONS, "tries": 1, "judges": FEWEST_LEVELS}
"""Fewer have no interval, or none that speaks for other judges."""

_ENDLESS, _NORMAL = 1e12, 1e6
"""As many as there can be, and degrees of freedom from which t is normal."""

_QUANTILES = (np.arange(16) + 0.5) / 16


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

    def variances(self, of: Size) -> tuple[float, float, float]:
        """Variances in a study of another size: over questions, judges, and both with tries.

        That over questions has that of both.
        """
        q, r, j = (own / other for own, other in zip(self.size, of, strict=True))
        both = (self.both + self.tries * r) * q * j
        return self.questions * q + both, self.judges * j, both

    def power(self, difference: float, of: Size) -> float:
        """The probability that a study of this size finds the difference at 95%.

        The test is that of a ranking: t with Satterthwaite's degrees of freedom. The study's
        variance of judges is what they differ in less what both do, and 0 if that is negative; its
        quantiles are taken in turn.
        """
        questions, judges, both = self.variances(of)
        whole = questions + judges
        if not whole:  # a sign test
            return float(constant_share_bound(of.questions, LEVEL) > 1 / 2)
        free, seen = of.questions - 1, np.zeros(1)
        if of.judges > 1:
            chi = 2 * gammaincinv((of.judges - 1) / 2, _QUANTILES) / (of.judges - 1)
            seen = np.maximum((judges + both) * chi - both, 0)
        found = questions + seen
        own = np.divide(seen**2, of.judges - 1, out=np.zeros_like(seen), where=seen > 0)
        with np.errstate(divide="ignore"):
            frees = found**2 / (questions**2 / free + own)
            of_questions = np.minimum(found**2 / (questions**2 / free), _NORMAL)
        t = stdtrit(np.minimum(frees, _NORMAL), (1 + LEVEL) / 2) * np.sqrt(found / whole)
        return 1 - float(nctdtr(of_questions, difference / math.sqrt(whole), t).mean())

    def enough(
        self, difference: float, name: str, at: Size | None = None, limit: float = _ENDLESS
    ) -> int | None:
        """So many of one thing that the difference is found; None if the limit is not enough.

        Of other things there are as many as in this study, or as in another one.
        """
        at, fewest = at or self.size, _FEWEST[name]

        def found(number: float) -> bool:
            return self.power(difference, at._replace(**{name: number})) >= _POWER

        if limit < fewest or not found(limit):
            return None
        most = fewest
        while not found(most):
            most *= 2
        return bisect_left(range(most), True, lo=max(most // 2, fewest), key=found)

    def cheapest(self, difference: float, vary: bool) -> Size | None:
        """The design with the fewest verdicts that finds the difference; `vary`: of judges too."""
        best, cost = None, _ENDLESS
        judges = [self.size.judges]
        if vary:
            most = math.ceil(_MOST * self.size.judges)
            judges = [float(n) for n in range(FEWEST_LEVELS, most + 1)]
        tries = _TRIES if self.tries > 0 else (self.size.tries,)
        for r, j in product(tries, judges):
            cheaper = (cost - 1) // (r * j)
            found = self.enough(difference, "questions", Size(cheaper, r, j), cheaper)
            if found is not None:
                best, cost = Size(found, r, j), found * r * j
        return best


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
