"""Judgments of inspect logs."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import inspect_ai.log
import pytest
from inspect_ai import eval_retry
from inspect_ai.log import read_eval_log

import example_logs
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.log_facts import FAILED, Gap, Log
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments, make_table
from inspect_reliability.judgments.text import judgment_text


@pytest.mark.slow
def test_every_judgment_of_a_log_is_a_row(tmp_path: Path) -> None:
    """Verdict, question, replication and seed of the table are those of the samples."""
    log = example_logs.judged(tmp_path, temperature=0.5)
    table = judgments_from_logs(tmp_path).table
    samples = read_eval_log(log.location).samples
    assert samples
    found = table[["question", "replication", "verdict", "seed", "order"]].itertuples(index=False)
    assert {tuple(row) for row in found} == {
        (
            s.id,
            s.epoch,
            s.scores["verdict"].value,
            s.metadata["seed"],
            tuple(s.metadata["order"]),
        )
        for s in samples
    }
    assert len(table) == len(samples) == 12
    assert set(table["judge"]) == {"mockllm/model"}
    assert set(table["benchmark"]) == {"BBH"}
    assert set(table["temperature"]) == {0.5}
    assert set(table["tokens"]) == {100}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log to be read, alone in its folder."""
    made = example_logs.judged(tmp_path_factory.mktemp("log"))
    return Path(made.location.removeprefix("file://"))


@pytest.mark.slow
def test_sources_may_be_a_file_a_folder_a_url_or_a_log(log: Path) -> None:
    """However a log is named, it holds the same judgments."""
    sources = [log, str(log), log.parent, log.as_uri(), read_eval_log(str(log))]
    tables = [judgments_from_logs(source).table for source in sources]
    columns = ["judge", "benchmark", "temperature", "question", "replication", "verdict"]
    for table in tables[1:]:
        assert table[columns].equals(tables[0][columns])


@pytest.mark.slow
def test_epsilon_is_temperature_zero(tmp_path: Path) -> None:
    """Machine epsilon, the paper's way to say greedy, is read as 0."""
    example_logs.judged(tmp_path, temperature=2.220446049250313e-16)
    assert set(judgments_from_logs(tmp_path).table["temperature"]) == {0.0}


def test_a_copy_of_a_log_adds_nothing(log: Path, tmp_path: Path) -> None:
    """A judgment that stands in two logs counts once, and its copy is counted and named."""
    for name in ("a_log.eval", "z_copy.eval"):
        shutil.copy(log, tmp_path / name)
    judgments = judgments_from_logs(tmp_path)
    assert len(judgments) == 12
    (note,) = judgments.notes
    assert (note.count, note.what) == (12, "duplicate judgments left out")
    assert note.where.endswith("z_copy.eval")


def test_texts_that_samples_repeat_are_kept_once(log: Path, tmp_path: Path) -> None:
    """Thousands of logs fit into memory: equal texts of all of them are one object."""
    for name in ("one", "two"):
        shutil.copy(log, tmp_path / f"{name}.eval")
    table = judgments_from_logs(tmp_path).table
    for name in ("judge", "question", "verdict", "categories", "prompt"):
        values = [one for one in table[name] if one is not None]
        assert len({*map(id, values)}) == len({*values}) < len(values)


@pytest.mark.slow
def test_a_retried_run_has_every_judgment_once(tmp_path: Path) -> None:
    """The log of a failed run and that of its retry are one set of judgments."""
    failed = example_logs.with_error(tmp_path, fatal=True)
    done = len(judgments_from_logs(failed).table)
    eval_retry(failed, log_dir=str(tmp_path), display="none", log_realtime=False)
    judgments = judgments_from_logs(tmp_path)
    keys = judgments.table[["question", "replication"]]
    assert not keys.duplicated().any()
    assert done <= len(judgments) <= 6


@pytest.mark.slow
def test_the_same_seeds_again_are_the_same_judgments(tmp_path: Path) -> None:
    """A run repeated with its seeds adds no judgment; one with other seeds adds all of its own."""
    example_logs.judged(tmp_path, seed=1)
    example_logs.judged(tmp_path, seed=1)
    assert len(judgments_from_logs(tmp_path)) == 12
    example_logs.judged(tmp_path, seed=2)
    assert len(judgments_from_logs(tmp_path)) == 24


@pytest.mark.slow
def test_scores_of_a_foreign_task(tmp_path: Path) -> None:
    """Numbers become names, a dict one scorer a key, what is unscored a non-response."""
    example_logs.foreign(tmp_path)
    judgments = judgments_from_logs(tmp_path)
    found = judgments.table.groupby("scorer")["verdict"].agg(lambda v: sorted(set(v))).to_dict()
    assert found == {
        "numeric": ["1", "2", "non-response"],
        "rubric.facts": ["0.25", "0.5"],
        "rubric.style": ["1"],
    }
    assert set(judgments.table["benchmark"]) == {"sums"}
    (note,) = judgments.notes
    assert (note.count, "unscored" in note.what) == (3, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "there", "what"),
    [
        (lambda folder: example_logs.with_error(folder, fatal=False), 5, "ended in an error"),
        (example_logs.under_way, 7, "of 8 judgments made: still being written"),
        (example_logs.cancelled, 4, "of 8 judgments made: its run was cancelled"),
    ],
)
def test_unfinished_logs_are_read_and_named(tmp_path: Path, make, there: int, what: str) -> None:
    """What a run got done counts; what it did not is in the notes."""
    made = make(tmp_path)
    judgments = judgments_from_logs(made if isinstance(made, Path) else made.location)
    assert len(judgments) == there
    assert any(what in note.what for note in judgments.notes)


