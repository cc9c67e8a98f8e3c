"""Rates, and what is left without non-responses, each by hand."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats
from tables import Table, counts, distributions, of_rows, tables, verdicts

from inspect_reliability.stats import (
    Counts,
    Estimate,
    ReliabilityError,
    gini_mean_difference,
    panel,
    rate,
)
from inspect_reliability.stats.interval_scales import share_ends


@pytest.mark.slow
@given(tables())
def test_excluded(table: Table) -> None:
    """Excluded, they are missing verdicts of a table without that category."""
    without = [[None if v == "A" else v for v in row] for row in verdicts(table)]
    found = counts(table).without("A")
    assert found.categories == counts(table).categories[1:]
    assert found.missing.tolist() == table[:, 0].tolist()
    assert found.coverage == pytest.approx(1 - table[:, 0].sum() / table.sum())
    if table[:, 1:].any():
        by_hand = of_rows(without, categories=found.categories)
        assert (found.table == by_hand.table).all()
        others = panel(by_hand)
        for name, estimate in panel(found).items():
            assert estimate.value == pytest.approx(others[name].value, abs=1e-12)


@pytest.mark.parametrize(
    ("judge", "excluded", "omega"),
    [
        (("Starling", "1", "bbh"), False, 0.259),
        (("Starling", "1", "bbh"), True, 0.520),
        (("Llama", "0.25", "bbh"), True, 0.771),
        (("Starling", "0.25", "mtb"), True, 0.767),
    ],
)
def test_published(
    published_verdicts: Any, judge: tuple[str, str, str], excluded: bool, omega: float
) -> None:
    """The handling decides; excluded, questions differ in how many verdicts are left of them."""
    rows = published_verdicts[judge]
    whole = of_rows(rows.values(), list(rows), (*"ABCDE", "non-response", "invalid"))
    found = panel(whole.without("non-response") if excluded else whole)["omega"]
    assert found.value == pytest.approx(omega, abs=0.0005001)
    assert found.n_questions == len(rows) - len(found.left_out)


def test_nothing_but_non_responses() -> None:
    """A judge that never answers has nothing left once non-responses are excluded: not an error."""
    silent = of_rows([["non-response"] * 5] * 3)
    always = np.array([[0.0, 1.0]] * 3)
    exact = distributions(
        always, ("1", "2", "3"), ("A", "non-response"), np.zeros((3, 2), np.int64)
    )
    for judged in (silent, exact):
        left = judged.without("non-response")
        assert left.coverage == 0
        for estimate in panel(left).values():
            assert (estimate.value, estimate.reason) == (None, "there are no verdicts")


def test_no_such_category() -> None:
    """Verdicts without non-responses stay as they are."""
    found = of_rows([["A", "B"], ["B", "B"]])
    assert found.without("non-response") is found


def silent(numbers: list[int], replications: int) -> Counts:
    """Counts of questions with so many non-responses each."""
    rows = [[n, replications - n] for n in numbers]
    return Counts(np.array(rows), tuple(map(str, range(len(rows)))), ("non-response", "A"))


def by_hand(shares: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Quantiles of the randomly weighted mean with a question more, by Imhof's (1961) integral."""

    def reached(end: float, more: float) -> float:
        """Probability that the sum of exponential variables times (share - end) is 0 or less."""
        apart = np.append(shares, more) - end

        def wave(log_u: float) -> float:
            at = np.exp(log_u) * apart
            return float(np.sin(np.arctan(at).sum()) * np.exp(-np.log1p(at**2).sum() / 2))

        return 0.5 - integrate.quad(wave, -20, 20, limit=500, epsabs=1e-11)[0] / np.pi

    tail = (1 - level) / 2
    low = optimize.brentq(lambda x: reached(x, 0) - tail, 1e-9, shares.max())
    return low, optimize.brentq(lambda x: reached(x, 1) - 1 + tail, shares.min(), 1 - 1e-9)


