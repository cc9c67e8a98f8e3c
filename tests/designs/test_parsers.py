import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability.errors import UserError
from inspect_reliability.parsing.reader import Reader


@pytest.mark.parametrize(
    ("verdict", "parser", "text", "read"),
    [
        (["A", "B"], {"labels": ["[RESULT]"]}, "Fine. [RESULT] B", "B"),
        (["A", "B"], {"labels": ["Winner", "Best"]}, "Winner: A\nBest: A", "A"),
        ({"from": 1, "to": 10}, {"labels": ["Score"]}, "Score: 10", "10"),
        ({"from": 1, "to": 10}, {"labels": ["Score"]}, "Score: 7.5", "non-response"),
        ({"from": 1, "to": 10}, {"labels": ["Score"]}, "Score: 11", "non-response"),
        (["yes", "no"], {"labels": ["Verdict"]}, "verdict: No", "no"),
        (["yes", "no"], {"labels": ["Verdict"]}, "Verdict: nobody", "non-response"),
        (["yes", "no"], {"labels": ["Verdict"]}, "<think>Verdict: no</think>Verdict: yes", "yes"),
        (["yes", "no"], None, "**Yes.**", "yes"),
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
    assert Reader(verdict, parser).read(text).verdict == read


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
        (f"{' '.join(str(n / 1000) for n in range(1000))}\nScore: 0.999", "0.999"),
    ],
)
def test_numbers_with_decimals(text: str, read: str) -> None:
    """Any number of the scale is read as spelled shortest, and no number off it."""
    scale = Reader({"from": 0, "to": 1, "step": "any"})
    assert scale.read(text).verdict == read
    assert scale.verdicts == scale.categories == ()


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("pattern", "text", "read"),
    [
        (
            r"(?i)(?:final\s*)?(?:verdict|answer)\s*(?:is)?\s*:?\s*\**\s*(yes|no)",
            "Final answer is: **Yes**",
            "yes",
        ),
        (r"(?s).*\[\[(yes|no)\]\]", "[[no]] or rather [[yes]]", "yes"),
        (r"(?i)\A\W*(yes|no)\b", "No. Yes would be wrong.", "no"),
        (r"(?m)^(?:Verdict|Urteil):\s*(\w+)\s*$", "Verdict: maybe\nVerdict: no", "no"),
    ],
)
def test_usual_patterns_are_taken(pattern: str, text: str, read: str) -> None:
    """A pattern is judged by what it reads, not by how it is written."""
    assert Reader(["yes", "no"], {"pattern": pattern}).read(text) == (read, "pattern")


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
        ("x", "parser: expected the fields labels, pattern, json"),
    ],
)
def test_parsers_refused(parser: object, message: str) -> None:
    """A parser that cannot be one is refused, naming its field."""
    with pytest.raises(UserError, match=re.escape(message)):
        Reader(["yes", "no"], parser)


@pytest.mark.parametrize(
    ("pattern", "hard"),
    [
        (r"((?:a+)+)$", "a" * 3000 + "b"),
        (r"\*\*(yes|no)\*\* (?:.|x)*z", "**yes** " + "x" * 3000),
        (r"(?:xyz?){3}((a|aa)+)$", "xyxyxy" + "a" * 3000 + "b"),
    ],
)
def test_what_takes_too_long_is_not_read(
    pattern: str, hard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pattern that would look at an output for years ends in any thread, with no verdict."""
    monkeypatch.setattr("inspect_reliability.parsing.parsers.patterns._SECONDS", 0.05)
    reader = Reader(["yes", "no", "aaaa"], {"pattern": pattern})
    with ThreadPoolExecutor() as threads:
        found = [reader.read(hard), threads.submit(reader.read, hard).result()]
    assert found == [("non-response", "not read")] * 2
    assert reader.read("Nothing.") == ("non-response", "")
