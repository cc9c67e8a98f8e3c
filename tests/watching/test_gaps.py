"""Which nights of a series of checks are missing."""

import json
from pathlib import Path

import pandas as pd
import pytest

from commands import invoke
from inspect_reliability.watching.checks import Check
from inspect_reliability.watching.gaps import missing_checks

NIGHTS = pd.date_range("2026-03-01 02:00", periods=30, freq="D")


def series(times: pd.DatetimeIndex) -> list[Check]:
    return [Check(str(one), one.tz_localize("UTC").timestamp(), {}, str(one)) for one in times]


@pytest.mark.parametrize("freq", ["D", "7D", "6h"])
@pytest.mark.parametrize("gone", [[], [7], [7, 8, 9], [4, 11, 22]])
def test_missing_times_are_those_that_were_taken_out(freq: str, gone: list[int]) -> None:
    """Also where checks begin some minutes early or late; a repeated check is no gap."""
    times = pd.date_range("2026-03-01 02:00", periods=30, freq=freq)
    late = times + pd.to_timedelta([(7 * k) % 11 for k in range(30)], unit="min")
    form = "%Y-%m-%d %H:%M" if freq == "6h" else "%Y-%m-%d"
    assert missing_checks(series(times.delete(gone))) == [f"{times[k]:{form}}" for k in gone]
    found = missing_checks(series(late.delete(gone)))
    assert [pd.Timestamp(one).round("6h") for one in found] == [
        pd.Timestamp(f"{times[k]:{form}}").round("6h") for k in gone
    ]


def test_days_of_the_week_without_checks_are_not_missing() -> None:
    """Checks of working days lack no weekend, but a Wednesday."""
    working = NIGHTS[NIGHTS.weekday < 5]
    assert missing_checks(series(working)) == []
    assert missing_checks(series(working.delete(7))) == [f"{working[7]:%Y-%m-%d}"]


def test_irregular_or_numbered_checks_lack_nothing() -> None:
    """Nothing says when the next one was due."""
    gaps = [1, 5, 2, 9, 1, 14, 3, 30, 2, 6]
    days = pd.to_datetime("2026-01-01") + pd.to_timedelta(pd.Series(gaps).cumsum(), unit="D")
    assert missing_checks(series(pd.DatetimeIndex(days))) == []
    assert missing_checks(series(NIGHTS[[0, 1, 3]])) == []
    seconds = pd.to_timedelta([0, 27, 91, 119, 143, 153, 166, 221, 245, 270, 290, 310], unit="s")
    assert missing_checks(series(pd.DatetimeIndex(pd.Timestamp("2026-11-30") + seconds))) == []
    numbered = [Check(str(k), float(k), {}, str(k)) for k in (1, 2, 3, 4, 5, 9, 10)]
    assert missing_checks(numbered) == []


@pytest.mark.slow
@pytest.mark.usefixtures("read_once", "few_draws")
def test_a_missing_night_is_said_and_changes_nothing(tmp_path: Path) -> None:
    """A line of the answer and a key of JSON; the exit status is that of the checks."""
    checks = pd.read_csv(Path(__file__).parents[2] / "examples" / "checks.csv")
    nights = sorted(checks["time"].unique())
    whole = invoke("watch", Path(__file__).parents[2] / "examples" / "checks.csv")
    assert "no check is of" not in whole.stdout
    path = tmp_path / "checks.csv"
    checks[checks["time"] != nights[5]].to_csv(path, index=False)
    found = invoke("watch", path)
    assert f"no check is of {nights[5]}." in " ".join(found.stdout.split())
    assert found.exit_code == whole.exit_code == 1
    assert json.loads(invoke("watch", path, "--format", "json").stdout)["missing"] == [nights[5]]
