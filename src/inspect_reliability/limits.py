"""Limits on what a template from somebody else may take."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_SECONDS = 5
BESIDE_AN_ENGINE = 2_000_000_000
"""Bytes of memory for a template while something else works that may not run out of it."""


@contextmanager
def within_limits(memory: int = 500_000_000) -> Iterator[None]:
    """Stop a template in this block that takes more than 5 seconds, or so many bytes of memory.

    A template from somebody else can ask for any amount of both in a few characters. For the main
    thread; the limit of memory is that of the process. On systems other than Linux only the time is
    limited, on Windows neither.

    Raises:
        TimeoutError: The block takes too long.
        MemoryError: It takes too much memory.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    import resource  # which Windows lacks

    before = signal.signal(signal.SIGALRM, _stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = Path("/proc/self/statm")
    signal.setitimer(signal.ITIMER_REAL, _SECONDS, 1)  # again, if something caught it
    try:
        if used.exists():
            most = int(used.read_text().split()[0]) * resource.getpagesize() + memory
            given = (limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)
            resource.setrlimit(resource.RLIMIT_AS, (min([most, *given]), hard))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"it takes more than {_SECONDS} seconds")