@pytest.mark.slow
def test_a_truncated_log_is_named_and_the_rest_read(tmp_path: Path) -> None:
    """One broken file does not take the others with it."""
    example_logs.truncated(tmp_path)
    judgments = judgments_from_logs(tmp_path)
    assert len(judgments) == 12
    (note,) = judgments.notes
    assert note.what.startswith("log that cannot be read")
    assert note.where.endswith("truncated.eval")


@pytest.mark.slow
def test_a_seed_check_speaks_for_its_run(log: Path, tmp_path: Path) -> None:
    """One replication is checked; every judgment of its run is known to be of such a judge."""
    shutil.copy(log, tmp_path)
    other = example_logs.foreign(tmp_path)
    table = judgments_from_logs(tmp_path).table
    foreign = table["log"].str.endswith(Path(other.location).name)
    assert set(table.loc[~foreign, "seed_check"]) == {"unknown"}
    assert table.loc[foreign, "seed_check"].isna().all()


@pytest.mark.slow
def test_a_log_under_another_name_is_counted_and_can_be_named(log: Path, tmp_path: Path) -> None:
    """Inspect knows JSON logs by their names; what it passes over is counted."""
    folder = tmp_path / "logs"
    made = example_logs.judged(folder, log_format="json")
    (folder / "logs.json").write_text("{}")
    assert judgments_from_logs(folder).notes == ()
    path = Path(made.location.removeprefix("file://"))
    renamed = path.rename(folder / "renamed.json")
    with pytest.raises(UserError, match=r"1 \*\.json or \*\.eval that inspect"):
        judgments_from_logs(folder)
    shutil.copy(log, folder)
    (note,) = judgments_from_logs(folder).notes
    assert note.count == 1
    assert len(judgments_from_logs(renamed)) == 12


@pytest.mark.slow
def test_only_a_truncated_log(tmp_path: Path) -> None:
    """Nothing to report on is an error that says why."""
    path = example_logs.truncated(tmp_path)
    with pytest.raises(UserError, match=r"No judgments in 1 log\.\n.*truncated\.eval"):
        judgments_from_logs(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "No inspect logs"), ("no", "No file or"), ("rows", r"name them, \S+/rows/\*\.csv\. ")],
)
def test_nothing_there(tmp_path: Path, name: str, message: str) -> None:
    """An empty folder, a missing one, and one of other files are told apart."""
    (tmp_path / "rows").mkdir()
    for one in "ab":
        (tmp_path / "rows" / f"{one}.csv").touch()
    with pytest.raises(UserError, match=message):
        judgments_from_logs(tmp_path / name)


@pytest.mark.slow
def test_what_the_run_paid_is_a_column(tmp_path: Path) -> None:
    """The price that a run recorded is that of its judgments; without one there is no column."""
    log = example_logs.judged(tmp_path, epochs=2, questions=1)
    assert "cost" not in judgments_from_logs(log).table
    for sample in log.samples or []:
        for usage in sample.model_usage.values():
            usage.total_cost = 0.003
    assert set(judgments_from_logs(log).table["cost"]) == {0.003}


@pytest.mark.slow
def test_a_text_is_found_without_reading_what_a_log_says_of_every_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample has its name; only where another one has it, the log is searched for the uuid."""
    asked: list[dict[str, Any]] = []
    read = inspect_ai.log.read_eval_log_sample

    def counted(log: str, **known: Any) -> Any:
        asked.append(known)
        return read(log, **known)

    row = judgments_from_logs(example_logs.judged(tmp_path).location).table.iloc[0].to_dict()
    monkeypatch.setattr(inspect_ai.log, "read_eval_log_sample", counted)
    text = judgment_text(row)
    assert text
    assert ["uuid" in one for one in asked] == [False]
    for other in (row["sample"] + "x", row["sample"]):
        epoch = row["epoch"] + (other == row["sample"])  # another sample, which is there
        assert judgment_text(row | {"sample": other, "epoch": epoch}) == text
    assert ["uuid" in one for one in asked] == [False, False, True, False, True]


NIGHT = Log(("judge", "task", 1.0), "anchors", "", (Gap(FAILED, 2, retried=True),))


@pytest.mark.parametrize(
    ("second", "named"),
    [
        ({"seed": "2"}, "13"),
        ({"seed": "1"}, "3"),
        ({"seed": "1", "gaps": ()}, ""),
        ({"seed": "2", "lineage": "first"}, "3"),
    ],
)
def test_failed_calls_are_named_of_every_night(second: dict[str, object], named: str) -> None:
    """But not where a retry, or a run with the same seed, has made them again."""
    first = replace(NIGHT, created="2026-01-01", seed="1", lineage="first")
    later = replace(NIGHT, **{"created": "2026-01-02", "lineage": "other", **second})
    logs = {"checks/1/a.eval": first, "checks/3/a.eval": later}
    found = Judgments(make_table([]), logs=logs).notes
    assert [(one.where, one.count) for one in found] == [(f"checks/{n}/a.eval", 2) for n in named]


@pytest.mark.parametrize(("folder", "named"), [("1", 1), ("2", 2)])
def test_runs_without_a_seed_are_of_one_night_in_one_folder(folder: str, named: int) -> None:
    """Rejudging into a folder makes what is missing there."""
    logs = {
        "checks/1/a.eval": replace(NIGHT, created="2026-01-01", lineage="first"),
        f"checks/{folder}/b.eval": replace(NIGHT, created="2026-01-02", lineage="other"),
    }
    assert len(Judgments(make_table([]), logs=logs).notes) == named
