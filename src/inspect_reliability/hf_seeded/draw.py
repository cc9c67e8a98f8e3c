"""Seeded draws: Gumbel-max with noise that is a hash of seed, question, step and token.

No random stream is kept. The token of replication r at step t is the same alone or in any batch, in
any order. The question is part of the key: with seed and step alone, replication r of every
question would share its noise, and the questions of a test would correlate although the judge knows
nothing of them.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np
import torch
from torch import Tensor

from .next_tokens import GREEDY_BELOW, NextTokens, likeliest, nearest, nucleus, with_all_tied

VERSION = "gumbel-1"
"""Changes whenever a seed would draw something else."""

_MOST_AT_ONCE = 1 << 22  # requests times candidate tokens that are in memory together


def _int64(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


# SplitMix64 (Steele, Lea & Flood 2014): a counter in steps of the golden ratio, then a finaliser.
_GOLDEN = _int64(0x9E3779B97F4A7C15)
_FIRST = _int64(0xBF58476D1CE4E5B9)
_SECOND = _int64(0x94D049BB133111EB)


def _shift(x: Tensor, bits: int) -> Tensor:
    # int64 shifts carry the sign; hashes must not.
    return (x >> bits).bitwise_and_((1 << (64 - bits)) - 1)


def _mix(x: Tensor) -> Tensor:
    """Hash in place: a new tensor for each operation would cost more than the operation."""
    x.bitwise_xor_(_shift(x, 30)).mul_(_FIRST)
    x.bitwise_xor_(_shift(x, 27)).mul_(_SECOND)
    return x.bitwise_xor_(_shift(x, 31))


def stream_keys(prompt: Sequence[int], streams: Sequence[str]) -> Tensor:
    """Keys of noise streams, one int64 each, from the question's tokens and the streams' names."""
    question = blake2b(np.asarray(prompt, dtype="<i8").tobytes(), digest_size=16).digest()

    def key(stream: str) -> int:
        text = question + b"|" + stream.encode()
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "little", signed=True)

    return torch.tensor([key(stream) for stream in streams], dtype=torch.int64)


def replication_stream(seed: int) -> str:
    """Name of the stream that a replication draws from."""
    return f"{seed}|0"


def gumbel(keys: Tensor, steps: Tensor, tokens: Tensor) -> Tensor:
    """Standard Gumbel noise.

    Args:
        keys: int64, shape (R,).
        steps: Number of the token in its continuation, from 0, shape (R,) or ().
        tokens: Token ids, shape (R, K).

    Returns:
        float64, shape (R, K).
    """
    start = _mix(keys + _GOLDEN * (steps + 1))
    bits = _shift(_mix(start[:, None] + _GOLDEN * (tokens + 1)), 12)
    uniform = bits.double().add_(0.5).mul_(2.0**-52)  # 52 bits: 0 and 1 are both out of reach
    return uniform.log_().neg_().log_().neg_()


class Draws:
    """Draws that share a `top_k`, each member with a key, a temperature and a `top_p`."""

    def __init__(
        self,
        keys: Tensor,
        temperatures: Sequence[float],
        top_p: Sequence[float],
        top_k: int | None,
    ) -> None:
        self.keys = keys
        self.temperature = torch.tensor(temperatures, dtype=torch.float64, device=keys.device)
        self.top_p = torch.tensor(top_p, dtype=torch.float64, device=keys.device)
        self.cuts = any(share < 1 for share in top_p)
        self.top_k = top_k

    def tokens(self, logits: Tensor, nodes: Tensor, members: Tensor, steps: Tensor) -> list[int]:
        """Draw the next token of each member.

        Args:
            logits: One row a node of the tree, shape (N, vocabulary).
            nodes: The node each member stands at, shape (M,).
            members: Which member each is, shape (M,).
            steps: Number of the token in its continuation, from 0, shape (M,).

        Returns:
            M token ids.

        Raises:
            NotFiniteError: A row has a logit that is NaN or infinite.
        """
        found = nearest(logits, self.top_k)
        drawn = self._drawn(found, nodes, members, steps)
        # The only wait for the device: what was drawn, and whether from all candidates.
        *tokens, finite, complete = torch.cat([drawn, found.sound.long()]).tolist()
        if found.checked((finite, complete)):
            return tokens
        return self._drawn(with_all_tied(logits, self.top_k), nodes, members, steps).tolist()

    def _drawn(self, found: NextTokens, nodes: Tensor, members: Tensor, steps: Tensor) -> Tensor:
        scores, ids, _ = found
        best = likeliest(scores, ids)
        drawn = []
        for part in _parts(len(members), scores.shape[1]):
            at, who = nodes[part], members[part]
            sampled = self._sample(scores[at], ids[at], who, steps[part])
            greedy = self.temperature[who, None] < GREEDY_BELOW
            drawn.append(torch.where(greedy, best[at], sampled)[:, 0])
        return torch.cat(drawn)

    def _sample(self, scores: Tensor, ids: Tensor, members: Tensor, steps: Tensor) -> Tensor:
        scaled = scores / self.temperature[members, None].clamp_min(GREEDY_BELOW)
        if self.cuts:
            scaled = nucleus(scaled, self.top_p[members])
        noise = gumbel(self.keys[members], steps, ids)
        return ids.gather(1, noise.add_(scaled).argmax(1, keepdim=True))


def _parts(members: int, candidates: int) -> Iterator[slice]:
    size = max(1, _MOST_AT_ONCE // candidates)
    return (slice(start, start + size) for start in range(0, members, size))
