"""The how-to's code runs."""

import re
from pathlib import Path
from typing import Any

import pytest

import example_logs

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_code_of_the_data_how_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks run one after the other on a folder of logs, and give the same judgments."""
    monkeypatch.chdir(tmp_path)
    example_logs.judged(Path("logs"), epochs=4, questions=3)
    found = re.findall(r"```python\n(.*?)```", (DOCS / "how-to-data.md").read_text(), re.DOTALL)
    # Labels, checks, readings and what is merged are those of `test_from_python`.
    others = ("choose(", "Reading(", "frame.merge(")
    blocks = [one for one in found if not any(name in one for name in others)]
    assert len(blocks) == len(found) - 3 == 3
    names: dict[str, Any] = {}
    exec(blocks[0], names)
    assert names["analysis"].frame("rows")["omega"].notna().all()
    assert len(names["analysis"].frame("votes"))
    exec(blocks[1], names)
    from_logs = names["judgments"].table
    exec(blocks[2], names)
    # A frame names the benchmark by its task, a log of ours by its score.
    columns = ["judge", "temperature", "question", "replication", "verdict"]
    from_frame, from_logs = (
        table[columns].sort_values(columns).reset_index(drop=True)
        for table in (names["judgments"].table, from_logs)
    )
    assert from_frame.equals(from_logs)


def test_each_how_to_of_a_function_has_a_session() -> None:
    """What a command's page shows is had in Python."""
    expected = {"how-to-improve", "how-to-keep", "how-to-label", "how-to-rank", "how-to-report"}
    pages = {page.stem for page in DOCS.glob("*.md") if "```pycon" in page.read_text()}
    assert pages >= expected | {"how-to-watch"}
