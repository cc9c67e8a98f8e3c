"""Pipes, full disks, missing folders and servers: one line says what is the matter, at once."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from inspect_ai import eval
from inspect_ai.model import Model, get_model

from commands import invoke
from inspect_reliability.designs import Item, JudgeDesign
from inspect_reliability.designs.design import MOST_SHOWN
from inspect_reliability.errors import UserError
from inspect_reliability.hf_seeded.load import find
from inspect_reliability.hf_seeded.prompt import PromptEncoder
from inspect_reliability.judging import connection
from inspect_reliability.judging.connection import reached
from inspect_reliability.tasks import judge_task
from inspect_reliability.tiny_judge import folder

COMMAND = [sys.executable, "-c", "from inspect_reliability.cli import main; main()"]


def judgments(file: Path, names: str = "q") -> str:
    """A file of judgments of questions with names of their own."""
    rows = [f"{names}{q},{r},{'AB'[q * r % 2]}" for q in range(9) for r in (1, 2, 3)]
    file.write_text("\n".join(["question,replication,verdict", *rows]))
    return str(file)


@pytest.mark.parametrize(
    "command",
    [
        ("report", "{pipe}"),
        ("report", "{good}", "{pipe}"),
        ("report", "{good}", "--labels", "{pipe}"),
        ("compare", "{good}", "{pipe}"),
        ("rejudge", "{pipe}"),
        ("sweep", "--model", "x/y", "-T", "design={pipe}", "-T", "data={pipe}"),
        ("sweep", "--model", "x/y", "-T", "responses={pipe}"),
        ("sweep", "--model", "x/y", "--benchmark", "bbh", "-T", "responses={pipe}"),
        ("report", "/dev/zero"),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".eval", ""])
def test_a_pipe_is_refused(tmp_path: Path, command: tuple[str, ...], ending: str) -> None:
    """Nothing waits for what may never come."""
    pipe, good = tmp_path / f"pipe{ending}", judgments(tmp_path / "good.csv")
    os.mkfifo(pipe)
    done = invoke(*[one.format(pipe=pipe, good=good) for one in command])
    assert (done.exit_code, "a pipe or a device" in done.stderr) == (2, True), done.output


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("command", ["report FILE", "design bbh", "--help"])
def test_a_full_disk_is_said_in_words(tmp_path: Path, command: str) -> None:
    """Where standard output has no room, of whatever is printed."""
    words = command.replace("FILE", judgments(tmp_path / "b.csv")).split()
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    *before, last = done.stderr.splitlines()
    assert (done.returncode, len(before)) == (2, command == "report FILE"), done.stderr
    assert "printed: No space left on device" in last


@pytest.mark.process
@pytest.mark.slow
def test_a_deleted_folder_is_said_in_words(tmp_path: Path) -> None:
    """Nothing can be named from there, and the package can be imported all the same."""
    gone = f"mkdir -p '{tmp_path}/gone' && cd '{tmp_path}/gone' && rmdir '{tmp_path}/gone'"
    for code, expected in (
        ("from inspect_reliability.cli import main; main()", "was deleted"),
        ("import inspect_reliability.files", ""),
    ):
        line = f'{gone} && "{sys.executable}" -c "{code}" report x.csv'
        done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        assert expected in done.stderr


def test_two_sources_without_a_shared_question(tmp_path: Path) -> None:
    """The command names a question of each."""
    first, second = (judgments(tmp_path / f"{name}.csv", name) for name in "qz")
    done = invoke("compare", first, second)
    assert done.exit_code == 2
    assert "no question is in both" in done.stderr
    assert "'q0'" in done.stderr
    assert "'z0'" in done.stderr


def test_a_prompt_has_a_size(tmp_path: Path) -> None:
    """What no model could read is refused where the prompt is made."""
    design = JudgeDesign(name="d", prompt="{{ response }}", verdict=["yes", "no"])
    fits = Item("q", "?", {"a": "x" * MOST_SHOWN})
    assert len(design.ask(fits, ["a"])) == MOST_SHOWN
    with pytest.raises(UserError, match=f"item 'q': it has {MOST_SHOWN + 1:,} characters"):
        design.ask(Item("q", "?", {"a": "x" * (MOST_SHOWN + 1)}), ["a"])


@pytest.mark.parametrize(
    "asked",
    [{"num_hidden_layers": 1_000_000}, {"num_hidden_layers": 10_000, "num_local_experts": 10_000}],
)
def test_a_config_of_a_million_layers(tmp_path: Path, asked: dict[str, int]) -> None:
    """It is refused before a layer is made."""
    model = tmp_path / "model"
    shutil.copytree(folder(), model)
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps(config | asked))
    names = ("device", "dtype", "device_map", "token", "revision")
    with pytest.raises(UserError, match=r"its config asks for 10*,000(,000)? layers"):
        find(str(model), **dict.fromkeys(names), trust_remote_code=False, model_args={})


def test_a_chat_template_that_shows_no_message() -> None:
    """A judge that sees nothing is refused; one without its template is not."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder())
    tokenizer.chat_template = "{{ bos_token }}What is best?"
    with pytest.raises(UserError, match="leaves out the message"):
        PromptEncoder(tokenizer)
    PromptEncoder(tokenizer, "none")
    tokenizer.chat_template = "{% for m in messages %}{{ m.content | trim }}{% endfor %}"
    PromptEncoder(tokenizer)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Model, socket.socket]]:
    """A model, and the socket at which its server would listen; nobody waits for long."""
    monkeypatch.setattr(connection, "_SECONDS", 1)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        yield get_model("openai-api/x/y", base_url=url, api_key="x", memoize=False), server


@pytest.mark.server
def test_a_server_that_is_not_there(
    tmp_path: Path, model: tuple[Model, socket.socket], caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing listens: no call is tried. One that listens and says nothing is warned of."""
    judge, server = model
    design = JudgeDesign(name="d", prompt="{{ response }}", verdict=["yes", "no"])
    task = judge_task(design, [Item("q", "?", {"a": "x"})], replications=2)
    [log] = eval(task, model=judge, display="none", log_dir=str(tmp_path))
    assert log.error is not None
    assert "does not answer: Connection refused" in log.error.message
    server.listen()
    begun = monotonic()
    assert reached(judge) is judge
    assert monotonic() - begun < 10
    assert "has said nothing for 1 seconds" in caplog.text


@pytest.mark.server
@pytest.mark.slow
def test_a_host_that_accepts_no_connection(model: tuple[Model, socket.socket]) -> None:
    """It is refused after some seconds, though its address exists."""
    judge, server = model
    server.listen(0)
    waiting = [socket.socket() for _ in range(4)]
    for one in waiting:  # they fill the queue, so that the system answers no other
        one.setblocking(False)
        one.connect_ex(server.getsockname())
    begun = monotonic()
    with pytest.raises(UserError, match="does not answer: timed out"):
        reached(judge)
    assert monotonic() - begun < 10
    for one in waiting:
        one.close()
