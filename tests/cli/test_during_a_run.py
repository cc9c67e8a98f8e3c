"""Reports of a folder while an eval writes its log there."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commands import invoke
from processes import python

RUN = """
import asyncio, sys
from itertools import count
from pathlib import Path
from inspect_ai import eval
from inspect_ai.model import ModelAPI, ModelOutput, modelapi
from inspect_reliability.study.tasks import bbh_judge

calls = count()

@modelapi(name="gated")
class Gated(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        if next(calls) >= 4:
            while not Path(sys.argv[2]).exists():
                await asyncio.sleep(0.02)
        return ModelOutput.from_content("gated", "Best Response: [[A]]")

eval(bbh_judge(), model="gated/judge", epochs=4, limit=3, log_dir=sys.argv[1], log_buffer=1,
     display="none")
"""
"""An eval that makes some judgments, and the others once a file is there."""


@pytest.mark.process
def test_a_report_while_an_eval_writes_its_log(tmp_path: Path) -> None:
    """It is partial and says so, or is refused in a line; after the run it is whole."""
    logs, gate = tmp_path / "logs", tmp_path / "go"
    logs.mkdir()
    with ThreadPoolExecutor() as threads:
        evaluation = threads.submit(python, RUN, logs, gate)
        try:
            while True:
                assert evaluation.running(), "the run ended before its gate was opened"
                during = invoke("report", logs, "--format", "json")
                assert during.exit_code in (0, 2), during.exception
                if during.exit_code == 0:
                    break
                assert "No inspect logs" in during.stderr or "No judgments" in during.stderr
                time.sleep(0.3)
            assert json.loads(during.stdout)["rows"][0]["n_judgments"] < 12
            assert "still being written" in " ".join(during.stderr.split())
        finally:
            gate.touch()
    assert evaluation.result().returncode == 0
    after = invoke("report", logs, "--format", "json")
    assert json.loads(after.stdout)["rows"][0]["n_judgments"] == 12
    assert "being written" not in " ".join(after.stderr.split())
