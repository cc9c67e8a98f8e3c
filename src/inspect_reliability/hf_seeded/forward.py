"""A model's forward pass, by its own attention or by another."""

import inspect
import operator
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, takewhile
from threading import RLock
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import Cache

from .attention import UnknownAttentionError
from .memory import on_device

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
