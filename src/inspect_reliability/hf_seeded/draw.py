"""Seeded draws: Gumbel-max with noise that is a hash of seed, question, step and token.

No random stream is kept. Whoever asks for the token of replication r at step t gets the same
answer, alone or in any batch, in any order. The question is part of the key: with seed and step
alone, replication r of every question would share its noise, and the questions of a test would
correlate although the judge knows nothing of them.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
import torch
from torch import Tensor

from .candidates import GREEDY_BELOW, candidates, likeliest, nucleus
from .request import Request

VERSION = "gumbel-1"
"""Changes whenever the same seed would draw something else."""

_MOST_AT_ONCE = 1 << 22  # requests times candidate tokens that are in memory together


def _int64(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


# SplitMix64 (Steele, Lea & Flood 2014): a counter in steps of the golden ratio, then a finaliser.
_GOLDEN = _int64(0x9E3779B97F4A7C15)
_FIRST = _int64(0xBF58476D1CE4E5B9)
_SECOND = _int64(0x94D049BB133111EB)


def _shift(x: Tensor, bits: int) -> Tensor:
    return (x >> bits) & ((1 << (64 - bits)) - 1)  # int64 shifts carry the sign; hashes must not


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shift(x, 30)) * _FIRST
    x = (x ^ _shift(x, 27)) * _SECOND
    return x ^ _shift(x, 31)


def stream_keys(prompt: Sequence[int], requests: Sequence[Request]) -> Tensor:
    """Key of each request's noise, from its question and seed.

    Args:
        prompt: Token ids of the prompt all requests share.
        requests: The requests.

    Returns:
        One int64 a request.
    """
    question = blake2b(np.asarray(prompt, dtype="<i8").tobytes(), digest_size=16).digest()

    def key(request: Request) -> int:
        text = b"%s|%d|0" % (question, request.seed)
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "little", signed=True)

    return torch.tensor([key(request) for request in requests], dtype=torch.int64)


def gumbel(keys: Tensor, step: int, tokens: Tensor) -> Tensor:
    """Standard Gumbel noise.

    Args:
        keys: int64, shape (R,).
        step: Number of the token in its continuation, from 0.
        tokens: Token ids, shape (R, K).

    Returns:
        float64, shape (R, K).
    """
    start = _mix(keys + _int64(_GOLDEN * (step + 1)))
    bits = _shift(_mix(start[:, None] + _GOLDEN * (tokens + 1)), 12)
    uniform = (bits.double() + 0.5) * 2.0**-52  # 52 bits: 0 and 1 are both out of reach
    return -torch.log(-torch.log(uniform))


class Draws:
    """The draws of requests that share a prompt and a `top_k`."""

    def __init__(self, prompt: Sequence[int], requests: Sequence[Request], device: torch.device):
        self.top_k = requests[0].top_k
        self.keys = stream_keys(prompt, requests).to(device)
        self.temperature = torch.tensor([r.temperature for r in requests], dtype=torch.float64)
        self.temperature = self.temperature.to(device)
        self.top_p = torch.tensor([r.top_p for r in requests], dtype=torch.float64).to(device)

    def tokens(self, logits: Tensor, nodes: Tensor, members: Tensor, step: int) -> list[int]:
        """Draw the next token of each member.

        Args:
            logits: One row a node of the tree, shape (N, vocabulary).
            nodes: The node each member stands at, shape (M,).
            members: Which request each member is, shape (M,).
            step: Number of the token in its continuation, from 0.

        Returns:
            M token ids.

        Raises:
            NotFiniteError: A row has a logit that is NaN or infinite.
        """
        scores, tokens = candidates(logits, self.top_k)
        drawn: list[int] = []
        for part in _parts(len(members), scores.shape[1]):
            drawn += self._draw(scores, tokens, nodes[part], members[part], step).tolist()
        return drawn

    def _draw(
        self, scores: Tensor, tokens: Tensor, nodes: Tensor, members: Tensor, step: int
    ) -> Tensor:
        scores, ids = scores[nodes], tokens[nodes]
        temperature = self.temperature[members, None]
        scaled = scores / temperature.clamp_min(GREEDY_BELOW)
        top_p = self.top_p[members]
        if bool((top_p < 1).any()):
            scaled = nucleus(scaled, top_p)
        noisy = scaled + gumbel(self.keys[members], step, ids)
        sampled = ids.gather(1, noisy.argmax(1, keepdim=True))
        best = likeliest(scores, ids)
        return torch.where(temperature < GREEDY_BELOW, best, sampled)[:, 0]


def _parts(members: int, candidates: int) -> Iterator[slice]:
    size = max(1, _MOST_AT_ONCE // candidates)
    return (slice(start, start + size) for start in range(0, members, size))
