"""Running the model: a prompt once, then one row for each distinct continuation of it."""

import copy
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

logger = logging.getLogger(__name__)

FEWEST_ROWS = 8
"""Shorter batches are padded to this many rows: matrix products of fewer rows take other code
paths, whose rounding differs, and a replication must not depend on its company."""


class OutOfMemoryError(RuntimeError):
    """The model ran out of memory for a single row."""


class Rows(Protocol):
    """The state of some continuations of a prompt, one row each."""

    def step(self, tokens: list[int], parents: list[int]) -> Tensor:
        """Append `tokens[i]` to row `parents[i]`; the results are the rows from now on.

        Returns:
            Logits of the next token, shape (len(tokens), vocabulary).

        Raises:
            OutOfMemoryError: These rows did not fit. The rows are lost.
        """

    def fork(self, parents: list[int]) -> "Rows":
        """Independent rows that continue some of these."""


@dataclass(frozen=True)
class Prefix:
    """A prompt that has gone through the model.

    Attributes:
        logits: Of the first token after the prompt, shape (1, vocabulary).
        rows: Makes rows that have nothing but the prompt.
    """

    logits: Tensor
    rows: Callable[[], Rows]


@contextmanager
def memory_errors(what: str) -> Iterator[None]:
    """Turn every way in which torch says that memory has run out into `OutOfMemoryError`."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise OutOfMemoryError(f"Out of memory: {what} did not fit.") from error
    except RuntimeError as error:
        if "not enough memory" not in str(error) and "can't allocate memory" not in str(error):
            raise
        raise OutOfMemoryError(f"Out of memory: {what} did not fit.") from error


class ModelRun:
    """A model with what the engine has to know about it.

    Attributes:
        end_tokens: Token ids that end a sequence.
        context: Number of tokens the model can take, prompt and continuation together.
        max_rows: Rows that go through the model together at most.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        decode: Callable[[Sequence[int]], str],
        end_tokens: frozenset[int],
        context: int,
        max_rows: int,
    ) -> None:
        self.model: Any = model
        self.decode = decode
        self.end_tokens = end_tokens
        self.context = context
        self.max_rows = max_rows

    def spare_memory(self) -> bool:
        """Halve the number of rows after running out of memory; false if it cannot be halved."""
        if self.max_rows == 1:
            return False
        self.max_rows //= 2
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        logger.warning("Out of memory: going on with at most %d rows at once.", self.max_rows)
        return True

    @torch.inference_mode()
    def prefill(self, prompt: Sequence[int]) -> Prefix:
        """Send a prompt through the model.

        Raises:
            OutOfMemoryError: The prompt did not fit.
        """
        cache = DynamicCache(config=self.model.config)
        with memory_errors(f"a prompt of {len(prompt)} tokens"):
            logits = self.forward([list(prompt)], cache)
        return Prefix(logits, lambda: CopiedRows(self, cache))

    def forward(self, tokens: Sequence[Sequence[int]], cache: DynamicCache | None) -> Tensor:
        """Logits after the last token of each row, shape (rows, vocabulary)."""
        ids = torch.tensor(tokens, device=self.model.get_input_embeddings().weight.device)
        output = self.model(
            input_ids=ids, past_key_values=cache, use_cache=cache is not None, logits_to_keep=1
        )
        logits: Tensor = output.logits[:, -1]
        return logits


def pad_rows(tokens: list[int], parents: list[int]) -> tuple[list[int], list[int]]:
    """Repeat the first row until there are `FEWEST_ROWS`."""
    missing = max(0, FEWEST_ROWS - len(tokens))
    return tokens + tokens[:1] * missing, parents + parents[:1] * missing


class CopiedRows(Rows):
    """Rows that each hold a copy of the prompt's keys and values."""

    def __init__(self, run: ModelRun, cache: DynamicCache) -> None:
        self.run = run
        self.cache = cache
        self.owned = False  # whether the cache is ours to change, or other rows begin with it too

    @torch.inference_mode()
    def step(self, tokens: list[int], parents: list[int]) -> Tensor:
        """See `Rows.step`."""
        count = len(tokens)
        tokens, parents = pad_rows(tokens, parents)
        with memory_errors(f"{count} rows"):
            self._take(parents)
            return self.run.forward([[token] for token in tokens], self.cache)[:count]

    def fork(self, parents: list[int]) -> "CopiedRows":
        """See `Rows.fork`."""
        rows = CopiedRows(self.run, self.cache)
        with memory_errors(f"{len(parents)} rows"):
            rows._take(parents)
        return rows

    def _take(self, parents: list[int]) -> None:
        if not self.owned:
            self.cache = copy.deepcopy(self.cache)
            self.owned = True
        self.cache.reorder_cache(torch.LongTensor(parents))
