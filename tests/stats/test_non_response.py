"""Three handlings of non-response, each against verdicts renamed by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tables import Table, counts, tables, verdicts

from inspect_reliability.stats import (
    Counts,
    ReliabilityError,
    handle_non_response,
    non_response_rate,
    panel,
)
from inspect_reliability.stats.coefficient import NO_K

ON_CATEGORIES = ("gwet_ac1", "brennan_prediger", "normalised_entropy")


@given(tables())
def test_unique(table: Table) -> None:
    """As a category of its own, each non-response is a verdict that occurs once."""
    rows = verdicts(table)
    numbered = [
        [f"A{i}-{j}" if v == "A" else v for j, v in enumerate(r)] for i, r in enumerate(rows)
    ]
    by_hand = panel(Counts.from_array(numbered))
    for name, estimate in panel(handle_non_response(counts(table), "unique", "A")).items():
        expected = by_hand[name]
        if name in ON_CATEGORIES:
            assert (estimate.value, estimate.reason) == (None, NO_K)
        elif expected.value is None:
            assert estimate.value is None
        else:
            assert estimate.value == pytest.approx(expected.value, rel=1e-12, abs=1e-12)
            assert (estimate.low is None) == (expected.low is None)
            if estimate.low is not None:
                assert estimate.low == pytest.approx(expected.low, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@given(tables())
def test_excluded(table: Table) -> None:
    """Excluded, they are missing verdicts of a table without that category."""
    without = [[None if v == "A" else v for v in row] for row in verdicts(table)]
    found = handle_non_response(counts(table), "excluded", "A")
    assert found.categories == counts(table).categories[1:]
    assert found.missing.tolist() == table[:, 0].tolist()
    assert found.coverage == pytest.approx(1 - table[:, 0].sum() / table.sum())
    if table[:, 1:].any():
        by_hand = Counts.from_array(without, categories=found.categories)
        assert (found.table == by_hand.table).all()
        for name, estimate in panel(found).items():
            other = panel(by_hand)[name]
            assert (estimate.value, estimate.left_out.verdicts) == (
                other.value,
                other.left_out.verdicts,
            )


@given(tables())
def test_own_categories_never_agree_more(table: Table) -> None:
    """Agreement with non-response as a category is at least that with each its own."""
    one, own = (
        panel(handle_non_response(counts(table), handling, "A"), ["agreement"])["agreement"].value
        for handling in ("category", "unique")
    )
    assert one >= own


@pytest.mark.parametrize(
    ("handling", "omega"), [("category", 0.259), ("unique", 0.078), ("excluded", 0.607)]
)
def test_published(published_verdicts: Any, handling: Any, omega: float) -> None:
    """Starling on BBH at temperature 1: the handling decides, and the first is no upper bound."""
    rows = published_verdicts["Starling", "1", "bbh"]
    whole = Counts.from_array(rows.values(), list(rows), (*"ABCDE", "non-response", "invalid"))
    found = panel(handle_non_response(whole, handling))["omega"]
    assert found.value == pytest.approx(omega, abs=0.0005001)
    assert found.n_questions == 27 - len(found.left_out.questions)


def test_nothing_but_non_responses() -> None:
    """A judge that never answers has nothing left once non-responses are excluded: not an error."""
    silent = Counts.from_array([["non-response"] * 5] * 3)
    for estimate in panel(handle_non_response(silent, "excluded")).values():
        assert (estimate.value, estimate.reason) == (None, "there are no verdicts")
    never = panel(handle_non_response(silent, "unique"))["agreement"]
    assert never.value == 0


def test_no_such_category() -> None:
    """Verdicts without non-responses are the same however these are handled."""
    found = Counts.from_array([["A", "B"], ["B", "B"]])
    for handling in ("category", "unique", "excluded"):
        assert handle_non_response(found, handling) is found


def test_refused() -> None:
    """A handling that does not exist is refused."""
    with pytest.raises(ReliabilityError, match="'category', 'unique' or 'excluded', not 'zero'"):
        handle_non_response(counts(np.ones((2, 2))), "zero")


def silent(numbers: list[int], replications: int) -> Counts:
    """Counts of questions with so many non-responses each."""
    rows = [[n, replications - n] for n in numbers]
    return Counts(np.array(rows), tuple(map(str, range(len(rows)))), ("non-response", "A"))


def test_no_non_response_at_all() -> None:
    """The exact bound for these questions, and a word on others; never an interval of no width."""
    found = non_response_rate(silent([0] * 27, 100))
    assert (found.value, found.low, found.method) == (0, 0, "exact bound")
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 2700))
    assert "for these questions. Up to 13% of other questions" in str(found.warning)
    every = non_response_rate(silent([100] * 27, 100))
    assert (every.value, every.high) == (1, 1)
    assert every.low == pytest.approx(0.025 ** (1 / 2700))
    assert non_response_rate(Counts.from_array([["A", "B"]] * 3)).high == pytest.approx(
        1 - 0.025 ** (1 / 6)
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 100))
def test_bound_holds_however_questions_differ(rates: list[float], replications: int) -> None:
    """Rates whose mean is beyond the bound show no non-response with a chance below .025."""
    bound = non_response_rate(silent([0] * len(rates), replications)).high
    if np.mean(rates) > bound:
        assert np.prod((1 - np.array(rates)) ** replications) <= 0.025 * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rates", [[0.002] * 20, [0.04] + [0.0] * 19, [0.3, 0.6] + [0.01] * 18])
def test_covers_other_replications_of_these_questions(rates: list[float]) -> None:
    """Whatever the questions' rates, their mean lies in 95% of the intervals or more."""
    drawn = np.random.default_rng(0).binomial(50, rates, size=(400, 20))
    found = [non_response_rate(silent(list(numbers), 50)) for numbers in drawn]
    assert np.mean([one.low <= np.mean(rates) <= one.high for one in found]) > 0.94


