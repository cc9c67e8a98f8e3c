"""Integer codes: Shrout and Fleiss' example, the definition of alpha, and the warning."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inspect_reliability.study.published.reported import LETTER_CODES, encode, integer_omega

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)
"""Six targets, four judges (Shrout & Fleiss 1979, Table 2)."""


def test_shrout_and_fleiss() -> None:
    """ICC(1,1) .17 of the published example."""
    assert round(integer_omega(SHROUT_FLEISS.T).value or 0, 2) == 0.17


def test_it_is_the_f_test() -> None:
    """(F - 1) / (F + R - 1) of scipy's one-way analysis of variance."""
    codes = np.random.default_rng(0).normal(size=(9, 12)) + np.arange(12)
    codes[1:, 7] = np.nan
    groups = [column[~np.isnan(column)] for column in codes.T if (~np.isnan(column)).sum() > 1]
    found, f = integer_omega(codes), stats.f_oneway(*groups).statistic
    assert found.value == pytest.approx((f - 1) / (f + 8), rel=1e-10)
    assert found.left_out == ("8",)
    assert found.n_questions == 11


def test_jackknife_by_hand() -> None:
    """The interval is that of its twin."""
    codes = np.random.default_rng(2).normal(size=(6, 10)) + np.arange(10) / 3
    found = integer_omega(codes)
    assert (found.low, found.high) == pytest.approx(twins.far_or_noise(codes.T), abs=1e-7)


def test_recoding_moves_it() -> None:
    """Other codes give other values."""
    rows = np.random.default_rng(3).choice(list("ABC"), size=(12, 8), p=[0.6, 0.3, 0.1])
    found = {
        integer_omega(encode(rows, dict(zip("ABC", codes, strict=True)))).value or 0.0
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
    estimate = integer_omega(codes)
    assert (estimate.value, estimate.reason) == (None, reason)


def test_two_questions() -> None:
    """Two questions give values without an interval."""
    estimate = integer_omega(np.array([[1.0, 4], [2, 4], [1, 5]]))
    assert estimate.value is not None
    assert estimate.reason == "an interval needs at least 3 questions"


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=3))
def test_intervals_of_values_that_can_be(rows: list[list[int]]) -> None:
    """No end is above 1, and none below what omega can be, or the value."""
    estimate = integer_omega(np.array(rows).T)
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        assert min(-1 / 3, estimate.value) - 1e-12 <= estimate.low <= estimate.high <= 1


def test_constant_questions() -> None:
    """Where no question varies the value is 1, and other codes could not change that."""
    estimate = integer_omega(np.tile([1.0, 4, 2], (5, 1)))
    assert estimate.value == 1
    assert estimate.reason == "no interval: no question varies"


@pytest.mark.slow
def test_published(published_verdicts: Any) -> None:
    """Starling on BBH at temperature 1: ICC(1) .295."""
    found = integer_omega(encode(published_verdicts["Starling", "1", "bbh"].values(), LETTER_CODES))
    assert found.value == pytest.approx(0.295, abs=0.0005001)
