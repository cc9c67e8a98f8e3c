"""How tests run a task in their own process."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import inspect_ai._util.zipfile
import pytest
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


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `hf/` wait milliseconds for more of a batch, and for its end, not a second or two."""
    from inspect_ai.model._providers import hf

    drain: Any = vars(hf).get("_drain_batches")  # older ones have none

    def drained(queue: Any, timeout: float) -> Any:
        return drain(queue, timeout=timeout / 100)

    async def sleep(seconds: float) -> None:
        await anyio.sleep(seconds / 100)

    monkeypatch.setattr(hf, "_drain_batches", drained, raising=False)
    monkeypatch.setattr(hf, "anyio", SimpleNamespace(**vars(anyio) | {"sleep": sleep}))
