"""What the work would take if the device did nothing but move the bytes or do the arithmetic."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

SIZES = {"cpu": (256, 512, 1536), "cuda": (8192,)}
_MOST_READ = 1 << 32  # bytes


@dataclass(frozen=True)
class Device:
    """What a device reaches at best, measured; on a CPU, a second is one of the process's CPU time.

    Attributes:
        bandwidth: Bytes a second in reading as much as the model's weights, again and again.
        arithmetic: Floating-point operations a second in a matrix product.
    """

    bandwidth: float
    arithmetic: float


def measure(model: Any) -> Device:
    """Measure the bounds of a model's device.

    Weights that fit into a CPU's cache are read faster than main memory, and small matrix products
    may be faster than large ones: a bound that ignored either could be beaten.
    """
    device, dtype = model.device, next(model.parameters()).dtype
    read = min(_MOST_READ, sum(one.nbytes for one in model.parameters()))
    matrix = torch.zeros(read // 4096, 1024, device=device)
    vector = torch.ones(1024, device=device)
    return Device(
        matrix.nbytes / _best(lambda: torch.mv(matrix, vector), device.type),
        max(_products(size, device, dtype) for size in SIZES[device.type]),
    )


def _products(size: int, device: torch.device, dtype: torch.dtype) -> float:
    """Operations a second in products of square matrices."""
    one, other = (torch.ones(size, size, device=device, dtype=dtype) for _ in range(2))
    product = torch.empty_like(one)
    return 2 * size**3 / _best(lambda: torch.mm(one, other, out=product), device.type)


def _best(work: Callable[[], object], device: str) -> float:
    # The clock of `_measure.cost`: in wall-clock time, a busy machine would look slow beside us.
    clock = time.perf_counter if device == "cuda" else time.process_time
    times = []
    for _ in range(10):
        start = clock()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(clock() - start)
    return min(times)


@dataclass(frozen=True)
class Pass:
    """Bytes and operations of one forward pass."""

    bytes: float
    operations: float

    def seconds(self, device: Device) -> float:
        """The bound."""
        return max(self.bytes / device.bandwidth, self.operations / device.arithmetic)


def forward_pass(
    model: Any, rows: int, positions: int, own: int, prompts: Sequence[tuple[int, int]] = ()
) -> Pass:
    """Count one forward pass.

    Weights are read once. Each row's own keys and values are read, those of a prompt once for all
    its rows. A multiplication and an addition are two operations.

    Args:
        model: The model.
        rows: Rows of the batch.
        positions: New positions in each row.
        own: Positions of its own that each row has, the new ones included.
        prompts: Positions of each shared prompt, and how many of the rows continue it.
    """
    config = model.config
    element = next(model.parameters()).element_size()
    embedding = config.vocab_size * config.hidden_size
    weights = model.num_parameters() - embedding  # of the input embedding only rows are read
    size = config.hidden_size // config.num_attention_heads
    per_position = 2 * config.num_hidden_layers * config.num_key_value_heads * size * element
    # A new position sees its prompt, and on average half of what is new beside it.
    seen = rows * (own - (positions - 1) / 2) + sum(length * each for length, each in prompts)
    attention = 4 * config.num_hidden_layers * config.num_attention_heads * size * seen
    heads = 2 * rows * embedding  # logits of one position a row
    layers = 2 * rows * positions * (weights - embedding)
    return Pass(
        weights * element + per_position * (rows * own + sum(length for length, _ in prompts)),
        layers + heads + positions * attention,
    )


def bound(passes: Iterable[Pass], device: Device) -> dict[str, float]:
    """Bound of some forward passes.

    Args:
        passes: The passes.
        device: The bounds of the device.
    """
    passes = list(passes)
    return {
        "bytes": sum(one.bytes for one in passes),
        "operations": sum(one.operations for one in passes),
        "bound_seconds": sum(one.seconds(device) for one in passes),
    }
