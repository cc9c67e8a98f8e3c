"""Omega of verdicts dealt at random, against dealing them."""

import numpy as np
import pytest
from tables import counts, drawn

from inspect_reliability.stats import Cells, noise_floor, omega
from inspect_reliability.stats.cells import FloatArray
from inspect_reliability.stats.moments import terms_of_names


def dealt(cells: Cells, times: int = 2000) -> FloatArray:
    """Omega of the same verdicts, dealt to the questions anew."""
    generator, (n, k) = np.random.default_rng(0), cells.table.shape
    verdicts = np.repeat(np.arange(k), cells.table.sum(axis=0))
    question = np.repeat(np.arange(n), cells.replications)
    tables = np.zeros((times, n, k))
    for table in tables:
        np.add.at(table, (question, generator.permutation(verdicts)), 1)
    return omega.formula(terms_of_names(tables.swapaxes(0, 1)).together(cells.clusters).over())


UNEQUAL = np.array([[2, 0, 1], [5, 4, 1], [0, 2, 0], [3, 3, 1], [1, 1, 2], [2, 9, 0], [0, 1, 4]])
CASES = {
    "few": counts(drawn(8, 5, 0.9)),
    "many": counts(drawn(40, 10, 0.6)),
    "twice": counts(drawn(50, 2, 0.8)),
    "unequal": counts(UNEQUAL),
    "dominated": counts(np.column_stack([np.full(30, 9), np.arange(30) % 3, np.arange(30) % 2])),
    "clusters": counts(drawn(24, 5, 0.7)).together(np.repeat(np.arange(8), 3).tolist()),
}


@pytest.mark.parametrize("case", CASES)
def test_equals_dealing(case: str) -> None:
    """Mean, spread and both ends are those of omega on verdicts that were dealt at random."""
    floor, values = noise_floor(CASES[case]), dealt(CASES[case])
    values = values[~np.isnan(values)]
    assert floor is not None
    spread = values.std()
    assert abs(floor.mean - values.mean()) < 4 * spread / len(values) ** 0.5
    low, high = np.quantile(values, [0.025, 0.975])
    assert floor.high - floor.low == pytest.approx(high - low, rel=0.15)
    assert (floor.low, floor.high) == pytest.approx((low, high), abs=0.35 * spread)


@pytest.mark.slow
def test_as_often_below_as_promised() -> None:
    """Omega of judges that only guess lies in their floor 95% of the time."""
    tables = np.random.default_rng(0).multinomial(10, [0.5, 0.2, 0.2, 0.1], size=(250, 12))
    inside = 0
    for table in tables:
        floor, value = noise_floor(counts(table)), omega(counts(table)).value
        assert floor is not None
        inside += floor.low <= value <= floor.high
    assert 0.93 < inside / len(tables) < 0.97


def test_without_a_value() -> None:
    """Where omega has no value when verdicts are dealt there is no floor."""
    assert noise_floor(counts(np.array([[5, 0], [5, 0]]))) is None
    assert noise_floor(counts(np.array([[3, 2]]))) is None
    assert noise_floor(counts(np.array([[1, 0], [0, 1]]))) is None


@pytest.mark.parametrize(
    "table", [np.eye(6, dtype=int).reshape(3, 2, 6).sum(axis=1), [[3, 0], [2, 1]]]
)
def test_no_dealing_makes_a_difference(table: np.ndarray) -> None:
    """Where every dealing has the same omega, that is 0 and the floor has no width."""
    floor = noise_floor(counts(np.array(table)))
    assert floor is not None
    assert (floor.mean, floor.low, floor.high) == pytest.approx((0, 0, 0), abs=1e-12)
