import json
from typing import Any

import pytest

from chat_server import ChatServer, serving
from commands import invoke

pytestmark = pytest.mark.server

HONOURED = {
    "seed": (True, "honoured"),
    "seeds of choices": (None, "honoured"),
    "top_k in extra_body": (None, "unknown"),
    "top_logprobs": (True, "honoured"),
    "num_choices": (True, None),
    "temperature": (True, None),
    "top_k": (False, None),
    "top_p": (True, None),
    "max_tokens": (True, None),
}
"""What inspect's provider sends to a server that heeds all it gets."""


def _with(option: str, outcome: str) -> dict[str, Any]:
    return {option: (HONOURED[option][0], outcome)}


@pytest.mark.parametrize(
    ("server", "otherwise"),
    [
        (ChatServer(), {}),
        (
            ChatServer(seeds="ignored"),
            _with("seed", "not honoured") | _with("seeds of choices", "not honoured"),
        ),
        (ChatServer(choices="repeat"), _with("seeds of choices", "not honoured")),
        (ChatServer(choices="one"), _with("seeds of choices", "not honoured")),
        (ChatServer(ignores=("top_logprobs",)), _with("top_logprobs", "not honoured")),
        (ChatServer(refuses=("top_k",)), _with("top_k in extra_body", "refused")),
        (ChatServer(refuses=("top_logprobs",)), _with("top_logprobs", "refused")),
        (
            ChatServer(said=("yes",)),
            _with("seed", "unknown") | _with("seeds of choices", "unknown"),
        ),
    ],
    ids=lambda value: (
        str({k: v for k, v in vars(value).items() if v and v not in ("honoured", "follow", 128)})
        if isinstance(value, ChatServer)
        else ""
    ),
)
def test_the_table_says_what_the_server_does(server: ChatServer, otherwise: dict[str, Any]) -> None:
    """Whatever a server does with an option, its row says so, and no other row changes."""
    with serving(server) as model:
        done = invoke("probe", "--model", model, "--format", "json")
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    found = {row["option"]: (row["sent"], row["outcome"]) for row in rows}
    assert found == HONOURED | otherwise
    refused = [row["because"] for row in rows if row["outcome"] == "refused"]
    assert all("is not supported" in one and "messages" not in one for one in refused)


def test_a_server_that_never_answers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plain call comes back: an error that says so, and no table."""
    with serving(ChatServer(refuses=("messages",))) as model:
        done = invoke("probe", "--model", model)
    assert done.exit_code == 2
    assert "cannot be probed" in done.output
    assert "messages is not supported" in " ".join(done.output.split())
