"""Verdicts by a name that means the same in every cell."""

import random

from example_judgments import made
from inspect_reliability.judgments import Judgments, judged
from inspect_reliability.judgments.choice import choices
from inspect_reliability.stats import Counts, omega

LABELS = tuple("ABC")
ORDERS = [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")]


def test_a_label_is_named_by_its_responder_where_its_question_changed_order() -> None:
    """Each question for itself: one that was reshuffled leaves the labels of others alone."""
    found = choices(
        ["p", "p", "q", "q", "q"],
        ["A", "A", "A", "A", "non-response"],
        [ORDERS[0], ORDERS[0], ORDERS[0], ORDERS[1], ORDERS[2]],
        [None, "x", None, "y", None],
        LABELS,
    )
    assert found == ["A", "A", "x", "y", "non-response"]


def test_order_and_seed_can_be_crossed() -> None:
    """Who follows a responder is steady over orders; who follows a place, within one only."""
    chance = random.Random(3)
    own = {f"q{n}": chance.choice("xyz") for n in range(20)}
    rows = [(q, o) for q in own for o in range(3) for _ in range(5)]
    orders = [ORDERS[o] for _, o in rows]
    questions = [q for q, _ in rows]
    by_responder = [LABELS[ORDERS[o].index(own[q])] for q, o in rows]
    by_place = ["ABC"["xyz".index(own[q])] for q, _ in rows]
    nobody = [None] * len(rows)

    def over(cells: list[str], verdicts: list[str]) -> float | None:
        named = choices(questions, verdicts, orders, nobody, LABELS)
        return omega(Counts.from_long(cells, named)).value

    cells = [f"{q} {o}" for q, o in rows]
    assert over(questions, by_responder) == over(cells, by_responder) == over(cells, by_place) == 1
    assert over(questions, by_place) < 0.01


def test_all_reshuffled_or_none_is_what_rows_say() -> None:
    """Where no question changed order, or each did, the names are those of today's rows."""
    table = made(replications=6).table
    shuffled = table.assign(
        order=[("abcde"[n % 5 :] + "abcde"[: n % 5]) for n in range(len(table))]
    )
    shuffled["order"] = shuffled["order"].map(tuple)
    for one in (Judgments(table), Judgments(shuffled)):
        known = judged(one.table)
        found = choices(
            known.questions, known.verdicts, known.orders, known.responders, known.labels
        )
        assert found == list(known.choices)
