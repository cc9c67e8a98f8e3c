"""The self-check: does a way to continue a prompt agree with the model itself?"""

import sys
from collections.abc import Sequence

import torch
from torch import Tensor

from .batch import Place, Rows
from .candidates import insist_on_finite
from .forward import ForwardPass

_POSSIBLE = 1e4  # below the likeliest


def check(forward: ForwardPass, way: type[Rows], prompt: Sequence[int]) -> float:
    """Continue prompts by two tokens in two rows, which change places in between; then a branch.

    Args:
        forward: The model.
        way: How it is continued.
        prompt: Token ids; longer than an attention window, if that is to be checked.

    Returns:
        The distance of the way's logits from those of plain forward passes without any cache: root
        mean square difference, as a share of their standard deviation.

    Raises:
        NotFiniteError: The plain logits are not finite.
    """
    rows = way(forward, sys.maxsize)
    starts = [prompt, prompt[1:]] if rows.joins else [prompt]
    logits = [rows.add(start)[0] for start in starts]
    first = [
        Place(row % len(starts), (int(logits[row % len(starts)].topk(2).indices[row]),))
        for row in range(2)
    ]
    middle = rows.after(first)
    second = [int(one.topk(2).indices[1]) for one in middle]
    ends = [Place(p, (*h, token)) for (p, h), token in zip(first, second, strict=True)]
    last = rows.after(ends[::-1])
    branches = [ends[0], Place(0, (second[1],))]
    return _deviation(
        forward,
        [
            *(
                ([*starts[end.prompt], *end.history], [logits[end.prompt], between, one])
                for end, between, one in zip(ends, middle, last.flip(0), strict=True)
            ),
            *(
                ([*starts[0], *one.history], [after])
                for one, after in zip(branches, rows.after(branches), strict=True)
            ),
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
