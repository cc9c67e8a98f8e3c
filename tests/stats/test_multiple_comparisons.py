"""The best of several candidates, and an error that knows it was chosen."""

from itertools import combinations, product
from statistics import mean, stdev

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import t as student

from inspect_reliability.stats.cells import FloatArray
from inspect_reliability.stats.estimate import ReliabilityError
from inspect_reliability.stats.interval_scales import clopper_pearson, level_of, share_ends
from inspect_reliability.stats.multiple_comparisons import FLIPS, Candidates, _halves, _signs


def drawn(n: int, accuracies: list[float], seed: int, votes: int = 1) -> FloatArray:
    """Verdicts that share how hard a question is; the share of each candidate is known."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1, (n, 1))
    at = np.quantile(rng.normal(0, 1.4, 40_000), 1 - np.array(accuracies))
    return np.mean([rng.normal(0, 1, (n, len(at))) + hard > at for _ in range(votes)], axis=0)


def _t(values: list[float]) -> float:
    """A mean over its standard error, by hand."""
    error = stdev(values) / len(values) ** 0.5
    return 0.0 if abs(mean(values)) < 1e-9 else mean(values) / error if error else float("inf")


@pytest.mark.parametrize("group", [None, [0, 0, 1], [0, 1, 1], [0, 0, 0]])
def test_halves_are_those_of_a_loop(group: list[int] | None) -> None:
    """After choosing: the best on each half is measured on the other, the first of equal ones.

    Or the mean of the equal ones of the first one's group.
    """
    right = drawn(9, [0.7, 0.6, 0.65], seed=1)
    own_group = group or [0, 1, 2]
    found = []
    for half in _halves(9):
        one = [i for i in range(9) if half[i]]
        other = [i for i in range(9) if not half[i]]
        for own, rest in ((one, other), (other, one)):
            sums = [sum(right[i][k] for i in own) for k in range(3)]
            best = [k for k in range(3) if sums[k] == max(sums)]
            best = [k for k in best if own_group[k] == own_group[best[0]]]
            found.append(mean(right[i][k] for k in best for i in rest))
    given = None if group is None else np.array(group)
    assert Candidates(right, group=given).after_choosing == pytest.approx(mean(found))


def test_halves_come_near_all_halves() -> None:
    """500 draws of halves come within two points of every way to halve ten questions."""
    right = drawn(10, [0.7, 0.6, 0.65, 0.7], seed=2)
    every = []
    for one in combinations(range(10), 5):
        other = [i for i in range(10) if i not in one]
        best = int(right[list(one)].sum(axis=0).argmax())
        every.append(right[other, best].mean())
    assert Candidates(right).after_choosing == pytest.approx(mean(every), abs=0.02)


@pytest.mark.slow
def test_intervals_take_the_largest_error_under_flips() -> None:
    """The level is that of the largest |t| of errors with flipped signs, each studentised anew."""
    right = drawn(12, [0.5, 0.6, 0.7], seed=3, votes=3)
    errors = right - right.mean(axis=0)
    whole = Candidates(right)
    every = [
        max(abs(_t((signs * errors[:, k]).tolist())) for k in range(3)) for signs in _signs(12)
    ]
    at = sorted(every)[int(np.ceil(0.95 * (FLIPS - 1)))]
    level = level_of(max(at, student.ppf(0.975, 11)), 11)
    for k in range(3):
        assert whole.interval(k) == pytest.approx(share_ends(right[:, k], level))


@pytest.mark.parametrize("accuracy", [0.5, 0.9, 0.98, 1.0])
def test_intervals_of_single_verdicts_are_exact_at_a_stricter_level(accuracy: float) -> None:
    """Of 0 and 1 the ends are those of Clopper & Pearson, and never narrower than at 95%."""
    right = drawn(60, [accuracy] * 5, seed=4)
    found = Candidates(right)
    for k in range(5):
        low, high = found.interval(k)
        own = clopper_pearson(right[:, k].sum(), 60, 0.95)
        assert low <= own[0] + 1e-12
        assert high >= own[1] - 1e-12


@pytest.mark.parametrize("differ", range(1, 12))
def test_two_candidates_are_compared_as_by_a_sign_test(differ: int) -> None:
    """One is better if all of the questions that they differ in say so: one-sided, 5%."""
    right = np.zeros((40, 2))
    right[:differ, 1] = 1
    right[differ : differ + 9] = 1
    found = Candidates(right)
    assert found.better(0) == [1] * (0.5**differ <= 0.05)
    wanted = binom.sf(differ - 1, differ, 0.5)
    assert (found.at_least(1, 0) > 1e-9) == (wanted <= 0.05)


def test_not_worse_is_a_limit_against_every_other() -> None:
    """A candidate is near the best if all its limits are, and `loss` is the worst of these."""
    right = drawn(80, [0.7, 0.8, 0.75, 0.5], seed=5, votes=5)
    found = Candidates(right)
    limits = {
        one: min(found.at_least(one, other) for other in range(4) if other != one)
        for one in range(4)
    }
    for one, limit in limits.items():
        assert found.loss(one) == pytest.approx(-limit)
    for most in (0.02, 0.1, 0.2, 0.4):
        assert found.not_worse(most) == [one for one in range(4) if limits[one] > -most]


def test_equal_candidates_need_labels_to_be_shown_near() -> None:
    """Two that never differ: n labels without a difference rule out 1 - alpha^(1/n)."""
    found = Candidates(np.tile(drawn(60, [0.7], seed=6), 2))
    assert found.at_least(1, 0) == pytest.approx(-(1 - 0.05 ** (1 / 60)))
    assert found.not_worse(0.06) == [0, 1]
    assert found.not_worse(0.04) == []
    assert found.labels_needed(1, 0.04) == 74  # log(.05) / log(.96)
    assert found.labels_needed(1, 0.0) is None


def test_labels_needed_are_those_of_a_z_test() -> None:
    """An equal pair that differs in 15%: (critical + .84)^2 .15 / .02^2."""
    right = np.zeros((1_000, 2))
    right[:75, 0] = right[75:150, 1] = 1
    found = Candidates(right)
    expected = (1.645 + 0.8416) ** 2 * 0.15 / 0.02**2
    assert found.labels_needed(0, 0.02) == pytest.approx(expected, rel=0.03)


def test_of_equal_candidates_the_first_is_chosen() -> None:
    """Candidates come in order of preference, as by price."""
    right = np.tile(drawn(30, [0.7], seed=7, votes=3), 3)
    assert Candidates(right).chosen == 0
    assert Candidates(right).better(2) == []


@pytest.mark.parametrize(
    ("right", "level", "words"),
    [
        (np.ones((2, 5)), 0.95, "3 questions and 2 candidates, not 2 and 5"),
        (np.ones((5, 1)), 0.95, "not 5 and 1"),
        (np.full((5, 2), np.nan), 0.95, "a share from 0 to 1"),
        (np.full((5, 2), 1.1), 0.95, "a share from 0 to 1"),
        (np.ones((5, 2)), 1.0, "level"),
    ],
)
def test_what_cannot_be_chosen(right: FloatArray, level: float, words: str) -> None:
    """Too few questions or candidates, missing shares, no level."""
    with pytest.raises(ReliabilityError, match=words):
        Candidates(right, level)


@pytest.mark.slow
def test_what_is_said_after_choosing_is_true() -> None:
    """Of ten equal candidates on 60 labels the naive share is 6 points too high, the other not."""
    studies = [Candidates(drawn(60, [0.75] * 10, seed)) for seed in range(60)]
    naive = mean(float(one.accuracy[one.chosen]) for one in studies) - 0.75
    after = mean(one.after_choosing for one in studies) - 0.75
    assert naive > 0.04
    assert abs(after) < 0.02
    low_high = [one.after_interval for one in studies]
    assert mean(low <= 0.75 <= high for low, high in low_high) >= 0.93


@pytest.mark.slow
def test_equal_candidates_are_seldom_called_better() -> None:
    """At most 5% of A/A studies call any of eight equal candidates better than the current one."""
    called = [bool(Candidates(drawn(60, [0.8] * 8, seed)).better(0)) for seed in range(100)]
    assert mean(called) <= 0.09  # 5% and two standard errors of 100 studies


def test_all_signs_are_drawn_as_often() -> None:
    """Signs are fair, and the same for the same number of questions."""
    signs = _signs(10)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 0.02
    assert len(list(product([0, 1], repeat=2))) == len(np.unique(signs[:, :2], axis=0))
