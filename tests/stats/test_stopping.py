"""Replications that were stopped by what had been seen."""

import numpy as np
import pytest
from tables import counts

from inspect_reliability.stats import Counts, agreement, omega, stopped_by_verdicts
from inspect_reliability.stats.rates import ENOUGH, PERMUTATIONS, goes_with


def chances(generator: np.random.Generator, n: int) -> np.ndarray:
    return generator.dirichlet(0.3 * np.array([0.15, 0.2, 0.1, 0.55]), n)


def stopped(generator: np.random.Generator, n: int) -> Counts:
    """Five verdicts, and where these are not all alike 15 more."""
    own = chances(generator, n)
    first = generator.multinomial(5, own)
    more = generator.multinomial(15, own)
    more[first.max(axis=1) == 5] = 0
    return counts(first + more)


@pytest.mark.slow
def test_stopping_biases_everything() -> None:
    """Stopped at five alike, agreement and omega are too high: .769 is the true omega."""
    own = chances(np.random.default_rng(0), 400_000)
    generator = np.random.default_rng(1)
    found = stopped(generator, 4000)
    true = (own**2).sum(axis=1).mean()
    assert pytest.approx(0.769, abs=5e-4) == 1 / 1.3
    assert agreement(found).value > true + 0.02
    assert omega(found).value > 0.769 + 0.03


@pytest.mark.slow
def test_stopped_studies_are_found() -> None:
    """Nine in ten studies of 30 questions that were stopped by their verdicts show it."""
    generator = np.random.default_rng(2)
    found = [stopped_by_verdicts(stopped(generator, 30)) for _ in range(40)]
    assert np.mean([p is not None and p < 0.01 for p in found]) >= 0.9


@pytest.mark.slow
def test_false_alarms() -> None:
    """Where verdicts are missing by chance, one study in a hundred falls below .01, or so."""
    generator, found = np.random.default_rng(3), []
    for _ in range(300):
        n = generator.integers(5, 21, 30)
        own = chances(generator, 30)
        table = np.array([generator.multinomial(r, p) for r, p in zip(n, own, strict=True)])
        found.append(stopped_by_verdicts(counts(table)))
    assert np.mean([p < 0.01 for p in found]) <= 0.03
    assert np.mean([p < 0.5 for p in found]) == pytest.approx(0.5, abs=0.1)


@pytest.mark.slow
def test_few_shuffles_where_chance_is_plain() -> None:
    """A chance up to 2% is that of all shuffles; a larger one, of fewer, is close to theirs."""
    draws, chances_of = np.random.default_rng(5), []
    for slope in np.linspace(0, 0.6, 30):
        x = draws.integers(5, 21, 40).astype(float)
        y = slope * x / x.std() + draws.normal(size=40)
        generator, one, other = np.random.default_rng(0), x - x.mean(), y - y.mean()
        dealt = np.abs([one @ generator.permutation(other) for _ in range(PERMUTATIONS)])
        whole = (1 + (dealt >= abs(one @ other)).sum()) / (1 + PERMUTATIONS)
        chances_of.append((goes_with(x, y), whole))
    found, exact = np.array(chances_of).T
    small = exact <= ENOUGH / (1 + PERMUTATIONS)
    assert 3 < small.sum() < 27
    assert found[small] == pytest.approx(exact[small])
    assert np.abs(found - exact).max() < 0.2
    assert (found[~small] > 0.01).all()


def test_nothing_to_see() -> None:
    """Equal numbers of verdicts, or questions that never vary, say nothing."""
    generator = np.random.default_rng(4)
    assert stopped_by_verdicts(counts(generator.multinomial(5, chances(generator, 20)))) is None
    assert stopped_by_verdicts(counts(np.diag([5, 6, 7, 8, 9]))) is None


def test_what_every_shuffle_reaches_has_a_chance_of_1() -> None:
    """Where numbers and values go together in no way, all shuffles do as much."""
    assert goes_with(np.array([5, 6, 5, 6]), np.array([0.0, 0.0, 1.0, 1.0])) == 1
