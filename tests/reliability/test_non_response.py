"""Three handlings of non-response, each against verdicts renamed by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tables import Table, counts, tables, verdicts

from inspect_reliability.reliability import Counts, ReliabilityError, handle_non_response, panel
from inspect_reliability.reliability.panel import NO_K

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