@pytest.mark.slow
def test_covers_other_questions() -> None:
    """Where questions differ the jackknife over them decides, and covers."""
    generator = np.random.default_rng(1)
    rates = generator.beta(0.6, 1.4, size=(400, 27))
    found = [non_response_rate(silent(list(generator.binomial(20, row)), 20)) for row in rates]
    covered = np.mean([one.low <= 0.3 <= one.high for one in found])
    assert 0.92 <= covered <= 0.98


def test_rate_by_hand() -> None:
    """Value and left-out values are shares of the judgments; the wider interval is taken."""
    found = non_response_rate(
        Counts(np.array([[5, 5], [0, 10], [1, 3], [0, 0]]), tuple("abcd"), ("non-response", "A"))
    )
    assert found.value == pytest.approx(6 / 24)
    assert (found.n_questions, found.left_out.questions) == (3, ("d",))
    without = np.array([1 / 14, 6 / 14, 5 / 20])
    error = np.sqrt(2 * np.var(without))
    high = 1 - 0.75 * np.exp(-stats.t(2).ppf(0.975) * error / 0.75)
    assert (found.low, found.high) == (0, pytest.approx(high))
    alike = non_response_rate(silent([1] * 8, 10))
    exact = stats.binomtest(8, 80).proportion_ci()
    assert (alike.low, alike.high) == pytest.approx((exact.low, exact.high))


def test_rate_without_an_interval() -> None:
    """Two questions, or no verdict, give no interval, and why."""
    assert "at least 3 questions" in str(non_response_rate(silent([1, 0], 10)).reason)
    empty = Counts(np.zeros((2, 1)), ("x", "y"), ("non-response",))
    assert (non_response_rate(empty).value, non_response_rate(empty).reason) == (
        None,
        "there are no verdicts",
    )
    with pytest.raises(ReliabilityError, match="between 0 and 1, not be 95"):
        non_response_rate(empty, level=95)