def assert_near(found: Estimate, ends: tuple[float, float]) -> None:
    """The approximation moves an end by half a percent of its distance from the value at most."""
    for end, exact in zip(found.ends, ends, strict=True):
        assert end == pytest.approx(exact, abs=0.006 * abs(exact - found.value))


@pytest.mark.parametrize(
    "numbers", [[10, 2] + [0] * 18, [6, 6] + [0] * 18, [1] * 12 + [0] * 8, [3] * 20]
)
def test_rate_by_twin(numbers: list[int]) -> None:
    """Each question is one piece of evidence, and the more alike they are the more it says."""
    found = rate(silent(numbers, 10))
    assert found.value == pytest.approx(sum(numbers) / 200)
    assert_near(found, by_hand(np.array(numbers) / 10))


@pytest.mark.slow
def test_rate_by_hand() -> None:
    """The mean of the questions' shares; clusters count as one question."""
    given = Counts(
        np.array([[5, 5], [0, 10], [1, 3], [0, 0]]), tuple("abcd"), ("non-response", "A")
    )
    found = rate(given, level=0.9)
    assert found.value == pytest.approx((1 / 2 + 0 + 1 / 4) / 3)
    assert (found.n_questions, found.left_out) == (3, ("d",))
    assert_near(found, by_hand(np.array([0.5, 0, 0.25]), 0.9))
    other = rate(given, "A")
    assert other.value == pytest.approx(1 - found.value)
    two = rate(given.together("xxyz"))
    assert two.value == pytest.approx((1 / 4 + 1 / 4) / 2)
    low, high = stats.beta(2, 1).ppf(0.025) / 4, 1 - 3 / 4 * stats.beta(2, 1).ppf(0.025)
    assert (two.low, two.high) == pytest.approx((low, high))


