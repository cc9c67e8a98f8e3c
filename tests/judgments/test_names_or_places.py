"""What verdicts name where systems are called like places."""

from itertools import permutations

import pandas as pd
import pytest

import inspect_reliability as ir
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import OpenQuestionError


def judged(names: str, form: str, *, by_place: bool, order: bool = False) -> pd.DataFrame:
    """Verdicts of 30 questions on every pair, in both orders: the earlier name wins 4 of 5."""
    rows = []
    for q in range(30):
        for pair in permutations(names.split(", "), 2):
            won = min(pair) if q % 5 else max(pair)
            said = "AB"[pair.index(won)] if by_place else won[-1]
            rows.append((f"q{q}", *pair, form.format(said), "BA" if pair[0] > pair[1] else "AB"))
    columns = ["question", "model_1", "model_2", "verdict", "order"]
    return pd.DataFrame(rows, columns=columns).drop(columns=[] if order else "order")


def ahead(frame: pd.DataFrame, **said: object) -> tuple[str, float]:
    first = ir.rank(frame, **said).summary().iloc[0]
    return first["system"], round(first["score"], 4)


@pytest.mark.parametrize("form", ["{}", "better {}", "[[{}]]"])
@pytest.mark.parametrize("names", ["A, B", "System A, System B"])
@pytest.mark.parametrize("by_place", [True, False])
def test_the_user_says_whether_verdicts_name_systems_or_places(
    form: str, names: str, by_place: bool
) -> None:
    """It is asked, and the right choice gives the true winner, with or without named orders."""
    first = names.split(", ")[0]
    for order in (True, False):
        frame = judged(names, form, by_place=by_place, order=order)
        with pytest.raises(OpenQuestionError) as asked:
            ir.rank(frame)
        (note,) = asked.value.asked
        assert [one.entries["swap"] for one in note.choices] == [True, False]
        assert ahead(frame, swap=by_place) == (first, 0.8)


@pytest.mark.parametrize("by_place", [True, False])
def test_names_that_are_no_place_and_pairs_without_the_name_decide(by_place: bool) -> None:
    """Of three systems the data tell what verdicts name, and the other meaning is refused."""
    frame = judged("A, B, C", "better {}", by_place=by_place)
    assert ahead(frame) == ahead(frame, swap=by_place) == ("A", 0.8)
    with pytest.raises(UserError, match="name"):
        ir.rank(frame, swap=not by_place)
    others = judged("gpt, llama", "{}", by_place=True)
    assert ahead(others) == ahead(others, swap=True) == ("gpt", 0.8)
    with pytest.raises(UserError, match="leave out swap=False"):
        ir.rank(others, swap=False)
    named = judged("gpt, llama", "{}", by_place=True, order=True)
    other = named["verdict"].map({"A": "B", "B": "A"})
    named["verdict"] = other.where(named["order"] == "BA", named["verdict"])
    assert ahead(named, swap=False) == ("gpt", 0.8)


def test_labels_of_systems_called_like_places_are_asked_about() -> None:
    """Labels may name places beside verdicts that name systems in full; the user says so."""
    frame = judged("gpt-A, gpt-B", "{}", by_place=True)
    people = frame.rename(columns={"verdict": "label"})
    by_name = judged("gpt-A, gpt-B", "gpt-{}", by_place=False)
    with pytest.raises(OpenQuestionError, match="called like places"):
        ir.rank(by_name, labels=people)
    assert ir.rank(by_name, labels=people, swap=True).summary().iloc[0]["system"] == "gpt-A"
