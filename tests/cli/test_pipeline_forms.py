"""The gate as pipelines read it: JUnit by a parser that is not ours, and GitHub's commands."""

import re
from pathlib import Path
from shutil import copy

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

import example_logs
from commands import invoke
from inspect_reliability import gate
from inspect_reliability.errors import UserError
from inspect_reliability.showing import render
from inspect_reliability.showing.document import CheckedLimit, Document

pytestmark = pytest.mark.usefixtures("read_once")

EXAMPLES = Path(__file__).parents[2] / "examples"

OUTCOMES = ("passes", "fails", "uncertain", "allowed")

JUDGES = {"passing": 0.97, "failing": 0.3, "uncertain": 0.8}
"""How often each judge is right; a gate asks for .8."""


def judged(folder: Path, *judges: str, labels: bool = True) -> Path:
    """A file of verdicts on 60 questions, 3 a question."""
    rng = np.random.default_rng(4)
    rows = [
        {
            "judge": judge,
            "question": f"q{q}",
            "verdict": "AB"[q % 2 ^ (rng.random() > JUDGES[judge])],
        }
        | ({"label": "AB"[q % 2]} if labels else {})
        for judge in judges
        for q in range(60)
        for _ in range(3)
    ]
    file = folder / "verdicts.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    return file


def gated(file: Path, *options: str) -> Result:
    return invoke("gate", file, "--min", "accuracy=0.8", *options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judges", "options", "status", "kinds"),
    [
        (["passing"], [], 0, [None]),
        (["failing"], [], 1, [Failure]),
        (["uncertain"], [], 3, [Error]),
        (["uncertain"], ["--allow-uncertain"], 0, [Skipped]),
        (["failing", "passing", "uncertain"], ["--allow-uncertain"], 1, [Failure, None, Skipped]),
        (["passing", "uncertain"], [], 3, [None, Error]),
    ],
)
def test_junit_says_what_the_exit_status_says(
    tmp_path: Path, judges: list[str], options: list[str], status: int, kinds: list[type | None]
) -> None:
    """A failure is a failure, and what is too uncertain to say is an error unless it is allowed."""
    file = judged(tmp_path, *judges)
    done = gated(file, *options, "--format", "junit")
    assert done.exit_code == status
    in_python = render(gate(file, least={"accuracy": 0.8}).document, "junit")
    assert (in_python == done.stdout) == ("--allow-uncertain" not in options)
    found = JUnitXml.fromstring(done.stdout.encode())
    cases = [(suite.name, case) for suite in found for case in suite]
    assert [name for name, _ in cases] == judges
    assert [case.name for _, case in cases] == ["accuracy >= 0.8"] * len(judges)
    marks = [[mark for mark in case.result] for _, case in cases]
    assert [type(mark[0]) if mark else None for mark in marks] == kinds
    for mark in filter(None, marks):
        assert re.search(r"0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]", mark[0].message)
    counted = (found.tests, found.failures, found.errors, found.skipped)
    assert counted == (len(kinds), *map(kinds.count, (Failure, Error, Skipped)))


@pytest.mark.slow
def test_github_shows_each_check_and_the_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command a check on standard output; the table is added to the summary of the job."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    file = judged(tmp_path, *JUDGES)
    done = gated(file, "--format", "github")
    assert done.exit_code == 1
    command = r"::(\w+) title=(\w+)%3A accuracy >= 0.8::(.*)"
    found = [re.fullmatch(command, line) for line in done.stdout.splitlines()]
    assert [one and one.group(1, 2) for one in found] == [
        ("error", "failing"),
        ("notice", "passing"),
        ("error", "uncertain"),
    ]
    assert [one and one[3].partition(":")[0] for one in found] == [
        "fails",
        "passes",
        "too uncertain to say",
    ]
    assert summary.read_text().startswith("before\n## Are the judges good enough?\n")
    assert "| ---" in summary.read_text()
    allowed = gated(file, "--format", "github", "--allow-uncertain").stdout
    assert allowed.count("::warning ") == 1
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    refused = gated(file, "--format", "github")
    assert refused.exit_code == 2
    assert "GITHUB_STEP_SUMMARY" in refused.stderr


@pytest.mark.slow
def test_missing_labels_are_no_uncertainty(tmp_path: Path) -> None:
    """No number of questions decides without labels, so the gate refuses to say anything."""
    file = judged(tmp_path, "passing", "failing", labels=False)
    for name in ("accuracy", "within_one", "kept"):
        done = invoke("gate", file, "--min", f"{name}=0.1", "--allow-uncertain")
        assert done.exit_code == 2, name
        assert f"limit on {name} needs labels" in done.stderr
        assert "failing and 1 more" in done.stderr
        assert "--labels FILE" in done.stderr
    with pytest.raises(UserError, match="needs labels"):
        gate(str(file), least={"accuracy": 0.8})
    assert invoke("gate", file, "--min", "agreement=0.1").exit_code == 0


def test_an_error_is_shown_where_the_gate_is(tmp_path: Path) -> None:
    """A pipeline shows why nothing was checked, with the sentence and status of a terminal."""
    file = judged(tmp_path, "passing", labels=False)
    said = " ".join(gated(file).stderr.split("Error: ")[1].split())
    for form in ("junit", "github"):
        done = gated(file, "--format", form)
        assert done.exit_code == 2
        assert said in " ".join(done.stderr.split())
        if form == "junit":
            (suite,) = JUnitXml.fromstring(done.stdout.encode())
            ((mark,),) = [case.result for case in suite]
            assert isinstance(mark, Error)
            assert " ".join(mark.message.split()) == said
        else:
            assert re.fullmatch(r"::error title=gate%3A accuracy::(.*)\n", done.stdout)[1] == said  # type: ignore[index]


