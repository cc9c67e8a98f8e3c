"""A coefficient is one row of one table, and everything that lists coefficients has it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tables import counts, drawn

from docs.site.reference import table_of_coefficients
from inspect_reliability.stats import (
    COEFFICIENTS,
    Cells,
    Coefficient,
    ReliabilityError,
    UnknownCoefficientError,
    compare,
    icc,
    omega,
    panel,
)
from inspect_reliability.stats.intervals import NOISE_OR_SETTLED

DOCS = Path(__file__).parents[2] / "docs"

disagreement = Coefficient(
    "disagreement",
    "Disagreement",
    "Share of pairs of replications that differ.",
    "1 - P_o",
    lambda s: s.disagreement / s.questions,
    best=0.0,
    interval=NOISE_OR_SETTLED,
)


@pytest.fixture
def added() -> Iterator[None]:
    COEFFICIENTS["disagreement"] = disagreement
    yield
    del COEFFICIENTS["disagreement"]


def test_a_row_is_a_function() -> None:
    """A coefficient that is in no table estimates itself, with an interval."""
    found, other = disagreement(counts(drawn(12, 6, 0.7))), COEFFICIENTS["agreement"]
    agreed = other(counts(drawn(12, 6, 0.7)))
    assert found.value == pytest.approx(1 - agreed.value)
    assert (found.low, found.high) == pytest.approx((1 - agreed.high, 1 - agreed.low))


@pytest.mark.usefixtures("added")
def test_a_row_is_all_it_takes() -> None:
    """Added to the table, it is in the panel, the comparison and the docs."""
    table = drawn(12, 6, 0.7)
    assert panel(counts(table))["disagreement"] == disagreement(counts(table))
    assert compare(counts(table), counts(table[::-1]), "disagreement").difference == (
        pytest.approx(0, abs=1e-12)
    )
    assert "| `disagreement` | nominal | Share of pairs" in table_of_coefficients()


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
    with pytest.raises(UnknownCoefficientError, match="Use one of: omega, omega_composite"):
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
