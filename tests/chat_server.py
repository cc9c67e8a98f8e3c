"""A chat server of our own, over HTTP, whose treatment of options is known."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Literal

import pytest

WORDS = [f"w{number}" for number in range(50)]


@dataclass
class ChatServer:
    """A server that speaks the OpenAI protocol.

    Attributes:
        seeds: What it does with a request's seed.
        choices: Seeds of the choices of one request: s + i, s each, s + i + 1, or one choice only.
        ignores: Options that it takes and does not heed.
        refuses: Options whose requests it refuses.
        fails_every: Each so-many-th request fails.
        most_choices: Choices that it makes at most; it refuses requests for more.
        gives: Choices that it gives at most, without a word of the others.
        said: What it says, apart from words: each draw is one of these, if there are any.
        headers: What it says of its answers.
        requests: The bodies of the requests it answered.
    """

    seeds: Literal["honoured", "ignored"] = "honoured"
    choices: Literal["follow", "repeat", "shift", "one"] = "follow"
    ignores: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    fails_every: int = 0
    most_choices: int = 128
    gives: int = 128
    said: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=lambda: count(1))

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and answer of a request; bytes are sent as they come."""
        number = next(self._number)
        if self.fails_every and number % self.fails_every == 0:
            return 422, {"error": {"message": "not now"}}
        if bad := [name for name in self.refuses if name in body]:
            return 422, {"error": {"message": f"{bad[0]} is not supported"}}
        body = {key: value for key, value in body.items() if key not in self.ignores}
        asked = body.get("n") or 1
        if asked > self.most_choices:
            return 422, {"error": {"message": "too many choices"}}
        self.requests.append(body)
        seed = body.get("seed", 0) if self.seeds == "honoured" else 10**9 + 1000 * number
        of_choice = {"follow": 1, "repeat": 0, "shift": 1, "one": 1}[self.choices]
        first = seed + (self.choices == "shift" and asked > 1)
        texts = [self._text(first + place * of_choice, body) for place in range(asked)]
        texts = texts[: 1 if self.choices == "one" else self.gives]
        tokens = sum(len(text.split()) for text in texts)
        return 200, {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "judge",
            "choices": [self._choice(place, text, body) for place, text in enumerate(texts)],
            "usage": {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens},
        }

    def _text(self, seed: int, body: dict[str, Any]) -> str:
        greedy = body.get("temperature") == 0 or body.get("top_k") == 1
        draws = random.Random("greedy" if greedy or body.get("top_p", 1) < 0.01 else seed)
        if self.said:
            return draws.choice(self.said)
        return " ".join(draws.choices(WORDS, k=min(12, body.get("max_tokens", 99))))

    def _choice(self, place: int, text: str, body: dict[str, Any]) -> dict[str, Any]:
        token = {"token": "w1", "logprob": -1.0, "bytes": None}
        wanted = body.get("top_logprobs", 0)
        logprobs = {"content": [{**token, "top_logprobs": [token] * wanted}]} if wanted else None
        message = {"role": "assistant", "content": text}
        return {"index": place, "finish_reason": "stop", "message": message, "logprobs": logprobs}


class Http(ThreadingHTTPServer):
    """A server of many calls at once: a connection past a full queue is tried again after 1 s."""

    request_queue_size = 128


@contextmanager
def serving(server: ChatServer, port: int = 0) -> Iterator[str]:
    """Run a server, on a free port unless one is named; yields inspect's name of its model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # the body does not wait until the client has the headers

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = server.answer(body)
            self.send_response(status)
            for header in {"Content-Type": "application/json", **server.headers}.items():
                self.send_header(*header)
            if isinstance(answer, dict):
                answer = [json.dumps(answer).encode()]
                self.send_header("Content-Length", str(len(answer[0])))
            else:
                self.send_header("Connection", "close")
            self.end_headers()
            with suppress(ConnectionError):  # of a client that has heard enough
                for part in answer:
                    self.wfile.write(part)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with (
        Http(("127.0.0.1", port), Handler) as http,
        pytest.MonkeyPatch.context() as patch,
    ):
        # It looks for the end that often; half a second otherwise.
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        patch.setenv("CHAT_BASE_URL", f"http://127.0.0.1:{http.server_port}/v1")
        patch.setenv("CHAT_API_KEY", "none")
        try:
            # Inspect records the first requests of each model: every server's has its own name.
            yield f"openai-api/chat/judge-{http.server_port}"
        finally:
            http.shutdown()
