"""The round trip of docs/how-to-improve.md: every command of the page runs, with the tiny judge."""

import json
import re
import runpy
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

from commands import inspect, invoke
from inspect_reliability import files
from inspect_reliability.record.rule import read_choice

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to-improve.md"
SIZE = {"replications=5": "replications=2"}
LIMIT, WORDINGS = 9, 1
"""Questions that the tiny judge is asked here, and new wordings of them (of twenty)."""


def commands() -> list[str]:
    """The commands of the page's round trip, in their order."""
    part = PAGE.read_text().partition("## The round trip")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def run(line: str) -> None:
    """One line as a shell would run it; `inspect eval` on fewer questions."""
    words = [SIZE.get(one, one) for one in shlex.split(line)]
    if words[0] == "python":
        said = runpy.run_path(words[1])[words[2]]()
        Path(words[4]).write_text(said)
        if words[2] == "wordings":
            every = yaml.safe_load(said)["wordings"]
            assert len({one["prompt"] for one in every}) == 20
            Path(words[4]).write_text(yaml.safe_dump({"wordings": every[:WORDINGS]}))
    elif words[0] == "inspect":
        result = inspect(*words[1:], "--limit", LIMIT, "--display", "none")
        assert result.exit_code == 0, result.output
    else:
        code = invoke(*words[1:]).exit_code
        assert code in ({0, 1, 3} if words[1] == "gate" else {0}), line


@pytest.mark.slow
def test_the_round_trip_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From labels and repeated errors over new wordings to a choice, a promise and a gate."""
    for name in ("tasks", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "_STARTED_IN", tmp_path)
    lines = commands()
    assert len(lines) == 9
    for line in lines:
        run(line)
    labels = pd.read_csv("labels.csv").set_index("id")
    errors = [json.loads(one) for one in Path("errors.jsonl").read_text().splitlines()]
    assert errors
    for one in errors:
        assert labels["split"][one["question"]] == "dev"
        assert re.fullmatch("[A-Z]", *one["label"])
        assert sum(one["verdicts"].values()) - one["verdicts"].get(one["label"][0], 0) >= 2
        assert "Best Response" in one["prompt"]
        assert one["explanation"]
    choice = read_choice("choice.yaml")
    assert choice.candidates == WORDINGS + 1
    assert choice.labels.part == "dev"
    assert Path("labels.csv.opened.json").exists()
    assert "<svg" in Path("choice.html").read_text()
