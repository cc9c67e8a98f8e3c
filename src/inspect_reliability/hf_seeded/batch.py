"""Three ways to continue a prompt in many rows, the fastest first.

The first keeps the prompt's keys and values once, and sends rows of several prompts through the
model together. The second copies them into each row. The third keeps nothing and sends prompt and
continuation through the model at every step. `check` finds out which of them is right for a model.
"""

import copy
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar, Self

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache

from . import attention
from .cache import BranchLayer, Paths, SharedPrefixLayer, Span
from .forward import ForwardPass
from .memory import memory_errors

FEWEST_ROWS = 16
"""Shorter batches are padded to this many rows: matrix products of fewer rows take other code
paths, whose rounding differs, and a replication must not depend on its company."""

_FEWEST_OF_A_PROMPT = 8
"""The same for attention to one prompt, whose products have a row for each query head."""

_LARGEST_TENSOR = 1 << 25  # bytes; beyond it, every step's copy of a tensor is in fresh pages


class Rows:
    """Continuations of a prompt, one row each.

    These rows are plain token ids; the other two ways override the methods with faster ones.
    """

    name: ClassVar[str] = "no cache"
    fewest: ClassVar[int] = 1

    def __init__(self, forward: ForwardPass, state: Any) -> None:
        self.forward = forward
        self.state = state
        self.held: list[int] = []  # numbers of the rows; empty while others may hold them too

    @classmethod
    def prefill(cls, forward: ForwardPass, prompt: Sequence[int]) -> tuple[Tensor, Self]:
        """Send a prompt through the model.

        Returns:
            Logits after it, shape (1, vocabulary), and rows of which it is the first.
        """
        return forward([prompt])[:, -1], cls(forward, [tuple(prompt)])

    @property
    def joins(self) -> bool:
        """Whether rows of several prompts may go through the model together."""
        return False

    @classmethod
    def joined(cls, roots: Sequence[Self]) -> Self:
        """Rows of several prompts, row i of `roots[i]`. Only if `joins`, or for one prompt."""
        (root,) = roots
        return root

    def step(self, tokens: Sequence[int], parents: Sequence[int]) -> Tensor:
        """Append `tokens[i]` to row `parents[i]`; the results become the rows.

        Returns:
            Logits after them, shape (len(tokens), vocabulary).

        Raises:
            OutOfMemoryError: They did not fit. The rows are lost.
        """
        rows = self._padded(parents)
        with memory_errors(f"{len(tokens)} continuations at once"):
            if rows != self.held:
                self._take(rows)
            self.held = self._padded(range(len(tokens)))
            return self._append(self._padded(tokens))[: len(tokens)]

    def _padded(self, rows: Sequence[int]) -> list[int]:
        return [*rows, *[rows[-1]] * (self.fewest - len(rows))]

    def fork(self) -> Self:
        """The same rows, to be continued independently of these.

        Raises:
            OutOfMemoryError: They did not fit.
        """
        rows = copy.copy(self)
        rows.held = []
        with memory_errors("a second copy of some continuations"):
            rows.state = self._copy()
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
        """The most rows for which a step does not become slower per row."""
        return sys.maxsize

    @property
    def node_bytes(self) -> int:
        """Memory that `after` keeps per continuation."""
        return 0

    def row_bytes(self, tokens: int) -> int:
        """Memory for one more row of this many tokens, roughly."""
        return self.forward.logit_bytes

    def _copy(self) -> Any:
        """A copy that takes rows before it appends any, and leaves this one as it is."""
        return self.state

    def _take(self, parents: list[int]) -> None:
        """Make row `parents[i]` row i."""
        self.state = [self.state[parent] for parent in parents]

    def _append(self, tokens: list[int]) -> Tensor:
        """Append a token to each row; logits after it."""
        self.state = [(*row, token) for row, token in zip(self.state, tokens, strict=True)]
        return self._logits(self.state)

    def _after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        return self._logits([(*self.state[0], *history) for history in histories])

    def _logits(self, rows: Sequence[tuple[int, ...]]) -> Tensor:
        return torch.cat([self.forward([row])[:, -1] for row in rows])


