"""The tokens that a sampler may take next, and how likely each is."""

from collections.abc import Sequence

import torch
from torch import Tensor

GREEDY_BELOW = 1e-6
"""Temperatures below this take the likeliest token."""


class NotFiniteError(ArithmeticError):
    """The model computes NaN or infinity as a logit."""


def insist_on_finite(largest: Tensor) -> None:
    """Raise NotFiniteError if a row's largest logit is NaN or infinite.

    Minus infinity marks a token that never comes.
    """
    if not bool(largest.isfinite().all()):
        raise NotFiniteError("logits that are not finite (NaN or infinity)")


def candidates(logits: Tensor, top_k: int | None) -> tuple[Tensor, Tensor]:
    """The tokens to draw among.

    A token tied with the k-th stays in: which of the tied ones a sort happens to put first must
    not matter, and in bfloat16 ties are common.

    Args:
        logits: Shape (N, vocabulary).
        top_k: Keep the k likeliest of each row; None keeps all.

    Returns:
        Scores relative to the largest (float64, so 0 or less) and token ids, (N, K) each. Where a
        row has fewer than K candidates, the rest score minus infinity.

    Raises:
        NotFiniteError: A row has a logit that is NaN or infinite.
    """
    size = logits.shape[1]
    if top_k is None or top_k >= size:
        values, ids = logits, torch.arange(size, device=logits.device).expand_as(logits)
    else:
        values, ids = logits.topk(top_k + 1)
        edge = values[:, top_k - 1 : top_k]
        if bool((values[:, -1:] == edge).any()):
            values, ids = logits.topk(int((logits >= edge).sum(1).max()))
            values = values.masked_fill(values < edge, -torch.inf)
        else:
            values, ids = values[:, :-1], ids[:, :-1]
    values = values.double()
    largest = values.amax(1, keepdim=True)
    insist_on_finite(largest)
    return values - largest, ids


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
    return ids.masked_fill(scores < 0, ids.max() + 1).amin(1, keepdim=True)
