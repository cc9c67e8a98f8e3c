"""Intervals over questions: published check values, twins by loops, and what no end can be."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import twins
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from tables import Table, counts, drawn, of_rows, tables, verdicts

from inspect_reliability.stats import Cells, Counts, ReliabilityError, omega, panel
from inspect_reliability.stats.interval_scales import (
    clopper_pearson,
    constant_share_bound,
    on_root_scale,
)

UNEQUAL = [
    [5, 0, 0],
    [0, 5, 0],
    [3, 2, 0],
    [8, 8, 4],
    [1, 1, 0],
    [0, 2, 18],
    [10, 0, 10],
    [4, 0, 0],
    [2, 6, 2],
    [0, 19, 1],
]


@pytest.mark.parametrize(
    ("judge", "temperature", "benchmark", "value", "low", "high"),
    [
        ("Llama", "1", "bbh", 0.3719, 0.2808, 0.4750),
        ("Llama", "1", "squad", 0.3735, 0.2652, 0.5092),
        ("Llama", "1", "mtb", 0.2093, 0.1056, 0.4078),
        ("Llama", "0.25", "squad", 0.8346, 0.5650, 0.9513),
        ("Starling", "1", "bbh", 0.2595, 0.1740, 0.4087),
        ("Starling", "0.25", "bbh", 0.7025, 0.5334, 0.8244),
        ("Starling", "0.25", "mtb", 0.6570, 0.3971, 0.8221),
    ],
)
def test_published_judgments(
    published_verdicts: Any,
    judge: str,
    temperature: str,
    benchmark: str,
    value: float,
    low: float,
    high: float,
) -> None:
    """Omega of the published judges has the check values, worked out apart from this code."""
    rows = published_verdicts[judge, temperature, benchmark].values()
    found = omega(of_rows(rows, categories=(*"ABCDE", "non-response", "invalid")))
    assert found.method == "plus a question"
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=5.1e-5)


def steady(deviations: int) -> Counts:
    """55 questions with 100 replications, five verdicts in turn, some of them once otherwise."""
    table = 100 * np.eye(5, dtype=int)[np.arange(55) % 5]
    table[:deviations, 0] -= 1
    table[:deviations, 1] += 1
    return counts(table)


def test_a_judge_looks_no_better_for_having_wavered() -> None:
    """Nothing varies: 1 [.8633, 1]; one verdict of 5,500 does: .9996 [.8732, .9999]."""
    never, once = omega(steady(0)), omega(steady(1))
    assert (never.value, never.low, never.high) == pytest.approx((1, 0.8633, 1), abs=5e-5)
    assert (once.value, once.low, once.high) == pytest.approx((0.9996, 0.8732, 0.9999), abs=5e-5)


def test_unequal_replications() -> None:
    """Ten questions with 2 to 20 replications: .446750 [.0647, .7948]."""
    found = omega(counts(np.array(UNEQUAL)))
    assert found.value == pytest.approx(0.446750, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.0647, 0.7948), abs=5e-5)


def possible(table: Table, name: str) -> float:
    """The least that a coefficient, or where it has none its true value, can be."""
    if name in ("omega", "fleiss_kappa", "krippendorff_alpha"):
        return float(-1 / (stats.hmean(table.sum(axis=1)) - 1))
    if name in ("gwet_ac1", "brennan_prediger"):
        return -1 / (table.shape[1] - 1)
    return 0.0


@pytest.mark.slow
@given(tables(min_questions=4))
@settings(max_examples=25)
def test_plus_a_question_by_loops(table: Table) -> None:
    """Omega's interval is its description: the F scale, or what a fraction of a question adds."""
    found = omega(counts(table), 0.9)
    assume(found.method == "plus a question")
    with np.errstate(all="ignore"):
        low, high = twins.plus_a_question(table, 0.9)
    # Without a question that alone differs nothing is left: see below.
    assume(found.low > possible(table, "omega"))
    # The twin solves for the ends, and cannot where they are too close to a limit.
    assume(not np.isnan(low) and not np.isnan(high) and high < 1 - 1e-9)
    least = possible(table, "omega")
    assert found.low == pytest.approx(min(max(low, least), found.value), abs=1e-6)
    assert found.high == pytest.approx(max(min(high, 1), 0, found.value), abs=1e-6)
    assert (found.level, found.reason) == (0.9, None)


