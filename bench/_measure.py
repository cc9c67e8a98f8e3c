"""Cost of a piece of work: seconds and peak memory."""

import ctypes
import gc
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Cost:
    """What one run of something took.

    Attributes:
        seconds: CPU seconds of the process on a CPU, wall-clock seconds on a GPU.
        peak: Bytes at the highest point above those at the start; None where unknown.
        operations: What the work needs, where that was counted (see `_bound.operations`).
    """

    seconds: float
    peak: int | None
    operations: float | None = None

    def __mul__(self, times: float) -> "Cost":
        needed = None if self.operations is None else self.operations * times
        return Cost(self.seconds * times, self.peak, needed)


def machine(device: str) -> dict[str, object]:
    """What the figures were measured on."""
    import transformers

    name = torch.cuda.get_device_name() if device == "cuda" else _processor()
    return {
        "device": name,
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "clock": "wall-clock seconds" if device == "cuda" else "CPU seconds of the process",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def cost(work: Callable[[], object], device: str) -> Cost:
    """Run something once."""
    gc.collect()
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before, start = torch.cuda.memory_allocated(), time.perf_counter()
        work()
        torch.cuda.synchronize()
        return Cost(time.perf_counter() - start, torch.cuda.max_memory_allocated() - before)
    tracked = _reset_peak()
    before, start = _resident("VmRSS"), time.process_time()
    work()
    seconds = time.process_time() - start
    return Cost(seconds, _resident("VmHWM") - before if tracked else None)


def least_cost(
    work: Callable[[], object], device: str, repeats: int, before: Callable[[], object]
) -> Cost:
    """Least time and largest peak of several runs, of a machine that is warm already.

    Other work on the machine only adds time. `before` comes before each run and is not measured: it
    forgets what the run before has left.
    """
    costs = []
    for _ in range(repeats):
        before()
        costs.append(cost(work, device))
    peaks = [one.peak for one in costs if one.peak is not None]
    return Cost(min(one.seconds for one in costs), max(peaks, default=None))


def _reset_peak() -> bool:
    """Give unused memory back and start counting anew; only Linux can."""
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _resident(field: str) -> int:
    if not _STATUS.exists():
        return 0
    line = next(row for row in _STATUS.read_text().splitlines() if row.startswith(field))
    return 1024 * int(line.split()[1])
