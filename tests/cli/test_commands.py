"""Every command on every kind of log that is not a clean one."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import Result
from inspect_ai.log import read_eval_log, read_eval_log_sample

import example_logs
from commands import invoke
from example_published import QUESTIONS, REPLICATIONS, RESPONDERS, published_folder
from inspect_reliability.record.replications import replications_in
from inspect_reliability.showing import FORMS
from inspect_reliability.study.published.imported import (
    best_of_five,
    published_runs,
    write_published_log,
)

pytestmark = [pytest.mark.usefixtures("undrawn", "read_once")]

COMMANDS = {
    "report": ["report"],
    "plan": ["plan"],
    "gate": ["gate", "--min", "omega=0.1"],
    "compare": ["compare", "--by", "judge"],
}
# A run that stopped before any question was judged twice is nothing to plan from.
DONE = {"report": {0}, "plan": {0, 2}, "gate": {0, 1, 3}, "compare": {0}}


def results(printed: Result) -> dict[str, Any]:
    """What a command found, but for the notes on where it found it."""
    found: dict[str, Any] = json.loads(printed.stdout)
    del found["notes"]
    return found


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One folder for each kind of log."""
    root = tmp_path_factory.mktemp("logs")
    folders = {
        name: root / name
        for name in (
            "clean",
            "empty",
            "running",
            "cancelled",
            "failed",
            "foreign",
            "copied",
            "truncated",
            "other",
        )
    }
    for folder in folders.values():
        folder.mkdir()
    clean = Path(example_logs.judged(folders["clean"]).location.removeprefix("file://"))
    example_logs.under_way(folders["running"])
    shutil.rmtree(folders["running"] / "running")
    example_logs.cancelled(folders["cancelled"])
    shutil.rmtree(folders["cancelled"] / "whole")
    example_logs.with_error(folders["failed"], fatal=True)
    example_logs.foreign(folders["foreign"])
    for name in ("one.eval", "two.eval"):
        shutil.copy(clean, folders["copied"] / name)
    example_logs.truncated(folders["truncated"])
    shutil.rmtree(folders["truncated"] / "whole")
    example_logs.judged(folders["other"], temperature=0.5, model=example_logs.judge("AB"))
    return folders


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("empty", "No inspect logs"),
        ("truncated", "No judgments in 1 log"),
    ],
)
def test_nothing_to_read(logs: dict[str, Path], command: str, kind: str, words: str) -> None:
    """Nothing to report on is exit status 2 and one sentence."""
    result = invoke(*COMMANDS[command], logs[kind])
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "plan", "gate"])
@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("running", "of 8 judgments made: still being written"),
        ("cancelled", "of 8 judgments made: its run was cancelled"),
        ("failed", "its run failed (RuntimeError("),
        ("copied", "12 duplicate judgments left out"),
    ],
)
def test_imperfect_logs(logs: dict[str, Path], command: str, kind: str, note: str) -> None:
    """What there is is used; what is missing is counted and named on standard error."""
    result = invoke(*COMMANDS[command], logs[kind], "--format", "json")
    assert note in " ".join(result.stderr.split())
    assert result.exit_code in DONE[command]
    if result.exit_code == 2:
        assert "No question was judged more than once" in result.stderr
    else:
        json.loads(result.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("running", "still being written"),
        ("cancelled", "its run was cancelled"),
        ("copied", "12 duplicate judgments left out"),
    ],
)
def test_comparing_imperfect_logs(logs: dict[str, Path], kind: str, note: str) -> None:
    """A comparison says what one of its sides lacks."""
    result = invoke("compare", logs[kind], logs["other"], "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert note in " ".join(result.stderr.split())
    rows = json.loads(result.stdout)["rows"]
    # The benchmark knows the best response, so that accuracy is compared, too.
    assert {row["coefficient"] for row in rows} >= {"omega", "agreement", "accuracy"}


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        (["clean", "foreign"], "several scorers and share none"),
        (["clean"], "Give two sources"),
        (["clean", "clean"], "Both sources are"),
        (["clean", "--by", "category"], "every question belongs to one category"),
        (["clean", "copied", "other"], "Give two sources"),
    ],
)
def test_what_cannot_be_compared(logs: dict[str, Path], sources: list[str], words: str) -> None:
    """Logs of different tasks share no question; one source alone is nothing to compare."""
    result = invoke("compare", *(logs.get(source, source) for source in sources))
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.slow
def test_one_broken_log_among_others(logs: dict[str, Path]) -> None:
    """A truncated log is named and the others are reported."""
    result = invoke("report", logs["truncated"], logs["clean"], "--format", "json")
    assert result.exit_code == 0
    assert "cannot be read" in result.stderr
    (row,) = json.loads(result.stdout)["rows"]
    assert row["n_judgments"] == 12


