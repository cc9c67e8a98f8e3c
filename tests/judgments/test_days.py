"""Days that begin with the day or the month, read in one order or not at all."""

from datetime import date, datetime, timedelta

import pandas as pd
import pytest

from inspect_reliability import analyse
from inspect_reliability.answers.arms import arms_by, names_of
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.days import (
    are_days_or_months,
    by_date,
    iso_days,
    readings_of,
    refuse_either_order,
)
from inspect_reliability.judgments.reading import OpenQuestionError, Reading
from inspect_reliability.judgments.sources import judgments_from

YEAR = [date(2026, 1, 1) + timedelta(days=n) for n in range(365)]


@pytest.mark.parametrize(
    "form",
    ["%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %m %Y", "%d.%m.%Y 08:30"],
)
def test_a_year_of_days_is_read_in_its_order(form: str) -> None:
    """Every day of a year, and no other."""
    found = iso_days(day.strftime(form) for day in YEAR)
    assert [one[:10] for one in found.values()] == [day.isoformat() for day in YEAR]
    assert {one[10:] for one in found.values()} == {form[8:] if ":" in form else ""}


def test_days_of_either_order_are_left_and_refused() -> None:
    """With dots the day is first; days such as 2 February are alike in both orders."""
    either = ["02/11/2026", "05/12/2026", "02/02/2026"]
    assert iso_days(either) == {one: one for one in either}
    with pytest.raises(UserError, match="2026-11-02 or 2026-02-11"):
        refuse_either_order(either)
    assert readings_of(either[0]) == ["2026-11-02", "2026-02-11"]
    for known in (["02.11.2026"], ["02/02/2026"], ["13/02/2026", *either], ["2026-11-02", "3"]):
        refuse_either_order(known)
    others = ["2026-01-31", "2026-01-31T08:30:00+00:00", "week 5", "12.13.2026", "1.2.3", ""]
    assert [*iso_days(others).values()] == others


@pytest.mark.parametrize(
    "in_order",
    [
        ("2025-12", "2026-01"),
        ("2026-9", "2026-10"),
        ("12/2025", "01/2026"),
        ("Dez 2025", "Jan 2026"),
        ("März 2026", "April 2026"),
        ("Q4 2025", "Q1 2026"),
        ("2025W50", "2026W2"),
        ("15.12.2025", "10.01.2026"),
        ("1/31/2026", "2/1/2026"),
        ("2026-01-02 9:00", "2026-01-02 10:00"),
        ("2025-12-31T10:00", "2026-01-02"),
        ("09.2025", "01.2026"),
    ],
)
def test_the_earlier_date_is_the_first_side(in_order: tuple[str, str]) -> None:
    """Wherever the rows are."""
    rows = [
        {"question": q, "verdict": "yes", "wording": when}
        for when in reversed(in_order)
        for q in "abc"
    ]
    judgments = judgments_from(pd.DataFrame(rows))
    assert names_of(arms_by(judgments, "wording")) == [*in_order]


@pytest.mark.parametrize("names", [("Jan", "Dec"), ("v9", "v10"), ("gpt 2026", "claude 2025")])
def test_what_has_no_year_is_no_date(names: tuple[str, str]) -> None:
    """A December may be before a January: a note says which is first."""
    assert by_date(names) is None
    rows = [{"question": q, "verdict": "yes", "month": of} for of in names for q in "abc"]
    judgments = judgments_from(pd.DataFrame(rows), reading=Reading(facets=["month"]))
    sides = arms_by(judgments, "month")
    said = " ".join(map(str, sides.judgments.notes))
    assert f"{names_of(sides)[0]!r} is taken for the first" in said


@pytest.mark.parametrize(
    "names", [("4711-01", "4712-77"), ("2026-13", "2026-52"), ("nova-2024", "sebastian 2025")]
)
def test_what_is_no_month_with_its_year_is_none(names: tuple[str, str]) -> None:
    """Lots are not, nor are weeks, which `watch` could not read, nor names that begin alike."""
    assert not are_days_or_months(names)
    assert are_days_or_months(("2026-01", "2026-12"))
    assert are_days_or_months(("nov-2024", "Septembre 2025", "Jän 2026", "févr. 2026"))


@pytest.mark.parametrize(
    ("days", "grades"),
    [
        (("01. Mai", "02. Mai"), ("1.5", "2.5")),
        (("01.05.", "02.05."), ("1.5", "2.5")),
        (("5-Jan", "Feb 5"), ("1.5", "2.5")),
        (("2026-05-01", "2026-06-01"), ("1.5", "1.6")),
    ],
)
def test_days_beside_grades_are_asked_about_as_grades(
    days: tuple[str, ...], grades: tuple[str, ...]
) -> None:
    """A spreadsheet made them of half grades: the first choice has the grades back."""
    verdicts = [*(["1", "2", "3", "4", "5", "3.5"] * 4), *days]
    asked = judgments_from(
        pd.DataFrame({"question": range(len(verdicts)), "verdict": verdicts})
    ).asked
    [note] = asked
    assert note.choices[0].entries == {"map": dict(zip(days, grades, strict=True))}


@pytest.mark.slow
@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.parametrize("day", ["01. Mai", datetime(2026, 5, 1)])
def test_labels_that_are_days_are_asked_about(in_file: bool, day: object) -> None:
    """In a column of the judgments and in a frame of labels; each choice answers."""
    written = day if isinstance(day, str) else "2026-05-01"
    frame = pd.DataFrame(
        [(f"q{n // 2}", 1 + n % 9 / 2, ["2", day, "4"][n // 2 % 3]) for n in range(60)],
        columns=["question", "verdict", "label"],
    )
    labels = (
        frame[["question", "label"]].drop_duplicates("question").set_axis(["id", "label"], axis=1)
    )
    given = {"labels": labels} if in_file else {}
    frame = frame.drop(columns="label") if in_file else frame
    with pytest.raises(OpenQuestionError) as asked:
        analyse(frame, **given)
    [note] = asked.value.asked
    assert [one.entries["map"] for one in note.choices] == [
        {written: "1.5"},
        {written: "non-response"},
    ]
    for choice, n in zip(note.choices, (30, 20), strict=True):
        found = analyse(frame, **given, reading=Reading(map=choice.entries["map"]))
        assert found.frame("validity")["n_labelled"].tolist() == [n]


@pytest.mark.slow
def test_every_day_is_named_with_its_grade() -> None:
    """Of labels that several people gave to one output, too."""
    days = [datetime(2026, 5, 4), datetime(2026, 5, 3)]
    rows = [(n, 1 + n % 6, 3, days[n] if n < 2 else 3.5) for n in range(12)]
    frame = pd.DataFrame(rows, columns=["question", "verdict", "Ann", "Beat"])
    with pytest.raises(OpenQuestionError, match=r"3\.5 of '2026-05-03', 4\.5 of '2026-05-04'"):
        analyse(frame, columns={"Ann": "label", "Beat": "label"})
