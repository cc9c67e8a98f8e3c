"""Rates, and what is left without non-responses, each by hand."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats
from tables import Table, counts, distributions, of_rows, tables, verdicts

from inspect_reliability.stats import (
    Counts,
    Labelled,
    ReliabilityError,
    gini_mean_difference,
    panel,
    rate,
)
from inspect_reliability.stats.rates import unseen


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


def by_hand(shares: np.ndarray, level: float = 0.95, more: float = 0.5) -> tuple[float, float]:
    """The logit scale, or half a question more, within the ends of Clopper and Pearson."""
    n, ends = len(shares), []
    quantile = stats.t.ppf((1 + level) / 2, n - 1)
    for added, sign, farther in ((0.0, -1, min), (1.0, 1, max)):
        found = []
        for weight in (0.0, more):
            w, x = np.append(np.ones(n), weight), np.append(shares, added)
            mean, v = np.average(x, weights=w), w.sum()
            error = np.sqrt((w * (x - mean) ** 2).sum() / v / (v - 1))
            logit = special.logit(mean) + sign * quantile * error / (mean * (1 - mean))
            found.append(special.expit(logit))
        ends.append(farther(found))
    k, tail = shares.sum(), (1 - level) / 2
    widest = stats.beta(k, n - k + 1).ppf(tail), stats.beta(k + 1, n - k).ppf(1 - tail)
    return max(ends[0], widest[0]), min(ends[1], widest[1])


@pytest.mark.parametrize(
    "numbers", [[10, 2] + [0] * 18, [6, 6] + [0] * 18, [1] * 12 + [0] * 8, [3] * 20]
)
def test_rate_by_twin(numbers: list[int]) -> None:
    """Each question is one piece of evidence, and the more alike they are the more it says."""
    found = rate(silent(numbers, 10))
    assert found.value == pytest.approx(sum(numbers) / 200)
    assert (found.low, found.high) == pytest.approx(by_hand(np.array(numbers) / 10), abs=1e-9)


def test_rate_by_hand() -> None:
    """The mean of the questions' shares; clusters count as one question."""
    given = Counts(
        np.array([[5, 5], [0, 10], [1, 3], [0, 0]]), tuple("abcd"), ("non-response", "A")
    )
    found = rate(given, level=0.9)
    assert found.value == pytest.approx((1 / 2 + 0 + 1 / 4) / 3)
    assert (found.n_questions, found.left_out) == (3, ("d",))
    ends = by_hand(np.array([0.5, 0, 0.25]), 0.9)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)
    other = rate(given, "A")
    assert other.value == pytest.approx(1 - found.value)
    two = rate(given.together("xxyz"))
    assert two.value == pytest.approx((1 / 4 + 1 / 4) / 2)
    low, high = stats.beta(0.5, 2.5).ppf(0.025), stats.beta(1.5, 1.5).ppf(0.975)
    assert (two.low, two.high) == pytest.approx((low, high))
    assert two.method == "Clopper-Pearson"


def test_less_is_unseen_where_more_was_seen() -> None:
    """Of labelled questions, 12 of 48 wrong allow for an eighth of one more, not for half."""
    right = np.repeat([1, 0], [36, 12])
    names = tuple(map(str, range(48)))
    given = Counts(np.stack([right, 1 - right], axis=1), names, ("yes", "no"))
    found = Labelled(given, Counts.from_long(names, ["yes"] * 48)).share()
    assert (found.low, found.high) == pytest.approx(by_hand(right, more=0.125), abs=1e-9)
    assert [unseen(right[kept]) for kept in (slice(0, 38), slice(24, 48))] == [0.5, 0.125]


def test_none_and_all() -> None:
    """N questions without any are N draws without any: at most 1 - .025^(1/N) have some."""
    never, every = rate(silent([0] * 27, 100)), rate(silent([100] * 27, 100))
    assert (never.value, never.low, every.value, every.high) == (0, 0, 1, 1)
    assert never.high == pytest.approx(1 - 0.025 ** (1 / 27))
    assert every.low == pytest.approx(0.025 ** (1 / 27))
    assert rate(of_rows([["A", "B"]] * 3)).value == 0


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
    for _ in range(400):
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
