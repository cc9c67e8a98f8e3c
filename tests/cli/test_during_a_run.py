"""Reports of a folder while an eval writes its log there."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from inspect_ai.model import ModelOutput, get_model

import example_logs
from commands import invoke
from inspect_reliability.study.tasks import bbh_judge


@pytest.mark.slow
def test_a_report_while_an_eval_writes_its_log(tmp_path: Path) -> None:
    """It is refused in a line, or partial and says so; after the run it is whole."""
    reports: list[Result] = []

    def report() -> Result:
        return invoke("report", tmp_path, "--format", "json")

    def answer(*_: Any) -> ModelOutput:
        with ThreadPoolExecutor() as beside:  # as another process would, apart from the run's loop
            reports.append(beside.submit(report).result())
        output = ModelOutput.from_content("mockllm/model", "Best Response: [[A]]")
        output.usage = example_logs.USAGE
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    options: dict[str, Any] = {"epochs": 4, "limit": 1, "log_buffer": 1, "max_samples": 1}
    example_logs.run(bbh_judge(), tmp_path, model=model, **options)
    first, *_, last = reports
    assert first.exit_code == 2
    assert "No inspect logs" in first.stderr or "No judgments" in first.stderr
    assert last.exit_code == 0
    assert 0 < json.loads(last.stdout)["rows"][0]["n_judgments"] < 4
    assert "still being written" in " ".join(last.stderr.split())
    after = report()
    assert json.loads(after.stdout)["rows"][0]["n_judgments"] == 4
    assert "being written" not in " ".join(after.stderr.split())
