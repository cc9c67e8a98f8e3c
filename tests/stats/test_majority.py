"""Votes for a stable majority: exact enumeration, published check values, ties, refusals."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from tables import distributions

from inspect_reliability.stats import Counts, ReliabilityError, agreement
from inspect_reliability.stats.majority import RESAMPLES, majority_agreement, stable_majority


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


ROWS = [[4, 3, 1], [8, 0, 0], [4, 4, 0], [3, 3, 2], [7, 1, 0], [2, 5, 1]]


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_equals_enumeration(m: int) -> None:
    """Resampling comes within its own error of the exact probability, ties included."""
    for row in ROWS:
        (estimate,) = stable_majority(counts(row), [m]).agreement
        true = float(exact(row, m))
        # Each of the resamples adds a number from 0 to 1: its variance is at most true(1 - true).
        assert abs(estimate - true) <= 4 * (true * (1 - true) / RESAMPLES) ** 0.5 + 1e-12


@pytest.mark.parametrize("m", [1, 2, 3])
def test_single_questions_equal_enumeration(m: int) -> None:
    """A question's own figure is that of votes with the chances of its verdicts, all listed."""
    rows = [[6, 4, 2], [12, 0, 0], [6, 6, 0], [5, 4, 3]]
    found = stable_majority(counts(*rows), [m]).by_question[0]
    for row, estimate in zip(rows, found, strict=True):
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


