"""Numbers beside labels: how near, and in the same order."""

import numpy as np
import pytest
from scipy.stats import norm, spearmanr, t

from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.scales import labelled
from inspect_reliability.stats.rank_correlation import (
    SAME_LABEL,
    SAME_ORDER,
    SAME_VERDICT,
    spearman,
)


def beside(verdicts: list[list[float]], labels: list[float]) -> Judged:
    rows = [(q, r, v) for q, own in enumerate(verdicts) for r, v in enumerate(own)]
    return Judged(
        {
            "question": [f"q{q}" for q, _, _ in rows],
            "replication": [r + 1 for _, r, _ in rows],
            "verdict": [f"{v:g}" for _, _, v in rows],
            "label": [f"{labels[q]:g}" for q, _, _ in rows],
        }
    )


@pytest.mark.parametrize("n", [15, 60, 300])
def test_spearman_is_that_of_scipy(n: int) -> None:
    """Value as scipy's with ties; interval near that of the jackknife that leaves out each."""
    draw = np.random.default_rng(n)
    x = draw.integers(0, 6, n).astype(float)
    y = np.clip(x + draw.integers(-2, 3, n), 0, 5)
    found = spearman(x, y, np.arange(n), 1)
    assert found.value == pytest.approx(spearmanr(x, y)[0], abs=1e-12)
    each = np.array([spearmanr(np.delete(x, i), np.delete(y, i))[0] for i in range(n)])
    error = np.sqrt((n - 1) / n * ((each - each.mean()) ** 2).sum()) / (1 - found.value**2)
    wide = float(np.diff(np.arctanh(found.ends))[0])
    assert wide == pytest.approx(2 * t.ppf(0.975, n - 1) * error, rel=2 / n + 0.02)


def test_outputs_of_a_question_share_its_weight() -> None:
    """Every row twice is the same study, in value and in interval."""
    draw = np.random.default_rng(0)
    x, y, own = draw.random(40), draw.random(40), np.arange(40)
    one = spearman(x, y, own, 1)
    two = spearman(np.repeat(x, 2), np.repeat(y, 2), np.repeat(own, 2), 1)
    assert two.value == pytest.approx(one.value, abs=1e-12)
    assert two.ends == pytest.approx(one.ends)


@pytest.mark.slow
def test_intervals_cover() -> None:
    """Of 30 pairs of normal numbers in six grades, 95% intervals cover the truth as often."""
    draw, hit = np.random.default_rng(1), 0
    cuts = norm.ppf(np.arange(1, 6) / 6)

    def pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
        x = draw.standard_normal(n)
        y = 0.6 * x + 0.8 * draw.standard_normal(n)
        return np.digitize(x, cuts).astype(float), np.digitize(y, cuts).astype(float)

    truth = spearmanr(*pairs(400_000))[0]
    for _ in range(1000):
        low, high = spearman(*pairs(30), np.arange(30), 1).ends or (1, -1)
        hit += low <= truth <= high
    assert 0.925 < hit / 1000 < 0.975


def test_what_has_no_order_says_why() -> None:
    """Nothing is correlated with a constant, and a perfect order has no interval."""
    for n in range(3, 99):  # equal weights add up to 1 for some of these only
        x, own = np.arange(float(n)), np.arange(n)
        assert spearman(x, np.ones(n), own, 1).reason == SAME_LABEL
        assert spearman(np.ones(n), x, own, 1).reason == SAME_VERDICT
    x, own = np.arange(5.0), np.arange(5)
    found = spearman(x, x**3, own, 1)
    assert (found.value, found.ends, found.reason) == (pytest.approx(1), None, SAME_ORDER)


@pytest.mark.parametrize("step", [1.0, 0.1, 5.0])
def test_within_a_step_is_counted(step: float) -> None:
    """Pairs of verdict and label at most a step apart, one by one, whatever the step."""
    draw = np.random.default_rng(3)
    labels = draw.integers(1, 6, 40)
    verdicts = np.clip(labels[:, None] + draw.integers(-3, 4, (40, 3)), 1, 5)
    known = labelled(beside((verdicts * step).tolist(), (labels * step).tolist()))
    assert known is not None
    assert known.step == pytest.approx(step)
    near = np.abs(verdicts - labels[:, None]) <= 1
    assert known.share("within_one").value == pytest.approx(near.mean())
    mean = spearmanr(verdicts.mean(axis=1), labels)[0]
    assert known.rank_correlation().value == pytest.approx(mean)


