"""Nights of which nothing can be read are checks that are left out."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from inspect_reliability.errors import UserError
from inspect_reliability.judgments.log_facts import Log
from inspect_reliability.judgments.reading import Code, Note
from inspect_reliability.judgments.table import Judgments, make_table
from inspect_reliability.watching.checks import Check
from inspect_reliability.watching.nights import lost_nights, next_night

AT = "2026-01-0{}T03:00:00+00:00"

BEGAN, DAY = 1_767_236_400.0, 86_400.0


def nights(root: Path, folders: list[str], unread: list[str]) -> tuple[Judgments, list[Check]]:
    """Checks at days from the first of a year on, and logs that cannot be read."""
    checks = []
    for number, name in enumerate(folders):
        (root / name).mkdir(exist_ok=True)
        (root / name / f"{number}.eval").touch()
        place = str(root / name / f"{number}.eval")
        when = BEGAN + number * DAY
        checks.append(Check(AT.format(number + 1), when, {"judge": "g"}, place, (place,)))
    logs = {one.places[0]: Log(("g", "t", None), "frozen", one.time) for one in checks}
    notes = [
        Note("log that cannot be read", 1, str(root / one), Code.UNREADABLE, why="cut off")
        for one in unread
    ]
    return replace(Judgments(make_table([])), logs=logs, said=tuple(notes)), checks


@pytest.mark.parametrize(
    ("folders", "lost", "time", "after"),
    [
        (["20260101", "20260102", "20260103"], "20260104", "2026-01-04", 2),
        (["2026-01-01", "2026-01-02", "2026-01-04"], "2026-01-03", "2026-01-03", 1),
        (["8", "9", "11"], "10", "folder 10", 1),
        (["8", "9", "10"], "11", "folder 11", 2),
    ],
)
def test_a_lost_night_has_its_place(
    folders: list[str], lost: str, time: str, after: int, tmp_path: Path
) -> None:
    """It is where its folder's name puts it, be it empty or with a log that is cut off."""
    for unread in ([], [f"{lost}/log.eval"]):
        (tmp_path / lost).mkdir(exist_ok=True)
        if "-04" in folders[-1]:  # the third check is a day late
            judgments, checks = nights(tmp_path, folders, unread)
            checks[2] = replace(checks[2], when=checks[2].when + DAY)
        else:
            judgments, checks = nights(tmp_path, folders, unread)
        [found] = lost_nights(judgments, checks)
        whys = ["its log cannot be read (cut off)", f"its folder {lost} has no log"]
        assert (found.time, found.reason) == (time, f"no judgment: {whys[not unread]}")
        assert [one.when < found.when for one in checks] == [n <= after for n in range(3)]


def test_a_log_has_its_time_in_its_name(tmp_path: Path) -> None:
    """In one folder of all checks it decides; without it nobody knows which night is lost."""
    name = "2026-01-04T02-00-00-01-00_suite_x.eval"
    [found] = lost_nights(*nights(tmp_path, ["all", "all", "all"], [f"all/{name}"]))
    assert found.time == "2026-01-04T02:00:00-01:00"
    assert found.when == BEGAN + 3 * DAY
    with pytest.raises(UserError, match="Nothing says which check it is"):
        lost_nights(*nights(tmp_path, ["all", "all", "all"], ["all/x.eval"]))


def test_a_night_made_again_is_not_lost(tmp_path: Path) -> None:
    """Another log of its folder is its check, and folders without a day or number are no nights."""
    (tmp_path / "notes").mkdir()
    assert not lost_nights(*nights(tmp_path, ["1", "2", "3"], ["3/x.eval"]))


@pytest.mark.parametrize(
    ("folders", "name"),
    [
        (["20260101", "20260102"], f"{date.today():%Y%m%d}"),
        (["night-2026-01-01", "night-2026-01-02"], f"night-{date.today()}"),
        (["v3.1-2026-01-01", "v3.1-2026-01-02"], f"v3.1-{date.today()}"),
        (["20260101", f"{date.today():%Y%m%d}"], f"{date.today():%Y%m%d}-2"),
        (["8", "19"], "20"),
        (["first", "second"], "3"),
    ],
)
def test_the_next_folder_is_named_as_those_before(
    folders: list[str], name: str, tmp_path: Path
) -> None:
    """Days are followed by today, numbers by the next one, and each has a seed of its own."""
    judgments, checks = nights(tmp_path, folders, [])
    (tmp_path / "20251231").mkdir()
    checks += lost_nights(judgments, checks)
    digits = name.removeprefix("night").removeprefix("v3.1").replace("-", "")
    assert next_night(checks, str(tmp_path)) == (name, int(digits))
