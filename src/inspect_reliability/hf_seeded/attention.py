"""Attention of many continuations to their prompts, whose keys and values are stored once.

One matrix product takes the queries of all rows of a prompt against its keys; each row's queries
also go against its own few keys. One softmax covers both. The result equals ordinary attention over
a copy of the prompt in each row, without the copies.
"""

import torch
from torch import Tensor, nn
from transformers import AttentionInterface

from .cache import Seen, SharedPrefixLayer

NAME = "hf_seeded_shared_prefix"

_UNDERSTOOD = {
    "use_cache",
    "output_attentions",
    "output_router_logits",
    "position_ids",
    "cache_position",
    "is_causal",
}


class UnknownAttentionError(NotImplementedError):
    """The model uses a kind of attention that this function does not know."""


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: object,
) -> tuple[Tensor, None]:
    """Attend one new token of each row, as transformers asks its attention functions to.

    `query` is (rows, heads, 1, size); `key` and `value` are the rows' own, as the layer's `update`
    returned them. The layer knows what each row may see, so there is no mask. `sliding_window`
    counts the token's own position; `softcap` bounds the scores, through tanh.

    Returns:
        Shape (rows, 1, heads, size), and None for the weights.

    Raises:
        UnknownAttentionError: The model asks for anything else.
    """
    layer = getattr(key, "layer", None)
    if not isinstance(layer, SharedPrefixLayer) or query.shape[2] != 1:
        raise UnknownAttentionError("it attends to something other than its cache")
    unknown = {name for name, given in others.items() if given is not None} - _UNDERSTOOD
    if unknown or dropout or attention_mask is not None:
        raise UnknownAttentionError(f"it attends with {', '.join(unknown) or 'a mask or dropout'}")

    scaling = query.shape[3] ** -0.5 if scaling is None else scaling
    key, value = layer.own(sliding_window, key, value)
    rows, heads, _, size = query.shape
    groups = key.shape[1]  # key-value heads; each serves heads/groups query heads
    # A product that scales by itself rounds one way or another, by its number of rows.
    query = query.view(rows, groups, heads // groups, size) * scaling
    scores = query @ key.transpose(2, 3)  # of the rows' own positions
    weights = torch.empty_like(scores)
    output = query.new_empty(*query.shape[:3], value.shape[3])
    for seen in layer.seen(sliding_window):
        span = seen.span
        on_prompt, on_own = _attend_span(query[span.padded], scores[span.padded], seen, softcap)
        output[span.rows], weights[span.rows] = on_prompt[span.kept], on_own[span.kept]
    output += weights @ value
    return output.view(rows, 1, heads, -1), None


def _attend_span(
    query: Tensor, own: Tensor, seen: Seen, softcap: float | None
) -> tuple[Tensor, Tensor]:
    """Attend the rows of one prompt: their output from it, and the weights of their own positions.

    `query` is scaled; `own` holds the scores of the rows' own positions. All shapes are (rows,
    groups, heads a group, ...).
    """
    _, shared_key, shared_value, hidden = seen
    rows, groups, per_group, size = query.shape
    prompt = shared_key.shape[1]
    together = query.transpose(0, 1).reshape(groups, rows * per_group, size)
    scores = query.new_empty(groups, rows * per_group, prompt + own.shape[3])
    by_row = scores.view(groups, rows, per_group, -1)
    on_prompt = scores[:, :, :prompt]
    torch.baddbmm(on_prompt, together, shared_key.transpose(1, 2), beta=0, out=on_prompt)
    by_row[..., prompt:] = own.transpose(0, 1)
    if softcap is not None:
        scores.div_(softcap).tanh_().mul_(softcap)

    if hidden is not None:
        by_row[..., -hidden.shape[1] :].masked_fill_(hidden[:, None], -torch.inf)

    precise = torch.promote_types(scores.dtype, torch.float32)
    if scores.is_cpu and scores.dtype == precise:
        # A second tensor of this size would cost fresh pages at every step.
        torch.softmax(scores, -1, out=scores)
    else:
        scores = scores.softmax(-1, dtype=precise).to(query.dtype)
        by_row = scores.view(groups, rows, per_group, -1)
    output = (scores[:, :, :prompt] @ shared_value).view(groups, rows, per_group, -1)
    return output.transpose(0, 1), by_row[..., prompt:].transpose(0, 1)


AttentionInterface.register(NAME, attend)