@pytest.mark.parametrize(
    ("verdicts", "labels", "differ"),
    [
        ((3, 10), (2, 5), True),
        ((0, 100), (0, 10), True),
        ((1, 10), (0, 1), True),
        ((1, 5), (1, 10), True),
        ((0, 3), (0, 3), False),
        ((0, 3), (1, 3), False),
        ((1, 3), (1, 5), False),
        ((0, 1), (1, 3), True),
        ((0, 2), (0, 3), False),
        ((1, 10), (3, 9), False),
        ((1, 5), (1, 4), False),
    ],
)
def test_scales_differ_where_one_goes_far_beyond(
    verdicts: tuple[int, int], labels: tuple[int, int], differ: bool
) -> None:
    """Numbers of two scales are neither right nor wrong, and keep their rank correlation."""
    draw = np.random.default_rng(5)
    given = draw.integers(verdicts[0], verdicts[1] + 1, (200, 2))
    known = labelled(beside(given.tolist(), draw.integers(labels[0], labels[1] + 1, 200).tolist()))
    assert known is not None
    assert bool(known.other_scale) == differ
    assert (known.share().value is None) == differ
    assert (known.kappa().value is None) == differ
    assert known.rank_correlation().value is not None


def test_two_numbers_are_names() -> None:
    """0 and 1 are no scale: right and wrong say all."""
    known = labelled(beside([[0, 1], [1, 1], [0, 0]], [0, 1, 1]))
    assert known is not None
    assert known.share("within_one").value is None
    assert known.share().value == pytest.approx(0.5)


def test_one_label_throughout_is_a_name() -> None:
    """Response 0 is the right one everywhere: response 1 is wrong, and not a step away."""
    given = np.random.default_rng(7).integers(0, 4, (60, 2))
    known = labelled(beside(given.tolist(), [0.0] * 60))
    assert known is not None
    assert known.share("within_one").value is known.rank_correlation().value is None
    assert known.share("wrong").value == pytest.approx((given > 0).mean())


@pytest.mark.parametrize(
    ("judge", "people", "step"),
    [(0, 0, 1.0), (0, 30, 1.0), (1, 1, 1.0), (6, 30, 1.0), (30, 6, 1.0), (30, 30, 0.5)],
)
def test_halves_are_grades_where_judge_and_people_give_them_regularly(
    judge: int, people: int, step: float
) -> None:
    """Of 60 verdicts and labels some are halves: one more makes no other scale, and both are said.

    A label that the judge seldom gives is half of each grade beside it.
    """
    given = [2.5] * judge + [float(q % 5 + 1) for q in range(60 - judge)]
    labels = [3.5] * people + [float(q % 5 + 1) for q in range(60 - people)]
    found = labelled(beside([[one] for one in given], labels))
    assert found is not None
    assert found.step == step
    assert found.midway == (people > 0 and judge < 12)
    apart = np.abs(np.array(given) - labels)
    assert found.share("within_one").value == pytest.approx((apart <= step).mean())
    assert (found.other_step is not None) == (judge * people > 0)
    if found.other_step is not None:
        far = 1.5 - step
        assert found.other_step.share("within_one").value == pytest.approx((apart <= far).mean())


def test_sides_count_a_label_between_grades_alike() -> None:
    """Beside a judge of halves, one of whole grades is never half right, so that neither gains."""
    labels = [2.5, 3.5, 2.0, 3.0, 4.0] * 6
    whole = labelled(beside([[float(int(one))] for one in labels], labels))
    half = labelled(beside([[one] for one in labels], labels))
    assert whole is not None
    assert half is not None
    assert whole.share().value == pytest.approx((3 + 2 * 0.5) / 5)
    both = [one.beside([whole, half]).share().value for one in (whole, half)]
    assert both == pytest.approx([3 / 5, 1])


def test_other_decimals_are_no_halves() -> None:
    """Thirds of labels and tenths of verdicts bring no word of a second step."""
    labels = [10 / 3] * 3 + [float(q % 5 + 1) for q in range(57)]
    given = [3.7] * 3 + [float(q % 5 + 1) for q in range(57)]
    found = labelled(beside([[one] for one in given], labels))
    assert found is not None
    assert found.step == 1
    assert found.other_step is None
