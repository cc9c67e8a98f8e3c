"""What a judge that never varies, or hardly answers, or was hardly asked, gives."""

import numpy as np
import pytest
from tables import of_rows

from inspect_reliability.stats import (
    Cells,
    Counts,
    Estimate,
    NoJudgmentsError,
    panel,
)

VARIANCE = ("omega", "fleiss_kappa", "krippendorff_alpha")


def estimates(
    rows: list[list[str | None]], categories: str | None = "ABCDE"
) -> dict[str, Estimate]:
    return panel(of_rows(rows, categories=categories))


@pytest.mark.parametrize("categories", ["ABCDE", None])
def test_all_judgments_one_category(categories: str | None) -> None:
    """Agreement, Brennan-Prediger and AC1 are 1; omega, kappa and alpha are not estimable."""
    found = estimates([["C"] * 10] * 6, categories)
    for name in ("agreement", "brennan_prediger", "gwet_ac1"):
        assert found[name].value == 1, name
        assert found[name].high == 1
    assert found["agreement"].low == pytest.approx(0.025 ** (1 / 6))
    for name in VARIANCE:
        assert found[name].value is None
        assert found[name].low is None
        assert found[name].reason == "no variance between questions"


def test_each_question_constant_verdicts_differ() -> None:
    """Every coefficient is 1 with the exact lower bound."""
    found = estimates([[letter] * 10 for letter in "AABCDEAB"])
    for estimate in found.values():
        assert estimate.value == 1
        assert estimate.method == "exact bound"
        assert 0 <= estimate.low < estimate.high <= 1
    assert found["agreement"].low == pytest.approx(0.025 ** (1 / 8))


@pytest.mark.parametrize("row", [["A", "A", "B", "C"], ["A"] * 4])
def test_one_question(row: list[str | None]) -> None:
    """Agreement only: nothing can be said about differences between questions."""
    found = estimates([row])
    assert found["agreement"].value == (1 if len(set(row)) == 1 else pytest.approx(1 / 6))
    if len(set(row)) == 1:
        assert found["agreement"].low == pytest.approx(0.025)
    else:
        assert found["agreement"].low is None
        assert found["agreement"].reason == "an interval needs at least 3 questions"
    for name in set(found) - {"agreement"}:
        assert found[name].value is None
        assert found[name].reason == "needs at least 2 questions"


def test_two_questions() -> None:
    """Two questions have values, and no interval: one distance shows no spread."""
    found = estimates([["A", "A", "B"], ["B", "B", "B"]])
    for name in found:
        assert found[name].value is not None
        assert found[name].low is None, name
        assert found[name].reason == "an interval needs at least 3 questions"


def test_questions_all_alike() -> None:
    """Where leaving a question out changes nothing, an unseen question still could."""
    rows = of_rows([["A", "A", "B", "B"]] * 6, categories="ABCDE")
    found = panel(rows)
    for name in ("agreement", "gwet_ac1", "brennan_prediger"):
        assert found[name].low < found[name].high, name
    # What an unseen question could add is known of omega.
    assert found["omega"].low == found["omega"].value == pytest.approx(-1 / 3)
    assert found["omega"].high > 0


def test_one_replication() -> None:
    """Nothing is estimable without a second replication of any question."""
    for name, estimate in estimates([["A"], ["B"], ["C", None]]).items():
        assert estimate.value is None, name
        assert estimate.reason == "needs at least 2 replications"
        assert estimate.n_questions == 0
        assert estimate.left_out == ("1", "2", "3")


def test_unequal_and_missing_replications() -> None:
    """Questions with fewer than two verdicts are left out and named; the others count as given."""
    whole = estimates([["A", "B", None], ["B"], ["B", "B", "B", "C"], [None, "A"], ["C", "C"]])
    without = estimates([["A", "B"], ["B", "B", "B", "C"], ["C", "C"]])
    for name, estimate in whole.items():
        other = without[name]
        ends = pytest.approx((other.value, other.low, other.high))
        assert (estimate.value, estimate.low, estimate.high) == ends
        assert estimate.n_questions == 3
        assert estimate.n_replications == pytest.approx(8 / 3)
        assert estimate.left_out == ("2", "4")


def test_unequal_replications_by_hand() -> None:
    """Omega by pairs of questions, here worked out as fractions."""
    found = estimates([["A", "A"], ["A", "B", "B"], ["B", "B", "B", "B"]], "AB")
    # Shares of B: 0, 2/3, 1. Differ within: 0, 2/3, 0; between: 2/3, 1, 1/3.
    assert found["omega"].value == pytest.approx(1 - (2 / 9) / (2 / 3), rel=1e-12)


def test_fewer_questions_than_replications() -> None:
    """Closed forms need no inversion: 3 questions and 500 replications are fine."""
    generator = np.random.default_rng(0)
    found = estimates(
        [list(generator.choice(list("ABC"), 500, p=p)) for p in np.eye(3) * 0.4 + 0.2]
    )
    assert all(estimate.value is not None for estimate in found.values())


def test_opposite_of_reliable() -> None:
    """Verdicts spread more evenly than chance give negative values, reported as they are."""
    found = estimates([["A", "B"]] * 5, "AB")
    for name in ("omega", "fleiss_kappa", "brennan_prediger"):
        assert found[name].value == pytest.approx(-1)


def test_nothing_at_all() -> None:
    """No verdict at all is an error, not a number."""
    with pytest.raises(NoJudgmentsError):
        estimates([])
    with pytest.raises(NoJudgmentsError):
        estimates([[None, None], [None]])
    for estimate in panel(Counts(np.zeros((2, 2)), ("x", "y"), ("A", "B"))).values():
        assert (estimate.value, estimate.reason) == (None, "there are no verdicts")


@pytest.mark.parametrize("unit", [-1.0, 1e-30, 1e30])
def test_a_unit_changes_no_coefficient_of_numbers(unit: float) -> None:
    """Scores in another unit have the same coefficients."""
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(8, 1)) + generator.normal(size=(8, 5))
    names = [f"q{n}" for n in range(8)]
    with np.errstate(all="raise"):
        found = panel(Cells.of_numbers(scores * unit, names))
    for name, estimate in panel(Cells.of_numbers(scores, names)).items():
        same = [estimate.value, estimate.low, estimate.high]
        assert [found[name].value, found[name].low, found[name].high] == pytest.approx(same), name
