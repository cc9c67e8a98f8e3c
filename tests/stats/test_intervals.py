"""Intervals over questions: the formulas by hand, and what they refuse."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from tables import Table, counts, drawn, tables, verdicts

from inspect_reliability.stats import Counts, ReliabilityError, omega, panel
from inspect_reliability.stats.intervals import constant_share_bound

SPREAD = {"normalised_entropy"}
"""Coefficients that are 0, not 1, where nothing varies."""


def least(table: Table, name: str) -> float:
    """The least that a coefficient, or where it has none its true value, can be."""
    if name in ("omega", "fleiss_kappa", "krippendorff_alpha"):
        n = table.sum(axis=1)
        n0 = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
        return float(-1 / (n0 - 1))
    if name in ("gwet_ac1", "brennan_prediger"):
        return -1 / (table.shape[1] - 1)
    return 0.0


def value(table: Table, name: str) -> float:
    found = panel(counts(table), [name])[name].value
    return np.nan if found is None else found


@pytest.mark.slow
@given(tables(min_questions=4))
def test_jackknife_by_hand(table: Table) -> None:
    """1 - (1 - x) exp(+-t SE / (1 - x)), each coefficient computed anew without one question."""
    n = len(table)
    for name, estimate in panel(counts(table), level=0.9).items():
        if estimate.method != "jackknife":
            continue
        sign = -1 if name in SPREAD else 1
        gap = estimate.value if name in SPREAD else 1 - estimate.value
        without = [value(np.delete(table, i, axis=0), name) for i in range(n)]
        error = np.sqrt((n - 1) * np.var(without))
        factor = np.exp(stats.t(n - 1).ppf(0.95) * error / gap)
        ends = sorted([estimate.value + sign * gap * (1 - f) for f in (factor, 1 / factor)])
        ends = np.clip(ends, min(least(table, name), estimate.value), 1)
        ends = [ends[0], max(ends[1], 0)]
        assert (estimate.low, estimate.high) == pytest.approx(tuple(ends), rel=1e-6)
        assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12
        assert (estimate.level, estimate.reason) == (0.9, None)


@given(tables(min_questions=3))
@settings(max_examples=60)
def test_ends_are_values_that_can_be(table: Table) -> None:
    """No end is above 1, or below the least, or the value where that is lower still."""
    for name, estimate in panel(counts(table)).items():
        if estimate.low is not None:
            lowest = min(least(table, name), estimate.value)
            assert lowest - 1e-12 <= estimate.low <= estimate.high <= 1, name


def test_pure_noise_is_covered() -> None:
    """A judge that tosses a coin has omega 0, and no more than 1 interval in 20 denies it."""
    generator = np.random.default_rng(0)
    held = []
    for _ in range(400):
        heads = generator.binomial(20, 0.5, 20)
        found = panel(counts(np.column_stack([heads, 20 - heads])), ["omega"])["omega"]
        held.append(found.low <= 0 <= found.high)
    assert np.mean(held) >= 0.93


@given(tables(min_questions=3), st.integers(2, 4))
@settings(max_examples=40)
def test_copies_in_clusters_bring_no_certainty(table: Table, times: int) -> None:
    """Rows repeated as clusters have the interval of the rows; taken as questions, a narrower."""
    same = ("agreement", "brennan_prediger", "gwet_ac1", "modal_share")
    more = counts(np.repeat(table, times, axis=0))
    together = replace(more, clusters=np.repeat(np.arange(len(table)), times))
    once, clustered, apart = panel(counts(table)), panel(together), panel(more)
    for name in same:
        assert clustered[name].n_questions == len(table)
        ends = (once[name].value, once[name].low, once[name].high)
        for found, expected in zip(
            (clustered[name].value, clustered[name].low, clustered[name].high), ends, strict=True
        ):
            assert found == (expected if expected is None else pytest.approx(expected, abs=1e-9))
        if once[name].low is not None and once[name].method == "jackknife":
            assert apart[name].low >= once[name].low - 1e-9


@given(tables(min_questions=4))
@settings(max_examples=40)
def test_clusters_are_left_out_together(table: Table) -> None:
    """The jackknife takes a cluster's rows out at once: each coefficient computed anew without."""
    clusters = np.arange(len(table)) // 2 * 7
    found = panel(replace(counts(table), clusters=clusters), ["omega", "agreement"])
    g = len(set(clusters))
    for name, estimate in found.items():
        if estimate.method != "jackknife":
            continue
        without = [value(table[clusters != c], name) for c in sorted(set(clusters))]
        error = np.sqrt((g - 1) * np.var(without))
        gap = 1 - estimate.value
        high = estimate.value + gap * (1 - np.exp(-stats.t(g - 1).ppf(0.975) * error / gap))
        assert estimate.high == pytest.approx(max(high, 0), abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_least_values_occur(k: int) -> None:
    """Questions whose K verdicts are all different are as far from reliable as can be."""
    table = np.ones((6, k), int)
    found = panel(counts(table))
    names = ("agreement", "modal_share_loo", "omega", "fleiss_kappa", "gwet_ac1")
    for name in (*names, "brennan_prediger"):
        assert found[name].value == pytest.approx(least(table, name), abs=1e-12), name
    assert found["normalised_entropy"].value == pytest.approx(1)


def test_three_questions_one_of_which_varies() -> None:
    """The log scale reaches below 0 where the spread is large beside the gap; no end does."""
    found = panel(counts(np.array([[100, 0], [0, 100], [50, 50]])))
    for name in ("agreement", "omega_composite", "modal_share", "modal_share_loo"):
        assert found[name].low == 0
        assert 0.6 < found[name].value < found[name].high <= 1
    for name in ("omega", "fleiss_kappa", "krippendorff_alpha"):
        assert found[name].low == pytest.approx(-1 / 99)
    assert found["gwet_ac1"].low == found["brennan_prediger"].low == -1


def test_composite_of_noise() -> None:
    """The composite of noise can be anything below 0, omega only down to -1/(R - 1)."""
    noise = np.random.default_rng(0).multinomial(100, [0.2] * 5, size=(300, 8))
    found = [panel(counts(table), ["omega", "omega_composite"]) for table in noise]
    omegas, composites = (
        np.array([one[name].value for one in found]) for name in ("omega", "omega_composite")
    )
    assert composites.min() < -0.5
    assert omegas.min() >= -1 / 99
    assert composites == pytest.approx(100 * omegas / (1 + 99 * omegas))
    for one in found:
        assert one["omega"].low >= -1 / 99
        assert one["omega_composite"].low >= min(0, one["omega_composite"].value)


@pytest.mark.parametrize("n", [1, 2, 8, 27])
def test_exact_bound_is_clopper_pearson(n: int) -> None:
    """.025^(1/N) is the lower Clopper-Pearson bound of N successes in N trials."""
    exact = stats.binomtest(n, n).proportion_ci(0.95, method="exact").low
    assert constant_share_bound(n, 0.95) == pytest.approx(exact)
    assert exact == pytest.approx(0.025 ** (1 / n))


@given(tables())
def test_exact_bound_where_no_question_varies(table: Table) -> None:
    """At 1 the interval is that of N constant questions."""
    constant = np.zeros_like(table)
    constant[np.arange(len(table)), table.argmax(axis=1)] = table.sum(axis=1)
    n, k = table.shape
    bound = 0.025 ** (1 / n)
    found = panel(counts(constant))
    assert found["agreement"].method == "exact bound"
    for name, low, high in (
        ("agreement", bound, 1),
        ("modal_share", bound, 1),
        ("modal_share_loo", bound, 1),
        ("brennan_prediger", max(0, (bound - 1 / k) / (1 - 1 / k)), 1),
        ("normalised_entropy", 0, 1 - bound),
    ):
        assert (found[name].low, found[name].high) == pytest.approx((low, high)), name
    for name in ("omega", "omega_composite", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        if found[name].value is not None:
            assert 0 <= found[name].low <= found[name].high == found[name].value == 1


@given(tables(equal=True))
def test_exact_bound_carried_over(table: Table) -> None:
    """Fleiss' kappa at the bound has the shares as observed, and is cut at chance."""
    constant = np.zeros_like(table)
    constant[np.arange(len(table)), table.argmax(axis=1)] = table.sum(axis=1)
    found = panel(counts(constant), ["fleiss_kappa"])["fleiss_kappa"]
    assume(found.value is not None)
    chance = ((constant.sum(axis=0) / constant.sum()) ** 2).sum()
    expected = 1 - (1 - 0.025 ** (1 / len(table))) / (1 - chance)
    assert found.low == pytest.approx(max(expected, 0))


def test_no_interval_on_a_single_question() -> None:
    """Without the one question that differs there is no variance: a value, no interval, and why."""
    found = panel(counts(np.array([[5, 0], [5, 0], [5, 0], [2, 3]])))
    assert found["omega"].value is not None
    assert (found["omega"].low, found["omega"].high, found["omega"].method) == (None, None, None)
    assert "only one or two questions vary" in str(found["omega"].reason)
    assert found["agreement"].low is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "between 0 and 1, not be 95"),
        ({"level": 0}, "between 0 and 1"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    """A level that does not exist is refused, not guessed."""
    with pytest.raises(ReliabilityError, match=message):
        omega(counts(drawn(5, 5, 1.0)), **options)


def test_verdicts_make_no_interval_narrower() -> None:
    """Repeating every verdict of a question adds replications, no question: same width."""
    rows = verdicts(drawn(10, 20, 0.8))
    few = omega(Counts.from_array(rows))
    many = omega(Counts.from_array([row * 50 for row in rows]))
    assert many.high - many.low > 0.8 * (few.high - few.low)
