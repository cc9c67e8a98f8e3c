"""Numbers as a reader sees them."""

import pytest

from inspect_reliability.report.summary import with_interval
from inspect_reliability.stats import Estimate


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.304, 0.2, 0.41, "0.30 [0.20, 0.41]"),
        (-0.004, -0.0049, 0.004, "0.00 [0.00, 0.00]"),
        (-0.006, -0.0101, 0.0, "-0.01 [-0.01, 0.00]"),
        (-0.0, None, None, "0.00 (no interval)"),
        (0.304, None, None, "0.30 (no interval)"),
        (None, None, None, "not estimable: one question"),
    ],
)
def test_value_with_its_interval(
    value: float | None, low: float | None, high: float | None, shown: str
) -> None:
    """What rounds to 0 has no sign, and a missing interval is said in words."""
    estimate = Estimate(value, low, high, 8, 100, reason="one question")
    assert with_interval(estimate) == shown
