"""`inspect-reliability accuracy`: Table 4, and what has no answers."""

import json
from pathlib import Path

from commands import invoke


def test_table_4(data: Path) -> None:
    """The published responses give the paper's five-number summaries under the published rule."""
    result = invoke("accuracy", data / "paper", "--format", "json")
    assert result.exit_code == 0, result.output
    rows = {
        (row["benchmark"], row["rule"]): list(row.values())[4:]
        for row in json.loads(result.output)["rows"]
    }
    assert rows["BBH", "published"] == [0, 0, 0, 1, 2]
    assert rows["SQuAD", "published"] == [3, 5, 5, 5, 5]
    assert {benchmark for benchmark, _ in rows} == {"BBH", "SQuAD"}
    for form in ("table", "csv", "markdown"):
        shown = invoke("accuracy", data / "paper", "--format", form)
        assert shown.exit_code == 0
        assert "published" in shown.output


def test_responses_that_are_not_there(tmp_path: Path) -> None:
    """A path that does not exist is said not to exist."""
    done = invoke("accuracy", tmp_path / "nowhere")
    assert done.exit_code == 2
    assert "There is no file or folder" in done.stderr


def test_no_answers_are_known(tmp_path: Path) -> None:
    """Responses without targets are no accuracy of 0."""
    path = tmp_path / "r.jsonl"
    path.write_text('{"question": "Q?", "responder": "a", "response": "A"}')
    for arguments, message in (
        (["--benchmark", "bbh"], "no responses to questions with known answers"),
        ([], "does not say its benchmark"),
    ):
        result = invoke("accuracy", path, *arguments)
        assert result.exit_code == 2
        assert message in result.output
