"""Rates corrected by labels: other libraries' values, closed forms, simulation with known truth."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inspect_reliability.stats import Cells, Estimate
from inspect_reliability.stats.rates import (
    MIXED,
    ONE_CATEGORY,
    Sample,
    mean_share,
    ppi,
    rogan_gladen,
)


def drawn(
    generator: np.random.Generator, n: int, others: int, r: int, rate: float = 0.35
) -> Sample:
    """A judge right in 80% and 85%, r verdicts a question."""
    parts = []
    for size in (n, others):
        truth = generator.random(size) < rate
        parts += [truth.astype(float), generator.binomial(r, np.where(truth, 0.8, 0.15)) / r]
    return Sample(parts[0], parts[1], parts[3])


def test_estimates_are_those_of_ppi_python() -> None:
    """ppi-python 0.2.3, `ppi_mean_pointestimate` and `ppi_mean_ci`, on the same numbers.

    Its interval is normal. Ours, which allows for few labels, is a little wider, and lies farther
    towards a half, as that of a share does.
    """
    generator = np.random.default_rng(7)
    theirs = [
        ((60, 500, 1), 0.351764, 0.252482, 0.451046),
        ((200, 900, 5), 0.328266, 0.289391, 0.367141),
        ((40, 2000, 8), 0.396000, 0.315705, 0.476295),
    ]
    for (n, others, r), value, low, high in theirs:
        found = ppi(_as_there(generator, n, others, r))
        assert found.value == pytest.approx(value, abs=1e-6)
        assert low - 0.01 < found.low < low + 0.001
        assert high < found.high < high + 0.02


@pytest.mark.slow
def test_the_interval_of_labels_is_shorter_by_what_the_judge_explains() -> None:
    """Clopper and Pearson's, times the ratio of two standard errors with half a question more."""
    for seed in range(20):
        sample = drawn(np.random.default_rng(seed), 60, 700, 3)
        y, f, rest = sample.labels, sample.judged, sample.rest
        slope = np.cov(y, f, ddof=0)[0, 1] / np.concatenate([f, rest]).var(ddof=1)
        tuned = min(slope / (1 + 60 / 700), 1)
        found, alone = ppi(sample), stats.binomtest(int(y.sum()), 60).proportion_ci()
        assert found.value == pytest.approx(y.mean() + tuned * (rest.mean() - f.mean()))
        for end, own, label in ((found.low, alone.low, 0.0), (found.high, alone.high, 1.0)):
            v, wrong = np.append(np.ones(60), 0.5), 1 - label
            of = [np.append(y, label), np.append(y - tuned * f, label - tuned * wrong)]
            mean = [v @ one / 60.5 for one in of]
            squares = [v @ (a - m) ** 2 / 60.5 / 59.5 for a, m in zip(of, mean, strict=True)]
            ratio = ((squares[1] + tuned**2 * rest.var() / 700) / squares[0]) ** 0.5
            assert end - found.value == pytest.approx((own - y.mean()) * ratio)


@pytest.mark.parametrize("right", [100, 99, 97])
def test_a_judge_that_explains_nothing_leaves_the_interval_of_the_labels(right: int) -> None:
    """Of 100 labels, all or nearly all alike, it is Clopper and Pearson's: 100 of 100 from .964."""
    labels = np.repeat([1.0, 0.0], [right, 100 - right])
    judged = np.tile([1, 1, 1, 0.5], 25)
    judged[-4:] = 1  # where they are not right the judge is no less sure
    found = ppi(Sample(labels, judged, np.tile([1, 1, 1, 0.5], 50)))
    exact = stats.binomtest(right, 100).proportion_ci()
    assert found.ends == pytest.approx(exact)
    nearly = ppi(
        Sample(np.abs(labels - 1e-6 * np.arange(100)), judged, np.tile([1, 1, 1, 0.5], 50))
    )
    assert nearly.ends == pytest.approx(exact, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.98, 0.96])
def test_corrected_rates_near_1_cover(rate: float) -> None:
    """100 labels of a rate near 1, by a judge that explains them and by one that does not."""
    for sensitivity, specificity in ((0.95, 0.9), (0.5, 0.5)):
        generator, inside = np.random.default_rng(3), 0
        for _ in range(250):
            parts = []
            for n in (100, 2000):
                right = generator.random(n) < rate
                chance = np.where(right, sensitivity, 1 - specificity)
                parts += [right.astype(float), generator.binomial(5, chance) / 5]
            found = ppi(Sample(parts[0], parts[1], parts[3]))
            inside += found.low <= rate <= found.high
        assert inside / 250 >= 0.93


