"""Which token comes next: how likely each is, and seeded draws among them.

Draws are Gumbel-max with noise that is a hash of seed, question, step and token. No random stream
is kept. The token of replication r at step t is the same alone or in any batch, in any order. The
question is part of the key: with seed and step alone, replication r of every question would share
its noise, and the questions of a test would correlate although the judge knows nothing of them.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

GREEDY_BELOW = 1e-6
"""Temperatures below this take the likeliest token."""


_NOT_FINITE = "logits that are not finite (NaN or infinity)"


class NotFiniteError(ArithmeticError):
    """The model computes NaN or infinity as a logit."""


def insist_on_finite(largest: Tensor) -> None:
    """Raise NotFiniteError if a row's largest logit is NaN or infinite.

    Minus infinity marks a token that never comes.
    """
    if not bool(largest.isfinite().all()):
        raise NotFiniteError(_NOT_FINITE)


class NextTokens(NamedTuple):
    """The tokens to draw among, found without waiting for the device.

    Attributes:
        scores: Relative to the largest (float64, so 0 or less), shape (N, K). Where a row has fewer
            than K candidates, the rest score minus infinity.
        ids: Their token ids, shape (N, K).
        sound: Two flags: no logit is NaN or infinite, and no token tied with the k-th is missing.
    """

    scores: Tensor
    ids: Tensor
    sound: Tensor

    def checked(self, flags: Sequence[int]) -> bool:
        """Whether all candidates are there, by the values of `sound`.

        Raises:
            NotFiniteError: A row has a logit that is NaN or infinite.
        """
        finite, complete = flags
        if not finite:
            raise NotFiniteError(_NOT_FINITE)
        return bool(complete)


def nearest(logits: Tensor, top_k: int | None, most: int | None = None) -> NextTokens:
    """The `top_k` likeliest tokens, and those among the `most` likeliest tied with the last.

    By default one more is looked at, and in half precision as many again: ties are common there.
    """
    size = logits.shape[1]
    if top_k is None or top_k >= size:
        values, ids = logits, torch.arange(size, device=logits.device).expand_as(logits)
        complete = torch.ones((), dtype=torch.bool, device=logits.device)
    else:
        one_more = most is None and logits.dtype == torch.float32
        looked_at = most or (top_k + 1 if one_more else min(2 * top_k, size))
        values, ids = logits.topk(looked_at)
        edge = values[:, top_k - 1 : top_k]
        complete = (values[:, -1:] < edge).all()
        if one_more:
            values, ids = values[:, :-1], ids[:, :-1]
        else:
            values = values.masked_fill(values < edge, -torch.inf)
    values = values.double()
    largest = values.amax(1, keepdim=True)
    return NextTokens(values - largest, ids, torch.stack([largest.isfinite().all(), complete]))


def candidates(logits: Tensor, top_k: int | None) -> tuple[Tensor, Tensor]:
    """The tokens to draw among.

    A token tied with the k-th stays in: which of the tied ones a sort happens to put first must
    not matter, and in bfloat16 ties are common.

    Args:
        logits: Shape (N, vocabulary).
        top_k: Keep the k likeliest of each row; None keeps all.

    Returns:
        `scores` and `ids` as of `Candidates`.

    Raises:
        NotFiniteError: A row has a logit that is NaN or infinite.
    """
    found = nearest(logits, top_k)
    if not found.checked(found.sound.tolist()):
        found = with_all_tied(logits, top_k)
    return found.scores, found.ids


def with_all_tied(logits: Tensor, top_k: int | None) -> NextTokens:
    """The candidates where more are tied with the k-th than `nearest` looks at: it counts them."""
    assert top_k is not None
    edge = logits.topk(top_k).values[:, -1:]
    return nearest(logits, top_k, int((logits >= edge).sum(1).max()))


def nucleus(scaled: Tensor, top_p: Tensor) -> Tensor:
    """Keep the likeliest tokens until `top_p` of the probability is reached, ties included.

    Args:
        scaled: Scores divided by the temperature, shape (M, K).
        top_p: Shape (M,).

    Returns:
        The same scores, minus infinity for the others.
    """
    ordered = scaled.sort(dim=1, descending=True).values
    before = ordered.softmax(1).cumsum(1).roll(1, 1)
    before[:, 0] = 0
    edge = ordered.masked_fill(before >= top_p[:, None], torch.inf).amin(1, keepdim=True)
    return scaled.masked_fill(scaled < edge, -torch.inf)


def probabilities(
    scores: Tensor, ids: Tensor, temperatures: Sequence[float], top_p: float
) -> Tensor:
    """How likely a sampler is to take each candidate.

    Args:
        scores: As `candidates` returns them, shape (N, K).
        ids: Their token ids.
        temperatures: Temperatures of the sampler, T of them.
        top_p: Draw among the likeliest tokens that together have this much probability.

    Returns:
        float64, shape (N, T, K).
    """

    def at(temperature: float) -> Tensor:
        if temperature < GREEDY_BELOW:
            return (ids == likeliest(scores, ids)).double()
        scaled = scores / temperature
        if top_p < 1:
            scaled = nucleus(scaled, scaled.new_full((len(scaled),), top_p))
        return scaled.softmax(1)

    return torch.stack([at(temperature) for temperature in temperatures], dim=1)


def likeliest(scores: Tensor, ids: Tensor) -> Tensor:
    """The best candidate of each row, the lowest id among tied ones, shape (N, 1)."""
    # A tensor as the value would wait for the device.
    return ids.masked_fill(scores < 0, torch.iinfo(ids.dtype).max).amin(1, keepdim=True)


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
