"""Which tries vote, and on which questions: what a table of votes says of its rows."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import invoke
from inspect_reliability import analyse, choose, gate
from inspect_reliability.judgments.chosen_judge import by_rule
from inspect_reliability.judgments.sources import judgments_from_frame


def drawn(tries: tuple[int, int]) -> pd.DataFrame:
    """A judge that prefers the label in one order alone, with so many tries of each order."""
    rng = np.random.default_rng(0)
    rows = [
        (f"q{q}", order, "XY"[int(rng.random() > chance)])
        for q in range(8)
        for order, chance, n in zip("ab", (0.9, 0.3), tries, strict=True)
        for _ in range(n)
    ]
    return pd.DataFrame(rows, columns=["question", "order", "verdict"])


def said(table: pd.DataFrame, folder: Path, *arguments: object) -> str:
    """What a command says of these verdicts, of which X is right."""
    table.to_csv(folder / "file.csv", index=False)
    done = invoke(*arguments, folder / "file.csv", "--labels", labels(table, folder), "--full")
    assert done.exit_code == 0, done.output
    return done.stdout


def labels(table: pd.DataFrame, folder: Path) -> Path:
    """A file in which X is the label of every question."""
    path = folder / "labels.csv"
    pd.DataFrame({"question": table["question"].unique(), "label": "X"}).to_csv(path, index=False)
    return path


def shown(text: str, name: str) -> list[str]:
    """The cells of a row of votes."""
    below = text.partition("\nVotes ")[2]
    return next(one for one in below.splitlines() if one.startswith(name))[len(name) :].split()


def in_turn(one: pd.DataFrame, k: int, orders: str) -> list[list[np.ndarray]]:
    """For each way to share three tries between two orders, the verdicts of every draw."""
    each = [one.loc[one["order"] == order, "x"].to_numpy() for order in orders]
    shares = [(k // 2, k - k // 2), (k - k // 2, k // 2)]
    return [
        [np.array([*a, *b]) for a in combinations(each[0], m) for b in combinations(each[1], n)]
        for m, n in shares
    ]


@pytest.mark.slow
@pytest.mark.parametrize("tries", [(6, 6), (7, 4)])
def test_votes_take_orders_in_turn(tries: tuple[int, int], tmp_path: Path) -> None:
    """Right is what every draw of two tries of one order and one of the other gives; of one try,
    what every order gives."""
    table = drawn(tries)
    table["x"] = table["verdict"] == "X"
    right = [
        np.mean([np.mean([three.sum() > 1 for three in every]) for every in in_turn(one, 3, "ab")])
        for _, one in table.groupby("question")
    ]
    text = said(table, tmp_path, "report")
    once = table.groupby(["question", "order"])["x"].mean().mean()
    assert shown(text, "Right")[:2] == [f"{once:.0%}", f"{np.mean(right):.0%}"]
    assert "A vote takes the orders in turn: as many tries of each as can be." in " ".join(
        text.split()
    )


def test_a_majority_takes_no_order_twice(tmp_path: Path) -> None:
    """Of an order that says X and one that says Y, two majorities of three are alike by chance."""
    rows = [(f"q{q}", o, "XY"[o == "b"]) for q in range(8) for o in "ab" for _ in range(6)]
    table = pd.DataFrame(rows, columns=["question", "order", "verdict"])
    again = analyse(table).frame("votes").set_index("votes")["agreement"]
    assert again[3] == pytest.approx(0.5, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("lists", [False, True])
@pytest.mark.parametrize("last", [2, 5])
def test_the_rule_asks_as_it_was_chosen(lists: bool, last: int, tmp_path: Path) -> None:
    """`choose` and `report` promise what the chosen judge has where its rule is used.

    Each order has one verdict, so that it does not matter which of its tries vote.
    """
    rng, names, rows = np.random.default_rng(2), ("X", "Y", "Z"), []
    for judge, chance in (("good", 0.6), ("bad", 0.3)):
        for q in range(40):
            for order, n in zip(("XYZ", "YZX", "ZXY"), (2, 2, last), strict=True):
                verdict = names[int(rng.random() > chance)]
                shown_as = "ABC"[order.index(verdict)] if lists else verdict
                at = [*order] if lists else order
                rows += [(judge, f"q{q}", at, r, shown_as, "X") for r in range(n)]
    columns = ["judge", "question", "order", "replication", "verdict", "best"]
    table = pd.DataFrame(rows, columns=columns)
    if not lists:
        table = table.rename(columns={"best": "label"})
    named = table["verdict"]
    if lists:
        pairs = zip(named, table["order"], strict=True)
        named = pd.Series([order["ABC".index(one)] for one, order in pairs])
    of = table.assign(x=named == "X", order=table["order"].map(str), named=named)
    every = of[of["judge"] == "good"].groupby(["question", "order"])["x"].first().unstack()
    majority = (every.sum(axis=1) > 1).mean()
    assert abs(majority - of.loc[of["judge"] == "good", "x"].mean()) > 0.02
    out = tmp_path / "choice.yaml"
    found = choose(table, votes=3, current="good", out=out)
    assert (found.chosen, found.choice().order) == ("good", "both")
    assert found.summary()["accuracy"].max() == pytest.approx(majority)
    right = analyse(table).frame("validity", of="votes").query("judge == 'good' and votes == 3")
    assert right["accuracy"].item() == pytest.approx(majority)
    new = table.assign(question="new " + table["question"])
    checked = gate(new, least={"accuracy": 0.1}, rule=out)
    assert checked.summary()["value"].item() == pytest.approx(majority)


@pytest.mark.slow
def test_a_rule_of_one_vote_takes_any_order(tmp_path: Path) -> None:
    """One try of each question votes, of either order about as often, however rows are sorted."""
    rows = [(f"q{q}", o, r, "XY"[o == "b"]) for q in range(60) for o in "ab" for r in range(3)]
    table = pd.DataFrame(rows, columns=["question", "order", "replication", "verdict"])
    table = pd.concat([table.assign(judge=one, label="X") for one in ("good", "bad")])
    table.loc[table["judge"] == "bad", "verdict"] = "Y"
    out = tmp_path / "choice.yaml"
    choose(table, votes=1, out=out)
    mixed = table.sample(frac=1, random_state=1)
    every = (by_rule(judgments_from_frame(one), str(out), votes=True) for one in (table, mixed))
    voted, again = (one.table.set_index("question")["order"] for one in every)
    assert len(voted) == 60
    assert voted.to_dict() == again.to_dict()
    assert 20 <= (voted == "a").sum() <= 40


@pytest.mark.slow
def test_without_several_orders_votes_need_no_line(tmp_path: Path) -> None:
    """Of a single order nothing is said of orders."""
    table = drawn((6, 6))
    text = said(table[table["order"] == "a"], tmp_path, "report")
    assert shown(text, "Right")
    assert "in turn" not in text


def harder(few: float, many: float) -> pd.DataFrame:
    """A judge that is right this often on the first 20 questions, and that on the other 20.

    The first ten have three tries, all others nine.
    """
    rows = [
        (f"q{q}", r, "XY"[int(((q + 3 * r) % 20 + 0.5) / 20 > (few if q < 20 else many))])
        for q in range(40)
        for r in range(3 if q < 10 else 9)
    ]
    return pd.DataFrame(rows, columns=["question", "replication", "verdict"])


@pytest.mark.slow
def test_votes_gain_over_one_verdict_on_the_same_questions(tmp_path: Path) -> None:
    """A majority that is right more often than one verdict of all questions alone gains nothing."""
    table = harder(0.2, 1.0)
    own = (table["verdict"] == "X").groupby(table["question"]).agg(["mean", "size"])
    many = own.loc[own["size"] >= 9, "mean"]
    assert many.mean() > own["mean"].mean() + 0.02
    text = " ".join(said(table, tmp_path, "report").split())
    assert f"of {len(many)}" in text
    assert "the majority of" not in text


@pytest.mark.slow
def test_the_first_sentence_compares_the_same_questions(tmp_path: Path) -> None:
    """It has the share of one verdict on the questions with nine tries, as a count has it."""
    table = harder(0.3, 0.7)
    own = (table["verdict"] == "X").groupby(table["question"]).agg(["mean", "size"])
    many = own.loc[own["size"] >= 9, "mean"]
    text = " ".join(said(table, tmp_path, "report").split())
    assert f"of 30 questions, one verdict in {many.mean():.0%}" in text
    assert "Right: of 30 questions, those with 9 tries or more." in text
    assert "Same again: of 30 questions, those with the tries of two majorities of 3." in text
    assert f"Right in {own['mean'].mean():.0%}" in text
