"""The keys and values of prompts, once each, and those of the trees that continue them.

A tree has a node for each token of its continuations. Continuations that begin alike share nodes.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers.cache_utils import CacheLayerMixin

_FEWEST_OF_A_PROMPT = 8
"""Fewer rows of a prompt are filled up to this many for its matrix products, which have a row for
each query head: products of fewer rows take other code paths, whose rounding differs."""


class Span(NamedTuple):
    """Rows that continue one prompt.

    `padded` adds neighbours where these are few, only to fill up a matrix product.
    """

    prompt: int
    rows: slice
    padded: slice

    @property
    def kept(self) -> slice:
        """The place of `rows` within `padded`."""
        start = self.padded.start
        return slice(self.rows.start - start, self.rows.stop - start)


class Room:
    """Memory that is used again for one tensor after another: fresh pages cost more than work."""

    def __init__(self) -> None:
        self._flat: Tensor | None = None

    def empty(self, like: Tensor, *shape: int) -> Tensor:
        """A tensor of a shape, for as long as no other is asked for."""
        size = math.prod(shape)
        if self._flat is None or self._flat.numel() < size or self._flat.device != like.device:
            self._flat = like.new_empty(size)
        return self._flat[:size].view(shape)


class Asked:
    """The continuations of one forward pass, the same in all layers.

    Args:
        prompts: Number of the prompt of each; those of a prompt are side by side.
        paths: Nodes of each, first to newest.
        device: Device of the model.
    """

    def __init__(
        self, prompts: Sequence[int], paths: Sequence[Sequence[int]], device: torch.device
    ) -> None:
        lengths = [*map(len, paths)]
        self.shortest, self.longest = min(lengths), max(lengths)
        self.lengths = torch.tensor(lengths, device=device)
        padded = [[*path, *[path[-1]] * (self.longest - len(path))] for path in paths]
        self.nodes = torch.tensor(padded, device=device)
        self.newest = self.nodes[:, -1]
        self.most = max(path[-1] for path in paths) + 1
        self.spans = list(_spans(prompts))

    def unseen(self, window: int | None, before: int = 0) -> int:
        """First positions, of so many before the tree and of the tree, that no row may see."""
        return 0 if window is None else max(0, before + self.shortest - window)

    def hidden(self, span: Span, window: int | None, prompt: int) -> Tensor | None:
        """Which of the positions after the unseen ones a row may not see; None if it sees all."""
        if self.shortest == self.longest:
            return None
        first = self.unseen(window, prompt)
        positions = torch.arange(first, prompt + self.longest, device=self.lengths.device)
        ends = prompt + self.lengths[span.padded, None]
        hidden = positions >= ends
        return hidden if window is None else hidden | (positions < ends - window)


def _spans(prompts: Sequence[int]) -> Iterator[Span]:
    start = 0
    for prompt, same in groupby(prompts):
        end = start + len(list(same))
        filled = max(end, min(start + _FEWEST_OF_A_PROMPT, len(prompts)))
        padded = slice(max(0, min(start, filled - _FEWEST_OF_A_PROMPT)), filled)
        yield Span(prompt, slice(start, end), padded)
        start = end


class TreeLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """One layer.

    Attributes:
        prompts: Keys and values of each prompt, shape (heads, positions, size).
        keys: Keys of the nodes, and `values`, shape (heads, nodes, size).
        asked: The continuations that go through the layer next.
        room: For the scores of attention, the same in all layers.
    """

    is_sliding = False

    def __init__(self, room: Room) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.prompts: list[tuple[Tensor, Tensor]] = []
        self.room = room
        self.keys: Tensor
        self.values: Tensor
        self.asked: Asked

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Make room for no node yet."""
        self.keys, self.values = (
            states.new_empty(states.shape[1], 0, states.shape[3])
            for states in (key_states, value_states)
        )
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Keep the newest node of each row.

        Returns:
            Keys and values of all nodes of each row, shape (rows, heads, nodes, size). The keys
            carry this layer along (`layer`), so that attention finds the prompts, or finds out that
            a model has changed the keys.
        """
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        if self.asked.most > self.keys.shape[1]:
            more = max(self.asked.most, 2 * self.keys.shape[1]) - self.keys.shape[1]
            self.keys, self.values = (
                torch.cat([own, own.new_empty(own.shape[0], more, own.shape[2])], dim=1)
                for own in (self.keys, self.values)
            )
        newest, nodes = self.asked.newest, self.asked.nodes
        self.keys.index_copy_(1, newest, key_states[:, :, 0].transpose(0, 1))
        self.values.index_copy_(1, newest, value_states[:, :, 0].transpose(0, 1))
        keys, values = (
            own.index_select(1, nodes.view(-1)).view(own.shape[0], *nodes.shape, own.shape[2])
            for own in (self.keys, self.values)
        )
        carried: Any = keys.transpose(0, 1)
        carried.layer = self
        return carried, values.transpose(0, 1)

    def keep(self, nodes: Tensor) -> None:
        """Make node `nodes[i]` node i, and forget the others."""
        if self.is_initialized:
            self.keys, self.values = self.keys[:, nodes], self.values[:, nodes]

    def get_seq_length(self) -> int:
        """Positions of the longest row, its prompt's included."""
        return max(keys.shape[1] for keys, _ in self.prompts) + self.asked.longest

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Keys that a mask would cover; no mask is made."""
        return self.get_seq_length() + query_length, 0

    def get_max_length(self) -> int:
        """None: there is no bound."""
        return -1