@pytest.mark.slow
@given(tables(min_questions=4))
@settings(max_examples=25)
def test_noise_or_settled_by_loops(table: Table) -> None:
    """Agreement and its kind: the log scale, or what a noise or settled question gives."""
    found = panel(counts(table), ["agreement", "gwet_ac1", "brennan_prediger"], 0.9)
    of = {"agreement": twins.agreement_of, "gwet_ac1": twins.ac1}
    of["brennan_prediger"] = twins.brennan_prediger
    for name, estimate in found.items():
        if estimate.method != "noise or settled question":
            continue
        low, high = twins.noise_or_settled(of[name], table, 0.9)
        low = min(max(low, possible(table, name)), estimate.value)
        assert estimate.low == pytest.approx(low, rel=1e-6, abs=1e-9), name
        assert estimate.high == pytest.approx(max(min(high, 1), 0), rel=1e-6, abs=1e-9), name


@pytest.mark.slow
@given(tables(min_questions=3))
@settings(max_examples=25)
def test_one_population_value_one_interval(table: Table) -> None:
    """Kappa and alpha have the interval of omega."""
    found = panel(counts(table))
    whole = found["omega"]
    assume(whole.low is not None and possible(table, "omega") < whole.low < whole.value)
    for name in ("fleiss_kappa", "krippendorff_alpha"):
        value = found[name].value
        assert found[name].low == pytest.approx(min(whole.low, value), abs=1e-12)
        assert found[name].high == pytest.approx(max(whole.high, value), abs=1e-12)
        assert found[name].method in ("as omega", "exact bound")


def test_numbers_by_hand() -> None:
    """ICC by its twin, and alpha carried from it."""
    values = np.random.default_rng(2).normal(size=(10, 6)) + np.arange(10)[:, None] / 3
    found = panel(Cells.of_numbers(values))
    low, high = twins.far_or_noise(values)
    assert (found["icc"].low, found["icc"].high) == pytest.approx((low, high), abs=1e-7)
    numeric = found["krippendorff_alpha_numeric"]
    assert (numeric.low, numeric.high, numeric.method) == (
        pytest.approx(low, abs=1e-7),
        pytest.approx(high, abs=1e-7),
        "as icc",
    )


@pytest.mark.slow
@given(tables(min_questions=3))
@settings(max_examples=25)
def test_ends_are_values_that_can_be(table: Table) -> None:
    """No end is above 1, or below the least, or the value where that is lower still."""
    for name, estimate in panel(counts(table)).items():
        if estimate.low is not None:
            lowest = min(possible(table, name), estimate.value)
            highest = max(1, estimate.value)
            assert lowest - 1e-12 <= estimate.low <= estimate.high <= highest, name
            assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12, name


@pytest.mark.slow
def test_pure_noise_is_covered() -> None:
    """A judge that tosses a coin has omega 0, and no more than 1 interval in 20 denies it."""
    generator = np.random.default_rng(0)
    held = []
    for _ in range(200):
        heads = generator.binomial(20, 0.5, 20)
        found = omega(counts(np.column_stack([heads, 20 - heads])))
        held.append(found.low <= 0 <= found.high)
    assert np.mean(held) >= 0.94


@pytest.mark.slow
@pytest.mark.parametrize("concentration", [0.05, 0.6])
def test_one_verdict_dominates(concentration: float) -> None:
    """Where 88% of the verdicts are one, a jackknife alone covers .8; the default covers .93."""
    generator = np.random.default_rng(1)
    shares = np.array([0.88, 0.06, 0.06])
    true, held = 1 / (1 + concentration * 3), []
    for _ in range(100):
        chances = generator.dirichlet(shares * concentration * 3, 20)
        found = omega(counts(generator.multinomial(10, chances)))
        if found.low is not None:
            held.append(found.low <= true <= found.high)
    assert np.mean(held) >= 0.93


@pytest.mark.slow
def test_two_replications() -> None:
    """Two replications are enough for intervals that cover."""
    generator = np.random.default_rng(2)
    held = []
    for _ in range(150):
        chances = generator.dirichlet([0.3, 0.3, 0.9], 30)
        found = omega(counts(generator.multinomial(2, chances)))
        held.append(found.low <= 1 / 2.5 <= found.high)
    assert np.mean(held) >= 0.93


