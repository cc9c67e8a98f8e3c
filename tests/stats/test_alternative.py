"""The alternative annotator test, once more by scipy and by hand."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp

from inspect_reliability.stats.annotators import alternative


def _drawn(judge_right: float, n: int = 200, people: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(int(100 * judge_right))
    truth = rng.integers(0, 3, n)

    def said(right: float) -> np.ndarray:
        return np.where(rng.random(n) < right, truth, rng.integers(0, 3, n))

    labels = np.column_stack([said(0.85) for _ in range(people)]).astype(float)
    labels[rng.random(labels.shape) < 0.1] = np.nan
    return said(judge_right), labels


@pytest.mark.parametrize("judge_right", [0.3, 0.8, 0.95])
def test_people_one_by_one(judge_right: float) -> None:
    """Agreement, wins, p values and discoveries are those of a loop with scipy's tests."""
    judge, people = _drawn(judge_right)
    found = alternative(judge, people, 0.1)
    assert found is not None
    p_values = []
    for j, person in enumerate(found.people):
        judge_agrees, person_agrees = [], []
        for i in range(len(judge)):
            others = [people[i, k] for k in range(3) if k != j and people[i, k] >= 0]
            if people[i, j] >= 0 and others:
                judge_agrees.append(np.mean([judge[i] == one for one in others]))
                person_agrees.append(np.mean([people[i, j] == one for one in others]))
        a, b = np.array(judge_agrees), np.array(person_agrees)
        assert (person.n, person.judge_wins, person.person_wins) == pytest.approx(
            (len(a), (a >= b).mean(), (b >= a).mean())
        )
        assert (person.judge_agrees, person.person_agrees) == pytest.approx((a.mean(), b.mean()))
        d = (b >= a).astype(float) - (a >= b)
        p_values.append(ttest_1samp(d, 0.1, alternative="less").pvalue)
        assert person.p_value == pytest.approx(p_values[-1])
    fallen = false_discovery_control(p_values, method="by") <= 0.05
    assert [one.beaten for one in found.people] == fallen.tolist()
    assert found.winning_rate == pytest.approx(fallen.mean())


def test_a_judge_that_is_a_person_can_replace_one() -> None:
    """A judge as good as the people beats them with epsilon, one that guesses beats nobody."""
    good, bad = (alternative(*_drawn(right, 1_000)) for right in (0.85, 0.2))
    assert good is not None
    assert good.winning_rate == 1
    assert bad is not None
    assert bad.winning_rate == 0


def test_few_questions_and_single_people() -> None:
    """Below thirty questions there is no test, and with one person nothing to compare."""
    judge, people = _drawn(0.9, 25)
    found = alternative(judge, people)
    assert found is not None
    assert found.winning_rate is None
    assert all(one.p_value is None for one in found.people)
    assert alternative(judge, people[:, :1]) is None


def test_numbers_are_compared_by_distance() -> None:
    """On a scale, agreement is minus the root of the mean squared distance to the others."""
    people = np.array([[1.0, 2.0, 4.0]] * 40)
    found = alternative(np.array([3.5, np.nan] * 20), people, near=True)
    assert found is not None
    first = found.people[0]
    assert first.judge_agrees == pytest.approx(-np.sqrt((1.5**2 + 0.5**2) / 2))
    assert first.person_agrees == pytest.approx(-np.sqrt((1 + 9) / 2))
    assert first.judge_wins == 0.5, "a judge without a number loses"
    assert alternative(np.full(40, np.nan), people, near=True) is None