class SharedPrefixRows(Rows):
    """Rows that attend to one common copy of their prompt's keys and values."""

    name = "shared prefix"
    fewest = FEWEST_ROWS
    state: list[SharedPrefixLayer]

    def __init__(self, forward: ForwardPass, state: list[SharedPrefixLayer]) -> None:
        super().__init__(forward, state)
        self._prompts = [0]  # of each row
        self._paths: dict[tuple[int, ...], tuple[int, ...]] = {(): ()}  # nodes of a continuation
        self._branches = [BranchLayer(layer.prompts) for layer in state]

    @classmethod
    def prefill(cls, forward: ForwardPass, prompt: Sequence[int]) -> tuple[Tensor, Self]:
        """See `Rows.prefill`."""
        logits, cache = forward.prefill(prompt)
        layers = [SharedPrefixLayer([(layer.keys[0], layer.values[0])]) for layer in cache.layers]
        return logits, cls(forward, layers)

    @property
    def joins(self) -> bool:
        """See `Rows.joins`."""
        return not self.forward.positions_interact

    @classmethod
    def joined(cls, roots: Sequence[Self]) -> Self:
        """See `Rows.joined`."""
        states = zip(*(one.state for one in roots), strict=True)
        layers = [SharedPrefixLayer([layer.prompts[0] for layer in one]) for one in states]
        rows = cls(roots[0].forward, layers)
        rows._prompts = list(range(len(roots)))
        return rows

    @property
    def node_bytes(self) -> int:
        """See `Rows.node_bytes`."""
        return sum(_bytes_per_position(layer.prompts[0][0]) for layer in self.state)

    def row_bytes(self, tokens: int) -> int:
        """See `Rows.row_bytes`."""
        scores = (max(self._lengths) + tokens) * self.forward.score_bytes
        return tokens * self.node_bytes + scores + self.forward.logit_bytes

    @property
    def _lengths(self) -> list[int]:
        return [keys.shape[1] for keys, _ in self.state[0].prompts]

    def _copy(self) -> list[SharedPrefixLayer]:
        return [copy.copy(layer) for layer in self.state]

    def _take(self, parents: list[int]) -> None:
        self._prompts = [self._prompts[parent] for parent in parents]
        spans = list(_spans(self._prompts))
        index = torch.tensor(parents)
        for layer in self.state:
            layer.take(index)
            layer.spans = spans

    def _append(self, tokens: list[int]) -> Tensor:
        lengths = self._lengths
        return self.forward(
            [[token] for token in tokens],
            Cache(layers=list(self.state)),
            attention.NAME,
            positions=[lengths[prompt] + self.state[0].length for prompt in self._prompts],
        )[:, -1]

    def _after(self, histories: Sequence[tuple[int, ...]]) -> Tensor:
        for history in histories:
            if history not in self._paths:
                self._paths[history] = (*self._paths[history[:-1]], len(self._paths) - 1)
        paths = Paths([self._paths[history] for history in histories], self.forward.device)
        for layer in self._branches:
            layer.paths = paths
        (prompt,) = self._lengths
        return self.forward(
            [history[-1:] for history in histories],
            Cache(layers=list(self._branches)),
            attention.NAME,
            positions=[prompt + len(history) - 1 for history in histories],
        )[:, -1]


class CopiedRows(Rows):
    """Rows that each hold a copy of the prompt's keys and values."""

    name = "copied cache"
    fewest = FEWEST_ROWS
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
        own = tokens * sum(_bytes_per_position(key[0]) for key in keys)
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
        order = sorted(range(len(histories)), key=lambda number: len(histories[number]))
        logits = []
        for _, alike in groupby((histories[number] for number in order), key=len):
            rows = list(alike)
            cache = self._copy()
            cache.reorder_cache(torch.zeros(len(rows), dtype=torch.long))
            logits.append(self.forward(rows, cache)[:, -1])
        together = torch.cat(logits)
        return together[torch.tensor(order, device=together.device).argsort()]


def _bytes_per_position(keys: Tensor) -> int:
    """Bytes of one row's keys, shape (heads, positions, size), and values."""
    return 2 * keys.shape[0] * keys.shape[2] * keys.element_size()


def _spans(prompts: Sequence[int]) -> Iterator[Span]:
    start = 0
    for prompt, same in groupby(prompts):
        end = start + len(list(same))
        filled = max(end, min(start + _FEWEST_OF_A_PROMPT, len(prompts)))
        padded = slice(min(start, filled - _FEWEST_OF_A_PROMPT), filled)
        yield Span(prompt, slice(start, end), padded)
        start = end
