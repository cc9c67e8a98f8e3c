"""The keys and values of a prompt, once, and of its continuations, one row each."""

from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import CacheLayerMixin

_ROOM = 16  # positions that a first buffer holds; a full one doubles


class SharedPrefixLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """One layer: the prompt's keys and values, shared, and each row's own.

    Args:
        shared_keys: Of the prompt, shape (1, heads, prompt, size).
        shared_values: Of the prompt.
    """

    is_sliding = False

    def __init__(self, shared_keys: Tensor, shared_values: Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.shared_keys = shared_keys
        self.shared_values = shared_values
        self.own_keys: Tensor
        self.own_values: Tensor
        self.length = 0

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Make room for the first positions."""
        self.own_keys, self.own_values = _room(key_states, _ROOM), _room(value_states, _ROOM)
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Append one position to each row.

        Returns:
            The rows' own keys and values. The keys carry this layer along (`layer`), so that
            attention finds the shared ones, or finds out that a model has changed the keys.
        """
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        if self.length == self.own_keys.shape[2]:
            room = _room(self.own_keys, self.length), _room(self.own_values, self.length)
            self.own_keys = torch.cat([self.own_keys, room[0]], dim=2)
            self.own_values = torch.cat([self.own_values, room[1]], dim=2)
        self.own_keys[:, :, self.length] = key_states[:, :, 0]
        self.own_values[:, :, self.length] = value_states[:, :, 0]
        self.length += 1
        keys: Any = self.own_keys[:, :, : self.length]
        keys.layer = self
        return keys, self.own_values[:, :, : self.length]

    def take(self, parents: Tensor) -> None:
        """Make row `parents[i]` row i, in buffers of its own."""
        if self.is_initialized:
            parents = parents.to(self.own_keys.device)
            self.own_keys = self.own_keys.index_select(0, parents)
            self.own_values = self.own_values.index_select(0, parents)

    def get_seq_length(self) -> int:
        """Positions so far, the prompt's included: the next token's position."""
        return self.shared_keys.shape[2] + self.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Keys that a mask would cover; none is made."""
        return self.get_seq_length() + query_length, 0

    def get_max_length(self) -> int:
        """No bound."""
        return -1


def _room(states: Tensor, positions: int) -> Tensor:
    rows, heads, _, size = states.shape
    return states.new_empty(rows, heads, positions, size)
