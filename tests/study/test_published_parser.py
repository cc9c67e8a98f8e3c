import json
from pathlib import Path

import pytest

from inspect_reliability.parsing.reader import Reader
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.published.imported import best_of_five, correctness

STRICT = Reader(
    {"options": list("ABCDE")},
    {
        "pattern": r"""(?i:Best\s+Response)[*_"'\s]*:[\s\[\](){}<>"'“”‘’*_`]*"""
        r"""(?:([A-E])|(?<=[\[(])((?i:[A-E]))(?=[\])]))"""
        r"""(?![^\W_]|['’\-][^\W_]|/[^\W\d_]|[.,]\d)"""
    },
)
"""The form that the prompt asks for, and nothing else."""


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
def test_best_of_five(text: str, strict: str, published: str) -> None:
    """The study's pattern takes the first letter of a word; one that wants the form does not."""
    assert STRICT.read(text).verdict == strict
    assert best_of_five(text) == published


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
    assert BENCHMARKS["Head-to-Tail"].design.reader.read(text).verdict == verdict
    assert correctness(text) == published


@pytest.mark.slow
def test_published_parser_meets_words(data: Path) -> None:
    """On the published outputs of two judges the pattern takes a word for a letter 33 times."""
    words = 0
    for file in sorted((data / "paper" / "results").glob("full_judgements_*.json")):
        for temperatures in json.loads(file.read_text()).values():
            for questions in temperatures.values():
                outputs = [text for texts in questions.values() for text in texts]
                words += sum(
                    STRICT.read(text).verdict == "non-response" != best_of_five(text)
                    for text in outputs
                )
    assert words == 33
