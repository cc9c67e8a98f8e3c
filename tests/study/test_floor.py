"""The summary of permuted values."""

import numpy as np
import pytest

from inspect_reliability.study.published.procedure import floor_of


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3, 0.9])
def test_mean_of_equal_values(value: float) -> None:
    """Rounding puts no mean outside the range; a single value far off does, and is not hidden."""
    for n in range(2, 200):
        floor = floor_of(np.full(n, value))
        assert floor.low <= floor.mean <= floor.high
    floor = floor_of(np.array([0.0] * 99 + [1.0]))
    assert (floor.low, floor.mean, floor.high) == (0, pytest.approx(0.01), 0)
