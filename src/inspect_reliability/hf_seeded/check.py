"""The self-check: does a way to continue a prompt agree with the model itself?"""

from collections.abc import Sequence

import torch
from torch import Tensor

from .batch import Rows
from .candidates import insist_on_finite
from .forward import ForwardPass

_POSSIBLE = 1e4  # below the likeliest


def check(forward: ForwardPass, way: type[Rows], prompt: Sequence[int]) -> float:
    """Continue prompts by two tokens in two rows, which change places in between; then in branches.

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
    logits, root = way.prefill(forward, prompt)
    rows, starts, parents = root.fork(), [prompt, prompt], [0, 0]
    if root.joins:
        starts, parents = [prompt, prompt[1:]], [0, 1]
        shorter, other = way.prefill(forward, starts[1])
        logits, rows = torch.cat([logits, shorter]), way.joined([root, other])
    first = [int(logits[parent].topk(2).indices[row]) for row, parent in enumerate(parents)]
    middle = rows.step(first, parents)
    second = middle.topk(2).indices[:, 1].tolist()
    last = rows.fork().step(second, [1, 0])
    after = root.after([(first[0],)])
    longer, branch = root.after([(first[0], second[1]), (second[0],)])
    return _deviation(
        forward,
        [
            ([*prompt, first[0], second[1]], [logits[0], middle[0], last[1]]),
            ([*starts[1], first[1], second[0]], [logits[parents[1]], middle[1], last[0]]),
            ([*prompt, first[0], second[1]], [logits[0], after[0], longer]),
            ([*prompt, second[0]], [logits[0], branch]),
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
