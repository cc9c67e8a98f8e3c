"""Pipes, full disks, missing folders and servers: one line says what is the matter, at once."""

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest
from click.testing import Result
from inspect_ai import eval
from inspect_ai.model import Model, get_model

from commands import invoke
from inspect_reliability.designs import Item, JudgeDesign
from inspect_reliability.designs.judge_design import MOST_SHOWN
from inspect_reliability.errors import UserError
from inspect_reliability.hf_seeded.load import find
from inspect_reliability.hf_seeded.prompt import PromptEncoder
from inspect_reliability.judging import requests
from inspect_reliability.judging.requests import reachable_model
from inspect_reliability.tasks import judge_task
from inspect_reliability.tiny_judge import folder
from logged import Logged
from processes import COMMAND, start


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
@pytest.mark.parametrize("command", ["report FILE", "--help"])
def test_a_full_disk_is_said_in_words(tmp_path: Path, command: str) -> None:
    """Where standard output has no room, of whatever is printed."""
    words = command.replace("FILE", judgments(tmp_path / "b.csv")).split()
    said = tmp_path / "said"
    done = start(COMMAND, *words, out=Path("/dev/full"), err=said)
    done.join()
    *before, last = said.read_text().splitlines()
    assert (done.exitcode, len(before)) == (2, command == "report FILE"), said.read_text()
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


@pytest.mark.slow
def test_two_sources_without_a_shared_question(tmp_path: Path) -> None:
    """They are compared without pairs, and the answer names a question of each."""
    first, second = (judgments(tmp_path / f"{name}.csv", name) for name in "qz")
    done = invoke("compare", first, second)
    assert done.exit_code == 0
    assert "such as 'q0' and 'z0'" in " ".join(done.stdout.split())
    other = Path(second)
    other.write_text(other.read_text().replace(",A", ",yes").replace(",B", ",no"))
    done = invoke("compare", first, second)
    assert done.exit_code == 2
    assert "share no question, and no verdict ('A', 'no')" in " ".join(done.stderr.split())


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
    monkeypatch.setattr(requests, "_SECONDS", 0.1)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        yield get_model("openai-api/x/y", base_url=url, api_key="x", memoize=False), server


@pytest.mark.server
def test_a_server_that_is_not_there(
    tmp_path: Path, model: tuple[Model, socket.socket], logged: Logged
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
    assert reachable_model(judge) is judge
    assert monotonic() - begun < 10
    assert "has said nothing for 0.1 seconds" in logged.text


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
        reachable_model(judge)
    assert monotonic() - begun < 10
    for one in waiting:
        one.close()


def as_user(*arguments: object) -> Result:
    """Run a command without the rights of an administrator, which tests may have."""

    def give_up_rights() -> None:
        header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        assert not ctypes.CDLL(None).capset(header, none)

    # Rights are those of a thread.
    with ThreadPoolExecutor(initializer=give_up_rights) as other:
        return other.submit(invoke, *arguments).result()


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder to which nothing can be written, though it has files of ours."""
    if sys.platform != "linux":
        pytest.skip("rights are given up as Linux does")
    folder = tmp_path / "closed"
    report = ["report", judgments(tmp_path / "b.csv")]
    assert not invoke(*report, "--html", folder / "p.html", "--tables", folder / "t").exit_code
    folder.chmod(0o555)
    (folder / "t").chmod(0o555)
    yield folder
    for one in (folder, folder / "t"):
        one.chmod(0o755)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    "command",
    [
        "report {b} --html {closed}/new.html",
        "report {b} --html {closed}/p.html",
        "report {b} --save {closed}/new/s.parquet",
        "report {b} --tables {closed}/t",
        "report {b} --figures {closed}",
        "label {b} --most 3 --out {closed}/d.xlsx",
    ],
)
def test_a_folder_that_cannot_be_written(tmp_path: Path, closed: Path, command: str) -> None:
    """Nothing there changes, and one line says why; nobody is sent to make room."""
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    words = command.format(b=tmp_path / "b.csv", closed=closed).split()
    done = as_user(*words)
    assert done.exit_code == 2, done.output
    assert "cannot be written: " in done.stderr
    assert "Permission denied" in done.stderr
    assert "Make room" not in done.stderr
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_protected_file_stays(tmp_path: Path, closed: Path) -> None:
    """Also one of ours, in a folder that is open: who protects a page wants to keep it."""
    page = closed / "p.html"
    closed.chmod(0o755)
    page.chmod(0o444)
    before = page.stat()
    done = as_user("report", tmp_path / "b.csv", "--html", page)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is protected" in done.stderr
    assert os.path.samestat(before, page.stat())


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_folder_that_cannot_be_looked_into(tmp_path: Path, closed: Path) -> None:
    """What is in it may be there: that it is not would be untrue."""
    closed.chmod(0)
    for path in (closed / "b.csv", closed / "logs"):
        done = as_user("report", path)
        assert done.exit_code == 2
        assert "cannot be read: Permission denied" in done.stderr


LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("command", "last"),
    [
        ("report {long}", ""),
        ("report {b} --column {long}=verdict", "as in --column score=verdict."),
        ("report {b} --by {long}", ""),
        ("gate {b} --min {long}=0.5", ""),
        ("gate {b} --min {long}", "as in omega=0.6."),
        ("report {b} --{long}", ""),
        ("report {b} --html {long}", "Name another place."),
        ("plan {b} --for {long}", ""),
        ("rank {names}", ""),
        ("report {names}", "as in --column score=verdict."),
        ("{long}", ""),
    ],
)
def test_a_message_has_a_length(tmp_path: Path, command: str, last: str) -> None:
    """However long what it quotes: its beginning and its end, the next step, are there."""
    names = tmp_path / "names.csv"
    names.write_text(f"{LONG},other\n1,2\n3,4\n")
    b = judgments(tmp_path / "b.csv")
    done = invoke(*command.format(b=b, names=names, long=LONG).split())
    assert done.exit_code == 2, done.output
    assert len(done.stderr) < 4_000
    assert done.stderr.rstrip().endswith(last)


@pytest.mark.parametrize("text", ["x", "\x1b[31m", "\0\x07\x9b"])
def test_what_was_typed_does_nothing_on_a_terminal(text: str) -> None:
    """Click quotes arguments as they are."""
    for words in (["report", f"--{text}"], [f"re{text}"], ["gate", "b.csv", "--min", text]):
        assert not {*invoke(*words).stderr} & {*"\x1b\0\x07\x9b"}