@pytest.mark.slow
def test_a_copy_changes_no_number(logs: dict[str, Path]) -> None:
    """Two copies of a log are one set of judgments."""
    once, twice = (
        results(invoke("report", logs[kind], "--format", "json")) for kind in ("clean", "copied")
    )
    assert once == twice


@pytest.mark.slow
def test_a_foreign_task_is_reported_by_scorer(logs: dict[str, Path]) -> None:
    """Numbers and the parts of dict scores are verdicts of scorers of their own."""
    rows = json.loads(invoke("report", logs["foreign"], "--format", "json").stdout)["rows"]
    assert [row["scorer"] for row in rows] == ["numeric", "rubric.facts", "rubric.style"]
    assert {row["benchmark"] for row in rows} == {"sums"}
    assert rows[2]["agreement"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", ["report", "plan", "gate", "compare"])
def test_every_format_of_every_command(logs: dict[str, Path], command: str, form: str) -> None:
    """Each command prints each format on standard output."""
    arguments = ["compare", logs["clean"], logs["other"]]
    if command != "compare":
        arguments = [*COMMANDS[command], logs["clean"]]
    result = invoke(*arguments, "--format", form)
    assert result.exit_code in DONE[command]
    assert result.stdout.strip()
    assert "\x1b" not in result.stdout
    if form == "markdown":
        assert "| ---" in result.stdout


@pytest.mark.slow
def test_grouping(logs: dict[str, Path]) -> None:
    """Any key of the scores' metadata can be grouped by; an unknown one lists those there are."""
    by_category = invoke("report", logs["clean"], "--by", "category", "--format", "json")
    rows = json.loads(by_category.stdout)["rows"]
    assert len(rows) == 3
    assert all(row["n_questions"] == 1 for row in rows)
    result = invoke("report", logs["clean"], "--by", "nonsense")
    assert result.exit_code == 2
    assert "category" in result.stderr


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (["--min", "omega=-50"], 0),
        (["--max", "non_response_rate=1"], 0),
        (["--max", "non_response_rate=0.2"], 3),
        (["--max", "non_response_rate=0"], 1),
        ([], 2),
        (["--min", "omega=1.5"], 2),
    ],
)
def test_exit_status_of_the_gate(logs: dict[str, Path], limits: list[str], code: int) -> None:
    """0 passes, 1 fails, 3 is too uncertain, and 2 is a mistake in asking."""
    assert invoke("gate", logs["clean"], *limits).exit_code == code


@pytest.mark.slow
def test_a_judge_that_fails_the_gate(tmp_path: Path) -> None:
    """A judge that never answers fails whatever limit on non-response."""
    example_logs.judged(tmp_path, model=example_logs.judge("-"))
    result = invoke("gate", tmp_path, "--max", "non_response_rate=0.1")
    assert result.exit_code == 1
    assert "The gate fails" in result.stdout


@pytest.mark.slow
def test_data(logs: dict[str, Path], tmp_path: Path) -> None:
    """Judgments and results are the same in files and in JSON."""
    result = invoke("report", logs["clean"], "--tables", tmp_path / "data", "--format", "json")
    assert result.exit_code == 0, result.stderr
    (row,) = json.loads(result.stdout)["rows"]
    for read, kind in ((pd.read_parquet, "parquet"), (pd.read_csv, "csv")):
        table = read(tmp_path / "data" / f"judgments.{kind}")
        assert len(table) == row["n_judgments"] == 12
        assert set(table["verdict"]) <= {*"ABCDE", "non-response"}
    report = pd.read_csv(tmp_path / "data" / "report.csv")
    assert report["omega"][0] == pytest.approx(row["omega"])


def imported(folder: Path, log_dir: Path) -> Result:
    """Import in this process."""
    return invoke("import", folder, "--log-dir", log_dir)


