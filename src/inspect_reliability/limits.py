"""Limits on the time and memory of a stranger's template or design."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_SECONDS = 5
BESIDE_AN_ENGINE = 2_000_000_000
"""Bytes for a template while an engine needs the rest of the memory."""


@contextmanager
def within_limits(memory: int = 500_000_000, parts: int = 0) -> Iterator[None]:
    """Stop this block after 5 seconds, or beyond this much memory in bytes.

    A stranger's template can ask for any amount of both in a few characters. Only for the main
    thread; the memory limit applies to the process. Outside Linux only time is limited, on Windows
    neither. A block within another has the limits of the outer one. Each of many parts adds 10
    milliseconds.

    Raises:
        TimeoutError: The block takes too long.
        MemoryError: It takes too much memory.
    """
    here = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGALRM")
    if not here or signal.getitimer(signal.ITIMER_REAL)[0]:  # which an outer block has set
        yield
        return
    import resource  # which Windows lacks

    seconds = _SECONDS + parts / 100

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"it takes more than {seconds:.0f} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = Path("/proc/self/statm")
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # again, if something caught it
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
