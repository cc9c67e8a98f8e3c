"""Integer codes: Shrout and Fleiss' example, the definition of alpha, and the warning."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inspect_reliability.study.published.codes import LETTER_CODES, encode, integer_coded

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
"""Six targets, four judges (Shrout & Fleiss 1979, Table 2)."""


def values(codes: Any) -> dict[str, float | None]:
    return {name: estimate.value for name, estimate in integer_coded(codes).items()}


def test_shrout_and_fleiss() -> None:
    """ICC(1,1) .17, ICC(1,4) .44 and ICC(3,4) = alpha .91 of the published example."""
    found = values(SHROUT_FLEISS.T)
    assert round(found["integer_omega"], 2) == 0.17
    assert round(found["integer_omega_composite"], 2) == 0.44
    assert round(found["cronbach_alpha"], 2) == 0.91


def test_composite_is_the_f_test() -> None:
    """1 - 1/F of scipy's one-way analysis of variance, where replications are equal."""
    codes = np.random.default_rng(0).normal(size=(9, 12)) + np.arange(12)
    codes[1:, 7] = np.nan
    groups = [column[~np.isnan(column)] for column in codes.T if (~np.isnan(column)).sum() > 1]
    found = integer_coded(codes)["integer_omega_composite"]
    assert found.value == pytest.approx(1 - 1 / stats.f_oneway(*groups).statistic, rel=1e-10)
    assert found.left_out == ("8",)
    assert found.n_questions == 11


def test_alpha_is_its_definition() -> None:
    """R / (R - 1) (1 - sum of item variances / variance of the sum), over complete replications."""
    codes = np.random.default_rng(1).integers(1, 6, size=(7, 15)).astype(float)
    items = codes[[0, 1, 2, 4, 5, 6]]
    codes[3, 8] = np.nan
    expected = 6 / 5 * (1 - items.var(axis=1, ddof=1).sum() / items.sum(axis=0).var(ddof=1))
    assert values(codes)["cronbach_alpha"] == pytest.approx(expected, rel=1e-12)


def test_jackknife_by_hand() -> None:
    """The intervals leave out one question at a time: ICC by its twin, alpha on the log scale."""
    codes = np.random.default_rng(2).normal(size=(6, 10)) + np.arange(10) / 3
    found = integer_coded(codes)
    without = [np.delete(codes, i, axis=1) for i in range(10)]

    def interval(name: str) -> tuple[float | None, float | None]:
        return found[name].low, found[name].high

    assert interval("integer_omega") == pytest.approx(twins.far_or_noise(codes.T), abs=1e-7)
    stepped_up = [6 * x / (1 + 5 * x) for x in interval("integer_omega")]
    assert interval("integer_omega_composite") == pytest.approx(stepped_up)
    alpha = found["cronbach_alpha"]
    error = twins.jackknife_error([values(one)["cronbach_alpha"] for one in without])
    ends = twins.log_ends(alpha.value, error, twins.t(0.95, 10))
    assert interval("cronbach_alpha") == pytest.approx(ends, abs=1e-7)


def test_recoding_moves_it() -> None:
    """Other codes give other values."""
    rows = np.random.default_rng(3).choice(list("ABC"), size=(12, 8), p=[0.6, 0.3, 0.1])
    found = {
        values(encode(rows, dict(zip("ABC", codes, strict=True))))["integer_omega"]
        for codes in permutations((1, 2, 9))
    }
    assert max(found) - min(found) > 0.02


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        (np.ones((1, 5)), "needs at least 2 replications"),
        (np.full((4, 5), np.nan), "there are no verdicts"),
        (np.array([[1.0], [2], [1]]), "needs at least 2 questions"),
        (np.full((4, 5), 3.0), "no variance between questions"),
    ],
)
def test_not_estimable(codes: np.ndarray, reason: str) -> None:
    """No value but a reason, and no numpy warning."""
    for estimate in integer_coded(codes).values():
        assert (estimate.value, estimate.reason) == (None, reason)


def test_two_questions() -> None:
    """Two questions give values without an interval."""
    for estimate in integer_coded(np.array([[1.0, 4], [2, 4], [1, 5]])).values():
        assert estimate.value is not None
        assert estimate.reason == "an interval needs at least 3 questions"


@given(st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=3))
def test_intervals_of_values_that_can_be(rows: list[list[int]]) -> None:
    """No end is above 1, and none below what omega, or a true composite, can be, or the value."""
    for name, estimate in integer_coded(np.array(rows).T).items():
        if estimate.low is not None:
            least = -1 / 3 if name == "integer_omega" else 0
            assert min(least, estimate.value) - 1e-12 <= estimate.low <= estimate.high <= 1, name


def test_constant_questions() -> None:
    """Where no question varies the value is 1, and other codes could not change that."""
    for estimate in integer_coded(np.tile([1.0, 4, 2], (5, 1))).values():
        assert estimate.value == 1
        assert estimate.reason == "no interval: no question varies"


def test_published(published_verdicts: Any) -> None:
    """Starling on BBH at temperature 1: ICC(1) .295, .977 for 100 replications together."""
    found = values(encode(published_verdicts["Starling", "1", "bbh"].values(), LETTER_CODES))
    assert found["integer_omega"] == pytest.approx(0.295, abs=0.0005001)
    assert found["integer_omega_composite"] == pytest.approx(0.977, abs=0.0005001)
