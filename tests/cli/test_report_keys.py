"""The keys of `--format json` are those that are declared."""

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import example_logs
from commands import invoke
from inspect_reliability.answers.results import RESULTS
from inspect_reliability.showing.keys import KEYS

GROUP = {"judge", "benchmark", "temperature", "scorer", "responder", "time", "wording", "method"}
"""Keys that name a row, in whatever is about it."""


def as_declared(name: str, records: Iterable[Mapping[str, Any]]) -> set[str]:
    """The declared keys that records have; there is no other, and only some may be null."""
    shared = KEYS["rows"].columns if name == "card" else {}
    columns = {**shared, **KEYS[name].columns}
    known = set(columns) | {f"{key}_interval" for key, one in columns.items() if one.ends}
    found: set[str] = set()
    for record in records:
        assert record.keys() <= known | GROUP, name
        never = {key for key, column in columns.items() if not column.null_when}
        assert not {key for key in never & record.keys() if record[key] is None}, name
        found |= record.keys()
    return found & known


def printed(*arguments: object) -> dict[str, Any]:
    result = invoke(*arguments, "--format", "json")
    assert result.stdout, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def folder(small_logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of options in fixed and in reshuffled order, of numbers, and of correctness."""
    folder = tmp_path_factory.mktemp("keys")
    example_logs.judged(folder / "judged", epochs=2, questions=2)
    example_logs.judged(folder / "reshuffled", epochs=4, order="reshuffled")
    example_logs.foreign(folder / "foreign")
    example_logs.cancelled(folder / "cancelled")
    (folder / "published").mkdir()
    for path in small_logs.glob("[BH]*"):
        shutil.copy(path, folder / "published")
    return folder


@pytest.fixture(scope="module")
def reports(folder: Path) -> list[dict[str, Any]]:
    return [printed("report", source) for source in folder.iterdir()]


@pytest.mark.slow
def test_every_key_of_a_report_is_declared(reports: list[dict[str, Any]]) -> None:
    """No result has a key that is not declared, or a null where it says never."""
    for report in reports:
        assert report.keys() == {"schema_version", "version", "read", *RESULTS}
        for name in RESULTS:
            as_declared(name, report[name])


@pytest.mark.slow
@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize(
    ("command", "beside"),
    [
        (["compare", "--by", "temperature"], {"left_out", "changes"}),
        (["plan"], set()),
        (["card"], set()),
        (["gate", "--min", "omega=0.1"], {"result"}),
    ],
)
def test_the_keys_of_the_other_commands(folder: Path, command: list[str], beside: set[str]) -> None:
    """The same of compare, plan and gate, and of what they print beside their rows."""
    found = printed(*command, *(folder / "published").glob("BBH*"))
    assert as_declared(" ".join(command) if command[0] == "plan" else command[0], found["rows"])
    as_declared("changes", found.get("changes", []))
    assert found.keys() == {"schema_version", "version", "rows", *beside}


def test_null_has_its_reason(reports: list[dict[str, Any]]) -> None:
    """A coefficient that is null has a reason, and what has a reason is null."""
    for row in (row for report in reports for row in report["rows"]):
        assert all(row[key] is None for key in row["not_estimable"])
        for key in ("omega", "agreement"):
            assert (row[key] is None) == (key in row["not_estimable"])
    for name, value in (("position", "p_value"), ("votes", "votes"), ("components", "variance")):
        for record in (record for report in reports for record in report[name]):
            assert (record[value] is None) == (record["reason"] is not None)