@pytest.mark.slow
@given(tables(min_questions=3), st.integers(2, 4))
@settings(max_examples=20)
def test_copies_in_clusters_bring_no_certainty(table: Table, times: int) -> None:
    """Rows repeated as clusters have the values and intervals of the rows."""
    more = replace(
        counts(np.repeat(table, times, axis=0)),
        clusters=np.repeat(np.arange(len(table)), times),
    )
    once, clustered = panel(counts(table)), panel(more)
    # Alpha weights each question by its verdicts, and its value knows how many there are.
    for name in set(once) - {"krippendorff_alpha"}:
        assert clustered[name].n_questions == len(table)
        for mine, theirs in (
            (clustered[name].value, once[name].value),
            (clustered[name].low, once[name].low),
            (clustered[name].high, once[name].high),
        ):
            assert mine == (None if theirs is None else pytest.approx(theirs, abs=1e-9)), name


@pytest.mark.slow
@given(tables(min_questions=6))
@settings(max_examples=20)
def test_outputs_of_one_question_are_averaged(table: Table) -> None:
    """Of a cluster, agreement and shares are means, and its outputs are never paired in D."""
    clusters = np.arange(len(table)) // 2
    found = omega(replace(counts(table), clusters=clusters))
    agreement, shares, _ = twins.questions(table)
    groups = [clusters == c for c in np.unique(clusters)]
    a = np.array([agreement[g].mean() for g in groups])
    s = np.array([shares[g].mean(axis=0) for g in groups])
    differ = [1 - s[i] @ s[j] for i in range(len(s)) for j in range(len(s)) if i != j]
    if found.value is None:
        assert np.mean(differ) == pytest.approx(0, abs=1e-12)
    else:
        assert found.value == pytest.approx(1 - (1 - a).mean() / np.mean(differ), abs=1e-9)


@pytest.mark.slow
def test_clusters_are_covered() -> None:
    """Three outputs of each of 20 questions: 95% of the intervals hold omega, not fewer."""
    generator = np.random.default_rng(3)
    base, question, output = np.array([0.3, 0.3, 0.4]), 1.5, 6.0
    # Spread by Dirichlet twice, chances keep these shares of the variance of a verdict.
    true = 1 - question / (1 + question) * output / (1 + output)
    held = []
    for _ in range(150):
        means = generator.dirichlet(question * base, 20)
        chances = np.array([generator.dirichlet(output * mean + 1e-9, 3) for mean in means])
        table = generator.multinomial(10, chances.reshape(-1, 3))
        names = tuple(map(str, range(60)))
        given = Counts(table, names, tuple("ABC"), clusters=np.repeat(np.arange(20), 3))
        found = omega(given)
        held.append((found.value, found.low <= true <= found.high))
    value, share = np.mean(held, axis=0)
    assert value == pytest.approx(true, abs=0.02)
    assert share >= 0.93


@pytest.mark.parametrize("k", [2, 3, 5])
def test_least_values_occur(k: int) -> None:
    """Questions whose K verdicts are all different are as far from reliable as can be."""
    table = np.ones((6, k), int)
    found = panel(counts(table))
    names = ("agreement", "omega", "fleiss_kappa", "gwet_ac1")
    for name in (*names, "brennan_prediger"):
        assert found[name].value == pytest.approx(possible(table, name), abs=1e-12), name


@pytest.mark.parametrize("n", [1, 2, 8, 27])
def test_exact_bound_is_clopper_pearson(n: int) -> None:
    """.025^(1/N) is the lower Clopper-Pearson bound of N successes in N trials."""
    exact = stats.binomtest(n, n).proportion_ci(0.95, method="exact").low
    assert constant_share_bound(n, 0.95) == pytest.approx(exact)
    assert exact == pytest.approx(0.025 ** (1 / n))


@pytest.mark.parametrize("successes", [0, 1, 7, 20])
def test_clopper_pearson(successes: int) -> None:
    """Whole numbers of successes give scipy's exact interval."""
    exact = stats.binomtest(successes, 20).proportion_ci(0.9, method="exact")
    assert clopper_pearson(successes, 20, 0.9) == pytest.approx((exact.low, exact.high))


