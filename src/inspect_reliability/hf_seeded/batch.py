"""Three ways to continue prompts, the fastest first.

The first keeps each prompt's keys and values once, and sends continuations of several prompts
through the model together. The second copies them into each continuation. The third keeps nothing
and sends prompt and continuation through the model at every step. `check` finds out which of them
is right for a model.
"""

import copy
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import Cache

from . import attention
from .cache import Asked, Room, TreeLayer
from .forward import ForwardPass
from .memory import memory_errors

FEWEST_ROWS = 16
"""Shorter batches are padded to this many rows: matrix products of fewer rows take other code
paths, whose rounding differs, and a replication must not depend on its company."""


class Place(NamedTuple):
    """A continuation: the number of its prompt, and its tokens so far."""

    prompt: int
    history: tuple[int, ...]

    @property
    def parent(self) -> "Place":
        """The same without its last token."""
        return Place(self.prompt, self.history[:-1])


class Rows:
    """Continuations of prompts, a row each.

    These keep the prompts as plain token ids; the other two ways override the methods with faster
    ones. `memory` is what their keys and values may take.
    """

    name: ClassVar[str] = "no cache"
    fewest: ClassVar[int] = 1

    def __init__(self, forward: ForwardPass, memory: int) -> None:
        self.forward = forward
        self.memory = memory
        self.prompts: list[Sequence[int]] = []

    def add(self, prompt: Sequence[int]) -> Tensor:
        """Send a prompt through the model; logits after it, shape (1, vocabulary).

        A second one only if `joins`.
        """
        self.prompts.append(prompt)
        return self._prefill(prompt)

    @property
    def joins(self) -> bool:
        """Whether rows of several prompts may go through the model together."""
        return False

    def after(self, places: Sequence[Place]) -> Tensor:
        """Logits after different continuations, shape (len(places), vocabulary).

        Those of a prompt are side by side. They cost one token each where they were asked for
        before without it.

        Raises:
            OutOfMemoryError: They did not fit. Asking for fewer, or again, is possible.
        """
        with memory_errors(f"{len(places)} continuations at once"):
            return self._after(self._padded(places))[: len(places)]

    @property
    def node_bytes(self) -> int:
        """Memory that is kept per token of a continuation."""
        return 0

    def row_bytes(self, tokens: int) -> int:
        """Memory for one more row of this many tokens, roughly."""
        return self.forward.logit_bytes

    def _padded(self, places: Sequence[Place]) -> list[Place]:
        return [*places, *[places[-1]] * (self.fewest - len(places))]

    def _prefill(self, prompt: Sequence[int]) -> Tensor:
        return self.forward([prompt])[:, -1]

    def _after(self, places: Sequence[Place]) -> Tensor:
        rows = [[*self.prompts[prompt], *history] for prompt, history in places]
        return torch.cat([self.forward([row])[:, -1] for row in rows])