@pytest.mark.slow
def test_published_judgments_as_logs(tmp_path: Path) -> None:
    """Imported logs give the numbers of the files."""
    folder = published_folder(tmp_path / "published")
    for path in (folder / "results").glob("*other_judge*"):
        path.unlink()
    log_dir = tmp_path / "logs"
    result = imported(folder, log_dir)
    assert result.exit_code == 0, result.stderr
    assert "Not known" in result.stderr
    assert len(list(log_dir.glob("*.eval"))) == 3 * 3 + 1
    said = " ".join(result.stdout.split())
    assert "The paper's tables" in said or "Published" in said
    assert f"{3 * 3 + 1} logs are in {log_dir}" in said
    rows = results(invoke("report", log_dir, "--format", "json"))["rows"]
    judgments = sum(row["n_judgments"] for row in rows)
    assert judgments == (3 * len(QUESTIONS) + 4) * REPLICATIONS


@pytest.mark.slow
def test_importing_without_responses(tmp_path: Path) -> None:
    """Judgments alone have their numbers, without what the other files would say."""
    folder = published_folder(tmp_path / "published")
    for path in folder.glob("results/*"):
        path.unlink()
    for path in (folder / "prompt_responses.json", *folder.glob("application_data/*.json")):
        path.unlink()
    assert imported(folder, tmp_path / "logs").exit_code == 0
    (row,) = results(invoke("report", tmp_path / "logs", "--format", "json"))["rows"]
    assert row["a_lm"] is not None
    assert row["h_lm"] is None


def test_imported_logs_hold_prompt_output_and_metrics(tmp_path: Path) -> None:
    """A sample has its prompt, output and verdict; nothing is made up that is not known."""
    folder = published_folder(tmp_path / "published")
    for path in (folder / "results").glob("*other_judge*"):
        path.unlink()
    (run_,) = [
        run_
        for run_ in published_runs(folder)
        if (run_.benchmark, run_.temperature) == ("MT-Bench", 0.5)
    ]
    path = write_published_log(run_, tmp_path / "one.eval")
    log = read_eval_log(str(path))
    assert log.eval.model == "acme/Judge-1_b"
    assert log.results is not None
    metrics = log.results.scores[0].metrics
    assert {"omega", "omega_low", "invalid_rate"} <= metrics.keys()
    assert metrics["replications"].value == REPLICATIONS
    assert all(metric.name == name for name, metric in metrics.items())
    sample = read_eval_log_sample(str(path), id="mtb:m2")
    texts = run_.outputs["mtb:m2"]
    assert [one.message.text for one in sample.output.choices] == list(texts)
    assert all(name in sample.messages[0].text for name in RESPONDERS)
    assert sample.scores is not None
    read = [best_of_five(str(text)) for text in texts]
    kept = replications_in(sample.scores["verdict"])
    assert kept is not None
    assert kept.verdicts == read
    assert sample.scores["verdict"].value == Counter(read).most_common(1)[0][0]
    assert "seed" not in (sample.scores["verdict"].metadata or {})
    assert sample.model_usage == {}


def test_importing_another_folder(tmp_path: Path) -> None:
    """A folder of another layout is refused."""
    result = invoke("import", tmp_path)
    assert result.exit_code == 2
    assert "has neither results/full_judgements" in result.stderr


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    """A typing error is named."""
    result = invoke("report", tmp_path / "nothing")
    assert result.exit_code == 2
    assert "No file or folder" in result.stderr


@pytest.mark.slow
def test_hostile_names_do_nothing_on_a_terminal(tmp_path: Path) -> None:
    """Escapes in a judge's name or a question's id reach no terminal."""
    folder = tmp_path / "results"
    folder.mkdir()
    evil = "evil\x1b[2J\x07[link=http://x]\u202e"
    texts: list[Any] = ["Best Response: [A]", "\x1b]0;owned\x07 Best Response: [B]"] * 3
    (folder / "full_judgements_evil.json").write_text(
        json.dumps({evil: {"temperature: 1": {f"bbh:{evil}{n}": texts for n in range(3)}}})
    )
    logs = tmp_path / "logs"
    read = invoke("import", tmp_path, "--log-dir", logs)
    every = [
        invoke(command, logs, "--format", form) for command in ("report", "plan") for form in FORMS
    ]
    for result in (read, *every):
        assert result.exit_code == 0, result.stderr
        for character in ("\x1b", "\x07", "\u202e"):
            assert character not in result.stdout + result.stderr
