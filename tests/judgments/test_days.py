"""Days that begin with the day or the month, read in one order or not at all."""

from datetime import date, timedelta

import pytest

from inspect_reliability.errors import UserError
from inspect_reliability.judgments.days import iso_days, readings_of, refuse_either_order

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
