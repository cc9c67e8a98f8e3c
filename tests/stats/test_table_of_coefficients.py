"""A coefficient is one row of one table, and everything that lists coefficients has it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tables import compare, counts, drawn

from docs.site.reference import table_of_coefficients
from inspect_reliability.stats import (
    COEFFICIENTS,
    Cells,
    Coefficient,
    ReliabilityError,
    UnknownCoefficientError,
    icc,
    omega,
    panel,
)
from inspect_reliability.stats.intervals import NOISE_OR_SETTLED

DOCS = Path(__file__).parents[2] / "docs"

net_agreement = Coefficient(
    "net_agreement",
    "Net agreement",
    "How much more often pairs of replications agree than differ.",
    "2 P_o - 1",
    lambda s: 1 - 2 * s.disagreement / s.questions,
    least=lambda s: -np.ones_like(s.questions),
    interval=NOISE_OR_SETTLED,
)


@pytest.fixture
def added() -> Iterator[None]:
    COEFFICIENTS["net_agreement"] = net_agreement
    yield
    del COEFFICIENTS["net_agreement"]


def test_a_row_is_a_function() -> None:
    """A coefficient that is in no table estimates itself, with an interval."""
    found, other = net_agreement(counts(drawn(12, 6, 0.2))), COEFFICIENTS["agreement"]
    agreed = other(counts(drawn(12, 6, 0.2)))
    assert found.value == pytest.approx(2 * agreed.value - 1)
    assert (found.low, found.high) == pytest.approx((2 * agreed.low - 1, 2 * agreed.high - 1))


@pytest.mark.usefixtures("added")
def test_a_row_is_all_it_takes() -> None:
    """Added to the table, it is in the panel, the comparison and the docs."""
    table = drawn(12, 6, 0.7)
    assert panel(counts(table))["net_agreement"] == net_agreement(counts(table))
    assert compare(counts(table), counts(table[::-1]), "net_agreement").difference == (
        pytest.approx(0, abs=1e-12)
    )
    assert "| `net_agreement` | nominal | How much more" in table_of_coefficients()


def test_public_names_are_rows() -> None:
    """`omega(counts)` is the row of that name."""
    import inspect_reliability.stats as stats

    for name, row in COEFFICIENTS.items():
        assert row.name == name
        assert getattr(stats, name) is row
        assert name in stats.__all__


def test_the_documented_table() -> None:
    """The reliability page lists every coefficient as the code describes it."""
    assert table_of_coefficients() in (DOCS / "reliability.md").read_text()


def test_scales_are_not_mixed() -> None:
    """Numbers have no omega and counts no ICC: each is told what to give."""
    numbers = Cells.of_numbers(np.random.default_rng(0).normal(size=(5, 4)))
    with pytest.raises(ReliabilityError, match="omega is of nominal scale: give it"):
        omega(numbers)
    with pytest.raises(ReliabilityError, match="icc is of interval scale: give it"):
        icc(counts(drawn(4, 4, 1.0)))
    with pytest.raises(UnknownCoefficientError, match="Use one of: omega, agreement"):
        COEFFICIENTS["kappa"]


@pytest.mark.slow
def test_the_statistics_need_numpy_and_scipy_only() -> None:
    """Importing them loads numpy alone, and estimating neither pandas nor scipy.stats."""
    code = """
import sys
from inspect_reliability.stats import Counts, panel
assert "scipy" not in sys.modules
panel(Counts([[3, 1], [2, 2], [0, 4], [4, 0]], tuple("wxyz"), tuple("AB")))
loaded = {name.split(".")[0] for name in sys.modules}
assert not loaded & {"inspect_ai", "pandas", "torch", "threadpoolctl", "sklearn"}, loaded
assert "scipy.stats" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
