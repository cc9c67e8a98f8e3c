import json
import shutil
import socket
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from inspect_ai import eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog

from commands import invoke
from evals import evaluate
from inspect_reliability import tiny_judge
from inspect_reliability.study.tasks import bbh_judge
from processes import INSPECT, Process, python, start

pytestmark = pytest.mark.server

TRANSFORMERS = "from transformers.cli.transformers import main; main()"
TASK = Path(__file__).parents[1] / "tasks" / "bbh_judge.py"
QUESTIONS = [f"sample:bbh:{name}" for name in ("boolean_expressions", "navigate")]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The tiny judge behind `transformers serve`; the model's name in inspect."""
    needed = [name for name in ("fastapi", "uvicorn", "openai") if find_spec(name) is None]
    if needed:
        pytest.skip(f"needs {', '.join(needed)}: pip install 'transformers[serving]'")
    folder = tmp_path_factory.mktemp("server")
    shutil.copytree(tiny_judge.folder(), folder / "tiny-judge")
    # The server takes the likeliest token, whatever the temperature, unless the model says so.
    settings = folder / "tiny-judge" / "generation_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"do_sample": True}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    server = start(TRANSFORMERS, "serve", "tiny-judge", *where, cwd=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVED_BASE_URL", f"http://127.0.0.1:{port}/v1")
        patch.setenv("SERVED_API_KEY", "none")
        try:
            wait_for(f"http://127.0.0.1:{port}/health", server)
            yield "openai-api/served/tiny-judge"
        finally:
            server.end()
            server.join(timeout=30)
            assert server.exitcode is not None


def wait_for(address: str, server: Process) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert server.exitcode is None, "the server ended"
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.05)
    raise TimeoutError(f"no answer from {address}")


# The server's seed is one for all requests in flight: one at a time is one seed a request.
OPTIONS: dict[str, Any] = {"epochs": 3, "max_tokens": 12, "max_connections": 1, "temperature": 1.5}


@pytest.fixture(scope="module")
def whole(served: str, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """All questions judged in one process."""
    folder = tmp_path_factory.mktemp("whole")
    [log] = eval(
        bbh_judge(), served, sample_id=QUESTIONS, log_dir=str(folder), display="none", **OPTIONS
    )
    assert log.status == "success", log.error
    return log


def report(*logs: str) -> Any:
    done = invoke("report", *logs, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["rows"]


def test_a_served_judge_gets_its_seeds_and_honours_them(whole: EvalLog) -> None:
    """Every request to the server has the seed that the log tells, and the check says honoured."""
    told = []
    for sample in whole.samples or []:
        calls = [event for event in sample.events if isinstance(event, ModelEvent)]
        assert calls[0].config.seed == sample.metadata["seed"]
        request = calls[0].call
        assert request is not None
        assert request.request["seed"] == sample.metadata["seed"]
        told += [sample.metadata["seed_check"]] if "seed_check" in sample.metadata else []
    assert told == ["honoured"]
    [row] = report(whole.location)
    assert (row["n_questions"], row["n_replications"]) == (2, 3)


def test_workers_report_as_one_study(served: str, whole: EvalLog, tmp_path: Path) -> None:
    """A run split by question over two processes gives the report of one process."""
    here, there = QUESTIONS
    evaluate(bbh_judge(), tmp_path, model=served, sample_id=[here], **OPTIONS)
    options = [f"--{name.replace('_', '-')}={value}" for name, value in OPTIONS.items()]
    options += [f"--sample-id={there}", f"--log-dir={tmp_path}", "--display=none"]
    done = python(INSPECT, "eval", TASK.name, "--model", served, *options, cwd=TASK.parent)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("*.eval"))) == 2
    assert report(str(tmp_path)) == report(whole.location)
