"""The keys and values of prompts, once each, and of their continuations.

`SharedPrefixLayer` keeps a row for each continuation, all of one length. `BranchLayer` keeps a
node for each token of a tree, from which continuations of any lengths are put together.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers.cache_utils import CacheLayerMixin

_ROOM = 16  # positions that a first buffer holds; a full one doubles


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


class Seen(NamedTuple):
    """What the newest positions of a span's rows may see of their prompt.

    Attributes:
        span: The rows.
        keys: Keys of their prompt, and `values`, shape (heads, positions, size).
        hidden: Which of the last positions, theirs and their prompt's, a row may not see, shape
            (rows, positions), or None.
    """

    span: Span
    keys: Tensor
    values: Tensor
    hidden: Tensor | None = None


class SharedPrefixLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """One layer: the prompts' keys and values, shared, and each row's own.

    Args:
        prompts: Keys and values of each prompt, shape (heads, prompt, size).

    Attributes:
        spans: Which rows continue which prompt.
    """

    is_sliding = False

    def __init__(self, prompts: Sequence[tuple[Tensor, Tensor]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.prompts = prompts
        self.spans: list[Span]
        self.own_keys: Tensor
        self.own_values: Tensor
        self.length = 0

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Allocate the first positions."""
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

    def own(self, window: int | None, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """The part of what `update` returned that the newest position of each row may see.

        A window is the number of positions that are seen, the position's own included.
        """
        unseen = 0 if window is None else max(0, self.length - window)
        return keys[:, :, unseen:], values[:, :, unseen:]

    def seen(self, window: int | None) -> Iterator[Seen]:
        """What the newest position of each row may see of its prompt, span by span."""
        for span in self.spans:
            keys, values = self.prompts[span.prompt]
            unseen = 0 if window is None else max(0, keys.shape[1] + self.length - window)
            yield Seen(span, keys[:, unseen:], values[:, unseen:])

    def take(self, parents: Tensor) -> None:
        """Make row `parents[i]` row i, in buffers of its own."""
        if self.is_initialized:
            parents = parents.to(self.own_keys.device)
            self.own_keys = self.own_keys.index_select(0, parents)
            self.own_values = self.own_values.index_select(0, parents)

    def get_seq_length(self) -> int:
        """Positions so far of the longest row, its prompt's included."""
        return max(keys.shape[1] for keys, _ in self.prompts) + self.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Keys that a mask would cover; no mask is made."""
        return self.get_seq_length() + query_length, 0

    def get_max_length(self) -> int:
        """None: there is no bound."""
        return -1


class Paths:
    """Places of the nodes of some continuations, first to newest, the same in all layers."""

    def __init__(self, nodes: Sequence[Sequence[int]], device: torch.device) -> None:
        self.longest = max(map(len, nodes))
        padded = [[*path, *[path[-1]] * (self.longest - len(path))] for path in nodes]
        self.nodes = torch.tensor(padded, device=device)
        self.lengths = torch.tensor([len(path) for path in nodes], device=device)
        self.newest = self.nodes[:, -1]
        positions = torch.arange(self.longest, device=device)
        self.padding = positions >= self.lengths[:, None]


class BranchLayer(SharedPrefixLayer):  # type: ignore[no-untyped-call]
    """One layer of a tree: one prompt's keys and values, shared, and those of each node."""

    def __init__(self, prompts: Sequence[tuple[Tensor, Tensor]]) -> None:
        super().__init__(prompts)
        self.paths: Paths

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Allocate the first nodes."""
        self.own_keys, self.own_values = (
            states.new_empty(0, states.shape[1], states.shape[3])
            for states in (key_states, value_states)
        )
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Keep the newest nodes of `paths`.

        Returns:
            Keys and values of all nodes of each path, as `SharedPrefixLayer.update`.
        """
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        most = int(self.paths.newest.max()) + 1
        if most > self.own_keys.shape[0]:
            size = max(most, 2 * self.own_keys.shape[0])
            self.own_keys, self.own_values = (
                torch.cat([own, own.new_empty(size - own.shape[0], *own.shape[1:])])
                for own in (self.own_keys, self.own_values)
            )
        self.own_keys[self.paths.newest] = key_states[:, :, 0]
        self.own_values[self.paths.newest] = value_states[:, :, 0]
        keys: Any = self.own_keys[self.paths.nodes].transpose(1, 2)
        keys.layer = self
        return keys, self.own_values[self.paths.nodes].transpose(1, 2)

    def own(self, window: int | None, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """All of it: paths differ in length, so `seen` hides what each may not see."""
        return keys, values

    def seen(self, window: int | None) -> Iterator[Seen]:
        """See `SharedPrefixLayer.seen`."""
        ((keys, values),) = self.prompts
        prompt = keys.shape[1]
        hidden = self.paths.padding
        if window is not None and self.get_seq_length() > window:
            positions = torch.arange(self.get_seq_length(), device=hidden.device)
            beyond = positions < prompt + self.paths.lengths[:, None] - window
            beyond[:, prompt:] |= hidden
            hidden = beyond
        everyone = slice(0, len(hidden))
        yield Seen(Span(0, everyone, everyone), keys, values, hidden)

    def get_seq_length(self) -> int:
        """Positions of the longest path, the prompt's included."""
        return self.prompts[0][0].shape[1] + self.paths.longest


def _room(states: Tensor, positions: int) -> Tensor:
    rows, heads, _, size = states.shape
    return states.new_empty(rows, heads, positions, size)
