"""Do the intervals cover? Simulation of judges whose true coefficients are known.

    python bench/coverage.py [--quick] [--json]

Questions are drawn from a population: each has chances of the verdicts, drawn around the
population's shares with a Dirichlet distribution; its replications are drawn from those chances
(Dirichlet-multinomial). The truth is that of 400,000 questions of the population, with all
chances known. Everything estimated comes from the package as a user calls it. In full it takes some
minutes of one core.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from inspect_reliability.published.procedure import as_published
from inspect_reliability.stats import Counts, Estimate, panel

Array = NDArray[np.float64]

CATEGORIES = ("A", "B", "C", "D", "E", "non-response", "invalid")
SKEWED = np.array([0.10, 0.12, 0.10, 0.085, 0.045, 0.535, 0.015])
DOMINATED = np.array([0.02, 0.02, 0.02, 0.02, 0.02, 0.88, 0.02])

COEFFICIENTS = (
    "omega",
    "omega_composite",
    "agreement",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "brennan_prediger",
)
N_QUESTIONS = (8, 20, 27, 55)
N_REPLICATIONS = (5, 20, 100)
WANTED = (0.92, 0.97)
"""Coverage of the default 95% interval that we answer for, from 20 questions on."""


def spread(shares: Array, concentration: float) -> Callable[[np.random.Generator, int], Array]:
    """Chances around the shares; the smaller the concentration, the steadier the judge."""
    return lambda generator, n: generator.dirichlet(shares * concentration, n)


def settled(generator: np.random.Generator, n: int) -> Array:
    """Two questions in five are all but settled, the others are close to noise."""
    chances = generator.dirichlet(SKEWED * 4, n)
    sure = generator.random(n) < 0.4
    choice = generator.choice(len(SKEWED), size=int(sure.sum()), p=SKEWED)
    chances[sure] = 0.98 * np.eye(len(SKEWED))[choice] + 0.02 * SKEWED
    return chances


def noise_only(generator: np.random.Generator, n: int) -> Array:
    """The same chances for every question."""
    return np.tile(SKEWED, (n, 1))


POPULATIONS = {
    "steady judge": spread(SKEWED, 0.3),
    "middling judge": spread(SKEWED, 1.5),
    "unsteady judge": spread(SKEWED, 4.0),
    "some questions settled": settled,
    "one verdict dominates": spread(DOMINATED, 1.5),
    "nothing but noise": noise_only,
}


@dataclass(frozen=True)
class Coverage:
    """How one coefficient did in one design.

    Attributes:
        population: Name of the population of questions.
        n_questions: Questions of a study.
        n_replications: Replications of each question.
        coefficient: Name of the coefficient.
        truth: Its true value.
        bias: Mean estimate minus truth.
        jackknife: Share of the default's intervals that hold the truth.
        without: Share of the studies without a default interval: not estimable. They count in no
            other figure.
        studies: Studies simulated.
    """

    population: str
    n_questions: int
    n_replications: int
    coefficient: str
    truth: float
    bias: float
    jackknife: float
    without: float
    studies: int

    @property
    def misses(self) -> bool:
        """Whether the default misses what we answer for, by more than simulation error.

        A true value of 0 is the least there is: it can be missed on one side only.
        """
        error = 2 * np.sqrt(self.jackknife * (1 - self.jackknife) / self.studies)
        low, high = WANTED if self.truth > 0 else (WANTED[0], 1.0)
        return self.n_questions >= 20 and not low - error <= self.jackknife <= high + error


@dataclass(frozen=True)
class Noise:
    """What a judge that picks at random, whatever the question, is said to be.

    Attributes:
        n_questions: Questions of a study.
        n_replications: Replications of each question.
        published_omega: Mean of the published procedure's omega.
        published_alpha: Mean of the published procedure's alpha.
        omega: Mean of omega.
        fleiss_kappa: Mean of Fleiss' kappa.
    """

    n_questions: int
    n_replications: int
    published_omega: float
    published_alpha: float
    omega: float
    fleiss_kappa: float


def truth(chances: Array, n_replications: int) -> dict[str, float]:
    """The coefficients of a population, from the chances of all of its questions."""
    k = chances.shape[1]
    shares = chances.mean(axis=0)
    agreement = (chances**2).sum(axis=1).mean()
    by_chance = (shares**2).sum()
    by_gwet = (shares * (1 - shares)).sum() / (k - 1)
    omega = (agreement - by_chance) / (1 - by_chance)
    # Of nothing but noise only rounding is left.
    omega = omega if omega > 1e-9 else 0.0
    return {
        "omega": omega,
        "omega_composite": n_replications * omega / (1 + (n_replications - 1) * omega),
        "agreement": agreement,
        "fleiss_kappa": omega,
        "krippendorff_alpha": omega,
        "gwet_ac1": (agreement - by_gwet) / (1 - by_gwet),
        "brennan_prediger": (agreement - 1 / k) / (1 - 1 / k),
    }


def counted(table: NDArray[np.int64]) -> Counts:
    return Counts(table, tuple(f"question {i}" for i in range(len(table))), CATEGORIES)


def coverage(studies: int) -> Iterator[Coverage]:
    """Simulate every population in every design.

    Args:
        studies: Studies to simulate per design.
    """
    for population, draw in POPULATIONS.items():
        known = draw(np.random.default_rng(0), 400_000)
        for n in N_QUESTIONS:
            for r in N_REPLICATIONS:
                generator = np.random.default_rng((n, r))
                tables = [generator.multinomial(r, draw(generator, n)) for _ in range(studies)]
                default = [panel(counted(t), COEFFICIENTS) for t in tables]
                for coefficient, true in truth(known, r).items():
                    estimates = [study[coefficient] for study in default]
                    values = [
                        e.value for e in estimates if e.value is not None and e.low is not None
                    ]
                    yield Coverage(
                        population,
                        n,
                        r,
                        coefficient,
                        float(true),
                        float(np.mean(values) - true),
                        covered(estimates, true),
                        1 - len(values) / studies,
                        studies,
                    )


def covered(estimates: list[Estimate], true: float) -> float:
    """Share of the intervals that hold the truth."""
    ends = [(e.low, e.high) for e in estimates if e.low is not None and e.high is not None]
    return float(np.mean([low <= true <= high for low, high in ends]))


def noise(studies: int) -> Iterator[Noise]:
    """Simulate verdicts that do not depend on the question."""
    for n, r in [(n, 100) for n in N_QUESTIONS] + [(27, 10), (27, 1000)]:
        generator = np.random.default_rng((n, r))
        published, ours = [], []
        for _ in range(studies):
            verdicts = generator.choice(7, size=(n, r), p=SKEWED)
            published.append(as_published(verdicts.T + 1, permutations=1))
            table = np.array([np.bincount(row, minlength=7) for row in verdicts])
            ours.append(panel(counted(table), ["omega", "fleiss_kappa"]))
        yield Noise(
            n,
            r,
            mean(p.omega for p in published),
            mean(p.alpha for p in published),
            mean(o["omega"].value for o in ours),
            mean(o["fleiss_kappa"].value for o in ours),
        )


def mean(values: Iterable[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))


def print_coverage(results: Iterable[Coverage]) -> None:
    print("Coverage of the 95% intervals (*: the default misses what we answer for, see below)\n")
    header = f"{'population':24}{'N':>4}{'R':>5}  {'coefficient':20}"
    print(f"{header}{'truth':>7}{'bias':>8}{'default':>9}{'none':>8}")
    missed: Counter[tuple[str, str]] = Counter()
    designs: Counter[tuple[str, str]] = Counter()
    for c in results:
        print(
            f"{c.population:24}{c.n_questions:4}{c.n_replications:5}  {c.coefficient:20}"
            f"{c.truth:7.3f}{c.bias:+8.3f}{c.jackknife:9.3f}{'*' if c.misses else ' '}"
            f"{c.without:7.3f}",
            flush=True,
        )
        missed[c.population, c.coefficient] += c.misses
        designs[c.population, c.coefficient] += c.n_questions >= 20
    low, high = WANTED
    print(f"\nDesigns with N >= 20 whose default covers less than {low} or more than {high}")
    print("by more than two standard errors of the simulation\n")
    print(f"{'population':24}" + "".join(f"{name:>20}" for name in COEFFICIENTS))
    for population in POPULATIONS:
        cells = [(population, name) for name in COEFFICIENTS]
        print(f"{population:24}" + "".join(f"{missed[c]:>13} of {designs[c]:>3}" for c in cells))


def print_noise(results: Iterable[Noise]) -> None:
    print("\nVerdicts at random, whatever the question: a coefficient should be about 0\n")
    header = f"{'N':>4}{'R':>6}{'published omega':>18}{'published alpha':>18}"
    print(f"{header}{'omega':>8}{'Fleiss kappa':>14}")
    for x in results:
        print(
            f"{x.n_questions:4}{x.n_replications:6}{x.published_omega:18.3f}"
            f"{x.published_alpha:18.3f}{x.omega:+8.3f}{x.fleiss_kappa:+14.3f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the studies")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    arguments = parser.parse_args()
    studies, noisy = (150, 4) if arguments.quick else (1500, 40)
    if arguments.json:
        found = {
            "coverage": [asdict(c) for c in coverage(studies)],
            "noise": [asdict(x) for x in noise(noisy)],
        }
        json.dump(found, sys.stdout, indent=1)
    else:
        print_coverage(coverage(studies))
        print_noise(noise(noisy))


if __name__ == "__main__":
    main()
