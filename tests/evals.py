"""How tests run a task in their own process."""

from pathlib import Path
from typing import Any

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