class SharedPrefixRows(Rows):
    """Rows that attend to one common copy of their prompt's keys and values."""

    name = "shared prefix"
    fewest = FEWEST_ROWS

    def __init__(self, forward: ForwardPass, memory: int) -> None:
        super().__init__(forward, memory)
        self._layers: list[TreeLayer] = []
        self._room = Room()
        self._paths: dict[Place, tuple[int, ...]] = {}  # nodes of a continuation
        self._nodes = 0

    @property
    def joins(self) -> bool:
        """See `Rows.joins`."""
        return not self.forward.positions_interact

    @property
    def node_bytes(self) -> int:
        """See `Rows.node_bytes`."""
        return sum(_bytes_per_position(layer.prompts[0][0]) for layer in self._layers)

    def row_bytes(self, tokens: int) -> int:
        """See `Rows.row_bytes`."""
        scores = (max(map(len, self.prompts)) + tokens) * self.forward.score_bytes
        return tokens * self.node_bytes + scores + self.forward.logit_bytes

    def _prefill(self, prompt: Sequence[int]) -> Tensor:
        logits, cache = self.forward.prefill(prompt)
        self._layers = self._layers or [TreeLayer(self._room) for _ in cache.layers]
        for layer, filled in zip(self._layers, cache.layers, strict=True):
            layer.prompts.append((filled.keys[0], filled.values[0]))
        return logits

    def _after(self, places: Sequence[Place]) -> Tensor:
        parents = [*dict.fromkeys(place.parent for place in places)]
        new = sum(place not in self._paths for place in {*places})
        if (self._nodes + new) * self.node_bytes > self.memory:
            self._forget_all_but(parents)
        if any(one.history and one not in self._paths for one in parents):
            for length in range(1, 1 + max(len(one.history) for one in parents)):
                begun = (Place(p, history[:length]) for p, history in parents)
                if lost := [one for one in dict.fromkeys(begun) if one not in self._paths]:
                    self._grow(self._padded(lost))
        return self._grow(places)

    def _grow(self, places: Sequence[Place]) -> Tensor:
        """Continue the tree by a token at each place; logits after it."""
        for place in places:
            if place not in self._paths:
                before = self._paths[place.parent] if place.parent.history else ()
                self._paths[place] = (*before, self._nodes)
                self._nodes += 1
        prompts = [place.prompt for place in places]
        asked = Asked(prompts, [self._paths[place] for place in places], self.forward.device)
        for layer in self._layers:
            layer.asked = asked
        return self.forward(
            [place.history[-1:] for place in places],
            Cache(layers=list(self._layers)),
            attention.NAME,
            positions=[len(self.prompts[p]) + len(history) - 1 for p, history in places],
        )[:, -1]

    def _forget_all_but(self, places: Iterable[Place]) -> None:
        """Forget what others continue from; it is made again when they are asked for."""
        kept = {place: self._paths[place] for place in places if place in self._paths}
        nodes = sorted({node for path in kept.values() for node in path})
        number = {node: new for new, node in enumerate(nodes)}
        self._paths = {place: tuple(number[n] for n in path) for place, path in kept.items()}
        self._nodes = len(nodes)
        for layer in self._layers:
            layer.keep(torch.tensor(nodes, dtype=torch.long, device=self.forward.device))


class CopiedRows(Rows):
    """Rows that each hold a copy of the prompt's keys and values."""

    name = "copied cache"
    fewest = FEWEST_ROWS

    def __init__(self, forward: ForwardPass, memory: int) -> None:
        super().__init__(forward, memory)
        self._prompt: Any = DynamicCache(config=forward.model.config)
        self._latest: Any = None  # the cache of the latest rows
        self._rows: dict[Place, int] = {}  # their numbers in it

    def row_bytes(self, tokens: int) -> int:
        """See `Rows.row_bytes`."""
        layers = (getattr(layer, "keys", None) for layer in self._prompt.layers)
        keys = [one for one in layers if one is not None]
        prompt: int = 2 * sum(key.nbytes for key in keys)
        own = tokens * sum(_bytes_per_position(key[0]) for key in keys)
        return prompt + own + self.forward.logit_bytes

    def _prefill(self, prompt: Sequence[int]) -> Tensor:
        return self.forward([prompt], self._prompt)[:, -1]

    def _after(self, places: Sequence[Place]) -> Tensor:
        order = sorted(range(len(places)), key=lambda number: len(places[number].history))
        alike = groupby((places[number] for number in order), key=lambda one: len(one.history))
        logits = torch.cat([self._after_alike(list(some)) for _, some in alike])
        return logits[torch.tensor(order, device=logits.device).argsort()]

    def _after_alike(self, places: Sequence[Place]) -> Tensor:
        """After continuations of one length, from the latest rows or else from the prompt."""
        rows, self._rows = self._rows, {}  # lost if this fails
        if all(place.parent in rows for place in places):
            parents = [rows[place.parent] for place in places]
            tokens = [place.history[-1:] for place in places]
        else:
            self._latest = copy.deepcopy(self._prompt)
            parents, tokens = [0] * len(places), [place.history for place in places]
        self._latest.reorder_cache(torch.LongTensor(parents))
        logits = self.forward(tokens, self._latest)[:, -1]
        self._rows = {place: number for number, place in enumerate(places)}
        return logits


def _bytes_per_position(keys: Tensor) -> int:
    """Bytes of one row's keys, shape (heads, positions, size), and values."""
    return 2 * keys.shape[0] * keys.shape[2] * keys.element_size()
