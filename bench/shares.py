"""Do intervals of a mean of shares cover, near 1 and where questions are alike? Known truth.

    python bench/shares.py [--quick]

A judge is right on a question with a chance that varies between questions, and gives several
verdicts on each. The interval is that of accuracies, rates and every other mean of shares. For
each population and number of questions it prints the lowest and the highest coverage of 95%
intervals over five rates and four numbers of replications, and the mean width. In full it takes
ten minutes of one core.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _tables import show
from inspect_reliability.stats.estimate import LEVEL
from inspect_reliability.stats.rates import mean_share

Array = NDArray[np.float64]
Generator = np.random.Generator

STUDIES = 1000
QUICK = 0.1
"""Share of the studies with `--quick`."""
QUESTIONS = (8, 15, 30, 100)
REPLICATIONS = (1, 2, 5, 20)
RATES = (0.5, 0.7, 0.9, 0.95, 0.99)


def followers(share: float) -> Callable[[Generator, float, int, int], Array]:
    """A judge that follows the place on this share of questions.

    Of two orders it is right in one there. On the others it is right, or wrong, in both.
    """

    def draw(generator: Generator, rate: float, n: int, r: int) -> Array:
        settled = (generator.random(n) < rate).astype(float)
        return np.where(generator.random(n) < share, 0.5, settled)

    return draw


def settled(generator: Generator, rate: float, n: int, r: int) -> Array:
    """Each question is always right or always wrong."""
    return (generator.random(n) < rate).astype(float)


def alike(generator: Generator, rate: float, n: int, r: int) -> Array:
    """Every question has the same chance."""
    return generator.binomial(r, rate, n) / r


def varied(size: float) -> Callable[[Generator, float, int, int], Array]:
    """Chances are beta distributed: of size 0.5 most lie near 0 or 1, of size 10 near the rate."""

    def draw(generator: Generator, rate: float, n: int, r: int) -> Array:
        chances = generator.beta(size * rate, size * (1 - rate), n)
        return np.asarray(generator.binomial(r, chances) / r)

    return draw


def unequal(generator: Generator, rate: float, n: int, r: int) -> Array:
    """Chances of size 2, and 1, 2 or 20 verdicts on each question."""
    own = generator.choice((1, 2, 20), n)
    return np.asarray(generator.binomial(own, generator.beta(2 * rate, 2 * (1 - rate), n)) / own)


def fewer_where_sure(generator: Generator, rate: float, n: int, r: int) -> Array:
    """Chances of size 2, and 20 verdicts where they are between .1 and .9, else 2."""
    chances = generator.beta(2 * rate, 2 * (1 - rate), n)
    own = np.where(abs(chances - 0.5) < 0.4, 20, 2)
    return np.asarray(generator.binomial(own, chances) / own)


def few_wrong(generator: Generator, rate: float, n: int, r: int) -> Array:
    """5% of questions are always wrong, the others have one chance."""
    chances = np.where(generator.random(n) < 0.05, 0.0, rate)
    return np.asarray(generator.binomial(r, chances) / r)


POPULATIONS: dict[str, tuple[Callable[[Generator, float, int, int], Array], Callable[..., float]]]
POPULATIONS = {
    "95% follow the place": (followers(0.95), lambda rate: 0.475 + 0.05 * rate),
    "70% follow the place": (followers(0.7), lambda rate: 0.35 + 0.3 * rate),
    "settled": (settled, lambda rate: rate),
    "all alike": (alike, lambda rate: rate),
    "beta, size 0.5": (varied(0.5), lambda rate: rate),
    "beta, size 2": (varied(2.0), lambda rate: rate),
    "beta, size 10": (varied(10.0), lambda rate: rate),
    "1, 2 or 20 verdicts": (unequal, lambda rate: rate),
    "2 verdicts, or 20 where unsure": (fewer_where_sure, lambda rate: rate),
    "5% always wrong": (few_wrong, lambda rate: 0.95 * rate),
}
"""How the shares of a study are drawn, and their mean in the population."""

ONCE = (
    "95% follow the place",
    "70% follow the place",
    "settled",
    "1, 2 or 20 verdicts",
    "2 verdicts, or 20 where unsure",
)
"""Populations in which the number of replications makes no difference."""


def results(studies: int) -> Iterator[dict[str, Any]]:
    """A line for each population and number of questions."""
    for (name, (draw, mean)), n in product(POPULATIONS.items(), QUESTIONS):
        covers, widths = [], []
        for rate, r in product(RATES, REPLICATIONS[:1] if name in ONCE else REPLICATIONS):
            generator, truth = np.random.default_rng((n, r)), mean(rate)
            found = [mean_share(draw(generator, rate, n, r), LEVEL, r) for _ in range(studies)]
            low, high = np.array([one.ends for one in found]).T
            # An end that equals the truth but for rounding holds it.
            covers.append(float(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).mean()))
            widths.append(float((high - low).mean()))
        yield {
            "population": name,
            "questions": n,
            "lowest": min(covers),
            "highest": max(covers),
            "width": float(np.mean(widths)),
        }


def main() -> None:
    """Print one line for each population and number of questions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the studies")
    share = QUICK if parser.parse_args().quick else 1
    show("Coverage of 95% intervals of a mean of shares", results(max(2, int(STUDIES * share))))


if __name__ == "__main__":
    main()
