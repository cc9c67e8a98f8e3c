"""How tests run a task in their own process."""

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import inspect_ai._util.zipfile
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog

# Twelve threads for each sample of a log take longer than the sample.
inspect_ai._util.zipfile._ZSTD_THREADS = 0


def evaluate(task: Task, folder: Path, **options: Any) -> EvalLog:
    """Run a task and log it into a folder, whether it succeeds or not.

    Nobody looks on meanwhile: what inspect writes for viewers is a third of a small eval.
    """
    [log] = eval(task, log_dir=str(folder), display="none", log_realtime=False, **options)
    return log


@cache
def hurry() -> None:
    """Let `hf/` wait milliseconds for more of a batch, and for its end, not a second or two.

    From now on, for the thread that makes its batches goes on from test to test.
    """
    from inspect_ai.model._providers import hf

    drain: Any = vars(hf).get("_drain_batches")  # older ones have none

    def drained(queue: Any, timeout: float) -> Any:
        return drain(queue, timeout=timeout / 100)

    async def sleep(seconds: float) -> None:
        await anyio.sleep(seconds / 100)

    waits = SimpleNamespace(**vars(anyio) | {"sleep": sleep})
    vars(hf).update(_drain_batches=drained, anyio=waits)
