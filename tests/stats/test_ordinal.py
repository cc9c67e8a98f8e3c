"""Krippendorff's alpha of ranks and of numbers, against its definition over pairs."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tables import counts

from inspect_reliability.stats import (
    Cells,
    Estimate,
    krippendorff_alpha,
    krippendorff_alpha_numeric,
    krippendorff_alpha_ordinal,
)

tables = arrays(
    np.int64, st.tuples(st.integers(2, 6), st.integers(2, 5)), elements=st.integers(0, 6)
)


def numeric(table: np.ndarray, values: list[float]) -> Estimate:
    """Alpha of the verdicts as the numbers that categories stand for."""
    rows = [np.repeat(np.asarray(values, float), row) for row in table]
    padded = [np.append(row, [np.nan] * (table.sum(axis=1).max() - len(row))) for row in rows]
    return krippendorff_alpha_numeric(Cells.of_numbers(np.array(padded)))


def by_pairs(table: np.ndarray, values: list[float]) -> float:
    """The definition: squared differences of all pairs within a question, and of all pairs."""
    used = table[table.sum(axis=1) >= 2]
    observed = 0.0
    total = used.sum()
    for row in used:
        verdicts = np.repeat(values, row)
        pairs = sum((a - b) ** 2 for a, b in permutations(verdicts, 2))
        observed += pairs / (len(verdicts) - 1)
    everything = np.repeat(values, used.sum(axis=0))
    expected = sum((a - b) ** 2 for a, b in permutations(everything, 2)) / (total - 1)
    return 1 - observed / expected if expected else math.nan


def ranks(table: np.ndarray) -> list[float]:
    pooled = table[table.sum(axis=1) >= 2].sum(axis=0)
    return [float(pooled[:k].sum() + pooled[k] / 2) for k in range(len(pooled))]


@pytest.mark.slow
@given(tables)
def test_alpha_is_that_of_its_pairs(table: np.ndarray) -> None:
    """The variances give what the definition over pairs gives, for both scales."""
    if (table.sum(axis=1) >= 2).sum() < 2:
        return
    values = [float(k**2) for k in range(table.shape[1])]
    for found, oracle in (
        (numeric(table, values), by_pairs(table, values)),
        (krippendorff_alpha_ordinal(counts(table)), by_pairs(table, ranks(table))),
    ):
        if math.isnan(oracle):
            assert found.value is None
            assert found.reason == "no variance between questions"
        else:
            assert found.value == pytest.approx(oracle, abs=1e-9)


@pytest.mark.slow
@given(tables)
def test_two_categories_have_no_order(table: np.ndarray) -> None:
    """With two categories nominal, ordinal and interval alpha are one."""
    two = table[:, :2]
    if (two.sum(axis=1) >= 2).sum() < 2:
        return
    nominal = krippendorff_alpha(counts(two)).value
    assert krippendorff_alpha_ordinal(counts(two)).value == pytest.approx(nominal, abs=1e-9)
    assert numeric(two, [3, 7]).value == pytest.approx(nominal, abs=1e-9)


def test_agrees_with_the_krippendorff_package() -> None:
    """Another library computes the same from the table of counts."""
    import krippendorff

    table = np.random.default_rng(0).integers(0, 9, (12, 5))
    for level, found in (
        ("ordinal", krippendorff_alpha_ordinal(counts(table))),
        ("interval", numeric(table, [0, 1, 4, 9, 10])),
    ):
        domain = [0, 1, 4, 9, 10] if level == "interval" else list(range(5))
        oracle = krippendorff.alpha(
            value_counts=table, value_domain=domain, level_of_measurement=level
        )
        assert found.value == pytest.approx(oracle, abs=1e-12)
        assert found.low is not None
        assert found.high is not None
        assert found.low < oracle < found.high


@pytest.mark.parametrize(
    ("table", "value", "reason"),
    [
        ([[5, 0], [0, 5]], 1.0, "no interval: no question varies"),
        ([[5, 0], [4, 0]], None, "no variance between questions"),
        (
            [[4, 0], [1, 3]],
            pytest.approx(1 - (6 / 3 / 8) / (30 / 56)),
            "an interval needs at least 3 questions",
        ),
        ([[5, 1]], None, "needs at least 2 questions"),
        ([[1, 0], [0, 1]], None, "needs at least 2 replications"),
    ],
)
def test_edge_cases_say_why(table: list[list[int]], value: float | None, reason: str) -> None:
    """Where there is no value or no interval the estimate says why."""
    for found in (
        krippendorff_alpha_ordinal(counts(np.array(table))),
        numeric(np.array(table), [1, 2]),
    ):
        assert (found.value, found.low, found.reason) == (value, None, reason)


def test_interval_ends_where_alpha_does() -> None:
    """Three questions of 100 replications: the interval goes below 0, but not below -1/99."""
    found = krippendorff_alpha_ordinal(counts(np.array([[100, 0], [0, 100], [50, 50]])))
    assert -1 / 99 <= found.low < 0
    assert 0.6 < found.value < found.high <= 1
