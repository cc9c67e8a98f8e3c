"""What labels say at any moment, beside bets that are placed one by one with exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from inspect_reliability.stats.anytime import (
    Goal,
    could_be_kept,
    few_thresholds,
    levels,
    promised,
    share_at_any_time,
)
from inspect_reliability.stats.estimate import ReliabilityError
from inspect_reliability.stats.planning import BETS, FAILS, PASSES, anytime_share


def most_wealth(wrong: list[bool], max_error: Fraction) -> Fraction:
    """The most that the mean wealth over sizes of bets ever was, bet by bet."""
    wealth, most = [Fraction(1)] * BETS, Fraction(0)
    for one in wrong:
        for k in range(BETS):
            bet = Fraction(k + 1, BETS) / (1 - max_error)
            wealth[k] *= 1 + bet * (max_error - one)
        most = max(most, sum(wealth, Fraction(0)) / BETS)
    return most


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_promise_is_that_of_bets_placed_one_by_one(seed: int) -> None:
    """Each threshold's wealth of its own labels in their order; the first that lacks it ends it."""
    generator = np.random.default_rng(seed)
    level = generator.integers(0, 4, 160)
    wrong = generator.random(160) < np.array([0.0, 0.03, 0.1, 0.5])[level]
    error = Fraction(1, 10) + Fraction(seed % 3, 20)
    found = -1
    for number in range(3):
        if most_wealth(wrong[level <= number].tolist(), error) < 20:
            break
        found = number
    assert promised(level, wrong, 3, float(error)) == found


def test_a_promise_stays_once_it_is_made() -> None:
    """Errors after the evidence was enough take nothing back, as Ville's bound is of its most."""
    wrong = np.zeros(60, dtype=bool)
    none = np.zeros(60, dtype=int)
    assert promised(none, wrong, 1, 0.1) == 0
    later = np.concatenate([wrong, np.ones(40, dtype=bool)])
    assert promised(np.zeros(100, dtype=int), later, 1, 0.1) == 0
    assert promised(np.zeros(100, dtype=int), later[::-1], 1, 0.1) == -1


def test_thresholds_are_few_and_the_strictest_keeps_enough() -> None:
    """At most five, of what has more than half of the votes, whatever their number."""
    generator = np.random.default_rng(0)
    for votes in (8, 100):
        confidence = generator.integers(0, votes + 1, 1000) / votes
        inside = confidence[could_be_kept(confidence)]
        assert inside.min() > 0.5
        steps = few_thresholds(confidence)
        assert 1 < len(steps) <= 5
        assert (inside >= steps[0]).mean() >= 0.4
        assert (inside >= steps[-1]).all()
        level = levels(confidence, steps)
        assert ((level == len(steps)) == ~could_be_kept(confidence)).all()
    assert not len(few_thresholds(np.array([0.5, 0.0])))


@pytest.mark.parametrize("mean", [0.0, 0.35, 0.8, 1.0])
def test_the_interval_has_what_a_gate_leaves_open(mean: float) -> None:
    """A limit is outside exactly where `gate --anytime` has decided it."""
    shares = (np.random.default_rng(3).random(120) < mean).astype(float)
    low, high = share_at_any_time(shares)
    assert 0 <= low <= shares.mean() <= high <= 1
    for limit in np.arange(0.02, 1, 0.04):
        said = anytime_share(shares, limit).result
        assert (said == PASSES, said == FAILS) == (high <= limit, low > limit)


def test_goals() -> None:
    """A rule that keeps enough is enough; a gate is decided either way; a width by its half."""
    level, right = np.tile([0, 1], 60), np.zeros(120, dtype=bool)
    wrong = right | (level == 1)
    assert Goal("keep", 0.1).kept_enough(level, right, [0.3, 0.4])
    assert not Goal("keep", 0.1).kept_enough(level, wrong, [0.3, 0.4])
    assert Goal("keep", 0.1, min_kept=0.3).kept_enough(level, wrong, [0.3, 0.4])
    assert Goal("gate", 0.8).share_known(np.ones(60))
    assert Goal("gate", 0.8).share_known(np.zeros(60))
    assert not Goal("gate", 0.8).share_known(np.ones(5))
    assert not Goal("width", 0.05).share_known(np.ones(20))
    assert Goal("width", 0.05).share_known(np.ones(200))
    with pytest.raises(ReliabilityError, match="level"):
        promised(level, wrong, 1, 0.1, confidence=1.0)


@pytest.mark.slow
def test_a_promise_that_is_not_true_is_seldom_ever_made() -> None:
    """With just as many errors as are ruled out, in 5% of studies at most, however long they go on.

    With a third as many, all make it.
    """
    generator = np.random.default_rng(0)
    for rate, least, most in ((0.1, 0.0, 0.05), (0.03, 0.98, 1.0)):
        wrong = generator.random((300, 400)) < rate
        level = np.zeros(400, dtype=int)
        made = np.mean([promised(level, one, 1, 0.1) == 0 for one in wrong])
        assert least <= made <= most
