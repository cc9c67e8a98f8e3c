"""The share of wins as a metric."""

import math

import pytest
from inspect_ai.scorer import SampleScore, Score

from inspect_reliability.metrics import win_rate


def shares(values: list[str | float], **options: str) -> dict[str, float]:
    scores = [SampleScore(score=Score(value=v), sample_id=n // 2) for n, v in enumerate(values)]
    found = win_rate(**options)(scores)  # type: ignore[arg-type, call-arg]
    assert isinstance(found, dict)
    return found  # type: ignore[return-value]


def test_each_question_weighs_the_same_and_a_tie_is_half() -> None:
    found = shares(["A", "B", "A", "tie", "A", "A", "B", "B"], win="A")
    assert found["win_rate"] == pytest.approx((0.5 + 0.75 + 1 + 0) / 4)
    assert found["win_rate_low"] < found["win_rate"] < found["win_rate_high"]


def test_ends_are_shares() -> None:
    """Three questions have wide intervals, between 0 and 1."""
    found = shares(["A", "B", "A", "A", "A", "A"], win="A")
    assert 0 <= found["win_rate_low"] < found["win_rate"] < 0.99 < found["win_rate_high"] <= 1


def test_numbers_are_gains() -> None:
    assert shares([1.0, 0.0, 0.5, 0.5])["win_rate"] == pytest.approx(0.5)


def test_what_cannot_be_read_is_not_a_number() -> None:
    assert math.isnan(shares(["good", "bad"])["win_rate"])
    assert math.isnan(shares([])["win_rate"])
