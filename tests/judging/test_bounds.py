"""Servers whose answers have no end."""

import asyncio
import json
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import match

from chat_server import ChatServer, serving
from graders import letters, run, suite
from inspect_reliability.cli import main
from inspect_reliability.judging import bounds
from inspect_reliability.judging.probe import probe
from inspect_reliability.rejudging import rejudge_log
from inspect_reliability.rejudging.run import Run
from inspect_reliability.study.tasks import bbh_judge

pytestmark = pytest.mark.server


@dataclass
class Endless(ChatServer):
    """A server that sends the same bytes again and again."""

    part: bytes = b" " * 65536
    pause: float = 0

    def answer(self, body: dict[str, Any]) -> tuple[int, Iterable[bytes]]:
        """An answer that goes on."""
        return 200, self._parts()

    def _parts(self) -> Iterator[bytes]:
        while True:
            yield self.part
            time.sleep(self.pause)


@pytest.fixture(params=["much", "compressed", "slow"])
def endless(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, str]]:
    """A server without end, and what is said of it."""
    monkeypatch.setattr(bounds, "MOST_BYTES", 2_000_000)
    server, said = Endless(), "of more than 2 MB"
    if request.param == "compressed":
        server = Endless(
            part=zlib.compress(b" " * 4_000_000), headers={"Content-Encoding": "deflate"}
        )
    if request.param == "slow":
        monkeypatch.setattr(bounds, "MOST_SECONDS", 0.3)
        server, said = Endless(part=b" ", pause=0.1), "that took more than 0 minutes"
    with serving(server) as name:
        yield name, f"server sent an answer {said}"


@pytest.mark.slow
def test_rejudging_ends(tmp_path: Path, endless: tuple[str, str]) -> None:
    """The run ends, says why, and asks no more, also where a task used its model before."""
    name, said = endless
    bounds.bound_answers(get_model(name))
    log = run(suite(match()), tmp_path, get_model(name))
    stopped = Run()
    judged = rejudge_log(log, letters(model=name), replications=30, run=stopped)
    assert said in (stopped.stopped or "")
    assert stopped.calls < 3 * 30
    assert judged.status == "cancelled"
    errors = [
        str((sample.scores or {})["rejudge"].metadata)
        for sample in judged.samples or []
        if "rejudge" in (sample.scores or {})
    ]
    assert said in errors[0]


@pytest.mark.slow
def test_a_probe_ends(endless: tuple[str, str]) -> None:
    """It says what the server does."""
    name, said = endless
    with pytest.raises(ValueError, match=said):
        asyncio.run(probe(get_model(name)))


@pytest.mark.slow
def test_an_answer_ends_at_32_mb() -> None:
    """As the page on servers says."""
    with serving(Endless()) as name:
        bounds.bound_answers(model := get_model(name))
        with pytest.raises(ValueError, match="of more than 32 MB"):
            asyncio.run(model.generate("Which?"))


def test_a_probe_has_half_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its sixty calls may be answered in time, and all of them take too long."""
    monkeypatch.setattr("inspect_reliability.cli.probe.MOST_SECONDS", 0.3)
    with serving(Endless(part=b" ", pause=0.1)) as name:
        done = CliRunner().invoke(main, ["probe", "--model", name])
    assert done.exit_code == 2
    assert "cannot be probed: it takes more than 0 minutes" in " ".join(done.stderr.split())


CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}


def test_an_answer_of_many_choices(tmp_path: Path) -> None:
    """It is read no further: each of them would become objects."""
    server = ChatServer()
    body = json.dumps({"choices": [CHOICE] * 20_000}).encode()
    server.answer = lambda _: (200, [body])  # type: ignore[assignment, method-assign]
    with serving(server) as name:
        log = run(suite(match()), tmp_path, get_model("mockllm/model"))
        judged = rejudge_log(log, letters(model=name), replications=2)
    [sample, *_] = judged.samples or []
    said = str((sample.scores or {})["rejudge"].metadata)
    assert "sent an answer of more than 10,000 parts" in said


@pytest.mark.slow
def test_a_judge_task_ends(tmp_path: Path, endless: tuple[str, str]) -> None:
    """Its log says what the server does."""
    name, said = endless
    [log] = eval(bbh_judge(), model=name, limit=1, log_dir=str(tmp_path), display="none")
    assert log.status == "error"
    assert log.error is not None
    assert said in log.error.message


def test_log_probabilities_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of many choices are many bytes, and are read where they were asked for."""
    monkeypatch.setattr(bounds, "MOST_BYTES", 3000)
    asked = GenerateConfig(num_choices=12, logprobs=True, top_logprobs=5)
    with serving(ChatServer()) as name:
        bounds.bound_answers(model := get_model(name))
        assert len(asyncio.run(model.generate("Which?", config=asked)).choices) == 12
        with pytest.raises(ValueError, match="of more than 0 MB"):
            asyncio.run(model.generate("Which?", config=GenerateConfig(num_choices=60)))
