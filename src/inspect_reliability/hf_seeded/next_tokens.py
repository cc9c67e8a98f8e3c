"""The tokens that a sampler may take next, and how likely each is."""

from collections.abc import Sequence
from typing import NamedTuple

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