@pytest.mark.slow
@given(tables())
def test_exact_bound_where_no_question_varies(table: Table) -> None:
    """At 1 the interval is that of N constant questions; omega's is no higher."""
    constant = np.zeros_like(table)
    constant[np.arange(len(table)), table.argmax(axis=1)] = table.sum(axis=1)
    n, k = table.shape
    bound = 0.025 ** (1 / n)
    found = panel(counts(constant))
    assert found["agreement"].method == "exact bound"
    for name, low, high in (
        ("agreement", bound, 1),
        ("brennan_prediger", (bound - 1 / k) / (1 - 1 / k), 1),
    ):
        assert (found[name].low, found[name].high) == pytest.approx((low, high)), name
    mean = (constant / constant.sum(axis=1, keepdims=True)).mean(axis=0)
    if (chance := (mean**2).sum()) < 1:
        any_two = n / (n - 1) * (1 - chance)
        for name in ("omega", "fleiss_kappa", "krippendorff_alpha"):
            lowest = max(1 - (1 - bound) / any_two, possible(constant, name))
            assert found[name].low <= lowest + 1e-9
            assert found[name].high == found[name].value == 1


def test_one_question_that_varies() -> None:
    """A single question that varies is enough for an interval, and that is wide."""
    found = omega(counts(np.array([[5, 0], [5, 0], [5, 0], [2, 3]])))
    assert found.value is not None
    assert found.high - found.low > 0.5


def test_one_question_that_alone_differs() -> None:
    """Without it nothing is left to estimate, so omega may be as low as it can be."""
    found = omega(counts(np.array([[5, 0]] * 19 + [[1, 4]])))
    assert found.value == pytest.approx(0.75)
    assert found.low == pytest.approx(-1 / 4)


@pytest.mark.parametrize("n", [10, 60])
def test_agreement_where_no_pair_agrees(n: int) -> None:
    """It reaches at least as far as the exact interval of no success in n trials."""
    found = panel(counts(np.tile([1, 1, 0], (n, 1))), ["agreement"])["agreement"]
    exact = stats.binomtest(0, n).proportion_ci(0.95, method="exact").high
    assert (found.value, found.low) == (0, 0)
    assert found.high >= exact - 1e-12


@pytest.mark.parametrize("level", [95, 0, 1])
def test_refused(level: float) -> None:
    """A level that does not exist is refused, not guessed."""
    with pytest.raises(ReliabilityError, match=f"between 0 and 1, not be {level}"):
        omega(counts(drawn(5, 5, 1.0)), level)


def test_verdicts_make_no_interval_narrower() -> None:
    """Repeating every verdict of a question adds replications, no question: same width."""
    rows = verdicts(drawn(10, 20, 0.8))
    few = omega(of_rows(rows))
    many = omega(of_rows([row * 50 for row in rows]))
    assert many.high - many.low > 0.8 * (few.high - few.low)


@pytest.mark.parametrize("n", [20, 30, 60, 150])
def test_agreement_of_nearly_settled_questions_covers(n: int) -> None:
    """Of two verdicts a question, 2.5% of pairs differ: the coverage is a sum over a binomial."""
    covered = 0.0
    for differ in range(min(n, 30)):
        table = np.array([[1, 1]] * differ + [[2, 0], [0, 2]] * n)[:n]
        found = panel(counts(table), ["agreement"])["agreement"]
        covered += stats.binom.pmf(differ, n, 0.025) * (found.low <= 0.975 <= found.high)
    assert 0.94 < covered < 0.99


@pytest.mark.parametrize("x", [0.02, 0.1, 0.24, 0.4, 0.48])
@pytest.mark.parametrize("reach", [0.001, 0.01, 0.05, 0.3])
def test_the_root_scale_squares_the_ends_of_a_root(x: float, reach: float) -> None:
    """An error of x is one of its root by 2 root x; below, of the root of what is left to most."""
    most = 0.5
    low, high = on_root_scale(x, reach, most)
    squared = (x**0.5 + reach / (2 * x**0.5)) ** 2
    below = most - ((most - x) ** 0.5 + reach / (2 * (most - x) ** 0.5)) ** 2
    assert high == pytest.approx(min(squared, x + 1.25 * reach))
    assert low == pytest.approx(max(below, x - 1.25 * reach))
