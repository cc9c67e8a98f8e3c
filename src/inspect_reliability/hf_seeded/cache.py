"""Memory, and what is kept in it: keys and values of prompts, once each, and of their trees.

A tree has a node for each token of its continuations. Continuations that begin alike share nodes.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]
import torch
from torch import Tensor
from transformers.cache_utils import CacheLayerMixin

_WAYS_TO_SAY_IT = ("out of memory", "not enough memory", "can't allocate memory", "alloc_failed")


class OutOfMemoryError(RuntimeError):
    """Something did not fit into memory."""


@contextmanager
def memory_errors(what: str) -> Iterator[None]:
    """Raise `OutOfMemoryError` for every way in which torch says that memory has run out."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except (RuntimeError, MemoryError) as error:
        if isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
            way in str(error).lower() for way in _WAYS_TO_SAY_IT
        ):
            raise OutOfMemoryError(f"Out of memory: {what} did not fit.") from error
        raise


def on_device(values: Any, device: torch.device) -> Tensor:
    """Numbers as a tensor. A copy to a GPU does not wait for the work before it."""
    if device.type != "cuda":
        return torch.tensor(values, device=device)
    return torch.tensor(values, pin_memory=True).to(device, non_blocking=True)


def free_memory(device: torch.device) -> int:
    """Free bytes on the model's device."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return int(psutil.virtual_memory().available)


BESIDE_ON_A_CPU = False
"""Whether rows of several prompts share one product on a CPU, too: its rounding is another one."""

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


class Beside(NamedTuple):
    """Rows of several prompts in equally many places a prompt, for one matrix product over all.

    Attributes:
        first: Number of the first prompt.
        end: Number after the last.
        row_of: Row in each place, prompt after prompt; empty places repeat the first row.
        place_of: Place of each row.
    """

    first: int
    end: int
    row_of: Tensor
    place_of: Tensor


class Asked:
    """The continuations of one forward pass, the same in all layers.

    Args:
        prompts: Number of the prompt of each; those of a prompt are side by side.
        lengths: Number of tokens of each.
        nodes: Nodes of each, first to newest, shape (rows, longest); shorter ones end in any.
        newest: The last node of each.
        extends: Whether each row continues the row of that number in the latest pass.
    """

    def __init__(
        self,
        prompts: Sequence[int],
        lengths: Sequence[int],
        nodes: Tensor,
        newest: Sequence[int],
        extends: bool = False,
    ) -> None:
        self.shortest, self.longest = min(lengths), max(lengths)
        self.nodes, self.extends = nodes, extends
        self.newest = nodes[:, -1] if extends else on_device(newest, nodes.device)
        self.lengths = on_device(lengths, nodes.device)
        self.most = max(newest) + 1
        self.spans = list(_spans(prompts))
        # One product a prompt rounds as it always did; on a GPU each is a kernel to launch.
        self.beside = None if nodes.is_cpu and not BESIDE_ON_A_CPU else self._beside(prompts)
        self._hidden: dict[int | None, Tensor | None] = {}

    def _beside(self, prompts: Sequence[int]) -> Beside:
        first, end = min(prompts), max(prompts) + 1
        width = max(span.rows.stop - span.rows.start for span in self.spans)
        row_of, place_of = [0] * (width * (end - first)), []
        for span in self.spans:
            for place, row in enumerate(range(span.rows.start, span.rows.stop)):
                place_of.append((span.prompt - first) * width + place)
                row_of[place_of[-1]] = row
        device = self.nodes.device
        return Beside(first, end, on_device(row_of, device), on_device(place_of, device))

    def hidden_beside(self, window: int | None, prompts: Sequence[int]) -> Tensor | None:
        """Which positions the row in each place may not see, (prompts, places, positions).

        The positions are those of the longest prompt, after the `unseen` ones of the shortest, and
        then those of the tree after its unseen ones. None if all rows see all.
        """
        if window not in self._hidden:
            self._hidden[window] = self._hide(window, prompts)
        return self._hidden[window]

    def _hide(self, window: int | None, prompts: Sequence[int]) -> Tensor | None:
        if window is None and self.shortest == self.longest and len({*prompts}) == 1:
            return None
        assert self.beside is not None
        device = self.nodes.device
        ends = on_device(prompts, device)[:, None, None]
        own = self.lengths[self.beside.row_of].view(len(prompts), -1, 1)
        before = torch.arange(self.unseen(window, min(prompts)), max(prompts), device=device)
        after = torch.arange(self.unseen(window), self.longest, device=device)
        on_prompt, on_own = (before >= ends).expand(-1, own.shape[1], -1), after >= own
        if window is not None:
            on_prompt = on_prompt | (before < ends + own - window)
            on_own = on_own | (after < own - window)
        return torch.cat([on_prompt, on_own], dim=2)

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

    # Keys and values by row of the latest pass, (heads, rows, positions and more, size): rows that
    # go on one by one get a position more, and are not gathered again.
    _by_row: tuple[Tensor, Tensor]
    # Those of all prompts in one tensor each, (prompts, heads, longest, size).
    _stacked: tuple[Tensor, Tensor] | None = None

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
        asked, newest = self.asked, self.asked.newest
        states = [one[:, :, 0].transpose(0, 1) for one in (key_states, value_states)]
        for own, new in zip((self.keys, self.values), states, strict=True):
            own.index_copy_(1, newest, new)
        if asked.extends:
            self._by_row = (
                _appended(self._by_row[0], states[0], asked.longest),
                _appended(self._by_row[1], states[1], asked.longest),
            )
        else:
            self._by_row = (self._gathered(self.keys), self._gathered(self.values))
        keys, values = (one[:, :, : asked.longest] for one in self._by_row)
        carried: Any = keys.transpose(0, 1)
        carried.layer = self
        return carried, values.transpose(0, 1)

    def _gathered(self, own: Tensor) -> Tensor:
        nodes = self.asked.nodes
        found = own.index_select(1, nodes.view(-1))
        return found.view(own.shape[0], *nodes.shape, own.shape[2])

    @property
    def stacked(self) -> tuple[Tensor, Tensor]:
        """Keys and values of all prompts, shape (prompts, heads, longest, size)."""
        if self._stacked is None or len(self._stacked[0]) != len(self.prompts):
            together = tuple(map(_stack, zip(*self.prompts, strict=True)))
            self._stacked = together[0], together[1]
            lengths = [keys.shape[1] for keys, _ in self.prompts]
            self.prompts = [
                (keys[:, :length], values[:, :length])
                for keys, values, length in zip(*together, lengths, strict=True)
            ]
        return self._stacked

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


def _appended(by_row: Tensor, new: Tensor, length: int) -> Tensor:
    """Rows with one position more, in place while there is room."""
    room = by_row.shape[2]
    if room < length:
        heads, rows, _, size = by_row.shape
        by_row = torch.cat([by_row, by_row.new_empty(heads, rows, max(8, room), size)], dim=2)
    by_row[:, :, length - 1] = new
    return by_row


def _stack(states: Sequence[Tensor]) -> Tensor:
    """Keys or values of prompts in one tensor; those of a shorter prompt end in zeros."""
    heads, _, size = states[0].shape
    together = states[0].new_zeros(len(states), heads, max(s.shape[1] for s in states), size)
    for one, prompt in zip(together, states, strict=True):
        one[:, : prompt.shape[1]] = prompt
    return together
