"""Rankings: scores, strengths, rank sets, and what another try changes."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from inspect_reliability.stats import ReliabilityError
from inspect_reliability.stats.bradley_terry import strengths
from inspect_reliability.stats.ranking import Contests, ranking
from inspect_reliability.stats.survival import survival


def scored(values: np.ndarray) -> Contests:
    """Scores of single systems: question x system x try."""
    q, s, _ = np.indices(values.shape).reshape(3, -1)
    cell = q * values.shape[1] + s
    return Contests(q, s[:, None], values.reshape(-1, 1), cell, values.shape[1])


def test_error_is_that_of_a_mean_over_questions() -> None:
    values = np.random.default_rng(0).random((12, 4, 3))
    found, means = ranking(scored(values)), values.mean(axis=2)
    assert found.scores == pytest.approx(means.mean(axis=0))
    assert found.error == pytest.approx(means.std(axis=0, ddof=1) / np.sqrt(12))


def test_questions_weigh_the_same_whatever_their_tries() -> None:
    values = np.array([[1.0], [0.0], [0.0], [0.0]])
    contests = Contests(np.array([0, 1, 1, 1]), np.zeros((4, 1), int), values, np.arange(4), 1)
    assert contests.scores() == pytest.approx([0.5])


def test_strengths_are_those_of_another_optimiser() -> None:
    won = np.random.default_rng(1).random((5, 5))
    np.fill_diagonal(won, 0)

    def loss(x: np.ndarray) -> float:
        return -float((won * np.log(expit(x[:, None] - x[None, :]))).sum())

    other = minimize(loss, np.zeros(5), tol=1e-12).x
    assert strengths(won) == pytest.approx(other - other.mean(), abs=1e-4)


def test_strengths_of_two_are_the_log_odds() -> None:
    assert np.diff(strengths(np.array([[0.0, 3.0], [1.0, 0.0]])))[0] == pytest.approx(-np.log(3))


@pytest.mark.parametrize(
    ("won", "words"),
    [
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], "do not connect"),
        ([[0, 1, 1], [0, 0, 1], [0, 1, 0]], "never loses"),
    ],
)
def test_no_finite_strengths_are_refused(won: list[list[int]], words: str) -> None:
    with pytest.raises(ReliabilityError, match=words):
        strengths(np.array(won, float))


def test_two_share_a_letter_if_they_are_not_told_apart() -> None:
    values = np.random.default_rng(2).normal(np.linspace(0, 1, 9)[:, None], 1, (60, 9, 1))
    found = ranking(scored(values))
    for i, j in combinations(range(9), 2):
        assert bool({*found.letters[i]} & {*found.letters[j]}) is not bool(found.apart[i, j])


def test_another_try_is_expected_over_all_tries() -> None:
    """Two questions, three systems, two tries of each cell: every draw is enumerated."""
    values = np.random.default_rng(3).integers(0, 4, (2, 3, 2)).astype(float)
    taus, leads = [], []
    for which in product((0, 1), repeat=6):
        first = np.array(which).reshape(2, 3)
        one, other = (
            np.take_along_axis(values, of[..., None], 2)[..., 0].mean(axis=0)
            for of in (first, 1 - first)
        )
        signs = [np.sign(of[:, None] - of[None]) for of in (one, other)]
        taus.append((signs[0] * signs[1]).sum() / 6)
        tops = [of == of.max() for of in (one, other)]
        leads.append(1 - (tops[0] & tops[1]).sum() / (tops[0].sum() * tops[1].sum()))
    found = survival(scored(values))
    assert found is not None
    assert found.tau == pytest.approx(np.mean(taus), abs=0.06)
    assert found.leader_changes == pytest.approx(np.mean(leads), abs=0.06)


def test_one_try_says_nothing_of_another() -> None:
    assert survival(scored(np.random.default_rng(4).random((5, 3, 1)))) is None


@pytest.mark.parametrize("judges", [1, 5])
def test_intervals_and_rank_sets_hold_the_truth(judges: int) -> None:
    """A simulation with questions, judges and tries that are drawn; the truth is known."""
    random, n, spread = np.random.default_rng(5), 40, 0.3 * (judges > 1)
    middle = logit(np.linspace(0.35, 0.65, 4))
    x, w = np.polynomial.hermite_e.hermegauss(60)
    truth = (w * expit(middle[:, None] + x * np.sqrt(0.5 + spread**2))).sum(1) / w.sum()
    held, sets = [], []
    for _ in range(200):
        effects = random.normal(0, 0.5**0.5, (n, 4, 1)) + middle[None, :, None]
        chance = expit(effects + random.normal(0, spread, (judges, 4))[:, None, :, None])
        values = (random.random((judges, n, 4, 2)) < chance).astype(float)
        values = values.transpose(1, 2, 3, 0).reshape(n, 4, 2 * judges)
        contests = scored(values)
        judge = np.tile(np.arange(judges), contests.question.size // judges)
        found = ranking(contests, over=judge if judges > 1 else None)
        held.append(np.abs(found.scores - truth) <= found.reach)
        true = np.arange(4, 0, -1)
        low, high = found.rank_set.T
        sets.append(((low <= true) & (true <= high)).all())
    assert 0.91 <= np.mean(held) <= 0.975
    assert np.mean(sets) >= 0.95
