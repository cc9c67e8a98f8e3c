"""Bounds on the size and duration of one answer."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from inspect_ai.model import Model

MOST_BYTES = 32_000_000
"""Most bytes of an answer; with log probabilities of several choices, for every four of them."""

MOST_PARTS = 10_000
"""Most choices, or blocks of content, since each becomes several objects."""

MOST_SECONDS = 1800


def bound_answers(model: Model, refused: Callable[[str], None] = lambda why: None) -> None:
    """Cut off answers of a model's server that take too much memory, or over half an hour.

    Inspect reads an answer to its end, whatever comes. This works for providers whose `client` is
    that of the openai or anthropic package, as inspect's own hooks do.

    Args:
        model: The model. Of several calls for it, or for models with the same client, the last
            counts.
        refused: Called with the reason when an answer is cut off, in the task of its call.
    """
    client = getattr(getattr(model.api, "client", None), "_client", None)
    hooks = getattr(client, "event_hooks", {}).get("response")  # of httpx, or of httpx2
    if hooks is not None:
        hooks[:] = [*(hook for hook in hooks if not isinstance(hook, _Bounds)), _Bounds(refused)]


@dataclass(frozen=True)
class _Bounds:
    refused: Callable[[str], None]

    async def __call__(self, response: Any) -> None:
        """Count what is read of the answer, after decompression."""
        answer, most = response.aiter_bytes, _most_bytes(response.request)

        async def bounded(chunk_size: int | None = None) -> AsyncIterator[bytes]:
            read, parts, begun = 0, 0, monotonic()
            async for part in answer(chunk_size):
                read += len(part)
                parts += part.count(b'"message"') + part.count(b'"type"')
                why = f"of more than {most / 1e6:.0f} MB" if read > most else ""
                if parts > MOST_PARTS:
                    why = f"of more than {MOST_PARTS:,} parts"
                if monotonic() - begun > MOST_SECONDS:
                    why = f"that took more than {MOST_SECONDS / 60:.0f} minutes"
                if why:
                    self.refused(f"the server sent an answer {why}")
                    raise ValueError(f"The server sent an answer {why}.")
                yield part

        response.aiter_bytes = bounded


def _most_bytes(request: Any) -> int:
    with suppress(Exception):  # a body of another kind
        asked = json.loads(request.content)
        if asked.get("logprobs"):
            return MOST_BYTES * max(1, int(asked["n"]) // 4)
    return MOST_BYTES
