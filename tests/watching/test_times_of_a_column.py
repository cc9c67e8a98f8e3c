"""Checks whose times a file has in a column of the user's own name."""

import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke

MONTHS = [f"2026-{month:02}" for month in range(1, 3)]
VERDICTS = [
    {"id": f"q{number}", "month": month, "verdict": "good" if good else "bad"}
    for number in range(8)
    for month, good in zip(MONTHS, (number < 6, number < 1), strict=True)
    for _ in range(3)
]


@pytest.mark.slow
def test_a_comparison_of_months_leads_to_a_watch_of_that_column(tmp_path):
    """The step after a changed month names the column of the times, and runs as it is printed."""
    source = tmp_path / "months.csv"
    pd.DataFrame(VERDICTS).to_csv(source, index=False)
    command = f"watch {source} --column month=time"
    assert command in invoke("compare", source, "--by", "month").stdout
    assert "there are 2" in invoke(*command.split()).stdout

    frame = pd.DataFrame(VERDICTS)
    printed = str(ir.compare(frame, by="month", columns={"id": "question"}))
    call = 'ir.watch(judgments, columns={"id": "question", "month": "time"})'
    assert call in printed
    assert "there are 2" in str(eval(call, {"ir": ir, "judgments": frame}))


@pytest.mark.parametrize(
    ("values", "said"),
    [(MONTHS, "--column day=time"), (["January", "February"], "--column YOURS=time")],
)
def test_a_column_of_dates_is_named_where_times_lack(tmp_path, values, said):
    """Who asks for a watch without times is told the column of dates, if one is there."""
    rows = [{"id": one, "day": day, "verdict": "good"} for one in "abc" for day in values]
    pd.DataFrame(rows).to_csv(tmp_path / "days.csv", index=False)
    assert said in invoke("watch", tmp_path / "days.csv").stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("months", "watched"),
    [
        (["Januar 2026", "Februar 2026"], True),
        (["J\u00e4n. 2026", "Feb 2026"], True),
        (["Q1 2026", "Q2 2026"], False),
        (["01.01.2026", "01.02.2026"], True),
    ],
)
def test_months_however_written_are_times_of_one_judge(tmp_path, months, watched):
    """No month is to be used; `watch` is named where it reads them."""
    frame = pd.DataFrame(VERDICTS)
    frame["month"] = frame["month"].map(dict(zip(MONTHS, months, strict=True)))
    frame.assign(label="good").to_csv(tmp_path / "months.csv", index=False)
    said = invoke("compare", tmp_path / "months.csv", "--by", "month").stdout
    assert "the judge changed" in " ".join(said.split())
    assert "Next: use" not in said
    assert ("--column month=time" in said) == watched


SHEETS = ["Ma\u0308r 2026", "Apr 2026", "Mai 2026"]
"""The first with its marks apart, as some systems write them."""


@pytest.mark.slow
def test_sheets_of_months_are_offered_as_times(tmp_path):
    """Of one sheet, of all, and of columns that are named; what is offered runs."""
    source = tmp_path / "monate.xlsx"
    rows = [(number, number % 5 + 1, number % 4 + 1) for number in range(1, 13)]
    with pd.ExcelWriter(source) as book:
        for name in SHEETS:
            frame = pd.DataFrame(rows, columns=["Nr", "KI-Note", "Lehrer"])
            frame.to_excel(book, sheet_name=name, index=False)
    every, named = "+".join(SHEETS), ["--column", "Nr=question", "--column", "KI-Note=verdict"]
    for given in ([], ["--sheet", every], named, ["--sheet", every, *named]):
        asked = invoke("watch", source, *given).stderr
        offered = asked.index("--column sheet=time")
        assert "sheet=judge" not in asked
        assert "--sheet 'Apr" not in asked[:offered]
    call = [*named, "--column", "Lehrer=label", "--sheet", every, "--column", "sheet=time"]
    assert "there are 3" in invoke("watch", source, *call).stdout
