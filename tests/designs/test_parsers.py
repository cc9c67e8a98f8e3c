import json
import re
from pathlib import Path

import pytest

from inspect_reliability.designs import DESIGNS, Reader
from inspect_reliability.errors import UserError

BEST_OF_FIVE, CORRECTNESS = DESIGNS["bbh"].reader, DESIGNS["head_to_tail"].reader


def parse_strict(text: str) -> str:
    return BEST_OF_FIVE.read(text, "strict").verdict


def parse_published(text: str) -> str:
    return BEST_OF_FIVE.read(text, "published").verdict


def parse_correctness(text: str) -> str:
    return CORRECTNESS.read(text).verdict


def parse_published_correctness(text: str) -> str:
    return CORRECTNESS.read(text, "published").verdict


@pytest.mark.parametrize(
    ("text", "strict", "published"),
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
def test_strict_and_published(text: str, strict: str, published: str) -> None:
    """The strict parser tolerates brackets and no words; the published one is its pattern."""
    assert parse_strict(text) == strict
    assert parse_published(text) == published


@pytest.mark.parametrize(
    ("verdict", "parser", "text", "read"),
    [
        (["A", "B"], {"labels": ["[RESULT]"]}, "Fine. [RESULT] B", "B"),
        (["A", "B"], {"labels": ["Winner", "Best"]}, "Winner: A\nBest: A", "A"),
        (["A", "B"], {"labels": ["Winner"]}, "Best: A", "non-response"),
        ({"from": 1, "to": 10}, {"labels": ["Score"]}, "Score: 10", "10"),
        ({"from": 1, "to": 10}, {"labels": ["Score"]}, "Score: 7.5", "non-response"),
        ({"from": 1, "to": 10}, {"labels": ["Score"]}, "Score: 11", "non-response"),
        (["yes", "no"], {"labels": ["Verdict"]}, "verdict: No", "no"),
        (["yes", "no"], {"labels": ["Verdict"]}, "Verdict: nobody", "non-response"),
        (["yes", "no"], {"labels": ["Verdict"]}, "<think>Verdict: no</think>Verdict: yes", "yes"),
        (["yes", "no"], None, "**Yes.**", "yes"),
        (["yes", "no"], None, "Yes, it is.", "non-response"),
        (["yes", "no"], {"pattern": r"-> (\w+)"}, "-> yes -> yes", "yes"),
        (["yes", "no"], {"pattern": r"-> (\w+)"}, "-> yes -> no", "invalid"),
        (["yes", "no"], {"pattern": r"-> (\w+)"}, "-> maybe", "non-response"),
        (["yes", "no"], {"json": "is polite"}, '{"is polite": "Yes", "x": "no"}', "yes"),
        (["yes", "no"], {"json": "polite"}, 'So:\n```json\n{"polite": "no", "why": "It', "no"),
        (["yes", "no"], {"json": "polite"}, '{"verdict": "no"}', "non-response"),
        ({"from": 1, "to": 5}, {"json": "score"}, '{"score": 4.0}', "4"),
        ({"from": 1, "to": 5}, {"json": "score"}, '{"score": 4.5}', "non-response"),
        ({"from": 1, "to": 5}, {"json": "score"}, '{"score": 4} {"score": 5}', "invalid"),
        ({"options": ["A", "B"]}, {"json": "best"}, '{"best": "Response B"}', "B"),
        ({"options": ["A", "B"]}, {"json": "best"}, '{"best": ["A", "B"]}', "non-response"),
    ],
)
def test_parsers_of_designs(verdict: object, parser: object, text: str, read: str) -> None:
    """A label, a pattern or a field of a design is the one place where a verdict is read."""
    assert Reader(verdict, parser).read(text, "strict").verdict == read


@pytest.mark.parametrize(
    ("parser", "message"),
    [
        ({}, "parser: expected one of"),
        ({"label": ["x"]}, "parser: expected one of"),
        ({"labels": ["x"], "json": "y"}, "parser: expected one of"),
        ({"labels": "x"}, "labels: expected a list"),
        ({"labels": []}, "labels: expected a list"),
        ({"labels": [1]}, "labels: expected texts"),
        ({"pattern": "("}, "pattern: not a regular expression"),
        ({"pattern": "yes"}, "pattern: put the verdict into a group"),
        ({"pattern": 7}, "pattern: expected a text"),
        ({"json": " "}, "json: expected a text"),
        ("x", "parser: expected one of"),
    ],
)
def test_parsers_refused(parser: object, message: str) -> None:
    """A parser that cannot be one is refused, naming its field."""
    with pytest.raises(UserError, match=re.escape(message)):
        Reader(["yes", "no"], parser)


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
                    parse_strict(text) == "non-response" != parse_published(text)
                    for text in outputs
                )
    assert words == 33
