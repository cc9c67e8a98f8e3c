"""Attention of many continuations to their prompts, whose keys and values are stored once.

One matrix product takes the queries of all rows of a prompt against its keys; each row's queries
also go against its own few keys. One softmax covers both. The result equals ordinary attention over
a copy of the prompt in each row, without the copies.
"""

import torch
from torch import Tensor, nn
from transformers import AttentionInterface

from .cache import Room, TreeLayer

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
    if not isinstance(layer, TreeLayer) or query.shape[2] != 1:
        raise UnknownAttentionError("it attends to something other than its cache")
    unknown = {name for name, given in others.items() if given is not None} - _UNDERSTOOD
    if unknown or dropout or attention_mask is not None:
        raise UnknownAttentionError(f"it attends with {', '.join(unknown) or 'a mask or dropout'}")

    scaling = query.shape[3] ** -0.5 if scaling is None else scaling
    asked = layer.asked
    rows, heads, _, size = query.shape
    groups = key.shape[1]  # key-value heads; each serves heads/groups query heads
    # A product that scales by itself rounds one way or another, by its number of rows.
    query = (query.view(rows, groups, heads // groups, size) * scaling).transpose(0, 1)
    unseen = asked.unseen(sliding_window)
    key, value = (states.transpose(0, 1)[:, :, unseen:] for states in (key, value))
    scores = query @ key.transpose(2, 3)  # of the rows' own positions
    weights = torch.empty_like(scores)
    if asked.beside is not None:
        output, weights = _attend_beside(query, scores, layer, sliding_window, softcap)
        output = output + weights @ value
        return output.transpose(0, 1).reshape(rows, 1, heads, -1), None
    output = query.new_empty(groups, rows, heads // groups, value.shape[3])
    for span in asked.spans:
        prompt = layer.prompts[span.prompt]
        length = prompt[0].shape[1]
        unseen = asked.unseen(sliding_window, length)
        on_prompt, on_own = _attend_span(
            query[:, span.padded],
            scores[:, span.padded],
            (prompt[0][:, unseen:], prompt[1][:, unseen:]),
            asked.hidden(span, sliding_window, length),
            softcap,
            layer.room,
        )
        output[:, span.rows], weights[:, span.rows] = on_prompt[:, span.kept], on_own[:, span.kept]
    output += weights @ value
    return output.transpose(0, 1).reshape(rows, 1, heads, -1), None


def _attend_span(
    query: Tensor,
    own: Tensor,
    prompt: tuple[Tensor, Tensor],
    hidden: Tensor | None,
    softcap: float | None,
    room: Room,
) -> tuple[Tensor, Tensor]:
    """Attend the rows of one prompt: their output from it, and the weights of their own positions.

    `query` is scaled; `own` holds the scores of the rows' own positions; both have shape (groups,
    rows, heads a group, ...). `hidden` (rows, positions) says what a row may not see.
    """
    shared_key, shared_value = prompt
    groups, rows, per_group, size = query.shape
    shared = shared_key.shape[1]
    together = query.reshape(groups, rows * per_group, size)
    scores = room.empty(query, groups, rows * per_group, shared + own.shape[3])
    by_row = scores.view(groups, rows, per_group, -1)
    on_prompt = scores[:, :, :shared]
    torch.baddbmm(on_prompt, together, shared_key.transpose(1, 2), beta=0, out=on_prompt)
    by_row[..., shared:] = own
    if softcap is not None:
        scores.div_(softcap).tanh_().mul_(softcap)
    if hidden is not None:
        by_row.masked_fill_(hidden[:, None], -torch.inf)

    precise = torch.promote_types(scores.dtype, torch.float32)
    if scores.is_cpu and scores.dtype == precise:
        # A second tensor of this size would cost fresh pages at every step.
        torch.softmax(scores, -1, out=scores)
    else:
        scores = scores.softmax(-1, dtype=precise).to(query.dtype)
        by_row = scores.view(groups, rows, per_group, -1)
    output = (scores[:, :, :shared] @ shared_value).view(groups, rows, per_group, -1)
    return output, by_row[..., shared:]


def _attend_beside(
    query: Tensor,
    own: Tensor,
    layer: TreeLayer,
    window: int | None,
    softcap: float | None,
) -> tuple[Tensor, Tensor]:
    """Attend the rows of all prompts together: as many products for ten prompts as for one.

    Arguments and results are those of `_attend_span`, for all rows.
    """
    asked, beside = layer.asked, layer.asked.beside
    assert beside is not None
    lengths = [keys.shape[1] for keys, _ in layer.prompts[beside.first : beside.end]]
    seen = slice(asked.unseen(window, min(lengths)), max(lengths))
    key, value = (one[beside.first : beside.end, :, seen] for one in layer.stacked)
    groups, per_group = query.shape[0], query.shape[2]
    prompts, positions = len(lengths), key.shape[2]

    def by_prompt(states: Tensor) -> Tensor:
        """Shape (groups, rows, heads a group, n) as (prompts, groups, places x heads, n)."""
        placed = states.index_select(1, beside.row_of)
        return placed.view(groups, prompts, -1, states.shape[3]).transpose(0, 1)

    def by_row(states: Tensor) -> Tensor:
        """And back."""
        flat = states.transpose(0, 1).reshape(groups, -1, per_group, states.shape[3])
        return flat.index_select(1, beside.place_of)

    scores = torch.cat([by_prompt(query) @ key.transpose(2, 3), by_prompt(own)], dim=3)
    if softcap is not None:
        scores = scores.div_(softcap).tanh_().mul_(softcap)
    hidden = asked.hidden_beside(window, lengths)
    if hidden is not None:
        scores.view(prompts, groups, -1, per_group, scores.shape[3]).masked_fill_(
            hidden[:, None, :, None], -torch.inf
        )
    precise = torch.promote_types(scores.dtype, torch.float32)
    scores = scores.softmax(-1, dtype=precise).to(query.dtype)
    return by_row(scores[..., :positions] @ value), by_row(scores[..., positions:])


AttentionInterface.register(NAME, attend)
