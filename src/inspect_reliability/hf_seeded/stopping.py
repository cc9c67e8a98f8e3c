"""How a caller tells the engine where a text is finished.

The engine knows no verdicts. Whoever asks for a generation hands in a function that reads a text
which is still being written.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Read = Callable[[str], str | None]
"""The label of a text that is still being written, or None while it has none."""

_read: ContextVar[Read | None] = ContextVar("hf_seeded_read", default=None)


@contextmanager
def reading(read: Read) -> Iterator[None]:
    """Let `-M stop_at_verdict=true` stop the generations in this block where `read` has a label.

    Pass the same function object each time: the engine calls it once for all replications that have
    written the same text.
    """
    token = _read.set(read)
    try:
        yield
    finally:
        _read.reset(token)


def current_read() -> Read | None:
    """The function of the innermost `reading` block, if any."""
    return _read.get()