@pytest.mark.slow
def test_outputs_without_a_label_count_whatever_their_question() -> None:
    """Two of five outputs of every question have a label: intervals over questions cover."""
    generator, inside, widths, errors = np.random.default_rng(4), 0, [], []
    names = [f"{q}, {k}" for q in range(40) for k in range(5)]
    for _ in range(200):
        right = generator.random((40, 5)) < generator.beta(3, 2, size=(40, 1))
        yes = generator.binomial(4, np.where(right, 0.95, 0.1)).ravel()
        given = Cells(np.stack([yes, 4 - yes], axis=1), names, ("yes", "no"))
        drawn = {f"{q}, {k}" for q in range(40) for k in generator.permutation(5)[:2]}
        each = zip(names, right.ravel().astype(float), strict=True)
        labels = {name: one for name, one in each if name in drawn}
        sample = Sample.of(given.together(name.split(",")[0] for name in names), labels, "yes")
        found, alone = ppi(sample), mean_share(sample.labels, 0.95, 1.0)
        inside += found.low <= 0.6 <= found.high
        widths.append((found.high - found.low) / (alone.high - alone.low))
        errors.append(found.value - 0.6)
        assert rogan_gladen(sample).reason == MIXED
    assert 0.93 <= inside / 200 <= 0.985
    assert np.mean(widths) < 0.85
    assert abs(np.mean(errors)) < 3 * np.std(errors) / 200**0.5
    one = Sample.of(given, labels, "yes")  # each output a question of its own: as PPI++ says
    y, f, rest = one.labels, one.judged, one.rest
    weight = np.cov(y, f, ddof=0)[0, 1] / np.var([*f, *rest], ddof=1) / (1 + len(y) / len(rest))
    assert ppi(one).value == pytest.approx(y.mean() + weight * (rest.mean() - f.mean()))


def test_any_sample_has_the_estimate_of_ppi_python() -> None:
    """Where the library is installed: its value, and an interval as wide or a little wider."""
    theirs = pytest.importorskip("ppi_py", reason="needs ppi-python, 450 MB with what it needs")
    for seed in range(20):
        generator = np.random.default_rng(seed)
        n, others, r = generator.integers((40, 200, 1), (300, 2000, 9))
        sample = drawn(generator, n, others, r, generator.uniform(0.2, 0.8))
        given = (sample.labels, sample.judged, sample.rest)
        found = ppi(sample)
        assert found.value == pytest.approx(theirs.ppi_mean_pointestimate(*given).item())
        low, high = (end.item() for end in theirs.ppi_mean_ci(*given, alpha=0.05))
        assert low - 0.02 < found.low < low + 0.01
        assert high - 0.01 < found.high < high + 0.02


def test_an_interval_reaches_its_rate() -> None:
    """A rate below 0 or above 1, and one by a single label of its kind."""
    labels, judged, none = np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.5, 1.0]), np.zeros(12)
    single, often = np.repeat([1.0, 0.0], [1, 17]), np.repeat([1.0, 0.0], [105, 58])
    rates = []
    for correct, parts in ((ppi, (labels, judged, none)), (rogan_gladen, (single, single, often))):
        for turned in (False, True):
            found = correct(Sample(*(1 - one if turned else one for one in parts)))
            assert found.low <= found.value <= found.high
            rates.append(found.value)
    assert rates[0] < 0
    assert rates[1:] == pytest.approx([1 - rates[0], 105 / 163, 58 / 163])


def _as_there(generator: np.random.Generator, n: int, others: int, r: int) -> Sample:
    y = (generator.random(n) < 0.35).astype(float)
    f = generator.binomial(r, np.where(y == 1, 0.8, 0.15)) / r
    truth = generator.random(others) < 0.35
    return Sample(y, f, generator.binomial(r, np.where(truth, 0.8, 0.15)) / r)


def lee(p: float, n: int, q1: float, m1: int, q0: float, m0: int, z: float) -> tuple[float, float]:
    """The interval of Lee et al. (2511.21140), from the shares of binary verdicts."""
    theta_of = lambda p, q1, q0: (p + q0 - 1) / (q0 + q1 - 1)  # noqa: E731
    p_, q1_, q0_ = (
        (n * p + z**2 / 2) / (n + z**2),
        (m1 * q1 + 1) / (m1 + 2),
        (m0 * q0 + 1) / (m0 + 2),
    )
    theta = theta_of(p_, q1_, q0_)
    shift = (
        2 * z**2 * (theta * q1_ * (1 - q1_) / (m1 + 2) - (1 - theta) * q0_ * (1 - q0_) / (m0 + 2))
    )
    variance = (
        p_ * (1 - p_) / (n + z**2)
        + theta**2 * q1_ * (1 - q1_) / (m1 + 2)
        + (1 - theta) ** 2 * q0_ * (1 - q0_) / (m0 + 2)
    )
    half = z * variance**0.5 / (q1_ + q0_ - 1)
    return theta + shift - half, theta + shift + half


def test_rogan_gladen_is_lees() -> None:
    """Single verdicts have the published interval."""
    sample = drawn(np.random.default_rng(1), 150, 800, 1)
    y, f = sample.labels == 1, sample.judged
    q1, q0 = float(f[y].mean()), float(1 - f[~y].mean())
    p = float(sample.rest.mean())
    found = rogan_gladen(sample)
    assert found.value == pytest.approx((p + q0 - 1) / (q0 + q1 - 1))
    ends = lee(p, 800, q1, int(y.sum()), q0, int((~y).sum()), 1.959964)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-6)


