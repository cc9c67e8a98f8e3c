"""Shares of verdicts by question: each order weighs the same, whatever the tries of each."""

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.judgments.count import Judged
from inspect_reliability.stats import Cells, Labelled, rate
from inspect_reliability.verdicts import NON_RESPONSE

NAMES = ("1", "2", "4", NON_RESPONSE)


def rows(rng: np.random.Generator, tries: tuple[int, ...]) -> pd.DataFrame:
    """A judge whose verdicts follow the order in half of its tries."""
    said = [
        (f"q{q}", f"o{order}", NAMES[order if rng.random() < 0.5 else rng.integers(4)])
        for q in range(30)
        for order, n in enumerate(tries)
        for _ in range(n - (q % 3 == 0))
    ]
    return pd.DataFrame(said, columns=["question", "order", "verdict"])


def beside(table: pd.DataFrame) -> tuple[Labelled, "pd.Series[str]"]:
    """The verdicts beside labels of their questions."""
    asked = table["question"].unique()
    labels = pd.Series(np.resize(["1", "2", "4"], len(asked)), asked)
    people = Cells.from_long(asked, labels, NAMES[:3])
    values = {name: float(name) for name in NAMES[:3]}
    return Labelled(Judged(table).counts(), people, (NON_RESPONSE,), values), labels


@pytest.mark.parametrize("tries", [(8, 3), (4, 4), (3, 9, 6)])
def test_right_is_the_mean_of_the_orders_shares(tries: tuple[int, ...]) -> None:
    """Right, wrong, undecided, within a step, and rates are means over orders, then questions."""
    table = rows(np.random.default_rng(0), tries)
    known, labels = beside(table)
    truth, verdict = table["question"].map(labels), table["verdict"]
    none = verdict == NON_RESPONSE
    apart = (pd.to_numeric(verdict, errors="coerce") - truth.astype(float)).abs()
    kinds = {
        "accuracy": verdict == truth,
        "undecided": none,
        "wrong": ~none & (verdict != truth),
        "within_one": apart <= 1,
    }
    for name, each in kinds.items():
        by_order = each.groupby([table["question"], table["order"]]).mean()
        mean = by_order.groupby(level=0).mean().mean()
        assert known.share(name).value == pytest.approx(mean), name
    mean = none.groupby([table["question"], table["order"]]).mean().groupby(level=0).mean().mean()
    assert rate(Judged(table).counts(), NON_RESPONSE).value == pytest.approx(mean)


def test_two_tries_are_wrong_as_often_as_orders_say() -> None:
    """Pairs of each order and of two orders, as many of either as of tries dealt equally."""
    table = rows(np.random.default_rng(1), (8, 3))
    known, labels = beside(table)
    table["wrong"] = ~table["verdict"].isin([NON_RESPONSE]) & (
        table["verdict"] != table["question"].map(labels)
    )
    twice = []
    for _, q in table.groupby("question"):
        a, b = (one["wrong"].to_numpy(float) for _, one in q.groupby("order"))
        own = [(x.sum() ** 2 - x.sum()) / (len(x) * (len(x) - 1)) for x in (a, b)]
        same = (len(q) / 2 - 1) / (len(q) - 1)
        twice.append(same * np.mean(own) + (1 - same) * a.mean() * b.mean())
    errors = known.errors()
    assert errors["wrong_twice"].value == pytest.approx(np.mean(twice))
    parts = [one.value for one in errors.values() if one.value is not None]
    assert sum(parts) == pytest.approx(known.share("wrong").value)


def test_tries_of_one_order_more_do_not_make_a_judge_right_more_often() -> None:
    """A judge that is right in one order alone is right in half, with 8 and 2 tries as with 5."""
    for tries in ((8, 2), (5, 5)):
        said = [
            (f"q{q}", order, "XY"[order == "b"])
            for q in range(20)
            for order, n in zip("ab", tries, strict=True)
            for _ in range(n)
        ]
        table = pd.DataFrame(said, columns=["question", "order", "verdict"])
        asked = table["question"].unique()
        people = Cells.from_long(asked, ["X"] * 20, ("X", "Y"))
        assert Labelled(Judged(table).counts(), people).share().value == 0.5
