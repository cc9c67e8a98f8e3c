"""Votes for a stable majority: exact enumeration, published check values, ties, refusals."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy import stats
from tables import distributions

from inspect_reliability.stats import Counts, ReliabilityError, agreement
from inspect_reliability.stats.majority import RESAMPLES, stable_majority


def exact(row: list[int], m: int) -> Fraction:
    """Agreement of two disjoint majorities by listing every pair of disjoint sets of runs."""
    runs = [k for k, n in enumerate(row) for _ in range(n)]
    chances = []
    for first in combinations(range(len(runs)), m):
        rest = [i for i in range(len(runs)) if i not in first]
        for second in combinations(rest, m):
            won = [winners([runs[i] for i in drawn]) for drawn in (first, second)]
            chances.append(Fraction(len(won[0] & won[1]), len(won[0]) * len(won[1])))
    return sum(chances, Fraction(0)) / len(chances)


def winners(votes: list[int]) -> set[int]:
    tally = Counter(votes)
    return {k for k, n in tally.items() if n == max(tally.values())}


def counts(*rows: list[int]) -> Counts:
    names = tuple(f"q{i}" for i in range(len(rows)))
    return Counts(np.array(rows), names, tuple("ABCDEFG"[: len(rows[0])]))


def of_chances(shares: np.ndarray, m: int) -> float:
    """How often two majorities of m are the same, where each verdict's chance is known."""
    names, categories = [f"q{i}" for i in range(len(shares))], "ABCDEFG"[: shares.shape[1]]
    value = stable_majority(distributions(shares, names, tuple(categories)), [m])[m].value
    assert value is not None
    return value


ROWS = [[4, 3, 1], [8, 0, 0], [4, 4, 0], [3, 3, 2], [7, 1, 0], [2, 5, 1]]


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_equals_enumeration(m: int) -> None:
    """Resampling comes within its own error of the exact probability, ties included."""
    for row in ROWS:
        estimate = stable_majority(counts(row), [m])[m].value
        true = float(exact(row, m))
        # Each of the resamples adds a number from 0 to 1: its variance is at most true(1 - true).
        assert abs(estimate - true) <= 4 * (true * (1 - true) / RESAMPLES) ** 0.5 + 1e-12


@pytest.mark.parametrize("m", [1, 2, 3])
def test_exact_distributions_equal_enumeration(m: int) -> None:
    """A distribution's figure is that of votes with the chances of its verdicts, all listed."""
    for row in [[6, 4, 2], [12, 0, 0], [6, 6, 0], [5, 4, 3]]:
        estimate = of_chances(np.array([row]) / 12, m)
        chance = dict.fromkeys(range(3), Fraction(0))
        for votes in product(range(3), repeat=m):
            won = winners(list(votes))
            likely = Fraction(1)
            for k in votes:
                likely *= Fraction(row[k], 12)
            for k in won:
                chance[k] += likely / len(won)
        true = float(sum(c**2 for c in chance.values()))
        assert estimate == pytest.approx(true, abs=1e-12)


def test_one_vote_is_one_run() -> None:
    """With one vote the agreement is P_o; with two, ties drawn fairly, it is the same."""
    table = np.random.default_rng(2).multinomial(30, np.full(4, 0.25), size=200)
    many = Counts(table, tuple(map(str, range(200))), tuple("ABCD"))
    found, value = stable_majority(many, [1, 2]), agreement(many).value
    assert found[1].value == pytest.approx(value, abs=1e-12)
    assert found[2].value == pytest.approx(value, abs=0.005)


@pytest.mark.slow
def test_published_votes(published: dict[str, Counts]) -> None:
    """Llama's majority at temperature 1: .57 with one vote, .77 with 7, .90 with 49, never .95."""
    found = stable_majority(published["Llama"])
    assert [*found][-1] == 49
    assert [found[m].value for m in (1, 7, 49)] == pytest.approx([0.57, 0.77, 0.90], abs=0.01)


@pytest.mark.parametrize("n", [55, 50])
def test_many_votes_of_two_verdicts_are_binomial(n: int) -> None:
    """A majority of 199 of two verdicts is binomial; an exact tie stays a coin toss."""
    wins = sum(comb(199, k) * (n / 100) ** k * (1 - n / 100) ** (199 - k) for k in range(100, 200))
    true = wins**2 + (1 - wins) ** 2
    assert of_chances(np.array([[n, 100 - n]]) / 100, 199) == pytest.approx(true, abs=1e-12)


@pytest.mark.slow
def test_intervals_hold_the_number_that_all_questions_need() -> None:
    """Of 16 pilots of 30 questions, 95% or nearly so name a range with the true number in it."""
    generator = np.random.default_rng(4)
    everything = np.stack([lead := generator.beta(6, 1.5, 4000), 1 - lead], axis=1)
    tried = (1, 3, 5, 9, 15, 25)
    won = {m: stats.binom.sf(m // 2, m, lead) for m in tried}
    true = next(m for m in tried if np.mean(won[m] ** 2 + (1 - won[m]) ** 2) >= 0.9)
    held = []
    for _ in range(16):
        shares = everything[generator.choice(4000, 30)]
        pilot = distributions(shares, [str(i) for i in range(30)], ("A", "B"))
        ends = {m: one.ends or (0, 1) for m, one in stable_majority(pilot, tried).items()}
        fewest = next((m for m, (_, high) in ends.items() if high >= 0.9), 99)
        most = next((m for m, (low, _) in ends.items() if low >= 0.9), 99)
        held.append(fewest <= true <= most)
    assert np.mean(held) >= 0.9


def test_labels_mean_nothing() -> None:
    """Renaming the categories of a question changes no probability."""
    rows = [[9, 7, 4], [10, 10, 0], [6, 5, 9]]
    plain = stable_majority(counts(*rows), [3, 5])
    renamed = stable_majority(counts(*[row[::-1] for row in rows]), [3, 5])
    for m in plain:
        assert renamed[m].value == pytest.approx(plain[m].value)


def test_questions_with_too_few_runs_are_left_out() -> None:
    """A question needs two runs per vote; by default half of the questions' runs decide."""
    found = stable_majority(counts([6, 4], [5, 5], [3, 1]))
    assert {m: one.n_questions for m, one in found.items()} == dict.fromkeys((1, 3, 5), 2)


@pytest.mark.parametrize(
    ("row", "options", "words"),
    [
        ([3, 2], {"votes": [3]}, "No question has the 6 replications.* are 5"),
        ([3, 2], {"votes": [0, 1]}, "at least 1 vote"),
        ([1, 0], {}, "2 replications per vote"),
    ],
)
def test_refused(row: list[int], options: dict[str, object], words: str) -> None:
    """Votes that cannot be had are refused in words."""
    with pytest.raises(ReliabilityError, match=words):
        stable_majority(counts(row), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("votes", [[], [0], [-1, 3]])
def test_exact_majorities_need_a_vote_too(votes: list[int]) -> None:
    """Of exact distributions the same votes are refused as of counts."""
    table = np.array([[0.5, 0.5]])
    exact = distributions(table, ("q",), ("A", "B"), np.zeros((1, 2), np.int64))
    with pytest.raises(ReliabilityError, match="at least 1 vote"):
        stable_majority(exact, votes)
