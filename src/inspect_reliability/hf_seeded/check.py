"""The self-check: does a way to continue a prompt say what the model itself says?"""

import math
from collections.abc import Sequence

import torch

from .candidates import insist_on_finite
from .forward import ForwardPass
from .rows import Rows


def deviation(forward: ForwardPass, way: type[Rows], prompt: Sequence[int]) -> float:
    """Continue a prompt by two tokens in two rows, which then change places, in two ways.

    Args:
        forward: The model.
        way: The rows to check, against plain forward passes without any cache.
        prompt: Token ids; longer than an attention window, if that is to be checked.

    Returns:
        Root mean square difference of the logits, as a share of their standard deviation.

    Raises:
        NotFiniteError: The plain forward passes give logits that are not finite.
    """
    logits, rows = way.prefill(forward, prompt)
    first = logits[0].topk(2).indices.tolist()
    then = rows.fork([0, 0])
    middle = then.step(first, [0, 0])
    second = middle.topk(2).indices[:, 1].tolist()
    last = then.fork([0, 1]).step(second, [1, 0])

    differences, spreads = [], []
    for row in (0, 1):
        history = [*prompt, first[1 - row], second[row]]
        plain = forward([history], last=3)[0].float()
        insist_on_finite(plain.amax(-1))
        ours = torch.stack([logits[0], middle[1 - row], last[row]]).float()
        differences.append((ours - plain).square().mean())
        spreads.append(plain.var())
    share = torch.stack(differences).sum() / torch.stack(spreads).sum()
    return share.sqrt().item()


def tolerance(dtype: torch.dtype) -> float:
    """Largest deviation that rounding explains: the square root of the machine epsilon."""
    return math.sqrt(torch.finfo(dtype).eps)
