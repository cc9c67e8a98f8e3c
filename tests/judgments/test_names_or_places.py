"""What verdicts name where systems are called like places."""

from functools import cache
from itertools import permutations

import pandas as pd
import pytest

import inspect_reliability as ir
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import OpenQuestionError

pytestmark = pytest.mark.usefixtures("few_draws")


def judged(names: str, form: str, *, by_place: bool, order: bool = False) -> pd.DataFrame:
    """Verdicts of ten questions on every pair, in both orders: the earlier name wins 4 of 5."""
    rows = []
    for q in range(10):
        for pair in permutations(names.split(", "), 2):
            won = min(pair) if q % 5 else max(pair)
            said = "AB"[pair.index(won)] if by_place else won[-1]
            rows.append((f"q{q}", *pair, form.format(said), "BA" if pair[0] > pair[1] else "AB"))
    columns = ["question", "model_1", "model_2", "verdict", "order"]
    return pd.DataFrame(rows, columns=columns).drop(columns=[] if order else "order")


def ahead(frame: pd.DataFrame, **said: object) -> tuple[str, float]:
    first = ir.rank(frame, **said).summary().iloc[0]
    return first["system"], round(first["score"], 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "names", "order"),
    [
        ("{}", "A, B", True),
        ("better {}", "System A, System B", False),
        ("[[{}]]", "A, B", False),
        ("{} wins", "A, B", True),
    ],
)
@pytest.mark.parametrize("by_place", [True, False])
def test_the_user_says_whether_verdicts_name_systems_or_places(
    form: str, names: str, order: bool, by_place: bool
) -> None:
    """It is asked, and the right choice gives the true winner, with or without named orders."""
    first = names.split(", ")[0]
    frame = judged(names, form, by_place=by_place, order=order)
    with pytest.raises(OpenQuestionError) as asked:
        ir.rank(frame)
    (note,) = asked.value.asked
    assert [one.entries["swap"] for one in note.choices] == [True, False]
    assert ahead(frame, swap=by_place) == (first, 0.8)


@pytest.mark.slow
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


@pytest.mark.slow
def test_labels_of_systems_called_like_places_are_asked_about() -> None:
    """Labels may name places beside verdicts that name systems in full; the user says so."""
    frame = judged("gpt-A, gpt-B", "{}", by_place=True)
    people = frame.rename(columns={"verdict": "label"})
    by_name = judged("gpt-A, gpt-B", "gpt-{}", by_place=False)
    with pytest.raises(OpenQuestionError, match="called like places"):
        ir.rank(by_name, labels=people)
    assert ir.rank(by_name, labels=people, swap=True).summary().iloc[0]["system"] == "gpt-A"


def with_ties() -> pd.DataFrame:
    """Verdicts by place, some of them ties, and labels."""
    frame = judged("gpt, llama", "{}", by_place=True)
    frame.loc[::7, "verdict"] = "tie"
    return frame.assign(label=frame["verdict"].shift(2).fillna("A"))


def numbers_of(frame: pd.DataFrame) -> pd.DataFrame:
    return ir.analyse(frame).frame("rows")[["omega", "accuracy"]]


@cache
def of_plain() -> tuple[tuple[str, float], pd.DataFrame]:
    """The ranking and the numbers of these verdicts as they are."""
    return ahead(with_ties()), numbers_of(with_ties())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("{} wins", "{}"),
        ("{} is better", "Response {}"),
        ("Winner: {}", "model_{}"),
        ("prefer {}", "Response {}"),
        ("**Winner:** {}", "{}"),
        ("{} gewinnt", "model_{}"),
    ],
)
def test_a_verdict_that_says_which_wins_is_its_name(form: str, name: str) -> None:
    """In verdicts, labels and rankings, with ties between them."""
    says = {one: form.format(name.format(one)) for one in "AB"}
    written = with_ties().replace({"verdict": says, "label": says})
    ranked, numbers = of_plain()
    assert ahead(written) == ranked
    pd.testing.assert_frame_equal(numbers_of(written), numbers)


def test_sentences_and_marks_are_no_names() -> None:
    """Nor is what a user has given a meaning."""
    frame = judged("gpt, llama", "{} wins", by_place=True)
    others = {"A wins": "much better", "B wins": "the one with more of the facts in it wins"}
    kept = ir.judgments_from_frame(frame.replace({"verdict": others})).table["verdict"]
    assert "much better" in {*kept}
    said = ir.Reading(map={"A wins": "won", "B wins": "lost"})
    assert {*ir.judgments_from_frame(frame, reading=said).table["verdict"]} == {"won", "lost"}
