"""Verdicts by a name that means the same in every cell, and cells of several facets."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pandas as pd
import pytest

from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.stats import ReliabilityError, disagreement

LABELS = "ABC"
ORDERS = [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")]
CELLS = [(q, o, s) for q in range(12) for o in range(3) for s in range(5)]
FAVOURITE = {q: random.Random(q).choice("xyz") for q in range(12)}

Table = list[dict[str, Any]]


def following(what: str, noise: float = 0.0) -> Table:
    """3 orders x 5 seeds a question, of a judge that follows a responder, or the first place."""
    chance = random.Random(7)
    rows = []
    for q, o, s in CELLS:
        label = LABELS[ORDERS[o].index(FAVOURITE[q])] if what == "responder" else "A"
        verdict = chance.choice(LABELS) if chance.random() < noise else label
        rows.append({"question": f"q{q}", "order": ORDERS[o], "seed": s, "verdict": verdict})
    return rows


def known(rows: Table) -> Judged:
    return Judged(judgments_from_frame(pd.DataFrame(rows)).table)


def test_one_reshuffled_question_names_all_by_responder() -> None:
    """Labels and responders never mix: what was named on one question is compared with others."""
    rows = [
        {"question": "p", "order": ORDERS[0], "verdict": "A"},
        {"question": "p", "order": ORDERS[0], "verdict": "B", "responder": "y"},
        {"question": "q", "order": ORDERS[0], "verdict": "A"},
        {"question": "q", "order": ORDERS[1], "verdict": "A"},
        {"question": "q", "order": ORDERS[2], "verdict": "non-response"},
    ]
    assert known(rows).choices == ["x", "y", "x", "y", "non-response"]
    assert known(rows[:3]).choices == ["A", "B", "A"]


def test_a_label_without_its_order_is_no_choice() -> None:
    """It could be anybody's; a question that shows no order at all keeps its labels."""
    table = pd.DataFrame(
        {
            "question": ["p", "p", "p", "q"],
            "order": [ORDERS[0], ORDERS[1], None, None],
            "verdict": list("AAAA"),
        }
    )
    assert Judged(table).choices == ["x", "y", None, "A"]


def of_pairs(rows: Sequence[tuple[Any, ...]], shared: set[int], facets: int) -> Fraction:
    """D_S by its definition, of pairs that share exactly these of the first columns."""
    alike = [0, 0]
    for one, other in combinations(rows, 2):
        if {i for i in range(facets) if one[i] == other[i]} == shared:
            alike[one[-1] != other[-1]] += 1
    return Fraction(alike[1], sum(alike))


@pytest.mark.slow
@pytest.mark.parametrize("what", ["responder", "place"])
def test_order_and_seed_are_crossed(what: str) -> None:
    """D_q, D_qo and omega over order and seed are those of all pairs of judgments."""
    cells = known(following(what, noise=0.3)).cells(["order"])
    assert (len(cells.questions), cells.n_clusters) == (36, 12)
    found = disagreement(cells)
    named = [
        (q, o, ORDERS[o][LABELS.index(row["verdict"])])
        for (q, o, _), row in zip(CELLS, following(what, noise=0.3), strict=True)
    ]
    expected = {
        shared: float(of_pairs(named, set(shared), 2)) for shared in [(), (0,), (1,), (0, 1)]
    }
    names = ("question", "order")
    for shared, d in expected.items():
        assert found.d(*(names[i] for i in shared)) == pytest.approx(d, abs=1e-12)
    assert found.omega().value == pytest.approx(1 - expected[0, 1] / expected[1,])
    assert found.omega(["order"]).value == pytest.approx(1 - expected[0,] / expected[()])


def test_who_follows_a_place_is_steady_within_an_order_only() -> None:
    """Who follows a responder is steady over orders, too."""
    by_responder, by_place = (
        disagreement(known(following(what)).cells(["order"])) for what in ("responder", "place")
    )
    assert by_responder.omega().value == by_responder.omega(["order"]).value == 1
    assert (by_place.d("question", "order"), by_place.d("question")) == (0, 1)


def test_orders_of_other_responders_are_the_same_facet() -> None:
    """A level is how the names are permuted, so pairs of responders may differ by question."""
    rows = following("place", noise=0.3)
    other = [
        row | {"order": tuple(f"{name}{row['question']}" for name in row["order"])} for row in rows
    ]
    one, two = (disagreement(known(table).cells(["order"])) for table in (rows, other))
    assert two.levels == {"order": 3}
    assert two.d("question", "order") == one.d("question", "order")
    assert two.d("order") == 1


def test_cells_of_exact_distributions_are_those_of_each_condition() -> None:
    """A facet splits distributions as it splits draws, and a facet must be a column."""
    rows = [
        {"question": q, "wording": w, "verdict": v, "share": p, "place": k}
        for q in "pq"
        for w, first in (("plain", 0.25), ("kind", 0.75))
        for k, (v, p) in enumerate((("yes", first), ("no", 1 - first)), 1)
    ]
    found = Judged(pd.DataFrame(rows))
    cells = found.cells(["wording"])
    assert cells.questions == ("p", "p", "q", "q")
    assert cells.table[:, cells.categories.index("yes")].tolist() == [0.25, 0.75, 0.25, 0.75]
    assert disagreement(cells).d("question") == pytest.approx(1 - 2 * 0.25 * 0.75)
    with pytest.raises(ReliabilityError, match="no column 'mood'"):
        found.cells(["mood"])
