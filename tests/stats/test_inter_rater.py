"""Agreement between judges, replication by replication, against loops over pairs."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from inspect_reliability.stats import ReliabilityError, inter_rater


def judges(n: int, r: int, seed: int = 0, missing: float = 0.0) -> dict[str, dict[str, list[Any]]]:
    generator = np.random.default_rng(seed)
    truth = generator.choice(list("ABC"), n)
    return {
        name: {
            f"q{i}": [
                None
                if generator.random() < missing
                else truth[i]
                if generator.random() < 0.6
                else str(generator.choice(list("ABC")))
                for _ in range(r)
            ]
            for i in range(n)
        }
        for name in ("one", "two", "three")
    }


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_definition(missing: float) -> None:
    """For each replication the mean over questions of the share of agreeing pairs of judges."""
    given = judges(9, 12, missing=missing)
    found = inter_rater(given)
    shares: dict[tuple[int, str], float] = {}
    for r in range(12):
        for q in given["one"]:
            said = [judge[q][r] for judge in given.values() if judge[q][r] is not None]
            if len(said) > 1:
                shares[r, q] = float(np.mean([a == b for a, b in combinations(said, 2)]))
    for r, value in enumerate(found.by_replication):
        assert value == pytest.approx(np.mean([s for (at, _), s in shares.items() if at == r]))
    by_question = [np.mean([s for (_, at), s in shares.items() if at == q]) for q in given["one"]]
    assert found.agreement.value == pytest.approx(np.mean(by_question))
    assert found.summary == pytest.approx(
        tuple(np.percentile(found.by_replication, [0, 25, 50, 75, 100]))
    )
    assert found.judges == ("one", "two", "three")
    assert found.agreement.low < found.agreement.value < found.agreement.high


def test_reshuffled_replications_keep_the_mean() -> None:
    """Which replications are paired is arbitrary: shuffling moves the mean only by chance."""
    generator = np.random.default_rng(1)
    given = judges(40, 50)
    shuffled = {
        judge: {q: list(generator.permutation(row)) for q, row in rows.items()}
        for judge, rows in given.items()
    }
    one, other = inter_rater(given).agreement, inter_rater(shuffled).agreement
    assert one.value == pytest.approx(other.value, abs=0.02)
    assert one.low == pytest.approx(other.low, abs=0.03)


def test_questions_and_replications_that_are_not_shared() -> None:
    """Other questions are left out and named, surplus replications count as missing."""
    found = inter_rater(
        {"one": {"x": ["A", "B", "A"], "y": ["A"]}, "two": {"x": ["A", "A"], "z": ["B"]}}
    )
    assert found.by_replication[:2] == (1, 0)
    assert np.isnan(found.by_replication[2])
    assert found.agreement.value == 0.5
    assert found.agreement.reason == "an interval needs at least 3 questions"
    assert found.agreement.left_out.questions == ("y", "z")
    assert found.agreement.left_out.verdicts == 1
    assert found.summary == (0, 0.25, 0.5, 0.75, 1)


@pytest.mark.parametrize("agreeing", [1, 2, 3])
def test_interval_is_of_shares(agreeing: int) -> None:
    """Three questions, of which some agree: wide, but from 0 to 1."""
    one = {f"q{i}": ["A", "A"] for i in range(3)}
    other = {f"q{i}": ["A", "A" if i < agreeing else "B"] for i in range(3)}
    found = inter_rater({"one": one, "other": other}).agreement
    assert found.value == pytest.approx((3 + agreeing) / 6)
    assert 0 <= found.low < found.value <= found.high <= 1


def test_questions_all_alike() -> None:
    """Where judges agree as often on every question there is no interval, which had no width."""
    found = inter_rater(
        {"one": {q: ["A", "B"] for q in "xyz"}, "two": {q: ["A", "A"] for q in "xyz"}}
    ).agreement
    assert (found.value, found.low, found.high, found.method) == (0.5, None, None, None)
    assert "same whichever questions" in str(found.reason)


def test_judges_that_always_agree() -> None:
    """At 1 the interval is the exact bound."""
    rows = {f"q{i}": ["A", "B"] for i in range(8)}
    found = inter_rater({"one": rows, "two": rows}).agreement
    assert (found.value, found.high, found.method) == (1, 1, "exact bound")
    assert found.low == pytest.approx(0.025 ** (1 / 8))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "at least 2 judges"),
        ({"one": {"x": ["A"]}}, "at least 2 judges"),
        ({"one": {"x": ["A"]}, "two": {"y": ["A"]}}, "share no question"),
        ({"one": {"x": ["A", None]}, "two": {"x": [None, "A"]}}, "share no question with verdicts"),
    ],
)
def test_refused(given: Any, message: str) -> None:
    """Without two judges and a question they share there is nothing to compare."""
    with pytest.raises(ReliabilityError, match=message):
        inter_rater(given)


def test_published_judges(published_verdicts: Any) -> None:
    """The two published judges at temperature .25 on BBH, replication by replication."""
    one, two = (published_verdicts[judge, "0.25", "bbh"] for judge in ("Llama", "Starling"))
    by_hand = [np.mean([one[q][r] == two[q][r] for q in one]) for r in range(100)]
    found = inter_rater({"Llama": one, "Starling": two})
    assert found.by_replication == pytest.approx(by_hand)
    assert found.agreement.value == pytest.approx(np.mean(by_hand))