@pytest.mark.slow
@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_single_verdicts_have_clopper_and_pearsons_interval(n: int, k: int, level: float) -> None:
    """Of shares that are 0 or 1 the interval is exact: scipy's `binomtest`."""
    k = min(k, n)
    exact = stats.binomtest(k, n).proportion_ci(level)
    assert share_ends(np.repeat([1.0, 0.0], [k, n - k]), level) == pytest.approx(exact)


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=30),
    st.sampled_from([0.8, 0.95, 0.99]),
    st.data(),
)
def test_laws_of_the_interval_of_a_mean(twelfths: list[int], level: float, data: Any) -> None:
    """It holds the mean, turns round with the shares, and is wider at a higher level.

    It moves with each share, and a little only where all but rounding is equal. A question that
    counts twice is two, and many questions are counted on a grid without a difference.
    """
    shares = np.array(twelfths) / 12
    low, high = share_ends(shares, level)
    assert 0 <= low <= shares.mean() <= high <= 1
    assert share_ends(1 - shares, level) == pytest.approx((1 - high, 1 - low))
    wider = share_ends(shares, 0.995)
    assert wider[0] <= low
    assert wider[1] >= high
    moved = shares.copy()
    moved[data.draw(st.integers(0, len(shares) - 1))] = 1
    assert share_ends(moved, level) >= (low - 2e-3, high - 2e-3)
    assert share_ends(shares, level, np.full(len(shares), 2.0)) == pytest.approx(
        share_ends(np.tile(shares, 2), level)
    )
    nearly = np.abs(shares - 1e-7 * np.arange(len(shares)))
    assert share_ends(nearly, level) == pytest.approx((low, high), abs=3e-3)
    many = np.tile(shares, -(-2000 // len(shares)))
    whole = (
        share_ends(many, level),
        share_ends(shares, level, np.full(len(shares), many.size / shares.size)),
    )
    assert whole[0] == pytest.approx(whole[1], abs=3e-5)


@pytest.mark.parametrize("n", [20, 34])
def test_half_right_questions_have_an_interval_of_their_number(n: int) -> None:
    """A judge that follows the place is half right on each question, in both orders.

    N such questions do not show that all are: as many as 1 - .025^(1/N) may be right or wrong.
    """
    reach = (1 - 0.025 ** (1 / n)) / 2
    assert share_ends(np.full(n, 0.5), 0.95) == pytest.approx((0.5 - reach, 0.5 + reach))
    generator, held = np.random.default_rng(n), []
    for _ in range(400):
        low, high = share_ends(np.where(generator.random(n) < 0.95, 0.5, 1.0), 0.95)
        held.append(low <= 0.525 <= high)
    assert np.mean(held) >= 0.95


def test_none_and_all() -> None:
    """N questions without any are N draws without any: at most 1 - .025^(1/N) have some."""
    never, every = rate(silent([0] * 27, 100)), rate(silent([100] * 27, 100))
    assert (never.value, never.low, every.value, every.high) == (0, 0, 1, 1)
    assert never.high == pytest.approx(1 - 0.025 ** (1 / 27))
    assert every.low == pytest.approx(0.025 ** (1 / 27))
    assert rate(of_rows([["A", "B"]] * 3)).value == 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [20])
@pytest.mark.parametrize(
    "draw",
    [
        lambda generator, n: (generator.random(n) < 0.06) * 1.0,
        lambda generator, n: generator.beta(0.3, 2.7, n),
        lambda generator, n: np.full(n, 0.05),
    ],
    ids=["always or never", "of all sizes", "the same"],
)
def test_covers_other_questions(n: int, draw: Any) -> None:
    """However rates differ between questions, the interval holds their mean."""
    generator = np.random.default_rng(n)
    true = draw(np.random.default_rng(0), 200_000).mean()
    held = []
    for _ in range(250):
        found = rate(silent(list(generator.binomial(10, draw(generator, n))), 10))
        held.append(found.low <= true <= found.high)
    assert np.mean(held) >= 0.94


def test_rate_without_an_interval() -> None:
    """Without a verdict there is no rate, and why."""
    empty = Counts(np.zeros((2, 1)), ("x", "y"), ("non-response",))
    assert (rate(empty).value, rate(empty).reason) == (
        None,
        "there are no verdicts",
    )
    with pytest.raises(ReliabilityError, match="between 0 and 1, not be 95"):
        rate(empty, level=95)


@given(st.lists(st.lists(st.sampled_from(["1", "2.5", "7", "none"]), max_size=6), min_size=1))
def test_gini_mean_difference_is_that_of_all_pairs(questions: list[list[str]]) -> None:
    """The mean over questions of |x - y| over all pairs of two replications, brute force."""
    values = {"1": 1.0, "2.5": 2.5, "7": 7.0}
    names = (*values, "none")
    numbers = [[values[name] for name in one if name in values] for one in questions]
    pairs = [[abs(x - y) for x, y in combinations(one, 2)] for one in numbers if len(one) > 1]
    assume(pairs)
    table = [[one.count(name) for name in names] for one in questions]
    counts = Counts(np.array(table), tuple(map(str, range(len(table)))), names)
    found = gini_mean_difference(counts, values)
    assert found.value == pytest.approx(np.mean([np.mean(one) for one in pairs]))
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value + 1e-9 <= found.high + 2e-9 <= 6 + 2e-9


def test_gini_mean_difference_of_exact_distributions() -> None:
    """Of known distributions it is the double sum of p q |x - y|, without a correction."""
    values = {"1": 1.0, "2": 2.0, "5": 5.0}
    p = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]])
    long = [[f"q{i}", name, p[i, k]] for i in range(3) for k, name in enumerate(values)]
    questions, given_ones, shares = zip(*long, strict=True)
    starts = [True, False, False] * 3
    counts = Counts.of_distributions(
        questions, given_ones, shares, [False] * 9, starts, list(values)
    )
    at = np.array(list(values.values()))
    twin = (p @ np.abs(at[:, None] - at) * p).sum(axis=1).mean()
    assert gini_mean_difference(counts, values).value == pytest.approx(twin)
