"""The leading number with non-responses and without them."""

import re

import pandas as pd
import pytest

from inspect_reliability import Reading, analyse

ROWS = [
    (f"q{q}", ["A", "B", "AB"[r * q % 3 % 2], ""][(q * r) % 4], "AB"[q % 2])
    for q in range(40)
    for r in range(4)
]
FRAME = pd.DataFrame(ROWS, columns=["question", "verdict", "label"])


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["question", "verdict"], [*FRAME]])
@pytest.mark.parametrize("most", [1, 40])
def test_both_numbers_are_those_of_both_readings(columns: list[str], most: int) -> None:
    """They are what the headline says as read, and where the empty cells are failed calls."""
    empty = FRAME["verdict"].eq("") & (FRAME["question"].str[1:].astype(int) >= 40 - most)
    frame = FRAME[columns].assign(verdict=FRAME["verdict"].mask(FRAME["verdict"].eq(""), "A"))
    frame["verdict"] = frame["verdict"].mask(empty, "")
    left = Reading(map={"non-response": "failed-call"})
    said = [str(analyse(frame, reading=one)) for one in (Reading(), left)]
    counted, without = (
        re.search(r"(?:another verdict|right) in (\d+%)", one, re.I)[1] for one in said
    )
    caution = re.search(
        r"count: .* in (\d+%) without them, and (\d+%) with", " ".join(said[0].split())
    )
    if counted == without:
        assert caution is None
    else:
        assert caution.groups() == (without, counted)


def test_grades_have_the_number_of_grades_alone() -> None:
    """Nothing is said: their distance leaves non-responses out."""
    grades = FRAME[["question"]].assign(verdict=[1 + n % 5 if n % 7 else "" for n in range(160)])
    assert "count:" not in str(analyse(grades))


def test_many_non_responses_of_one_judge_are_said_before_a_few_of_another() -> None:
    """Both numbers of a judge with 4% of them hide no judge with 30%."""
    rows = [
        (judge, f"q{n}", "" if n < lost else "xy"[(n + n * k % 3) % 2], "xy"[n % 2])
        for judge, lost in (("few", 4), ("lost", 30))
        for n in range(100)
        for k in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["judge", "question", "verdict", "label"])
    [said] = [one for one in str(analyse(frame)).split("Caution")[1:] if "Non-responses" in one]
    assert said.startswith(" (lost)")
