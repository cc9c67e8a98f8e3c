"""What coefficients show on permuted judgments, against what it must be on average."""

import numpy as np
import pytest
from tables import counts, drawn

from inspect_reliability.stats import Counts, ReliabilityError, noise_floor, panel
from inspect_reliability.stats.noise_floor import floor_of


@pytest.mark.parametrize("seed", range(4))
def test_mean_over_permutations(seed: int) -> None:
    """Dealt at random, two verdicts of a question are any two: alpha is 0 on average."""
    table = drawn(6 + 7 * seed, 4 + 5 * seed, 0.6, seed)
    n, pooled = table.sum(), table.sum(axis=0)
    floor = noise_floor(counts(table), "krippendorff_alpha", 4000, seed)
    error = (floor.high - floor.low) / 4 / np.sqrt(4000)
    assert abs(floor.mean) < 4 * error
    floor = noise_floor(counts(table), "agreement", 4000, seed)
    error = (floor.high - floor.low) / 4 / np.sqrt(4000)
    assert floor.mean == pytest.approx((pooled * (pooled - 1)).sum() / n / (n - 1), abs=4 * error)
    assert floor.permutations == 4000


def test_unequal_replications_are_kept() -> None:
    """Each question keeps its number of verdicts, so agreement stays a mean over questions."""
    rows = [["A"] * 2 + ["B"] * 2, ["A", "B"], ["B"] * 7, ["A"]]
    floor = noise_floor(Counts.from_array(rows), "agreement", 3000)
    # 4 A and 9 B in three questions; the fourth has no pair and is not dealt to.
    assert floor.mean == pytest.approx((3 * 2 + 10 * 9) / (13 * 12), abs=0.02)


def test_p_is_uniform_on_noise_and_small_for_a_judge() -> None:
    """On judgments that are noise p is anything from 0 to 1; a reliable judge reaches 1/(B + 1)."""
    chances = [0.5, 0.2, 0.2, 0.1]
    tables = np.random.default_rng(0).multinomial(10, chances, size=(120, 8))
    p = np.array([noise_floor(counts(table), "omega", 99, seed=1).p for table in tables])
    assert 0.4 < p.mean() < 0.6
    assert 0.01 < (p <= 0.1).mean() < 0.2
    assert noise_floor(counts(drawn(20, 10, 0.3)), "omega", 199).p == 1 / 200


def test_floor_is_seeded() -> None:
    """The same seed deals the same."""
    found = counts(drawn(9, 6, 1.0))
    assert noise_floor(found, seed=3) == noise_floor(found, seed=3)
    assert noise_floor(found, seed=3) != noise_floor(found, seed=4)


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3, 0.9])
def test_mean_of_equal_values(value: float) -> None:
    """Rounding puts no mean outside the range; a single value far off does, and is not hidden."""
    for n in range(2, 200):
        floor = floor_of(np.full(n, value), value)
        assert floor.low <= floor.mean <= floor.high
    floor = floor_of(np.array([0.0] * 99 + [1.0]), value)
    assert (floor.low, floor.mean, floor.high) == (0, pytest.approx(0.01), 0)


def test_without_a_value() -> None:
    """Where no permutation has a value there is no floor; an unknown coefficient is refused."""
    assert noise_floor(counts(np.array([[5, 0], [5, 0]]))) is None
    assert noise_floor(counts(np.array([[3, 2]]))) is None
    assert panel(counts(np.array([[5, 0], [5, 0]])))["omega"].value is None
    with pytest.raises(ReliabilityError, match=r"'kappa'\. Use one of: omega"):
        noise_floor(counts(drawn(4, 4, 1.0)), "kappa")
