"""Memory: how much is free, and how torch says that it has run out."""

from collections.abc import Iterator
from contextlib import contextmanager

import psutil  # type: ignore[import-untyped]
import torch

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


def free_memory(device: torch.device) -> int:
    """Free bytes on the model's device."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return int(psutil.virtual_memory().available)
