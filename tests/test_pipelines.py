"""What others copy runs as it is: the action, its workflow, and the skill."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from junitparser import JUnitXml

from cli.test_pipeline_forms import JUDGES, judged
from docs.site.owner import UNKNOWN, named, owner, write_owner
from processes import COMMAND, stand_in

ROOT = Path(__file__).parents[1]
SKILL = ROOT / "skills" / "judge-reliability" / "SKILL.md"
WORKFLOW = yaml.safe_load((ROOT / "examples" / "judge-gate.yml").read_text())
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run scripts in, where the package is installed already: pip does nothing.

    Its command starts at once.
    """
    tools = tmp_path / "tools"
    tools.mkdir()
    python = tools / "python"
    python.write_text(
        f'#!/bin/sh\n[ "$1 $2" = "-m pip" ] && echo "$@" >> "{tools}/installed" && exit\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    stand_in(tools / "inspect-reliability", COMMAND)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    return folder


def _bash(
    script: str, folder: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """A step as a runner starts it: it ends with the first command that fails."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=folder, env=os.environ | variables, capture_output=True, text=True
    )


def _filled(text: str, inputs: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda one: inputs[one[1]], text)


def _run(steps: list[dict[str, Any]], folder: Path, inputs: Mapping[str, str]) -> int:
    """The exit status of the first step that fails, else 0; actions of others are left out."""
    for step in steps:
        if "run" in step:
            env = {key: _filled(value, inputs) for key, value in step.get("env", {}).items()}
            own = {"GITHUB_ACTION_PATH": str(ROOT)}
            own |= {f"GITHUB_{one}": str(folder / one) for one in ("OUTPUT", "STEP_SUMMARY")}
            done = _bash(step["run"], folder, own | env)
            (folder / "stdout").write_text(done.stdout)
            assert done.returncode in (0, 1, 3), done.stderr
            if done.returncode:
                return done.returncode
        elif step["uses"].startswith(f"{owner()}/inspect-reliability@v"):
            assert step["with"].keys() <= ACTION["inputs"].keys()
            defaults = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
            if status := _run(ACTION["runs"]["steps"], folder, defaults | step["with"]):
                return status
        else:
            assert step["uses"].startswith("actions/")
    return 0


@pytest.mark.parametrize(("judge", "status"), zip(JUDGES, (0, 1, 3), strict=True))
def test_the_workflow_lets_only_a_good_judge_pass(shell: Path, judge: str, status: int) -> None:
    """The example is run step by step, with the action, for a judge of each kind.

    The good judge's runs with the command that users have.
    """
    if judge == "passing":
        (shell.parent / "tools" / "inspect-reliability").unlink()
    (shell / "judge").mkdir()
    file = judged(shell, judge).rename(shell / "judge" / "made.csv")
    (shell / "judge" / "judge.py").write_text(f"print(open({str(file)!r}).read(), end='')")
    assert _run(WORKFLOW["jobs"]["gate"]["steps"], shell, {}) == status
    assert (shell / "OUTPUT").read_text() == f"status={status}\n"
    assert (shell / "stdout").read_text().count("::") == 4
    assert (shell / "STEP_SUMMARY").read_text().count(judge) >= 2
    installed = (shell.parent / "tools" / "installed").read_text()
    assert installed == f"-m pip install --quiet {ROOT}\n"


def test_inputs_of_the_action_are_never_run(shell: Path) -> None:
    """A name with a command in it is a name; an uncertain judge may pass where that is asked."""
    file = judged(shell, "uncertain").rename(shell / "$(touch owned) `touch owned` ; x.csv")
    pd.read_csv(file).rename(columns={"verdict": "passed"}).to_csv(file, index=False)
    step = {
        "uses": f"{owner()}/inspect-reliability@v0.1.0",
        "with": {
            "logs": f"{file.name}\n",
            "column": "passed=verdict\n",
            "min": "accuracy=0.8\n",
            "max": "wrong=0.5\nundecided=0.2\n",
            "allow-uncertain": "true",
            "junit": "$(touch owned).xml",
        },
    }
    assert _run([step], shell, {}) == 0
    assert "::warning " in (shell / "stdout").read_text()
    assert not (shell / "owned").exists()
    found = JUnitXml.fromfile(str(shell / "$(touch owned).xml"))
    assert (found.tests, found.failures, found.errors, found.skipped) == (3, 0, 0, 1)


def test_the_action_holds_votes_to_a_limit(shell: Path) -> None:
    """The majority of three is what its limit is on, where that is asked."""
    step = {
        "uses": f"{owner()}/inspect-reliability@v0.1.0",
        "with": {"logs": judged(shell, "passing").name, "min": "accuracy=0.8", "votes": "3"},
    }
    assert _run([step], shell, {}) == 0
    assert "3 votes" in (shell / "stdout").read_text()


def test_the_skill_leads_from_a_file_to_a_gate(shell: Path) -> None:
    """Each block of the skill is run as it is, in order; a person fills in the labels."""
    truth = pd.read_csv(judged(shell, "passing")).drop_duplicates("question").set_index("question")
    judged(shell, "passing", labels=False)
    blocks = re.findall(r"^```sh\n(.*?)^```$", SKILL.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        done = _bash(block, shell, {})
        assert done.returncode == 0, done.stderr
        if "--out labels.csv" in block:
            sheet = pd.read_csv(shell / "labels.csv", dtype={"target": object})
            sheet["target"] = sheet["id"].map(truth["label"])
            sheet.to_csv(shell / "labels.csv", index=False)
    report = json.loads((shell / "report.json").read_text())
    assert 0 < report["rows"][0]["agreement"] <= 1
    gate = json.loads((shell / "gate.json").read_text())
    assert gate["result"] == "passes"
    assert gate["rows"][0]["value"] > 0.9


def test_the_skill_has_the_head_that_tools_read() -> None:
    """Its name is that of its folder, and its description fits where it is listed."""
    _, head, _ = SKILL.read_text().split("---\n", 2)
    said = yaml.safe_load(head)
    assert said["name"] == SKILL.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", said["name"])
    assert 0 < len(said["description"]) <= 1024


def test_every_file_names_the_owner_of_the_project(tmp_path: Path) -> None:
    """One line names who owns the project, and one command writes it wherever it is named."""
    found = [*named()]
    assert {one for _, one in found} == {owner()}
    files = {file.relative_to(ROOT).as_posix() for file, _ in found}
    assert {"README.md", "docs/tutorial.md", "examples/judge-gate.yml"} < files
    for name in [*files, "pyproject.toml"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace(f'owner = "{owner()}"', 'owner = "some-body"'))
    write_owner(tmp_path)
    assert [(file.name, one) for file, one in named(tmp_path)] == [
        (file.name, "some-body") for file, _ in found
    ]
    if owner() == UNKNOWN:
        left = [name for name in files if UNKNOWN in (tmp_path / name).read_text()]
        assert not left


def test_a_night_that_ends_badly_keeps_its_checks() -> None:
    """After the judge's calls every step runs whatever they end with, and saves the checks."""
    page = (ROOT / "docs" / "how-to-watch.md").read_text()
    [written] = re.findall(r"```yaml\n(name: watch.*?)```", page, re.DOTALL)
    [job] = yaml.safe_load(written)["jobs"].values()
    steps = job["steps"]
    calls = next(n for n, one in enumerate(steps) if "rejudge" in one.get("run", ""))
    assert [one.get("if") for one in steps[calls:]] == [None, *["always()"] * 3]
    caches = {one["uses"]: one["with"] for one in steps if "cache" in one.get("uses", "")}
    restored = caches["actions/cache/restore@v4"]
    assert caches == {
        "actions/cache/restore@v4": restored,
        "actions/cache/save@v4": {name: restored[name] for name in ("path", "key")},
    }
    assert restored["key"].startswith(restored["restore-keys"])
    [nightly] = [one for one in page.splitlines() if one.startswith("0 3 * * *")]
    assert re.search(r"rejudge [^;&]*; inspect-reliability watch", nightly)
