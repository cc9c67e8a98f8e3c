"""Grades that are noted with something beside them."""

import pandas as pd
import pytest

from inspect_reliability import judgments_from_frame
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.noted_grades import grade_in
from inspect_reliability.judgments.reading import OpenQuestionError, Reading


@pytest.mark.parametrize(
    ("text", "given", "grade"),
    [
        ("4-5", "3 4 5", "4.5"),
        ("4 – 5", "4 4,5 5", "4.5"),
        ("4 bis 5", "4 5", "4.5"),
        ("4.5-5", "4 4.5 5", "4.75"),
        ("70-80", "60 70 80", "75"),
        ("3-5", "3 4 5", ""),
        ("2-5", "2 3 4 5", ""),
        ("5-6", "3 4 5", "5.5"),
        ("1-2", "2 3 4", "1.5"),
        ("6-7", "3 4 5", ""),
        ("80-90", "60 70 80", ""),
        ("5-4", "4 5", ""),
        ("4-5-6", "4 5 6", ""),
        ("4 (unsure)", "4 5", "4"),
        ("7+", "4 5", ""),
    ],
)
def test_the_grade_between_two_neighbours_is_their_middle(
    text: str, given: str, grade: str
) -> None:
    """Counted by hand; of others there is none. One of whole neighbours may be missing."""
    assert grade_in(text, given.split()) == grade


def test_the_grade_between_two_is_offered_first() -> None:
    """Before an answer without a verdict, a failed call, and a verdict of its own."""
    rows = [(n, str(1 + n % 6)) for n in range(36)]
    frame = pd.DataFrame([*rows, (36, "4-5")], columns=["question", "verdict"])
    [note] = judgments_from_frame(frame).asked
    means = [one.entries["map"]["4-5"] for one in note.choices]
    assert means == ["4.5", "non-response", "failed-call", "4-5"]


@pytest.mark.slow
def test_a_label_between_two_grades_is_asked_about() -> None:
    """In a column or in a file; not where a verdict asks the same, nor where it is settled."""
    rows = [(f"q{n}", str(1 + n % 6), str(1 + n % 5)) for n in range(36)]
    rows[3] = ("q3", "4", "4-5")
    frame = pd.DataFrame(rows, columns=["question", "verdict", "label"])
    [note] = judgments_from_frame(frame).asked
    assert [one.entries["map"] for one in note.choices] == [
        {"4-5": "4.5"},
        {"4-5": "non-response"},
    ]
    labels = dict(zip(frame["question"], frame["label"], strict=True))
    with pytest.raises(OpenQuestionError, match=r"4\.5 of '4-5'"):
        labelled_judgments(judgments_from_frame(frame.drop(columns="label")), labels)
    reading = Reading(map={"4-5": "4.5"})
    assert not judgments_from_frame(frame, reading=reading).asked
    frame.loc[5, "verdict"] = "4-5"
    assert len(judgments_from_frame(frame).asked) == 1
