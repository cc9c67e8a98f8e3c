"""The self-check: does a way to continue a prompt say what the model itself says?"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .batch import Rows
from .candidates import insist_on_finite
from .forward import ForwardPass

Check = Callable[[ForwardPass, type[Rows], Sequence[int]], float]
"""Takes a model, a way and a prompt (token ids; longer than an attention window, if that is to be
checked). Returns how far the way's logits are from those of plain forward passes without any
cache: root mean square difference, as a share of their standard deviation. Raises NotFiniteError
where the plain logits are not finite."""

_POSSIBLE = 1e4  # below the likeliest


def check_steps(forward: ForwardPass, way: type[Rows], prompt: Sequence[int]) -> float:
    """Continue prompts by two tokens in two rows, which change places in between."""
    logits, rows = way.prefill(forward, prompt)
    starts, parents = [prompt, prompt], [0, 0]
    if rows.joins:
        starts, parents = [prompt, prompt[1:]], [0, 1]
        shorter, other = way.prefill(forward, starts[1])
        logits, rows = torch.cat([logits, shorter]), way.joined([rows, other])
    first = [int(logits[parent].topk(2).indices[row]) for row, parent in enumerate(parents)]
    middle = rows.step(first, parents)
    second = middle.topk(2).indices[:, 1].tolist()
    last = rows.fork().step(second, [1, 0])
    return _deviation(
        forward,
        [
            ([*starts[row], first[row], second[1 - row]], [logits[at], middle[row], last[1 - row]])
            for row, at in enumerate(parents)
        ],
    )


def check_branches(forward: ForwardPass, way: type[Rows], prompt: Sequence[int]) -> float:
    """Continue a prompt by one token and by two at once, as branches of a tree."""
    logits, rows = way.prefill(forward, prompt)
    one, other = logits[0].topk(2).indices.tolist()
    middle = rows.after([(one,)])
    then = int(middle[0].topk(2).indices[1])
    longer, shorter = rows.after([(one, then), (other,)])
    return _deviation(
        forward,
        [
            ([*prompt, one, then], [logits[0], middle[0], longer]),
            ([*prompt, other], [logits[0], shorter]),
        ],
    )


def _deviation(
    forward: ForwardPass, continued: Sequence[tuple[Sequence[int], Sequence[Tensor]]]
) -> float:
    """Compare the logits at the last positions of some texts with those of plain passes."""
    differences, spreads = [], []
    for text, logits in continued:
        plain = forward([text], last=len(logits))[0].float()
        insist_on_finite(plain.amax(-1))
        # Some models give tokens that never come the lowest number there is.
        possible = plain > plain.amax(-1, keepdim=True) - _POSSIBLE
        differences.append((torch.stack([*logits]).float() - plain)[possible].square().mean())
        spreads.append(plain[possible].var())
    share = torch.stack(differences).sum() / torch.stack(spreads).sum()
    return share.sqrt().item()


def tolerance(dtype: torch.dtype) -> float:
    """Largest deviation that rounding explains: the square root of the machine epsilon."""
    return math.sqrt(max(torch.finfo(dtype).eps, torch.finfo(torch.float32).eps))
