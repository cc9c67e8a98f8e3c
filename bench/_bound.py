"""The bound on speed: operations that work needs, at this machine's rate of a matrix product.

Operations are those of the model's matrix products: each weight once for every token of the prompts
and every distinct history, the output layer where logits are needed, and queries against the keys
that they may see. What else takes time (norms, softmax, draws, Python) is not in the bound, nor is
work that could be left out, such as rows that only fill up a batch.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from inspect_reliability.hf_seeded.batch import Place, Rows

SIZE = 1536
"""Rows and columns of the matrices whose product is timed."""


def rate(device: str, dtype: torch.dtype) -> float:
    """Operations a second of a product of two large matrices, the fastest of several."""
    one = torch.randn(SIZE, SIZE).to(device, dtype)
    seconds = []
    for _ in range(7):
        clock = time.perf_counter if device == "cuda" else time.process_time
        start = clock()
        one @ one
        if device == "cuda":
            torch.cuda.synchronize()
        seconds.append(clock() - start)
    return 2 * SIZE**3 / min(seconds)


def operations(model: Any, work: Callable[[], object]) -> float:
    """Operations that some work through the engine needs."""
    config = model.config
    head = model.get_output_embeddings()
    linear = [one for one in model.modules() if isinstance(one, nn.Linear) and one is not head]
    a_token = 2 * sum(one.weight.numel() for one in linear)
    logits = 2 * head.weight.numel()
    size = config.hidden_size // config.num_attention_heads
    a_key = 4 * config.num_hidden_layers * config.num_attention_heads * size
    needed = 0.0
    add, after = Rows.add, Rows.after

    def counted_add(self: Rows, prompt: Sequence[int]) -> Any:
        nonlocal needed
        length = len(prompt)
        needed += length * a_token + logits + a_key * length * (length + 1) / 2
        return add(self, prompt)

    def counted_after(self: Rows, places: Sequence[Place]) -> Any:
        nonlocal needed
        for number, history in places:
            needed += a_token + logits + a_key * (len(self.prompts[number]) + len(history))
        return after(self, places)

    Rows.add, Rows.after = counted_add, counted_after  # type: ignore[method-assign]
    try:
        work()
    finally:
        Rows.add, Rows.after = add, after  # type: ignore[method-assign]
    return needed