@pytest.mark.slow
@pytest.mark.parametrize("chance", [0.5, 0.6])
def test_single_questions_against_the_truth(chance: float) -> None:
    """Two verdicts agree at least half of the time, and near-ties do not pass for stable."""
    first = np.random.default_rng(1).binomial(100, chance, 200)
    result = stable_majority(counts(*np.stack([first, 100 - first], axis=1).tolist()))
    votes, judged = result.votes, result.most_by_question
    assert (votes[-1], judged) == (49, 25)
    for m, mean, stable, row in zip(
        votes, result.agreement, result.share_stable, result.by_question, strict=True
    ):
        wins = sum(
            comb(m, n) * chance**n * (1 - chance) ** (m - n) for n in range(m // 2 + 1, m + 1)
        )
        true = wins**2 + (1 - wins) ** 2
        assert mean == pytest.approx(true, abs=0.08)
        if m > 25:
            assert stable is None
            assert np.isnan(row).all()
        else:
            assert row.min() >= 0.5 - 1e-12
            assert row.mean() == pytest.approx(true, abs=0.08)
            assert stable <= 0.05


@pytest.mark.slow
def test_one_vote_is_one_run() -> None:
    """With one vote the agreement is P_o; with two, ties drawn fairly, it is the same."""
    table = np.random.default_rng(2).multinomial(30, np.full(4, 0.25), size=200)
    many = Counts(table, tuple(map(str, range(200))), tuple("ABCD"))
    one, two = stable_majority(many, [1, 2]).agreement
    value = agreement(many).value
    assert one == pytest.approx(value, abs=0.005)
    assert two == pytest.approx(value, abs=0.005)


@pytest.mark.slow
def test_published_votes(published: dict[str, Counts]) -> None:
    """Llama's majority at temperature 1: .57 with one vote, .77 with 7, .90 with 49, never .95."""
    result = stable_majority(published["Llama"])
    assert result.votes[-1] == 49
    found = dict(zip(result.votes, result.agreement, strict=True))
    assert [found[m] for m in (1, 7, 49)] == pytest.approx([0.57, 0.77, 0.90], abs=0.01)
    assert result.votes_needed is None
    assert result.most_by_question == 25
    at = result.votes.index(25)
    assert None not in result.share_stable[: at + 1]
    assert result.share_stable[at + 1 :] == (None,)
    assert len(result.unsettled) == round((1 - result.share_stable[at]) * 55)
    least = result.unsettled[0]
    assert least.agreement == min(question.agreement for question in result.unsettled)
    assert least.lead < 0.1


def test_more_votes_than_are_computed_exactly() -> None:
    """With many votes single questions are drawn: of two verdicts the majority is binomial."""
    (value,) = stable_majority(counts([440, 360]), [199]).by_question[0]
    wins = sum(comb(199, n) * 0.55**n * 0.45 ** (199 - n) for n in range(100, 200))
    true = wins**2 + (1 - wins) ** 2
    assert abs(value - true) <= 4 * (true * (1 - true) / RESAMPLES) ** 0.5


def test_ties_never_settle() -> None:
    """More votes settle a question with a lead; an exact tie stays a coin toss."""
    result = stable_majority(counts([50, 50, 0], [75, 25, 0], [100, 0, 0]), [1, 25])
    tie, leader, constant = result.by_question.T
    assert tie == pytest.approx([0.5, 0.5], abs=1e-12)
    assert leader[1] > 0.95 > leader[0]
    assert (constant == 1).all()
    assert [question.question for question in result.unsettled] == ["q0"]
    assert result.unsettled[0].lead == 0
    assert result.share_stable == pytest.approx((1 / 3, 2 / 3))


def test_votes_needed() -> None:
    """The fewest votes tried whose mean agreement reaches what is wanted."""
    result = stable_majority(counts([90, 10], [85, 15]), wanted=0.9)
    assert result.votes_needed is not None
    at = result.votes.index(result.votes_needed)
    assert result.agreement[at] >= 0.9 > result.agreement[at - 1]


def test_votes_likely_hold_the_number_that_all_questions_need() -> None:
    """Of 60 pilots of 30 questions, 95% or nearly so name a range with the true number in it."""
    generator = np.random.default_rng(4)
    everything = np.stack([lead := generator.beta(6, 1.5, 4000), 1 - lead], axis=1)
    tried = (1, 3, 5, 7, 9, 15, 25, 49)
    true = next(m for m in tried if majority_agreement(everything, m).mean() >= 0.9)
    held = []
    for _ in range(60):
        shares = everything[generator.choice(4000, 30)]
        pilot = distributions(shares, [str(i) for i in range(30)], ("A", "B"))
        fewest, most = stable_majority(pilot, tried, wanted=0.9).votes_likely
        held.append(fewest is not None and fewest <= true <= (most or 99))
    assert np.mean(held) >= 0.9


def test_labels_mean_nothing() -> None:
    """Renaming the categories of a question changes no probability."""
    rows = [[9, 7, 4], [10, 10, 0], [6, 5, 9]]
    plain = stable_majority(counts(*rows), [3, 5])
    renamed = stable_majority(counts(*[row[::-1] for row in rows]), [3, 5])
    assert renamed.agreement == pytest.approx(plain.agreement)
    assert renamed.by_question == pytest.approx(plain.by_question)


def test_seeded() -> None:
    """The same seed gives the same numbers, another one others where they are drawn."""
    one, same, other = (stable_majority(counts(*ROWS), [1, 2], seed=s) for s in (1, 1, 2))
    assert one.agreement == same.agreement
    assert one.agreement[1] != other.agreement[1]
    assert one.agreement[0] == pytest.approx(agreement(counts(*ROWS)).value, abs=1e-12)
    assert (one.by_question == other.by_question).all()


def test_questions_with_too_few_runs_are_left_out() -> None:
    """A question needs two runs per vote; by default half of the questions' runs decide."""
    result = stable_majority(counts([6, 4], [5, 5], [3, 1]))
    assert result.votes == (1, 3, 5)
    assert result.most_by_question == 1
    assert result.share_stable == (0, None, None)


def test_too_few_runs_for_single_questions() -> None:
    """With fewer than four runs a mean is all there is."""
    result = stable_majority(counts([2, 1], [3, 0]))
    assert result.votes == (1,)
    assert result.agreement[0] == pytest.approx(2 / 3, abs=0.05)
    assert (result.most_by_question, result.share_stable, result.unsettled) == (None, (None,), ())


@pytest.mark.parametrize(
    ("row", "options", "words"),
    [
        ([3, 2], {"votes": [3]}, "No question has the 6 replications.* are 5"),
        ([3, 2], {"votes": [0, 1]}, "at least 1 vote"),
        ([1, 0], {}, "2 replications per vote"),
        ([3, 2], {"wanted": 95}, "between 0 and 1"),
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