def test_the_recorded_judge(data: Path) -> None:
    """willia-umbrela1 with 300 labels has the values on record (closed form and ppi-python)."""
    path = data / "labelled" / "llmjudge_grades.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    rows = pd.read_parquet(path).query("judge == 'willia-umbrela1'")
    known = np.isin(np.arange(len(rows)), np.random.default_rng(0).choice(4423, 300, replace=False))
    y, f = ((rows[name] >= 2).to_numpy(float) for name in ("label", "grade"))
    sample = Sample(y[known], f[known], f[~known])
    for correct, value, low, high in (
        (ppi, 0.2787, 0.2318, 0.3256),
        (rogan_gladen, 0.2401, 0.1232, 0.3477),
    ):
        found = correct(sample)
        assert found.value == pytest.approx(value, abs=1e-4)
        # That of PPI++ lies a little farther up, as Clopper and Pearson's interval of labels does.
        assert found.low == pytest.approx(low, abs=1e-3)
        assert found.high == pytest.approx(high, abs=4e-3 if correct is ppi else 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("correct", [ppi, rogan_gladen])
@pytest.mark.parametrize("n", [30, 100, 300])
def test_corrected_rates_cover_and_have_no_bias(correct: object, n: int) -> None:
    """The truth is 35%; the judge alone says 38%, and its own interval nearly always misses it."""
    generator = np.random.default_rng(n)
    found: list[Estimate] = [correct(drawn(generator, n, 3000, 5)) for _ in range(120)]  # type: ignore[operator]
    known = [one for one in found if one.low is not None]
    inside = np.mean([one.low <= 0.35 <= one.high for one in known])
    assert len(known) >= 118
    assert 0.92 <= inside <= 1
    assert np.mean([one.value for one in known]) == pytest.approx(0.35, abs=0.01)


def test_a_worthless_judge_does_no_harm() -> None:
    """With lambda 0 the rate is the mean of the labels."""
    generator = np.random.default_rng(2)
    y = (generator.random(100) < 0.4).astype(float)
    found = ppi(Sample(y, 1 - y, generator.random(500)))
    assert found.value == pytest.approx(y.mean())


def test_labels_that_were_not_drawn_at_random_show() -> None:
    """Random labels differ by about one standard error; those chosen by verdict by many."""
    generator = np.random.default_rng(8)
    apart = [drawn(generator, 50, 500, 3).differs() for _ in range(300)]
    assert np.mean(np.square(apart)) == pytest.approx(1, abs=0.25)
    assert Sample(np.ones(50), np.ones(50), generator.random(500)).differs() > 6


def test_what_cannot_be_corrected_says_why() -> None:
    """No other question, one category, and a judge no better than chance have no such rate."""
    y = np.array([1.0, 0.0] * 20)
    assert rogan_gladen(Sample(y, y, np.zeros(0))).reason
    for same in (y * 0, y * 0 + 1):
        assert rogan_gladen(Sample(same, y, y)).reason == ONE_CATEGORY
    assert rogan_gladen(Sample(y, 1 - y, y)).reason
    assert ppi(Sample(y, y, np.zeros(0))).value == 0.5


@pytest.mark.parametrize("right", [2, 13, 30])
def test_a_judge_that_may_only_guess_has_no_interval(right: int) -> None:
    """With two labels more of either kind, one of them wrong, it is no better than chance."""
    labels = np.repeat([1.0, 0.0], [1, 40])
    judged = np.where(np.arange(41) > 40 - right, 0.0, 1.0)
    found = rogan_gladen(Sample(labels, judged, np.repeat([1.0, 0.0], [25, 5])))
    assert found.value == pytest.approx(max(0, (25 / 30 + right / 40 - 1) / (right / 40)))
    assert (2 / 3 + (right + 1) / 42 <= 1) == (found.low is None)
    assert (found.reason is None) == (found.low is not None)


def test_outputs_of_a_question_go_together() -> None:
    """A question is labelled where any of its outputs is; the rest are those without any."""
    given = Cells(np.array([[1, 0], [0, 1], [1, 0], [1, 3]]), ("a1", "a2", "b", "c"), ("x", "y"))
    sample = Sample.of(given.together("aabc"), {"a1": 1.0, "b": 0.0}, "x")
    assert (sample.labels.tolist(), sample.judged.tolist()) == ([1, 0], [1, 1])
    assert sample.rest.tolist() == [0.25]


def test_one_question_has_the_rate_of_its_label() -> None:
    """A single judged question has no variance, and no other question that could correct it."""
    found = ppi(Sample(np.ones(1), np.full(1, 0.5), np.empty(0)))
    assert (found.value, found.low) == (1.0, None)