@pytest.mark.parametrize("options", [[], ["--allow-uncertain"]])
def test_a_wrong_request_is_no_uncertainty(tmp_path: Path, options: list[str]) -> None:
    """Verdicts for names have no ICC, and 3 tries no majority of 20: whatever is allowed."""
    file = judged(tmp_path, "passing")
    for asked, words in (
        (["--min", "icc=.5"], "not numbers"),
        (["--min", "accuracy=.5", "--votes", "20"], "the most are 3"),
    ):
        done = invoke("gate", file, *asked, *options, "--format", "junit")
        assert done.exit_code == 2
        assert words in done.stderr
        assert JUnitXml.fromstring(done.stdout.encode()).errors == 1


@pytest.mark.slow
def test_a_log_that_cannot_be_read_stops_the_gate(tmp_path: Path) -> None:
    """Beside one that passes, in a folder or by name: a report says the rest, a gate nothing."""
    broken = example_logs.truncated(tmp_path)
    named = sorted(str(one) for one in tmp_path.rglob("*.eval"))
    assert len(named) > 1
    for sources in ([str(tmp_path)], named):
        assert invoke("report", *sources).exit_code == 0
        for form in ("table", "junit"):
            done = invoke("gate", *sources, "--max", "non_response_rate=1", "--format", form)
            assert done.exit_code == 2, done.output
            assert "cannot be read" in done.stderr
            assert "passes" not in done.stdout
        (suite,) = JUnitXml.fromstring(done.stdout.encode())
        ((mark,),) = [case.result for case in suite]
        assert isinstance(mark, Error)
        assert Path(str(broken)).name in mark.message
    with pytest.raises(UserError, match="cannot be read"):
        gate(named, most={"non_response_rate": 1})


@pytest.mark.slow
def test_a_check_names_its_votes_and_its_wording(tmp_path: Path) -> None:
    """Also the votes of a choice; a wording is named where judges differ by it."""
    file = judged(tmp_path, "passing", "uncertain")
    table = pd.read_csv(file)
    for names in (["judge"], ["wording", "judge"]):
        wordings = {"passing": "short", "uncertain": "long"}
        table.assign(**{names[0]: table["judge"].map(wordings)}).assign(
            judge="one" if len(names) > 1 else table["judge"].map(wordings)
        ).to_csv(file, index=False)
        done = gated(file, "--votes", "3", "--format", "junit")
        cases = [case for suite in JUnitXml.fromstring(done.stdout.encode()) for case in suite]
        assert [case.name for case in cases] == ["accuracy of 3 votes >= 0.8"] * 2
        assert all("on 60 questions" in done.stdout for _ in cases)
        assert all(any(one in case.classname for one in ("short", "long")) for case in cases)
    choice = tmp_path / "choice.yaml"
    assert invoke("choose", file, "--votes", "3", "--out", choice).exit_code == 0
    other = judged(tmp_path, "passing")
    new = pd.read_csv(other).assign(judge="one", wording="short")
    new.assign(question="new " + new["question"]).to_csv(other, index=False)
    done = gated(other, "--rule", choice, "--format", "github")
    assert "accuracy of 3 votes >= 0.8::" in done.stdout, done.output


@pytest.mark.slow
@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12), st.sampled_from(OUTCOMES))
def test_no_name_acts_in_a_pipeline(of: str, requirement: str, found: str, outcome: str) -> None:
    """XML stays well-formed, and a check is one command whatever its names contain."""
    checks = [CheckedLimit(f"{of}::error::%0A]]>", requirement, outcome, f"{found}\n::error::x")]  # type: ignore[arg-type]
    document = Document(of, [], {}, checks=checks)
    (suite,) = JUnitXml.fromstring(render(document, "junit").encode())
    assert len([*suite]) == 1
    shown = render(document, "github")
    assert shown.count("\n") == 1
    assert re.match(r"::(error|notice|warning) title=[^:,]*::", shown)


@pytest.mark.slow
def test_a_gate_that_passes_leads_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a list where labels are, to a watch where checks have times, else to anchors."""
    table = pd.read_csv(EXAMPLES / "verdicts.csv")
    monkeypatch.chdir(tmp_path)
    table.to_csv("labelled.csv", index=False)
    bare = table.drop(columns="label")
    bare.to_csv("two.csv", index=False)
    bare[bare["judge"] == "gpt-5.4"].to_csv("one.csv", index=False)
    copy(EXAMPLES / "checks.csv", "checks.csv")
    for file, command in (
        ("labelled.csv", "keep labelled.csv"),
        ("checks.csv", "watch checks.csv"),
        ("one.csv", "watch one.csv --freeze 40"),
        ("two.csv", None),
    ):
        done = invoke("gate", file, "--max", "non_response_rate=0.9")
        assert not done.exit_code
        assert re.findall("inspect-reliability (.*)", done.stdout) == [command] * bool(command)
        assert "Next: " in done.stdout
    failed = invoke("gate", "labelled.csv", "--min", "accuracy=0.9").stdout
    assert re.findall("inspect-reliability (.*)", failed) == ["report labelled.csv"]
