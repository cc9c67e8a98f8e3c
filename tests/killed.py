"""Worker processes that end as if they were killed."""

import os
import signal
import sys


def when_it_writes(once: str) -> None:
    """Kill this process when it would put a log in its place, unless the file `once` is there."""

    def kill(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and str(arguments[1]).endswith(".eval"):
            try:
                os.close(os.open(once, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill)


def with_all_others(log: str) -> None:
    """Kill this process and all of its group when it would put that log in its place."""

    def kill(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and str(arguments[1]).endswith(log):
            os.killpg(0, signal.SIGKILL)

    sys.addaudithook(kill)
