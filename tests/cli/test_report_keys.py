"""The keys of `--format json` are those the how-to lists."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import example_logs
from example_published import published_folder
from inspect_reliability.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to-report.md"
GROUP = {"judge", "benchmark", "temperature", "scorer", "responder"}
"""Keys that name a row, in whatever is about it."""


def documented() -> dict[str, set[str]]:
    """Heading or first cell of each table of keys -> its keys, with those of intervals."""
    tables: dict[str, set[str]] = {}
    title = ""
    keys: set[str] = set()
    for line in PAGE.read_text().splitlines():
        if line.startswith("#"):
            title = line.strip("# ")
        if re.match(r"\| key", line):
            heading = line.split("|")[1]
            of = re.findall(r"`([\w -]+)`", heading) or [title]
            keys = set()
            tables |= dict.fromkeys(of, keys)
        elif line.startswith("| `"):
            cell = line.split("|")[1]
            named = re.findall(r"`(\w+)`", cell)
            keys.update(named)
            if "+ interval" in cell:
                keys.update(f"{name}_interval" for name in named)
    return tables


def keys(records: Iterable[dict[str, Any]]) -> set[str]:
    return {key for record in records for key in record}


def printed(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*map(str, arguments), "--format", "json"])
    assert result.stdout, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of options in fixed and in reshuffled order, of numbers, and of correctness."""
    folder = tmp_path_factory.mktemp("keys")
    example_logs.judged(folder / "judged", epochs=2, questions=2)
    example_logs.judged(folder / "reshuffled", epochs=4, order="reshuffled")
    example_logs.foreign(folder / "foreign")
    example_logs.cancelled(folder / "cancelled")
    published_folder(folder / "published")
    return folder


@pytest.fixture(scope="module")
def reports(folder: Path) -> list[dict[str, Any]]:
    return [printed("report", source) for source in folder.iterdir()]


@pytest.mark.slow
def test_every_key_of_a_report_is_documented_and_there(reports: list[dict[str, Any]]) -> None:
    """The page's tables have neither a key too few nor one too many, for every result."""
    tables = documented()
    results = {name for report in reports for name in report} - {"schema_version", "version"}
    assert tables["The keys of `--format json`"] == {"schema_version", "version", "rows"}
    assert keys(row for report in reports for row in report["rows"]) == tables["`rows` of `report`"]
    for name in results - {"rows"}:
        found = keys(record for report in reports for record in report[name])
        assert found - GROUP == tables[name] - GROUP, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "beside"),
    [
        (["compare", "--by", "temperature"], {"left_out", "changes", "score_change"}),
        (["plan"], set()),
        (["plan", "--facets"], set()),
        (["gate", "--min-omega", "0.1"], {"result"}),
    ],
)
def test_the_keys_of_the_other_commands(folder: Path, command: list[str], beside: set[str]) -> None:
    """The same of compare, plan and gate, and of what they print beside their rows."""
    found = printed(*command, folder / "published")
    name = " ".join(command) if command[0] == "plan" else command[0]
    assert keys(found["rows"]) - GROUP == documented()[name] - GROUP
    assert keys(found.get("changes", [])) - GROUP in (set(), documented()["changes"] - GROUP)
    assert found.keys() == {"schema_version", "version", "rows", *beside}


def test_null_has_its_reason(reports: list[dict[str, Any]]) -> None:
    """A coefficient that is null has a reason, and what has a reason is null."""
    for row in (row for report in reports for row in report["rows"]):
        assert all(row[key] is None for key in row["not_estimable"])
        for key in ("omega", "agreement", "published_omega", "published_omega_floor"):
            assert (row[key] is None) == (key in row["not_estimable"])
    for name, value in (("position", "p_value"), ("votes", "votes"), ("components", "variance")):
        for record in (record for report in reports for record in report[name]):
            assert (record[value] is None) == (record["reason"] is not None)
