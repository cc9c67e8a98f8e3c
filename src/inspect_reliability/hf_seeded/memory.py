"""Memory: how much is free, how torch says that it has run out, and how numbers get there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil  # type: ignore[import-untyped]
import torch
from torch import Tensor

_WAYS_TO_SAY_IT = ("out of memory", "not enough memory", "can't allocate memory", "alloc_failed")


class OutOfMemoryError(RuntimeError):
    """Something did not fit into memory."""


@contextmanager
def memory_errors(what: str) -> Iterator[None]:
    """Raise `OutOfMemoryError` for every way in which torch says that memory has run out."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except (RuntimeError, MemoryError) as error:
        if isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
            way in str(error).lower() for way in _WAYS_TO_SAY_IT
        ):
            raise OutOfMemoryError(f"Out of memory: {what} did not fit.") from error
        raise


def on_device(values: Any, device: torch.device) -> Tensor:
    """Numbers as a tensor. A copy to a GPU does not wait for the work before it."""
    if device.type != "cuda":
        return torch.tensor(values, device=device)
    return torch.tensor(values, pin_memory=True).to(device, non_blocking=True)


def free_memory(device: torch.device) -> int:
    """Free bytes on the model's device."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return int(psutil.virtual_memory().available)
