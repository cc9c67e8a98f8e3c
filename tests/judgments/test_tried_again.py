"""Whether each order of a question was tried again, or drawn anew for every try."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.judgments.count import Judged, Judgment
from inspect_reliability.judgments.scales import estimates

Orders = Callable[[np.random.Generator], list[str]]

RULES: dict[str, tuple[Orders, bool]] = {
    "twice each": (lambda _: list("aabb"), True),
    "unequally": (lambda _: list("aaaaabb"), True),
    "once each": (lambda _: list("abc"), False),
    "one of them once": (lambda _: list("aaaab"), False),
    "drawn, few tries": (lambda rng: rng.choice([*"ab"], 4).tolist(), False),
    "drawn of many": (lambda rng: rng.choice([*"abcdef"], 9).tolist(), False),
    "a single order": (lambda _: list("aaaa"), False),
}


@pytest.mark.parametrize("rule", RULES)
def test_tries_draw_their_orders_where_each_was_tried_again(rule: str) -> None:
    """Orders of most questions that have two tries or more each are told apart, no others."""
    orders, again = RULES[rule]
    rng = np.random.default_rng(0)
    rows = [(f"q{q}", order, "AB"[q % 2]) for q in range(40) for order in orders(rng)]
    judged = Judged(pd.DataFrame(rows, columns=["question", "order", "verdict"]))
    assert (judged.counts().variants is not None) == again
    assert bool(judged.as_shown) == again


def verdict(rng: np.random.Generator, q: int, order: str) -> str:
    """A judge that follows the order in half of its tries."""
    return "XY"[order == "b"] if rng.random() < 0.5 else "XY"[q % 2]


@pytest.mark.parametrize("tries", [2, 3, 5, 8])
def test_orders_drawn_anew_have_the_expectation_of_two_drawn_orders(tries: int) -> None:
    """Whichever rule holds, two tries agree as often as two of independently drawn orders."""
    rng = np.random.default_rng(tries)
    rows = [
        (f"q{q}", order, verdict(rng, q, order))
        for q in range(2000)
        for order in rng.choice(["a", "b"], tries).tolist()
    ]
    judged = Judged(pd.DataFrame(rows, columns=["question", "order", "verdict"]))
    found = estimates(judged, names=["agreement"])["agreement"].value
    own = np.array([1.0, 0.5])  # how probably each order has the question's own verdict
    alike = np.mean([x * y + (1 - x) * (1 - y) for x in own for y in own])
    assert found == pytest.approx(alike, abs=0.03)


def test_scores_of_a_run_count_orders_as_tables_do() -> None:
    """Judgments of live scores have the agreement of the same table."""
    rng = np.random.default_rng(0)
    rows = [
        (f"q{q}", order, verdict(rng, q, order))
        for q in range(20)
        for order in ("a", "b")
        for _ in range(3)
    ]
    table = pd.DataFrame(rows, columns=["question", "order", "verdict"])
    live = [
        Judgment(question, question, "judge", said, order=("xy", "yx")["ab".index(order)])
        for question, order, said in rows
    ]
    found = [estimates(one, names=["agreement"]) for one in (Judged(table), Judged.of(live))]
    assert found[0]["agreement"].value == found[1]["agreement"].value


def test_wordings_in_one_row_are_drawn_as_orders_are() -> None:
    """Agreement over two wordings is the mean of that within one and of that across."""
    rng = np.random.default_rng(0)
    rows = [
        (f"q{q}", wording, verdict(rng, q, wording))
        for q in range(30)
        for wording in ("a", "b")
        for _ in range(4)
    ]
    table = pd.DataFrame(rows, columns=["question", "wording", "verdict"])
    x = (table["verdict"] == "X").groupby([table["question"], table["wording"]]).sum().unstack()
    within = ((x * (x - 1) + (4 - x) * (3 - x)) / 12).to_numpy().mean()
    across = ((x["a"] * x["b"] + (4 - x["a"]) * (4 - x["b"])) / 16).mean()
    found = estimates(Judged(table), names=["agreement"])["agreement"].value
    assert found == pytest.approx((within + across) / 2)
