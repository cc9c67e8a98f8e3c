"""Three ways to continue a prompt in many rows, the fastest first.

The first keeps the prompt's keys and values once, the second copies them into each row, the third
keeps nothing and sends prompt and continuation through the model at every step. Which of them is
right for a model is found by trying (see `check`), not assumed.
"""

import copy
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, ClassVar, Self

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache

from . import attention
from .cache import BranchLayer, Paths, SharedPrefixLayer
from .forward import ForwardPass
from .memory import memory_errors

FEWEST_ROWS = 8
"""Shorter batches are padded to this many rows: matrix products of fewer rows take other code
paths, whose rounding differs, and a replication must not depend on its company."""

_LARGEST_TENSOR = 1 << 25  # bytes; beyond it, every step's copy of a tensor is in fresh pages


class Rows(ABC):
    """The state of some continuations of a prompt, one row each."""

    name: ClassVar[str]
    fewest: ClassVar[int] = FEWEST_ROWS

    def __init__(self, forward: ForwardPass, state: Any) -> None:
        self.forward = forward
        self.state = state
        self.held: list[int] = []  # numbers of the rows; empty while there is only the prompt

    @classmethod
    @abstractmethod
    def prefill(cls, forward: ForwardPass, prompt: Sequence[int]) -> tuple[Tensor, Self]:
        """Send a prompt through the model.

        Returns:
            Logits after it, shape (1, vocabulary), and rows to fork from.
        """

    def step(self, tokens: Sequence[int], parents: Sequence[int]) -> Tensor:
        """Append `tokens[i]` to row `parents[i]`; the results are the rows from now on.

        Returns:
            Logits after them, shape (len(tokens), vocabulary).

        Raises:
            OutOfMemoryError: They did not fit. The rows are lost.
        """
        padding = [0] * (self.fewest - len(tokens))
        rows = [*parents, *(parents[i] for i in padding)]
        padded = rows if self.held else [0] * len(rows)
        with memory_errors(f"{len(tokens)} continuations at once"):
            if padded != self.held:
                self._take(padded)
                self.held = list(range(len(padded)))
            return self._append([*tokens, *(tokens[i] for i in padding)])[: len(tokens)]

    def fork(self, parents: Sequence[int]) -> Self:
        """Independent rows that continue some of these.

        Raises:
            OutOfMemoryError: They did not fit.
        """
        with memory_errors(f"{len(parents)} continuations at once"):
            rows = type(self)(self.forward, self._copy())
            if self.held:
                rows._take(list(parents))
                rows.held = list(range(len(parents)))
            return rows

    def after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        """Logits after continuations of the prompt, which may differ in length.

        Only on the rows of a prefill.

        Args:
            histories: Different continuations. Each must have been asked for before without its
                last token, if that leaves any.

        Returns:
            Shape (len(histories), vocabulary).

        Raises:
            OutOfMemoryError: They did not fit. Asking for fewer is possible.
        """
        with memory_errors(f"{len(histories)} continuations at once"):
            return self._after(histories)

    @property
    def most(self) -> int:
        """Rows beyond which a step would become slower for each of them."""
        return sys.maxsize

    @property
    def node_bytes(self) -> int:
        """Memory that `after` keeps for each continuation."""
        return 0

    @abstractmethod
    def row_bytes(self, tokens: int) -> int:
        """Memory for one more row of this many tokens, roughly."""

    @abstractmethod
    def _copy(self) -> Any:
        """A state that can take other rows while this one stays."""

    @abstractmethod
    def _take(self, parents: list[int]) -> None:
        """Make row `parents[i]` row i."""

    @abstractmethod
    def _append(self, tokens: list[int]) -> Tensor:
        """Append a token to each row; logits after it."""

    @abstractmethod
    def _after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        """Logits after continuations of the prompt."""


