"""Studies that several workers judged, each a shard."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai._cli.log import log_command
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import get_model

from example_logs import DRAWN, run
from inspect_reliability import Item, JudgeDesign
from inspect_reliability.answers import analyse
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import Judgments, save
from inspect_reliability.record.shards import Shard
from inspect_reliability.tasks import judge

DESIGN = JudgeDesign("Polite", "{{ response }}", ["yes", "no"])
ITEMS = [Item(f"q{n}", "?", {"me": f"Hello {n}."}) for n in range(12)]
N = 3


def shard(folder: Path, place: int, number: int = N, **options: Any) -> EvalLog:
    """The log of one worker."""
    own = Shard(place, number)
    task = judge(DESIGN, ITEMS, replications=4)
    task.metadata = {"shard": str(own)}
    return run(task, folder, sample_id=own.part([item.id for item in ITEMS], str), **options)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of three shards, judged once."""
    folder = tmp_path_factory.mktemp("study")
    for place in range(N):
        shard(folder / "study.shards" / str(place), place)
    return folder


@pytest.fixture
def study(judged: Path, tmp_path: Path) -> Path:
    """A copy of the study, which a test may change."""
    return shutil.copytree(judged, tmp_path, dirs_exist_ok=True)


def merge(study: Path, places: range = range(N)) -> None:
    """Write the log that is merged of some shards."""
    folders = [study / "study.shards" / str(place) for place in places]
    logs = [read_eval_log(log) for folder in folders for log in list_eval_logs(str(folder))]
    whole = logs[0].model_copy(deep=True)
    whole.samples = [sample for log in logs for sample in log.samples or []]
    assert whole.results
    whole.results.total_samples = whole.results.completed_samples = len(whole.samples)
    write_eval_log(whole, str(study / "study.eval"))


def said(read: Judgments) -> list[str]:
    return [f"{note.count} {note.what}" for note in read.notes]


def results(read: Judgments) -> Any:
    found = analyse(read).results
    return [dict(row, cautions=[]) for row in found["rows"]], list(found["votes"])


@pytest.mark.slow
def test_shards_a_merged_log_and_both_are_one_study(study: Path) -> None:
    """Each judgment counts once, and what shards repeat beside the merged log is told."""
    alone = judgments_from_logs(study)
    assert len(alone) == len(ITEMS) * 4
    assert said(alone) == []
    merge(study)
    both, merged = judgments_from_logs(study), judgments_from_logs(study / "study.eval")
    assert {"duplicate judgments left out" in one for one in said(both)} == {True}
    assert said(merged) == []
    assert results(alone) == results(both) == results(merged)


def test_shards_that_inspect_merged_are_one_study(study: Path) -> None:
    """The log of inspect's own command says what its shards say."""
    if "merge-shards" not in log_command.commands:
        pytest.skip("this inspect has no `inspect log merge-shards` (0.3.291 on)")
    done = CliRunner().invoke(log_command, ["merge-shards", str(study / "study.shards")])
    assert done.exit_code == 0, done.output
    merged = judgments_from_logs(study / "study.eval")
    assert results(merged) == results(judgments_from_logs(study / "study.shards"))


@pytest.mark.slow
def test_a_missing_shard_is_named_with_what_it_has(study: Path) -> None:
    """About as many judgments as the other shards have, also where a merged log lacks it."""
    merge(study, range(2))
    merged = judgments_from_logs(study / "study.eval")
    for log in (study / "study.shards" / "2").iterdir():
        log.unlink()
    read = judgments_from_logs(study / "study.shards")
    for found in (read, merged):
        each = len(found) / 2
        expected = f"{round(each)} of about {each * N:.0f} judgments: shard 2/3 is missing."
        assert said(found) == [f"{expected} Judge with -T shard=2/3"]


@pytest.mark.slow
def test_a_missing_shard_of_saved_judgments(study: Path) -> None:
    """Workers' saved files tell as much as their logs."""
    files = []
    for place in (0, 2):
        found = judgments_from_logs(study / "study.shards" / str(place))
        save(found, file := study / f"{place}.parquet")
        files.append(str(file))
    (note,) = said(judgments_from(files))
    assert note.endswith("shard 1/3 is missing. Judge with -T shard=1/3")


@pytest.mark.slow
def test_the_newest_log_of_a_shard_counts(study: Path) -> None:
    """An earlier log in its folder is left out, with a note."""
    shard(study / "study.shards" / "1", 1)
    read = judgments_from_logs(study)
    assert len(read) == len(ITEMS) * 4
    assert said(read) == ["1 older logs in the folder of a shard left out: its newest log counts"]


@pytest.mark.slow
def test_a_shard_that_two_workers_had_is_told(study: Path) -> None:
    """Both logs are named, and each judgment counts once."""
    shard(study / "study.shards" / "3", 1)
    read = judgments_from_logs(study)
    assert len(read) == len(ITEMS) * 4
    (told,) = (note for note in read.notes if "workers had shard" in note.what)
    assert told.count == 2
    assert told.what.startswith("workers had shard 1/3: what both judged counts once")
    assert all(f"study.shards/{place}/" in told.where for place in (1, 3))


@pytest.mark.slow
def test_an_unfinished_shard_says_which_it_is(study: Path) -> None:
    """The note on a killed run has the number of its shard."""
    (place,) = list_eval_logs(str(study / "study.shards" / "1"))
    log = read_eval_log(place)
    log.status, log.samples = "started", (log.samples or [])[:1]
    write_eval_log(log, place)
    (note,) = said(judgments_from_logs(study))
    assert "judgments of shard 1/3 made: still being written" in note


@pytest.mark.slow
def test_other_options_and_other_studies_are_told(study: Path) -> None:
    """Shards of one folder that do not fit together are named, with what differs."""
    folder = study / "study.shards"
    shard(folder / "3", 0, 2)
    assert any(
        "options among the shards in one folder (shards: 2, 3)" in one
        for one in said(judgments_from_logs(study))
    )
    shard(folder / "4", 1, model=get_model(DRAWN))
    assert any(
        "(judge: " in one and "temperature" not in one for one in said(judgments_from_logs(study))
    )
