"""A model's forward pass, by its own attention or by another."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from .attention import UnknownAttentionError


class ForwardPass:
    """Runs a causal language model, and knows how much memory a row of it takes."""

    def __init__(self, model: PreTrainedModel) -> None:
        self.model: Any = model
        embedding: Any = self.model.get_input_embeddings()
        self.device: torch.device = embedding.weight.device
        config = self.model.config.get_text_config()
        self.vocabulary: int = config.vocab_size
        self.logit_bytes: int = 16 * self.vocabulary
        self._heads: int = getattr(config, "num_attention_heads", 1)
        self._own_attention: str = self.model.config._attn_implementation
        self._attention = self._own_attention
        # Some rotary embeddings scale all positions by the largest one of a forward pass.
        rope = str(getattr(config, "rope_parameters", None))
        self.positions_interact = "dynamic" in rope or "longrope" in rope
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
        """Logits of the last positions of rows of tokens, shape (rows, last, vocabulary).

        The rows are of equal length and extend the cache. With `positions`, each has a single token
        of its own position. `attention` is by default the model's own.
        """
        ids = torch.tensor([list(row) for row in tokens], device=self.device)
        options: dict[str, Any] = {"logits_to_keep": last} if self._cuts_logits else {}
        if positions is not None:
            options["position_ids"] = torch.tensor(positions, device=self.device)[:, None]
        self._attend_by(attention or self._own_attention)
        output = self.model(
            input_ids=ids, past_key_values=cache, use_cache=cache is not None, **options
        )
        logits: Tensor = output.logits[:, -last:]
        return logits.cpu() if logits.device.type == "mps" else logits  # draws need float64

    def score_bytes(self, length: int) -> int:
        """Memory that one row's attention scores take at this length, in one layer."""
        return 12 * self._heads * length

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
