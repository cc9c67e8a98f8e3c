"""Which responses are right."""

import pytest

from inspect_reliability.study.benchmarks import BENCHMARKS, Question
from inspect_reliability.study.benchmarks.right_answer import has_right_answer
from inspect_reliability.study.responses import load_sample_pack
from inspect_reliability.study.responses.predictions import is_missing


def is_correct(question: Question, response: str) -> bool:
    is_right = BENCHMARKS[question.benchmark].is_right
    assert is_right is not None
    return is_right(question, response)


@pytest.mark.parametrize("benchmark", ["BBH", "SQuAD"])
def test_the_sample_packs_good_responses_are_right(benchmark: str) -> None:
    """Thorough and terse are right; mistaken and astray never are."""
    for judged in load_sample_pack(benchmark):
        assert has_right_answer(judged.question)
        found = {name: is_correct(judged.question, text) for name, text in judged.responses.items()}
        assert found["thorough"], judged.question.id
        assert found["terse"], judged.question.id
        assert not found["mistaken"], judged.question.id
        assert not found["astray"], judged.question.id


LETTERED = "Which?\nOptions:\n(A) one\n(B) two"
DASHED = "Is it so?\nOptions:\n- valid\n- invalid"


@pytest.mark.parametrize(
    ("asked", "target", "response", "right"),
    [
        (LETTERED, "(B)", "Not (A). So the answer is (B).", True),
        (LETTERED, "(B)", "(B) looks right, but it is (A).", False),
        (LETTERED, "(B)", "The answer is B.", True),
        (LETTERED, "(B)", "Boring. A better one.", False),
        (LETTERED, "(B)", "(C) and (D)", False),
        (LETTERED, "(B)", "", False),
        (DASHED, "invalid", "It is invalid.", True),
        (DASHED, "valid", "It is invalid.", False),
        (DASHED, "invalid", "Invalid? No: valid.", False),
        ("not True is", "False", "That is FALSE", True),
        ("not True is", "False", "False or True", False),
        ("Is it?", "yes", "No... yes.", True),
        ("Is it?", "Yes", "Yesterday", False),
        ("How many?", "11", "1 + 10 = 11 fruits", True),
        ("How many?", "11", "111", False),
        ("How many?", "-5", "It is -5.", True),
        ("How many?", "1200", "1,200", True),
        ("How many?", "12", "9" * 5000, False),
        ("Sort: b a", "a b", "Sorted: A, b.", True),
        ("Sort: b a", "a b", "a b c", False),
        ("Close: ( [", "] )", "so ])", True),
    ],
)
def test_bbh_answers(asked: str, target: str, response: str, right: bool) -> None:
    """The last possible answer named is the answer given."""
    question = Question("1", "BBH", "", (asked,), targets=(target,))
    assert is_correct(question, response) is right


@pytest.mark.parametrize(
    ("targets", "response", "right"),
    [
        (("Florentine Tuscan",), "It is the florentine tuscan!", True),
        (("Florentine Tuscan",), "Tuscan", False),
        (("The Hague",), "In Hague.", True),
        (("six", "6"), "There were 6.", True),
        (("six", "6"), "There were 16.", False),
        (("A",), "", False),
        ((), "The passage does not say.", True),
        ((), "It cannot be answered.", True),
        ((), "In 1742.", False),
    ],
)
def test_squad_answers(targets: tuple[str, ...], response: str, right: bool) -> None:
    """An accepted answer in whole words, or that there is none where there is none."""
    known = {"answerable": bool(targets)}
    question = Question("1", "SQuAD", "", ("?",), "C", targets, metadata=known)
    assert is_correct(question, response) is right


@pytest.mark.parametrize(
    ("response", "missing"),
    [("unsure", True), ("Unsure.\nQuestion: x", True), ("", True), ("Rome\nunsure", False)],
)
def test_missing_answers(response: str, missing: bool) -> None:
    """Only the first line of a Head-to-Tail answer counts."""
    assert is_missing(response) is missing
    question = Question("1", "Head-to-Tail", "head", ("?",), targets=("Rome",))
    assert is_correct(question, response) is (response.startswith("Rome"))
