"""One asks, and the others wait for what it finds."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from inspect_ai.util import concurrency


@asynccontextmanager
async def one_asks(asker: object, is_open: Callable[[], bool]) -> AsyncIterator[bool]:
    """Whether it falls to this task to settle what is open.

    True for one task at a time. Others of the same asker wait until it leaves, and look again.
    """
    if is_open():
        # Inspect does not count this waiting as working time, as it would that for a lock.
        async with concurrency(f"one asks {id(asker)}", 1, visible=False):
            if is_open():
                yield True
                return
    yield False
