"""Where a caller lets a text end before its end token.

The engine knows no verdicts. The caller of a generation passes a function that tells whether a text
is done.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Done = Callable[[str], bool]
"""Tells of a text that is still being written whether the rest of it can be left out."""

_done: ContextVar[Done | None] = ContextVar("hf_seeded_done", default=None)


def current_done() -> Done | None:
    """The function of the innermost `stopping` block, if any."""
    return _done.get()


@contextmanager
def stopping(done: Done) -> Iterator[None]:
    """Let `-M stop_at_verdict=true` end the generations in this block where `done` says so.

    Pass the same function each time: it is called once for all replications that have written the
    same text.
    """
    token = _done.set(done)
    try:
        yield
    finally:
        _done.reset(token)
