"""The keys of `report --format json` are those the how-to lists."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import example_logs
from example_published import published_folder
from inspect_reliability.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to-report.md"


def _documented() -> set[str]:
    """Keys of the page's table, those with an interval also as `<key>_interval`."""
    keys: set[str] = set()
    table = PAGE.read_text().partition("### The keys of")[2].partition("\n## ")[0]
    for line in table.splitlines():
        if line.startswith("| `"):
            cell = line.split("|")[1]
            named = re.findall(r"`(\w+)`", cell)
            keys.update(named)
            if "+ interval" in cell:
                keys.update(f"{name}_interval" for name in named)
    return keys


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Rows of letters, of Head-to-Tail, and of numbers."""
    folder = tmp_path_factory.mktemp("keys")
    example_logs.judged(folder / "judged", epochs=2, questions=2)
    example_logs.foreign(folder / "foreign")
    published = published_folder(folder / "published")
    for path in (published / "results").iterdir():
        path.unlink()
    found: list[dict[str, Any]] = []
    for source in (folder / "judged", folder / "foreign", published):
        result = CliRunner().invoke(main, ["report", str(source), "--format", "json"])
        assert result.exit_code == 0, result.output
        found += json.loads(result.stdout)
    return found


def test_every_key_is_documented_and_every_documented_key_is_there(
    rows: list[dict[str, Any]],
) -> None:
    """The page's table has neither a key too few nor one too many."""
    assert {key for row in rows for key in row} == _documented()


def test_null_has_its_reason(rows: list[dict[str, Any]]) -> None:
    """A coefficient that is null has a reason, and what has a reason is null."""
    for row in rows:
        assert all(row[key] is None for key in row["not_estimable"])
        for key in ("omega", "agreement", "published_omega", "published_omega_floor"):
            assert (row[key] is None) == (key in row["not_estimable"])
