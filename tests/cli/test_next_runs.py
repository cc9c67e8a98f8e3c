"""Every next step runs: each command that an answer prints, in the folder that printed it."""

import re
import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest

from commands import invoke, read_once
from example_judgments import one_of_two_to_hold

ROOT = Path(__file__).parents[2]
CHECKS = ROOT / "examples" / "checks.csv"
LIKE_OTHERS = (
    *("numbers_4_errors.csv", "pandas_split.json", "scores_in_mixed_forms.csv"),
    *("uuid_run_b.csv", "uuid_run_c.csv"),
)
"""Files whose judgments are of the same kind as another's: so are the answers."""

DOORS = [file for file in (ROOT / "tests" / "doors").iterdir() if file.name not in LIKE_OTHERS]
FILES = [*sorted(DOORS), ROOT / "examples" / "verdicts.csv", CHECKS]
COMMANDS = (
    ["report"],
    ["validate"],
    ["plan"],
    ["keep"],
    ["card"],
    ["gate", "--min", "omega=.5"],
    ["gate", "--min", "accuracy=.5", "--votes", "3"],
    ["gate", "--max", "non_response_rate=.9"],
    ["choose"],
    ["watch"],
    ["watch", "--since", "3"],
    ["watch", "--stream", str(CHECKS)],
    ["label", "--most", "5", "--out", "label.csv"],
)


def printed(output: str) -> list[str]:
    """The commands that a text shows, and no version."""
    lines = re.findall(r"^\s*inspect-reliability (?!\d)(.+)$", output, re.MULTILINE)
    return lines + re.findall(r"\(inspect-reliability ([^)]+)\)", output)


def filled_in(sheet: Path) -> None:
    """A person gives each output the first label that it may get."""
    table = pd.read_csv(sheet, dtype=str, keep_default_na=False)
    for target in [one for one in map(str, table) if one.startswith("target")]:
        part = re.escape(target.removeprefix("target").lstrip("_"))
        form = rf"(?:^|\n){part and f'{part}: '}(?:a number, such as (\S+)|([^|\n]+))"
        found = table["allowed"].str.extract(form)
        table[target] = found[0].fillna(found[1]).str.strip()
    table.to_csv(sheet, index=False)


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
    tried: set[str] = set()
    for name, *options in COMMANDS:
        words = [name, file.name, *chosen, *options]
        tried.add(shlex.join(words))
        said = invoke(*words).output
        if name == "label" and Path("label.csv").exists():
            filled_in(Path("label.csv"))
        for command in printed(said):
            if command in tried or command.startswith("rejudge ANCHORS.eval"):
                continue  # the second asks a judge, of anchors that were frozen
            tried.add(command)
            words = [f"new_{file.name}" if one == "NEW" else one for one in shlex.split(command)]
            run = invoke(*[file.name if one == "LOGS" else one for one in words])
            assert run.exit_code != 2, (name, command, run.output)


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
