import json
from typing import Any

import pytest

from chat_server import ChatServer, serving
from commands import invoke

pytestmark = pytest.mark.server

HONOURED = {
    "seed": (True, "honoured"),
    "seeds of choices": (None, "honoured"),
    "top_logprobs": (True, "honoured"),
    "temperature": (True, ""),
    "top_k": (True, ""),
    "top_p": (True, ""),
    "max_tokens": (True, ""),
}
"""What a run sends to a server that heeds all it gets, and sees of it."""


@pytest.mark.parametrize(
    ("server", "otherwise"),
    [
        (ChatServer(), {}),
        (
            ChatServer(seeds="ignored"),
            {"seed": (True, "not honoured"), "seeds of choices": (None, "not honoured")},
        ),
        (ChatServer(choices="one"), {"seeds of choices": (None, "not honoured")}),
        (ChatServer(ignores=("top_logprobs",)), {"top_logprobs": (True, "not honoured")}),
        (
            ChatServer(refuses=("top_k",)),
            {"top_k": (False, ""), "top_logprobs": (False, "not honoured")},
        ),
        (
            ChatServer(said=("yes",)),
            {"seed": (True, "unknown"), "seeds of choices": (None, "unknown")},
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
    del found["num_choices"]  # of the last call, which may be one of the seed check
    assert found == HONOURED | otherwise


def test_a_server_that_never_answers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plain call comes back: an error that says so, and no table."""
    with serving(ChatServer(refuses=("messages",))) as model:
        done = invoke("probe", "--model", model)
    assert done.exit_code == 2
    assert "cannot be probed" in done.output
    assert "messages is not supported" in " ".join(done.output.split())
