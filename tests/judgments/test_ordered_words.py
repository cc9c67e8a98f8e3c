"""Words that are steps of a usual scale."""

from unicodedata import normalize

import pandas as pd
import pytest

from inspect_reliability import Reading, judgments_from_frame
from inspect_reliability.judgments.ordered_words import grades_of

SCALES = [
    ["schlecht", "mittel", "gut"],
    ["Poor", "Fair", "Good", "Excellent"],
    ["low", "medium", "high"],
    ["strongly_disagree", "disagree", "neutral", "agree", "strongly_agree"],
    ["nie", "manchmal", "immer"],
    ["ungenügend", "genügend", "gut", "sehr gut"],
    ["ungenuegend", "Genuegend", "Sehr gut"],
    [normalize("NFD", one) for one in ("ungenügend", "genügend", "gut")],
    ["mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut"],
    ["insuffisant", "suffisant", "bien", "très bien"],
    ["insufficiente", "sufficiente", "buono", "ottimo"],
]


def frame_of(words: list[str]) -> pd.DataFrame:
    """Each word as often, over ten questions."""
    rows = [(f"q{n % 10}", words[n % len(words)]) for n in range(60)]
    return pd.DataFrame(rows, columns=["question", "verdict"])


@pytest.mark.parametrize("words", SCALES)
def test_words_of_a_scale_are_said_to_be_categories(words: list[str]) -> None:
    """The call of the note makes grades of them, the lowest 1; who used it is told no more."""
    (note,) = judgments_from_frame(frame_of(words)).notes
    assert note.count == 60
    grades = {word: str(n) for n, word in enumerate(words, 1)}
    assert repr(grades) in note.what
    found = judgments_from_frame(frame_of(words), reading=Reading(map=grades))
    assert {*found.table["verdict"]} == {*grades.values()}
    assert not any("categories" in one.what for one in found.notes)


@pytest.mark.parametrize(
    "words",
    [
        ["good", "bad"],
        ["good", "poor", "A"],
        ["good", "gut", "poor"],
        ["medium", "moderate", "low"],
        ["A", "B", "tie"],
    ],
)
def test_other_words_are_no_scale(words: list[str]) -> None:
    """Two, words of several scales, and two names of one step are not in an order."""
    assert grades_of(words) == {}
    assert not judgments_from_frame(frame_of(words)).notes
