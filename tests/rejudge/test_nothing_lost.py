"""What was paid for stays: rejudging that is killed, refused or run twice."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from inspect_ai.log import read_eval_log_sample_summaries

from commands import invoke
from graders import newest
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.saving import alone
from killed_rejudging import runs, suite

pytestmark = pytest.mark.slow

OUTPUTS, REPLICATIONS = 5, 5


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of five outputs, beside a grader that writes down its calls."""
    return suite(tmp_path, OUTPUTS)


def rejudge(log: Path, *more: str) -> Result:
    words = ["--scorer", f"{log.parents[1]}/grader.py@paced", "--model", "killed/model"]
    return invoke("rejudge", log, *words, "--replications", REPLICATIONS, *more)


def target_of(log: Path) -> Path:
    return log.with_name(f"{log.stem}-rejudged")


def calls(log: Path) -> int:
    file = log.parents[1] / "calls"
    return len(file.read_text().split()) if file.exists() else 0


@pytest.mark.process
def test_killed_runs_lose_and_repeat_nothing(tmp_path: Path) -> None:
    """Each judgment is there once; further calls are checks, or those of samples in flight.

    Until a further run makes the rest, reports say that the run was killed.
    """
    log = suite(tmp_path, outputs := 8)
    before = log.read_bytes()
    found, wanted = [], outputs * REPLICATIONS
    for run in runs(log, 2, REPLICATIONS):
        found.append(run)
        if len(found) == 1:
            [note] = judgments_from_logs(target_of(log)).notes
            assert (
                f"of {outputs} judgments made: still being written, or its run was killed"
                in str(note)
            )
    assert [run.repeated for run in found] == [0, 0, 0]
    assert sum(run.calls for run in found) == wanted + sum(run.lost + run.checks for run in found)
    assert found[0].kept > 0
    judged = judgments_from_logs(target_of(log))
    assert len(judged.table) == judged.table["seed"].nunique() == wanted
    assert not judged.notes
    assert log.read_bytes() == before


@pytest.fixture
def _heard() -> Iterator[None]:
    """Ctrl-C is heard, as it is not where a shell began the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heard")
def test_an_interrupted_run_says_what_is_kept_and_what_goes_on(log: Path) -> None:
    """Ctrl-C is no error, and the same command makes the rest."""
    grader = log.parents[1] / "grader.py"
    grader.write_text(grader.read_text().replace("SIGKILL", "SIGINT"))
    (log.parents[1] / "kill").write_text("20")
    done = rejudge(log)
    assert done.exit_code == 4, done.output
    said = " ".join(done.stderr.split())
    assert "replications were not made: the run was interrupted. What was judged is kept." in said
    assert "Run the same command again to make them." in said
    assert rejudge(log).exit_code == 0
    table = judgments_from_logs(target_of(log)).table
    assert len(table) == table["seed"].nunique() == OUTPUTS * REPLICATIONS


def test_a_grown_rejudging_keeps_what_it_has(log: Path) -> None:
    """A larger number adds the replications from there on, with seeds that follow."""
    folder = rejudge(log.parent, "--dry-run")
    assert folder.stderr.split()[-3:] == ["inspect-reliability", "rejudge", str(log)]
    for number, replications in ((1, "3"), (2, "5")):
        done = rejudge(log, "--replications", replications)
        assert done.exit_code == 0, done.output
        logs = sorted(target_of(log).glob("*.eval"))
        assert len(logs) == number
        n, every = 2 * OUTPUTS, 5 * OUTPUTS
        said = f"are of {n} replications of this run alone; the report is of all {every}."
        assert (said in " ".join(done.stderr.split())) == (number == 2)
    assert [len(read_eval_log_sample_summaries(str(one))) for one in logs] == [OUTPUTS, OUTPUTS]
    table = judgments_from_logs(target_of(log)).table
    for _, rows in table.groupby("question"):
        rows = rows.sort_values("replication")
        assert [*rows["replication"]] == [1, 2, 3, 4, 5]
        assert {*rows["seed"].diff().dropna()} <= {1, 1 - 2**31}
    assert "0 calls" in rejudge(log).stderr
    assert len(sorted(target_of(log).glob("*.eval"))) == 2


def test_one_run_at_a_time_in_a_folder(log: Path) -> None:
    """The second is refused while the first runs."""
    target_of(log).mkdir()
    with alone(target_of(log) / "rejudging"):
        done = rejudge(log)
    assert done.exit_code == 2
    assert "Another process is writing to" in " ".join(done.stderr.split())
    assert calls(log) == 0


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("grader.py", "is a file. Name a folder: --log-dir"),
        ("grader.py/logs", "cannot be written"),
        ("/proc/nothing/logs", "cannot be written"),
        ("long" * 100, "cannot be written"),
        ("logs", "has logs that are no rejudging of this one"),
    ],
)
def test_a_bad_folder_is_refused_before_the_first_call(
    log: Path, folder: str, message: str
) -> None:
    """What cannot be written is not paid for."""
    done = rejudge(log, "--log-dir", str(log.parents[1] / folder))
    assert done.exit_code == 2, done.output
    assert message in " ".join(done.stderr.split())
    assert calls(log) == 0


def test_what_would_mix_two_studies_is_refused(log: Path) -> None:
    """Another seed, grader or setting is another study: the folder keeps its own."""
    assert rejudge(log, "--limit", "1", "--temperature", "0.5").exit_code == 0
    before = calls(log)
    for more, why in (
        (["--temperature", "0.5", "--seed", "1"], "seed 0 (now 1)"),
        (["--temperature", "1"], "temperature 0.5 (now 1.0)"),
        (
            ["--temperature", "0.5", "--model", "killed/other"],
            "grader killed/model (now killed/other)",
        ),
    ):
        done = rejudge(log, *more)
        assert done.exit_code == 2
        assert why in " ".join(done.stderr.split())
    assert calls(log) == before
    assert newest(target_of(log)).eval.metadata["rejudging"]["seed"] == 0  # type: ignore[index]
