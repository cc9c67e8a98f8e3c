"""Running the model, in the fastest way that gives what the model itself gives."""

import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache

from .attention import UnknownAttentionError
from .check import deviation, tolerance
from .memory import OutOfMemoryError, free_memory, memory_errors
from .rows import FEWEST_ROWS, CopiedRows, PlainRows, Rows, SharedPrefixRows

logger = logging.getLogger(__name__)

WAYS: tuple[type[Rows], ...] = (SharedPrefixRows, CopiedRows, PlainRows)

_SHORTEST_CHECK = 40  # tokens
_CHECK_COST = {"cpu": 1e11, "cuda": 1e14}  # parameters times tokens, some seconds of work


class ModelRun:
    """A model, with what the engine has to know about it.

    Args:
        model: A causal language model.
        decode: Turns generated token ids into text.
        end_tokens: Token ids that end a sequence.
        context: Number of tokens the model can take, prompt and continuation together.
        max_rows: Rows that go through the model together at most; by default 128 on a CPU and
            256 elsewhere.
        memory: Bytes that rows may take; by default half of what is free now.

    Attributes:
        way: How prompts are continued.
        notes: What the user should know about that, in sentences.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        decode: Callable[[Sequence[int]], str],
        end_tokens: frozenset[int],
        context: int,
        max_rows: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.model: Any = model
        self.decode = decode
        self.end_tokens = end_tokens
        self.context = context
        embedding: Any = self.model.get_input_embeddings()
        self.device: torch.device = embedding.weight.device
        self.max_rows = max_rows or (128 if self.device.type == "cpu" else 256)
        self.memory = free_memory(self.device) // 2 if memory is None else memory
        self.notes: list[str] = []
        self._lock = RLock()

        config = self.model.config.get_text_config()
        self.logit_bytes: int = 16 * config.vocab_size
        self._heads: int = getattr(config, "num_attention_heads", 1)
        self._own_attention: str = self.model.config._attn_implementation
        self._attention = self._own_attention
        forward = inspect.signature(self.model.forward).parameters
        self._cuts_logits = "logits_to_keep" in forward
        # A path may be right for short prompts and wrong beyond the window.
        self._window = getattr(config, "sliding_window", None) or 0
        self.way = self._fastest(self._check_prompt(config.vocab_size))

    def score_bytes(self, length: int) -> int:
        """Memory that one row's attention scores take at this length, in one layer."""
        return 12 * self._heads * length

    @torch.inference_mode()
    def prefill(self, prompt: Sequence[int], tokens: int) -> tuple[Tensor, Rows]:
        """Send a prompt through the model.

        Args:
            prompt: Token ids.
            tokens: Length that its continuations may reach.

        Returns:
            Logits after the prompt, shape (1, vocabulary), and rows to fork from.

        Raises:
            OutOfMemoryError: The prompt did not fit.
        """
        with memory_errors(f"a prompt of {len(prompt):,} tokens"):
            if self._checked <= self._window < len(prompt) + tokens:
                self.way = self._fastest(prompt)
            return self.way.prefill(self, prompt)

    def forward(
        self,
        tokens: Sequence[Sequence[int]],
        cache: Cache | None = None,
        attention: str | None = None,
        last: int = 1,
    ) -> Tensor:
        """One forward pass.

        Args:
            tokens: Rows of equal length.
            cache: What came before, to be extended.
            attention: Name of an attention function; by default the model's own.
            last: Number of positions whose logits are wanted.

        Returns:
            Logits of the last positions, shape (rows, last, vocabulary).
        """
        ids = torch.tensor([list(row) for row in tokens], device=self.device)
        kept = {"logits_to_keep": last} if self._cuts_logits else {}
        self._attend_by(attention or self._own_attention)
        output = self.model(
            input_ids=ids, past_key_values=cache, use_cache=cache is not None, **kept
        )
        logits: Tensor = output.logits[:, -last:]
        return logits.cpu() if logits.device.type == "mps" else logits  # draws need float64

    def spare_memory(self, rows: int) -> bool:
        """Allow half of so many rows from now on; false if that would change nothing."""
        if rows <= FEWEST_ROWS:
            return False
        self.max_rows = rows // 2
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        logger.warning("Out of memory: going on with at most %d rows at once.", self.max_rows)
        return True

    def _attend_by(self, name: str) -> None:
        if name == self._attention:
            return
        self.model.set_attn_implementation(name)
        self._attention = self.model.config._attn_implementation
        if self._attention != name:
            raise UnknownAttentionError("its attention cannot be replaced")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Use the model from one thread at a time, and leave it with its own attention."""
        with self._lock:
            try:
                yield
            finally:
                self._attend_by(self._own_attention)

    @torch.inference_mode()
    def _fastest(self, prompt: Sequence[int]) -> type[Rows]:
        """The first of `WAYS` that passes the self-check on a prompt."""
        self._checked = len(prompt)
        limit = tolerance(self.model.dtype)
        for way in WAYS[:-1]:
            try:
                with _quiet(), self.alone():
                    off = deviation(self, way, prompt)
                reason = f"its logits differ by {off:.1g} standard deviations"
                if off <= limit:
                    return way
            except OutOfMemoryError:
                raise
            except Exception as error:  # a model may fail in any way it likes
                reason = str(error) or type(error).__name__
            self.notes.append(
                f"{type(self.model).__name__} does not work with the {way.name} ({reason}); "
                "a slower way is used."
            )
        return WAYS[-1]

    def _check_prompt(self, vocabulary: int) -> list[int]:
        """A prompt of any tokens, longer than the attention window where that is affordable."""
        affordable = _CHECK_COST.get(self.device.type, 1e11) / self.model.num_parameters()
        length = self._window + 8 if self._window + 8 <= affordable else _SHORTEST_CHECK
        length = min(max(length, _SHORTEST_CHECK), self.context - 2)
        return [(7 + 31 * position) % vocabulary for position in range(length)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' warnings about a way that is only being tried."""
    verbosity = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        transformers.logging.set_verbosity(verbosity)
