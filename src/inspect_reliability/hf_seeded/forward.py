"""A model's forward pass, by its own attention or by one that stores each prompt once.

One matrix product takes the queries of all rows of a prompt against its keys; each row's queries
also go against its own few keys. One softmax covers both. The result equals ordinary attention over
a copy of the prompt in each row, without the copies.
"""

import inspect
import operator
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, takewhile
from threading import RLock
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, DynamicCache, PreTrainedModel
from transformers.cache_utils import Cache

from .cache import Room, TreeLayer, on_device

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


PIECE = 256
"""Tokens of a long prompt that go through the model together. Larger pieces cost as much, and leave
more to be computed again where two prompts begin alike."""


class ForwardPass:
    """Runs a causal language model.

    A row takes `logit_bytes` of memory, and for each position `score_bytes` of attention scores.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self.model: Any = model
        embedding: Any = self.model.get_input_embeddings()
        self.device: torch.device = embedding.weight.device
        config = self.model.config.get_text_config()
        self.vocabulary: int = config.vocab_size
        self.logit_bytes: int = 16 * self.vocabulary
        self.score_bytes: int = 12 * getattr(config, "num_attention_heads", 1)
        self._own_attention: str = self.model.config._attn_implementation
        self._attention = self._own_attention
        # Some rotary embeddings scale all positions by the largest one of a forward pass.
        rope = str(getattr(config, "rope_parameters", None))
        self.positions_interact = "dynamic" in rope or "longrope" in rope
        # On other devices, launching the kernels of several passes would take longer than it saves.
        pieces = self.device.type == "cpu" and not self.positions_interact
        self.piece = PIECE if pieces else sys.maxsize
        self._latest: tuple[Sequence[int], Any] = (), None  # a prompt, its keys and values
        parameters = inspect.signature(self.model.forward).parameters
        self._cuts_logits = "logits_to_keep" in parameters
        self._lock = RLock()

    def __call__(
        self,
        tokens: Sequence[Sequence[int]],
        cache: Cache | None = None,
        attention: str | None = None,
        last: int = 1,
        positions: Sequence[int] | None = None,
    ) -> Tensor:
        """Logits at the last positions of rows of tokens, shape (rows, last, vocabulary).

        The rows are of equal length and extend the cache. With `positions`, each has a single token
        of its own position. `attention` defaults to the model's own.
        """
        ids = on_device([list(row) for row in tokens], self.device)
        options: dict[str, Any] = {"logits_to_keep": last} if self._cuts_logits else {}
        if positions is not None:
            options["position_ids"] = on_device(positions, self.device)[:, None]
        self._attend_by(attention or self._own_attention)
        output = self.model(
            input_ids=ids, past_key_values=cache, use_cache=cache is not None, **options
        )
        logits: Tensor = output.logits[:, -last:]
        return logits.cpu() if logits.device.type == "mps" else logits  # draws need float64

    def prefill(self, prompt: Sequence[int]) -> tuple[Tensor, Any]:
        """Send a prompt through the model in pieces, the last two of them as one.

        Pieces that the previous prompt also began with are not computed again. Where a piece ends
        depends on the prompt alone, so no bit of the result depends on the previous prompt.

        Returns:
            Logits after it, shape (1, vocabulary), and the cache of its keys and values.
        """
        latest, known = self._latest
        alike = sum(takewhile(bool, map(operator.eq, latest, prompt)))
        whole = min(len(latest), len(prompt)) - self.piece  # the last piece of each is longer
        start = max(0, min(alike, whole)) // self.piece * self.piece
        self._latest = (), None
        cache: Any = DynamicCache()
        for number, layer in enumerate(known.layers if start else ()):
            cache.update(layer.keys[:, :, :start], layer.values[:, :, :start], number)
        del known
        ends = range(start + self.piece, len(prompt) - self.piece + 1, self.piece)
        for first, end in pairwise([start, *ends, len(prompt)]):
            logits = self([prompt[first:end]], cache)[:, -1]
        if len(prompt) >= 2 * self.piece:
            self._latest = prompt, cache
        return logits, cache

    @contextmanager
    def in_pieces(self, size: int) -> Iterator[None]:
        """Use smaller pieces of prompts in this block, if prompts go in pieces at all."""
        usual = self.piece
        self.piece = size if usual == PIECE else usual
        try:
            yield
        finally:
            self.piece = usual

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Use the model from one thread at a time, and leave it with its own attention."""
        with self._lock:
            try:
                yield
            finally:
                self._attend_by(self._own_attention)

    def _attend_by(self, name: str) -> None:
        if name == self._attention:
            return
        self.model.set_attn_implementation(name)
        self._attention = self.model.config._attn_implementation
        if self._attention != name:
            raise UnknownAttentionError("its attention cannot be replaced")
