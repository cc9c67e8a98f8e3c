"""The slow path: every replication by itself, no cache, the draws in plain Python.

Written from the definition of the draws, not from the engine's code.
"""

import math
from collections.abc import Sequence
from hashlib import blake2b

import torch
from transformers import PreTrainedModel

from inspect_reliability.hf_seeded.tree import Request

_WORD = (1 << 64) - 1


def _finalise(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def noise(prompt: Sequence[int], seed: int, step: int, token: int) -> float:
    question = blake2b(b"".join(t.to_bytes(8, "little") for t in prompt), digest_size=16).digest()
    stream = blake2b(question + f"|{seed}|0".encode(), digest_size=8).digest()
    key = int.from_bytes(stream, "little")
    start = _finalise((key + 0x9E3779B97F4A7C15 * (step + 1)) & _WORD)
    bits = _finalise((start + 0x9E3779B97F4A7C15 * (token + 1)) & _WORD) >> 12
    return -math.log(-math.log((bits + 0.5) / 2**52))


def draw(logits: list[float], request: Request, step: int) -> int:
    best = max(logits)
    if request.temperature < 1e-6:
        return logits.index(best)
    order = sorted(range(len(logits)), key=lambda token: -logits[token])
    edge = logits[order[min(request.top_k or len(order), len(order)) - 1]]
    kept = [token for token in order if logits[token] >= edge]
    weights = [math.exp((logits[token] - best) / request.temperature) for token in kept]
    if request.top_p < 1:
        before, nucleus = 0.0, []
        for token, weight in zip(kept, weights, strict=True):
            if before < request.top_p:
                nucleus.append(token)
            before += weight / sum(weights)
        kept = nucleus
    return max(
        kept,
        key=lambda token: (
            (logits[token] - best) / request.temperature
            + noise(request.prompt, request.seed, step, token)
        ),
    )


class SlowPath:
    """Plain forward passes; a history that was seen before is remembered."""

    def __init__(self, model: PreTrainedModel, end: int) -> None:
        self.model = model
        self.end = end
        self.seen: dict[tuple[int, ...], list[float]] = {}

    def logits(self, history: tuple[int, ...]) -> list[float]:
        if history not in self.seen:
            with torch.inference_mode():
                output = self.model(input_ids=torch.tensor([history]), use_cache=False)
            self.seen[history] = output.logits[0, -1].double().tolist()
        return self.seen[history]

    def tokens(self, request: Request) -> tuple[int, ...]:
        generated: tuple[int, ...] = ()
        while len(generated) < request.max_tokens:
            logits = self.logits((*request.prompt, *generated))
            generated += (draw(logits, request, len(generated)),)
            if generated[-1] == self.end:
                break
        return generated
