import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability.designs import DESIGNS

BEST_OF_FIVE, CORRECTNESS = DESIGNS["bbh"].reader, DESIGNS["head_to_tail"].reader


def parse_verdict(text: str) -> str:
    return BEST_OF_FIVE.read(text).verdict


def parse_published(text: str) -> str:
    return BEST_OF_FIVE.read(text, "published").verdict


def parse_correctness(text: str) -> str:
    return CORRECTNESS.read(text).verdict


def parse_published_correctness(text: str) -> str:
    return CORRECTNESS.read(text, "published").verdict


@pytest.mark.parametrize(
    ("text", "verdict", "published"),
    [
        ("Best Response: [[C]]", "C", "C"),
        ("Best Response: [D]\n\nBecause it is right.", "D", "D"),
        ("Best Response: **A**", "A", "A"),
        ("**Best Response:** [B]", "B", "B"),
        ("**Best Response**: [[B]]", "B", "non-response"),
        ('Best Response: "E".', "E", "E"),
        ("Best Response: ‘D’", "D", "D"),
        ("Best Response:\n\n_C_", "C", "non-response"),
        ("Best Response: B", "B", "B"),
        ("best response: [[b]]", "B", "non-response"),
        ("Best Response: [b]", "B", "B"),
        ("Best Response: a clear one", "non-response", "A"),
        ("Best Response: Explanation follows", "non-response", "E"),
        ("Best Response: Depends", "non-response", "D"),
        ("Best Response: A-level work", "non-response", "A"),
        ("Best Response: D'accord", "non-response", "D"),
        ("Best Response: [F]", "non-response", "non-response"),
        ("Best Response: 7 of them, B", "non-response", "non-response"),
        ("Best Response: [[A]]. Best Response: [[A]]", "A", "A"),
        ("Best Response: [[A]] ... Best Response: [[B]]", "invalid", "invalid"),
        ("Best Response: [[A]] rather than [B]", "A", "A"),
        ("[A] is the best response.", "non-response", "non-response"),
        ("", "non-response", "non-response"),
    ],
)
def test_parsers(text: str, verdict: str, published: str) -> None:
    """The default parser tolerates brackets and no words; the published one is its pattern."""
    assert parse_verdict(text) == verdict
    assert parse_published(text) == published


@given(st.text())
def test_every_text_has_one_verdict(text: str) -> None:
    """Whatever a model writes is one of the declared categories."""
    for parse in (parse_verdict, parse_published):
        assert parse(text) in BEST_OF_FIVE.categories
    for parse in (parse_correctness, parse_published_correctness):
        assert parse(text) in CORRECTNESS.categories


@given(st.text(alphabet="BestRpon: [(*'\"ABCDEa-x])\n", max_size=60), st.text(max_size=30))
def test_complete_means_no_continuation_unsays_it(text: str, more: str) -> None:
    """Once a verdict is complete, nothing written after it makes the output a non-response."""
    if named := BEST_OF_FIVE.completed(text):
        first = parse_verdict(text)
        assert first in (named, "invalid")
        assert parse_verdict(text + more) in (first, "invalid")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Best Response: [[C", None),
        ("Best Response: [[C]", "C"),
        ("Best Response: A", None),
        ("Best Response: A\n", "A"),
        ("Best Response: An", None),
        ("Best Response: A'", None),
    ],
)
def test_complete(text: str, verdict: str | None) -> None:
    """A verdict is complete when its letter can no longer become a word."""
    assert BEST_OF_FIVE.completed(text) == verdict


@pytest.mark.parametrize(
    ("text", "verdict", "published"),
    [
        ("correct", "correct", "correct"),
        (" Incorrect.", "incorrect", "incorrect"),
        ("Correctness: correct", "correct", "correct"),
        ("incorrect, not correct", "incorrect", "incorrect"),
        ("correct\nQuestion: x\nCorrectness: incorrect", "correct", "incorrect"),
        ("Question: x\nCorrectness: correct", "non-response", "correct"),
        ("Correctness: 2019", "non-response", "correct"),
        ("2019", "non-response", "non-response"),
        ("", "non-response", "non-response"),
    ],
)
def test_correctness(text: str, verdict: str, published: str) -> None:
    """The first of the two words counts, before the model goes on to examples of its own."""
    assert parse_correctness(text) == verdict
    assert parse_published_correctness(text) == published


def test_published_parser_meets_words(data: Path) -> None:
    """On the published outputs of two judges the pattern takes a word for a letter 33 times."""
    words = 0
    for file in sorted((data / "paper" / "results").glob("full_judgements_*.json")):
        for temperatures in json.loads(file.read_text()).values():
            for questions in temperatures.values():
                outputs = [text for texts in questions.values() for text in texts]
                words += sum(
                    parse_verdict(text) == "non-response" != parse_published(text)
                    for text in outputs
                )
    assert words == 33
