"""Which tries vote, and on which questions: what a table of votes says of its rows."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import invoke


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


@pytest.mark.parametrize("tries", [(6, 6), (7, 6)])
def test_right_is_of_all_orders_and_same_again_of_one(
    tries: tuple[int, int], tmp_path: Path
) -> None:
    """Each row is what every set of three tries gives, of the orders that the line names."""
    table = drawn(tries)
    x = table["verdict"] == "X"
    right = [
        np.mean([sum(three) > 1 for three in combinations(one, 3)])
        for _, one in x.groupby(table["question"])
    ]
    again = []
    for _, one in x.groupby([table["question"], table["order"]]):
        sets = [{*three} for three in combinations(range(len(one)), 3)]
        won = [one.to_numpy()[[*three]].sum() > 1 for three in sets]
        pairs = combinations(range(len(sets)), 2)
        again.append(np.mean([won[i] == won[j] for i, j in pairs if not sets[i] & sets[j]]))
    text = said(table, tmp_path, "report")
    assert shown(text, "Right")[1] == f"{np.mean(right):.0%}"
    assert shown(text, "Same again")[1] == f"{np.mean(again):.0%}"
    line = " ".join(text.split())
    more = ", more of an order with more tries" * (tries[0] > tries[1])
    assert f"Right: votes of all orders together{more}. Same again: all votes of a" in line


def test_without_several_orders_votes_need_no_line(tmp_path: Path) -> None:
    """Of a single order nothing is said of orders."""
    table = drawn((6, 6))
    text = said(table[table["order"] == "a"], tmp_path, "report")
    assert shown(text, "Right")
    assert "all orders together" not in text


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


def test_votes_gain_over_one_verdict_on_the_same_questions(tmp_path: Path) -> None:
    """A majority that is right more often than one verdict of all questions alone gains nothing."""
    table = harder(0.2, 1.0)
    own = (table["verdict"] == "X").groupby(table["question"]).agg(["mean", "size"])
    many = own.loc[own["size"] >= 9, "mean"]
    assert many.mean() > own["mean"].mean() + 0.02
    text = " ".join(said(table, tmp_path, "report").split())
    assert f"of {len(many)}" in text
    assert "the majority of" not in text


def test_the_first_sentence_compares_the_same_questions(tmp_path: Path) -> None:
    """It has the share of one verdict on the questions with nine tries, as a count has it."""
    table = harder(0.3, 0.7)
    own = (table["verdict"] == "X").groupby(table["question"]).agg(["mean", "size"])
    many = own.loc[own["size"] >= 9, "mean"]
    text = " ".join(said(table, tmp_path, "report").split())
    assert f"of 30 questions, one verdict in {many.mean():.0%}" in text
    assert "Right: of 30 questions, those with 9 tries or more." in text
    assert f"Right in {own['mean'].mean():.0%}" in text
