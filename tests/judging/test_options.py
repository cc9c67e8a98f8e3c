from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability.judging.asking import option_order
from inspect_reliability.record.replications import SEED_LIMIT, replication_seed

RESPONDERS = ("v", "w", "x", "y", "z")


@given(st.integers(), st.text(), st.integers(1, 1000))
def test_order_is_a_permutation_held_over_replications(
    seed: int, question: str, replication: int
) -> None:
    """A shuffled order keeps the five responders and does not depend on the replication."""
    order = option_order(RESPONDERS, "shuffled", seed, question, replication)
    assert sorted(order) == list(RESPONDERS)
    assert order == option_order(RESPONDERS, "shuffled", seed, question, 1)
    assert order == option_order(RESPONDERS[::-1], "shuffled", seed, question, 1)


def test_given_order_is_the_sources() -> None:
    """As given means as given."""
    assert option_order(("b", "a"), "given", 1, "q", 2) == ("b", "a")


def test_reshuffled_orders_are_uniform() -> None:
    """Over many replications every responder stands at every position equally often."""
    n = 4000
    orders = [option_order(RESPONDERS, "reshuffled", 0, "q", r) for r in range(n)]
    for position in range(5):
        counts = Counter(order[position] for order in orders)
        chi_square = sum((counts[name] - n / 5) ** 2 / (n / 5) for name in RESPONDERS)
        assert chi_square < 23.5  # the .9999 quantile at 4 degrees of freedom


@pytest.mark.slow
@given(st.integers(), st.text(), st.integers(1, 10_000), st.integers(1, 10_000))
def test_replications_of_a_question_have_distinct_seeds(
    base: int, question: str, one: int, other: int
) -> None:
    """Seeds are valid for every provider, and equal only for the same replication."""
    seeds = [replication_seed(base, question, r) for r in (one, other)]
    assert all(0 <= seed < SEED_LIMIT for seed in seeds)
    assert (seeds[0] == seeds[1]) == (one == other)


def test_questions_and_base_seeds_share_no_seeds() -> None:
    """100 replications of 55 questions under 3 base seeds are 16,500 different seeds."""
    seeds = {
        replication_seed(base, f"q{question}", replication)
        for base in range(3)
        for question in range(55)
        for replication in range(1, 101)
    }
    assert len(seeds) == 3 * 55 * 100
