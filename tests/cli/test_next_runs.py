"""Every next step runs: each command that an answer prints, in the folder that printed it."""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chains import faults, printed
from commands import invoke, read_once
from example_judgments import one_of_two_to_hold

pytestmark = pytest.mark.usefixtures("few_draws")

ROOT = Path(__file__).parents[2]
CHECKS = ROOT / "examples" / "checks.csv"
LIKE_OTHERS = (
    *("numbers_4_errors.csv", "pandas_split.json", "scores_in_mixed_forms.csv"),
    *("uuid_run_a.csv", "uuid_run_b.csv", "uuid_run_c.csv", "log_text_values.json"),
    *("numbers_5_errors.csv", "promptfoo_rows.jsonl", "time_in_seconds.csv", "yes_with_points.csv"),
    *("inf_score.csv", "promptfoo_export.csv", "rank_none_verdict.csv", "lines_in_json.json"),
    *("criteria_beside_judge.csv", "floats_two_wordings.csv"),
)
"""Files that lead to the very steps of another, but for numbers and names."""

DOORS = [file for file in (ROOT / "tests" / "doors").iterdir() if file.name not in LIKE_OTHERS]
FILES = [*sorted(DOORS), CHECKS]
COMMANDS = (
    ["read"],
    ["report"],
    ["validate"],
    ["plan"],
    ["keep"],
    ["gate", "--min", "omega=.5"],
    ["gate", "--min", "accuracy=.5", "--votes", "3"],
    ["choose"],
    ["label", "--most", "5", "--out", "label.csv"],
)
OF_CHECKS = (
    ["watch"],
    ["watch", "--since", "3"],
    ["watch", "--stream", str(CHECKS)],
    ["gate", "--max", "non_response_rate=.9"],
)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_command_that_is_printed_runs(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in capitals replaced; what is asked of a file is answered by its own proposal."""
    monkeypatch.chdir(tmp_path)
    read_once(monkeypatch)
    shutil.copy(file, tmp_path)
    shutil.copy(file, tmp_path / f"new_{file.name}")
    asked = invoke("read", file.name)
    chosen: list[str] = []
    if asked.exit_code == 2:
        at_once = re.search(r"at once: (.*)", asked.output)
        first = at_once or re.search(r"^  (--\S.*)$", asked.output, re.MULTILINE)
        chosen = shlex.split(first[1]) if first else []
    names, tried = {"LOGS": file.name, "NEW": f"new_{file.name}"}, set[str]()
    for name, *options in (*COMMANDS, *(OF_CHECKS if file == CHECKS else ())):
        assert [*faults([name, file.name, *chosen, *options], names, tried, depth=2)] == []


COLUMNS = ("N° de question=question", "Verdict du juge=verdict", "Juge=judge")
READING = [word for one in COLUMNS for word in ("--column", one)]


@pytest.fixture(name="months")
def _months(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two months of one judge in a table of somebody's own, without times, and labels of each.

    Most errors repeat: the judge says "bon" of what it does not see.
    """
    monkeypatch.chdir(tmp_path)
    read_once(monkeypatch)
    rng = np.random.default_rng(2)
    files = ["mars 2026.csv", "avril.csv"]
    for file, seen in zip(files, (0.5, 0.9), strict=True):
        questions = [f"{file[0]}{number}" for number in range(40)]
        label = rng.choice(["bon", "mauvais"], 40)
        sees = (rng.random((40, 1)) < seen) & (rng.random((40, 3)) < 0.95)
        said = np.where(sees, label[:, None], "bon")
        rows = [(q, one, "gpt") for q, of in zip(questions, said, strict=True) for one in of]
        names = [one.partition("=")[0] for one in COLUMNS]
        pd.DataFrame(rows, columns=names).to_csv(file, sep=";", index=False)
        labels = pd.DataFrame({"id": questions, "label": label})
        labels.to_csv(f"labels of {file}", index=False)
    shutil.copy(files[1], "new.csv")
    return files


@pytest.mark.slow
def test_two_files_without_times_are_compared_as_they_were_to_be_watched(
    months: list[str],
) -> None:
    """The whole call is printed: files in their order, and each option that says how to read."""
    labels = [word for one in months for word in ("--labels", f"labels of {one}")]
    options = [*READING, *labels, "--only", "judge=gpt", "--facet", "Juge"]
    refused = invoke("watch", *months, *options)
    assert refused.exit_code == 2
    [call] = printed(refused.output)
    words = shlex.split(call)
    assert (words[:3], sorted(words[3:])) == (["compare", *months], sorted(options))
    assert invoke(*words).stdout == invoke("compare", *months, *options).stdout
    names = {"NEW": "new.csv"}
    found = faults(["watch", *months, *READING, *labels[:2]], names, set())
    assert [*found] == []  # labels of one month alone are not those of the other


@pytest.mark.slow
def test_what_was_written_leads_on(months: list[str]) -> None:
    """After errors, a list, a rule, a reading and a choice were saved, no step is lost or again."""
    file, labels = months[0], ["--labels", f"labels of {months[0]}"]
    names, tried = {"NEW": "new.csv"}, set[str]()
    for name, *options in (
        ["report", *labels, "--errors", "errors.csv"],
        ["keep", *labels, "--max-error", ".5", "--out", "list.csv", "--save-rule", "rule.json"],
        ["keep", "--rule", "rule.json"],
        ["keep", *labels, "--rule", "rule.json", "--out", "kept_by_rule.csv"],
        ["gate", "--rule", "rule.json", "--min", "kept=.9"],
        ["gate", *labels, "--min", "accuracy=.95"],
        ["choose", *labels, "--out", "choice.yaml"],
        ["validate", *labels, "--rule", "rule.json"],
        ["read", "--save", "reading.yaml"],
    ):
        assert [*faults([name, file, *READING, *options], names, tried, depth=3)] == []
    said = invoke("report", file, *READING, *labels, "--errors", "errors.csv").stdout
    assert "read what is wrong again and again, in errors.csv." in said
    said = invoke("validate", file, *READING, *labels, "--rule", "rule.json").stdout
    [held] = printed(said)
    assert held.startswith("gate")
    assert "--rule rule.json" in held
    for name, *options in (["gate", "--min", "accuracy=.5"], ["choose"]):
        refused = invoke(name, file, *READING, *options)
        assert refused.stderr.endswith("inspect-reliability label LOGS --out label.html\n")


@pytest.mark.slow
def test_a_next_step_of_one_judge_of_several_is_of_that_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate that a report prints for the best holds it alone, as if the file had no other."""
    monkeypatch.chdir(tmp_path)
    table = one_of_two_to_hold()
    table.to_csv("both.csv", index=False)
    table[table["judge"] == "my judge"].to_csv("alone.csv", index=False)
    [command] = [one for one in printed(invoke("report", "both.csv").output) if "gate" in one]
    assert command.endswith("--only 'judge=my judge'")
    words = shlex.split(command)
    found = invoke(*words, "--format", "json")
    least = words[words.index("--min") + 1]
    alone = invoke("gate", "alone.csv", "--min", least, "--format", "json")
    assert (found.exit_code, found.stdout) == (alone.exit_code, alone.stdout)
    assert found.exit_code == 0
    then = printed(invoke(*words).output)
    assert all(one.endswith("--only 'judge=my judge'") for one in then if "both.csv" in one)
    refused = invoke(*words[:-1], "judge=mine")
    assert refused.exit_code == 2
    assert "No judgment has 'mine' in column 'judge', which has my judge, other" in refused.stderr
