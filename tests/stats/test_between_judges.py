"""Agreement between judges, against loops over pairs of verdicts."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from tables import of_rows

from inspect_reliability.stats import (
    Counts,
    NothingSharedError,
    ReliabilityError,
    agreement_between,
    panel,
)

Judges = dict[str, dict[str, list[Any]]]


def judges(n: int, r: int, seed: int = 0) -> Judges:
    generator = np.random.default_rng(seed)
    truth = generator.choice(list("ABC"), n)
    return {
        name: {
            f"q{i}": [
                truth[i] if generator.random() < 0.6 else str(generator.choice(list("ABC")))
                for _ in range(r)
            ]
            for i in range(n)
        }
        for name in ("one", "two", "three")
    }


def counted(given: Judges) -> dict[str, Counts]:
    return {judge: of_rows(rows.values(), list(rows), "ABC") for judge, rows in given.items()}


def test_definition() -> None:
    """Mean over questions and pairs of judges of the share of equal pairs of verdicts."""
    given = judges(9, 12)
    given["two"]["q3"] = given["two"]["q3"][:5]
    found = agreement_between(counted(given))
    by_question = [
        np.mean([np.mean([a == b for a, b in product(x[q], y[q])]) for x, y in pairs])
        for q in given["one"]
        for pairs in [list(combinations(given.values(), 2))]
    ]
    assert found.value == pytest.approx(np.mean(by_question))
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert (found.n_questions, found.method) == (9, "Gaffke")


def test_single_verdicts_are_enough() -> None:
    """Two judges that answered once each agree on the share of questions with equal verdicts."""
    one, two = judges(30, 1, seed=2)["one"], judges(30, 1, seed=3)["one"]
    found = agreement_between(counted({"one": one, "two": two}))
    assert found.value == pytest.approx(np.mean([one[q] == two[q] for q in one]))


def test_a_judge_with_itself() -> None:
    """Two samples of one judge agree as often as its replications do."""
    generator = np.random.default_rng(4)
    chances = generator.dirichlet(np.full(3, 0.5), 400)
    one, two = (
        Counts(generator.multinomial(20, chances), tuple(map(str, range(400))), tuple("ABC"))
        for _ in range(2)
    )
    between = agreement_between({"one": one, "two": two}).value
    assert between == pytest.approx(panel(one, ["agreement"])["agreement"].value, abs=0.02)


def test_questions_that_are_not_shared() -> None:
    """Other questions are left out and named."""
    found = agreement_between(
        counted({"one": {"x": ["A", "B", "A"], "y": ["A"]}, "two": {"x": ["A", "A"], "z": ["B"]}})
    )
    assert found.value == pytest.approx(2 / 3)
    assert found.reason == "an interval needs at least 3 questions"
    assert found.left_out == ("z", "y")


@pytest.mark.parametrize("agreeing", [1, 2, 3])
def test_interval_is_of_shares(agreeing: int) -> None:
    """Three questions, of which some agree: wide, but from 0 to 1."""
    one = {f"q{i}": ["A", "A"] for i in range(4)}
    other = {f"q{i}": ["A", "A" if i < agreeing else "B"] for i in range(4)}
    found = agreement_between(counted({"one": one, "other": other}))
    assert found.value == pytest.approx((4 + agreeing) / 8)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.value < found.high <= 1


def test_judges_that_always_agree() -> None:
    """At 1 the lower end is the exact bound of questions on which judges always agree."""
    rows = {f"q{i}": ["A", "A"] for i in range(8)}
    found = agreement_between(counted({"one": rows, "two": rows}))
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(0.025 ** (1 / 8))


def test_refused() -> None:
    """Without two judges and a question they share there is nothing to compare."""
    one = counted({"one": {"x": ["A"]}})
    with pytest.raises(ReliabilityError, match="at least 2 judges, not 1"):
        agreement_between(one)
    with pytest.raises(NothingSharedError, match="share no question"):
        agreement_between(one | counted({"two": {"y": ["A"]}}))


@pytest.mark.slow
def test_published_judges(published_verdicts: Any) -> None:
    """The two published judges at temperature .25 on BBH: no pairing of replications is special."""
    one, two = (published_verdicts[judge, "0.25", "bbh"] for judge in ("Llama", "Starling"))
    paired = [np.mean([one[q][r] == two[q][r] for q in one]) for r in range(100)]
    categories = (*"ABCDE", "non-response", "invalid")
    found = agreement_between(
        {
            name: of_rows(rows.values(), list(rows), categories)
            for name, rows in (("Llama", one), ("Starling", two))
        }
    )
    error = np.std(paired) / np.sqrt(100)
    assert found.value == pytest.approx(np.mean(paired), abs=3 * error)
