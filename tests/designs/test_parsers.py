import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ("text", "read"),
    [
        ("Score: 0.75", "0.75"),
        ("Score: 0.750", "0.75"),
        ("Score: .5", "0.5"),
        ("**Score:** 1.0", "1"),
        ("Score: 0.8/1", "0.8"),
        ("I give it a rating of 0.25.", "0.25"),
        ("0.5", "0.5"),
        ('{"score": 0.125, "why": "2 of 8"}', "0.125"),
        ("Score: 1.5", "non-response"),
        ("Score: -0.5", "non-response"),
        ("Score: 0,5", "non-response"),
        ("Score: 80%", "non-response"),
        ("Score: one", "non-response"),
        ("Score: 0.2. Score: 0.4", "invalid"),
        ("It has 3 parts, 0.1 m each.\nScore: 0.9", "0.9"),
        (f"{' '.join(str(n / 1000) for n in range(1000))}\nScore: 0.999", "non-response"),
    ],
)
def test_numbers_with_decimals(text: str, read: str) -> None:
    """Any number of the scale is read as spelled shortest, and no number off it."""
    scale = Reader({"from": 0, "to": 1, "step": "any"})
    assert scale.read(text).verdict == read
    assert scale.verdicts == scale.categories == ()


@given(st.floats(-7, 12, allow_nan=False).map(lambda number: round(number, 4)))
def test_every_number_of_a_scale_is_read(number: float) -> None:
    """Whatever the number, the label, the field or the pattern finds it, or finds it off scale."""
    on = -5 <= number <= 10
    for parser, text in (
        ({"labels": ["Mark"]}, f"Mark: {number:.4f}"),
        ({"json": "m"}, f'{{"m": {number:.4f}}}'),
        ({"pattern": r"= (\S+)"}, f"x = {number:.4f}"),
    ):
        verdict = Reader({"from": -5, "to": 10, "step": "any"}, parser).read(text).verdict
        assert (verdict != "non-response") == on
        assert not on or float(verdict) == number


@pytest.mark.parametrize(
    ("text", "style", "facts"),
    [
        ('{"style": 4, "facts": "yes"}', "4", "yes"),
        ('So:\n```json\n{"style": {"score": 4}, "facts": "No."}\n```', "non-response", "no"),
        ('{"style": 4.5, "facts": ', "non-response", "non-response"),
        ('{"style": 6, "facts": "yes"} {"style": 2, "facts": "no"}', "2", "invalid"),
        ("Style: 4, facts: yes", "non-response", "non-response"),
    ],
)
def test_criteria(text: str, style: str, facts: str) -> None:
    """Each criterion is read in the JSON field of its name, by its own verdicts."""
    reader = Reader({"criteria": {"style": {"from": 1, "to": 5}, "facts": ["yes", "no"]}})
    assert reader.value(text)[0] == {"style": style, "facts": facts}


def test_ties_are_verdicts_beside_the_options() -> None:
    """What the judge can answer also is a verdict, and no label of a response."""
    reader = Reader({"options": ["A", "B"], "also": ["tie"]})
    assert reader.options == ("A", "B")
    assert reader.categories == ("A", "B", "tie", "non-response", "invalid")
    texts = ["Verdict: tie", "**Winner:** B", "[[tie]]", "Verdict: [[A]]"]
    assert [reader.read(text).verdict for text in texts] == ["tie", "B", "tie", "A"]


def test_words_of_a_design_announce_verdicts() -> None:
    """A design's own labels are read in its language."""
    parsers: tuple[dict[str, Any] | None, ...] = (None, {"labels": ["Isibalo"]})
    plain, own = (Reader({"from": 1, "to": 5}, parser) for parser in parsers)
    assert [one.read("Isibalo: 4").verdict for one in (plain, own)] == ["non-response", "4"]


@pytest.mark.parametrize(
    ("parser", "message"),
    [
        ({}, "parser: expected one of"),
        ({"label": ["x"]}, "parser: unknown field 'label'. Allowed fields: labels, pattern, json."),
        ({"labels": ["x"], "json": "y"}, "parser: expected one of"),
        ({"labels": "x"}, "labels: expected a list"),
        ({"labels": []}, "labels: expected 1 or more"),
        ({"labels": [1]}, "labels, item 1: expected a text"),
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
