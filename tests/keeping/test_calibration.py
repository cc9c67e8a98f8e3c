"""Is a judge right as often as its votes say? Populations whose truth is known."""

from itertools import pairwise

import numpy as np
import pytest

from inspect_reliability.keeping.calibration import brier, calibration_points
from inspect_reliability.stats.selective import Votes

DECIDES = np.array([True, True, True, False])


def _drawn(tries: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, Votes]:
    """Probabilities of verdicts, labels that a sharper judge would give, and votes."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.6, 0.6, 0.6, 0.2], n)
    q = p[:, :3] ** 1.5
    q /= q.sum(axis=1, keepdims=True)
    label = (rng.random((n, 1)) > q.cumsum(axis=1)[:, :2]).sum(axis=1)
    right = label[:, None] == np.arange(4)
    votes = np.array([rng.multinomial(tries, row) for row in p])
    return p, right, Votes(votes, DECIDES, float(tries))


@pytest.mark.slow
@pytest.mark.parametrize("tries", [2, 5])
def test_the_score_has_no_bias(tries: int) -> None:
    """Whatever the number of votes, the mean score is that of the probabilities themselves."""
    found, true = [], []
    for seed in range(60):
        p, right, ballots = _drawn(tries, 400, seed)
        one = brier(ballots, right)
        assert one is not None
        assert one.score == pytest.approx(
            one.reliability - one.resolution + one.uncertainty - one.of_votes
        )
        found.append(one.score)
        true.append(((p - right)[:, :3] ** 2).sum(axis=1).mean())
    apart = np.array(found) - true
    assert abs(apart.mean()) < 3 * apart.std() / np.sqrt(len(apart))
    assert apart.std() / np.sqrt(len(apart)) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize("tries", [2, 5])
def test_points_are_shares_that_are_right(tries: int) -> None:
    """A point for each number of votes says how often such a verdict is right in the population."""
    _, right, every = _drawn(tries, 20_000)
    truth = {one.share: one for one in calibration_points(every, right)}
    assert all(abs(share * tries - round(share * tries)) < 1e-9 for share in truth)
    found = [
        one
        for seed in range(1, 101)
        for one in calibration_points(*reversed(_drawn(tries, 300, seed)[1:]))
    ]
    assert all(one.ends[0] <= one.right <= one.ends[1] for one in found)
    for share, known in truth.items():
        own = [one for one in found if one.share == share]
        n = sum(one.n for one in own)
        right_of_all = sum(one.right * one.n for one in own) / n
        error = np.sqrt(known.right * (1 - known.right) * (1 / n + 1 / known.n))
        assert abs(right_of_all - known.right) <= 3 * error


def test_parts_are_those_of_murphy() -> None:
    """Reliability, resolution and uncertainty are the sums over groups of equal shares."""
    _, right, ballots = _drawn(5, 500)
    one = brier(ballots, right)
    assert one is not None
    share, hit = (ballots.votes / 5)[:, :3].ravel(), right[:, :3].ravel().astype(float)
    base = hit.mean()
    reliability = resolution = 0.0
    for k in range(6):
        own = share == k / 5
        reliability += own.sum() * (k / 5 - hit[own].mean()) ** 2 / 500
        resolution += own.sum() * (hit[own].mean() - base) ** 2 / 500
    assert one.reliability == pytest.approx(reliability)
    assert one.resolution == pytest.approx(resolution)
    assert one.uncertainty == pytest.approx(3 * base * (1 - base))


def test_probabilities_have_points_that_rise() -> None:
    """Without bins, points of probabilities rise as isotonic regression does."""
    p, right, _ = _drawn(1, 400)
    exact = Votes(p, DECIDES, np.inf)
    found = calibration_points(exact, right)
    assert all(a.right < b.right and a.share < b.share for a, b in pairwise(found))
    assert sum(one.n for one in found) == (p.argmax(axis=1) < 3).sum()
    one = brier(exact, right)
    assert one is not None
    assert one.of_votes == 0
    assert one.score == pytest.approx(((p - right)[:, :3] ** 2).sum(axis=1).mean())