class SharedPrefixRows(Rows):
    """Rows that attend to one common copy of the prompt's keys and values."""

    name = "shared prefix"
    state: list[SharedPrefixLayer]

    def __init__(self, forward: ForwardPass, state: list[SharedPrefixLayer]) -> None:
        super().__init__(forward, state)
        self._paths: dict[tuple[int, ...], tuple[int, ...]] = {(): ()}  # nodes of a continuation
        self._branches = [BranchLayer(layer) for layer in state]

    @classmethod
    def prefill(cls, forward: ForwardPass, prompt: Sequence[int]) -> tuple[Tensor, Self]:
        """See `Rows.prefill`."""
        cache: Any = DynamicCache()
        logits = forward([prompt], cache)[:, -1]
        layers = [SharedPrefixLayer(layer.keys, layer.values) for layer in cache.layers]
        return logits, cls(forward, layers)

    @property
    def node_bytes(self) -> int:
        """See `Rows.node_bytes`."""
        return sum(_bytes_per_position(layer.shared_keys) for layer in self.state)

    def row_bytes(self, tokens: int) -> int:
        """See `Rows.row_bytes`."""
        own = tokens * self.node_bytes
        prompt = self.state[0].shared_keys.shape[2]
        return own + self.forward.score_bytes(prompt + tokens) + self.forward.logit_bytes

    def _copy(self) -> list[SharedPrefixLayer]:
        return [copy.copy(layer) for layer in self.state]

    def _take(self, parents: list[int]) -> None:
        index = torch.tensor(parents)
        for layer in self.state:
            layer.take(index)

    def _append(self, tokens: list[int]) -> Tensor:
        cache = Cache(layers=list(self.state))
        return self.forward([[token] for token in tokens], cache, attention.NAME)[:, -1]

    def _after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        for history in histories:
            if history not in self._paths:
                self._paths[history] = (*self._paths[history[:-1]], len(self._paths) - 1)
        paths = Paths([self._paths[history] for history in histories], self.forward.device)
        for layer in self._branches:
            layer.paths = paths
        prompt = self.state[0].shared_keys.shape[2]
        return self.forward(
            [history[-1:] for history in histories],
            Cache(layers=list(self._branches)),
            attention.NAME,
            positions=[prompt + len(history) - 1 for history in histories],
        )[:, -1]


class CopiedRows(Rows):
    """Rows that each hold a copy of the prompt's keys and values."""

    name = "copied cache"
    state: Any

    @classmethod
    def prefill(cls, forward: ForwardPass, prompt: Sequence[int]) -> tuple[Tensor, Self]:
        """See `Rows.prefill`."""
        cache = DynamicCache(config=forward.model.config)
        return forward([prompt], cache)[:, -1], cls(forward, cache)

    @property
    def most(self) -> int:
        """See `Rows.most`."""
        largest = max((keys.nbytes for keys in self._prompt_keys()), default=1)
        return max(1, _LARGEST_TENSOR // largest)

    def row_bytes(self, tokens: int) -> int:
        """See `Rows.row_bytes`."""
        keys = self._prompt_keys()
        prompt = 2 * sum(key.nbytes for key in keys)
        own = tokens * sum(map(_bytes_per_position, keys))
        return prompt + own + self.forward.logit_bytes

    def _prompt_keys(self) -> list[Tensor]:
        layers = (getattr(layer, "keys", None) for layer in self.state.layers)
        return [keys[:1] for keys in layers if keys is not None]

    def _copy(self) -> Any:
        return copy.deepcopy(self.state)

    def _take(self, parents: list[int]) -> None:
        self.state.reorder_cache(torch.LongTensor(parents))

    def _append(self, tokens: list[int]) -> Tensor:
        return self.forward([[token] for token in tokens], self.state)[:, -1]

    def _after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        return _by_length(histories, self._rerun)

    def _rerun(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        cache = self._copy()
        cache.reorder_cache(torch.zeros(len(histories), dtype=torch.long))
        return self.forward(histories, cache)[:, -1]


class PlainRows(Rows):
    """Rows that are token ids and nothing else."""

    name = "no cache"
    fewest = 1
    state: list[tuple[int, ...]]

    @classmethod
    def prefill(cls, forward: ForwardPass, prompt: Sequence[int]) -> tuple[Tensor, Self]:
        """See `Rows.prefill`."""
        return forward([prompt])[:, -1], cls(forward, [tuple(prompt)])

    def row_bytes(self, tokens: int) -> int:
        """See `Rows.row_bytes`."""
        return self.forward.logit_bytes

    def _copy(self) -> list[tuple[int, ...]]:
        return self.state

    def _take(self, parents: list[int]) -> None:
        self.state = [self.state[parent] for parent in parents]

    def _append(self, tokens: list[int]) -> Tensor:
        self.state = [(*row, token) for row, token in zip(self.state, tokens, strict=True)]
        return self._logits(self.state)

    def _after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        return self._logits([(*self.state[0], *history) for history in histories])

    def _logits(self, rows: Sequence[tuple[int, ...]]) -> Tensor:
        return torch.cat([self.forward([row])[:, -1] for row in rows])


def _by_length(
    histories: Sequence[tuple[int, ...]], logits: Callable[[Sequence[tuple[int, ...]]], Tensor]
) -> Tensor:
    """Ask for continuations of one length at a time; logits in the order of all."""
    order = sorted(range(len(histories)), key=lambda number: len(histories[number]))
    groups = groupby((histories[number] for number in order), key=len)
    together = torch.cat([logits(list(group)) for _, group in groups])
    return together[torch.tensor(order, device=together.device).argsort()]


def _bytes_per_position(keys: Tensor) -> int:
    """Of one row's keys and values."""
    return 2 * keys.shape[1] * keys.shape[3] * keys.element_size()
