"""The same command on several days, and facets that a user names."""

from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import read_eval_log, write_eval_log

import example_logs
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments

QUESTIONS, REPLICATIONS = 3, 4


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = example_logs.judged(tmp_path_factory.mktemp("log"), REPLICATIONS, QUESTIONS)
    return Path(made.location.removeprefix("file://"))


def again(log: Path, path: Path, day: str, task: str, seeds: int = 0) -> Path:
    """The log of the same command, run on a day; with the same task id it is a retry."""
    found = read_eval_log(str(log))
    found.eval.created, found.eval.task_id = f"{day}T12:00:00+00:00", task
    for sample in found.samples or []:
        sample.uuid = f"{task} {sample.uuid}"
        for score in (sample.scores or {}).values():
            score.metadata["seed"] += seeds
    path.parent.mkdir(exist_ok=True)
    write_eval_log(found, str(path))
    return path


@pytest.mark.slow
def test_the_same_command_on_two_days_is_two_rows(log: Path, tmp_path: Path) -> None:
    """Nothing that was paid for on another day is a duplicate, nor another replication."""
    for day in ("2026-01-01", "2026-02-01"):
        again(log, tmp_path / f"{day}.eval", day, day)
    found = judgments_from_logs(tmp_path)
    assert found.notes == ()
    assert len(found) == 2 * QUESTIONS * REPLICATIONS
    rows = analyse(found).rows
    assert [row.group["time"] for row in rows] == ["2026-01-01", "2026-02-01"]
    (alone,) = analyse(judgments_from_logs(log)).rows
    assert "time" not in alone.group
    for row in rows:
        assert row.record["omega"] == alone.record["omega"]


@pytest.mark.slow
def test_days_that_are_put_together_are_said_to_repeat_seeds(log: Path, tmp_path: Path) -> None:
    """Who groups by judge alone mixes the days, and is told."""
    for day in ("2026-01-01", "2026-02-01"):
        again(log, tmp_path / f"{day}.eval", day, day)
    (row,) = analyse(judgments_from_logs(tmp_path), ["judge"]).rows
    said = " ".join(row.record["cautions"])
    assert "This row mixes 2 times." in said
    assert f"{QUESTIONS * REPLICATIONS} judgments repeat a seed" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("days", "tasks"),
    [(("2026-01-01", "2026-01-01"), "ab"), (("2026-01-01", "2026-01-02"), "aa")],
    ids=["the same day", "a retry on the next day"],
)
def test_a_seed_again_on_one_day_or_in_a_retry_is_one_draw(
    log: Path, tmp_path: Path, days: tuple[str, str], tasks: str
) -> None:
    """A retry keeps the id of its task, and belongs to the day on which it began."""
    for number, (day, task) in enumerate(zip(days, tasks, strict=True)):
        again(log, tmp_path / f"{number}.eval", day, task)
    found = judgments_from_logs(tmp_path)
    (note,) = found.notes
    assert (note.what, note.count) == ("duplicate judgments left out", QUESTIONS * REPLICATIONS)
    assert set(found.table["time"]) == {"2026-01-01"}


@pytest.mark.slow
def test_other_seeds_on_another_day_add_replications(log: Path, tmp_path: Path) -> None:
    """A study that was continued is one row."""
    again(log, tmp_path / "1.eval", "2026-01-01", "a")
    again(log, tmp_path / "2.eval", "2026-01-02", "b", seeds=1000)
    (row,) = analyse(judgments_from_logs(tmp_path)).rows
    assert row.record["n_replications"] == 2 * REPLICATIONS
    assert not [caution for caution in row.record["cautions"] if "mixes" in caution]


def crossed(**columns: list[str]) -> Judgments:
    """Two questions at two levels of a facet, three draws each."""
    rows = [
        {"question": q, "level": level, "verdict": verdict}
        for q in "pq"
        for level in "xy"
        for verdict in ("A", "B", level)
    ]
    return judgments_from_frame(pd.DataFrame(rows).rename(columns=columns), judge="j")


def test_wordings_have_rows_of_their_own() -> None:
    """Omega is over the draws of one wording, and a judge with one wording says which."""
    judgments = crossed(level="wording")
    one = judgments.table.query("wording == 'x'").assign(judge="k")
    table = pd.concat([judgments.table, one], ignore_index=True)
    rows = analyse(Judgments(table)).rows
    names = [(row.group["judge"], row.group["wording"]) for row in rows]
    assert names == [("j", "x"), ("j", "y"), ("k", "x")]
    assert {row.record["n_replications"] for row in rows} == {3}


def test_a_named_column_is_a_facet() -> None:
    """Its levels are rows where questions have several, and the name must be that of a column."""
    judgments = crossed()
    with pytest.raises(UserError, match="'level' tells them apart"):
        analyse(judgments)
    rows = analyse(judgments.with_facets(["level"])).rows
    assert [row.group["level"] for row in rows] == ["x", "y"]
    by_question = judgments.table.assign(subset=judgments.table["question"])
    assert len(analyse(Judgments(by_question).with_facets(["subset"])).rows) == 1
    with pytest.raises(UserError, match=r"no column 'leevl'.*level"):
        judgments.with_facets(["leevl"])
