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

from . import forward
from .cache import Asked, Room, TreeLayer, memory_errors, on_device
from .forward import ForwardPass

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
        self._before: list[int] = []  # the node before each; -1 - p for prompt p
        self._children: dict[tuple[int, int], int] = {}  # a node and a token after it -> a node
        self._latest: dict[Place, tuple[int, int]] = {}  # of the latest pass -> row and node
        self._alike: list[int] = []  # of each row of that pass, the first row that says the same
        self._asked: Asked | None = None

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
        # Keys and values are in the tree, and once more by row.
        return 2 * tokens * self.node_bytes + scores + self.forward.logit_bytes

    def _prefill(self, prompt: Sequence[int]) -> Tensor:
        logits, cache = self.forward.prefill(prompt)
        self._layers = self._layers or [TreeLayer(self._room) for _ in cache.layers]
        for layer, filled in zip(self._layers, cache.layers, strict=True):
            layer.prompts.append((filled.keys[0], filled.values[0]))
        return logits

    def _after(self, places: Sequence[Place]) -> Tensor:
        parents = {one: self._node(one) for one in dict.fromkeys(p.parent for p in places)}
        steps = {(parents[place.parent], place.history[-1]) for place in places}
        new = sum(step not in self._children for step in steps)
        if (len(self._before) + new) * self.node_bytes > self.memory:
            self._forget_all_but([node for node in parents.values() if node is not None])
            parents = {one: self._node(one) for one in parents}
        if None in parents.values():
            for length in range(1, 1 + max(len(one.history) for one in parents)):
                begun = dict.fromkeys(Place(p, history[:length]) for p, history in parents)
                if lost := [one for one in begun if self._node(one) is None]:
                    self._grow(self._padded(lost))
        return self._grow(places)

    def _node(self, place: Place) -> int | None:
        """The node of a continuation; None if it was never made, or is forgotten."""
        if place in self._latest:
            return self._latest[place][1]
        node: int | None = -1 - place.prompt  # stands for the prompt
        for token in place.history:
            if node is None:
                break
            node = self._children.get((node, token))
        return node

    def _grow(self, places: Sequence[Place]) -> Tensor:
        """Continue the tree by a token at each place; logits after it."""
        newest = []
        for place in places:
            before = self._node(place.parent)
            assert before is not None
            node = self._children.setdefault((before, place.history[-1]), len(self._before))
            if node == len(self._before):
                self._before.append(before)
            newest.append(node)
        asked = self._continuing(places, newest)
        self._latest, self._asked = {}, asked  # lost if this fails
        for layer in self._layers:
            layer.asked = asked
        logits = self.forward(
            [place.history[-1:] for place in places],
            Cache(layers=list(self._layers)),
            forward.NAME,
            positions=[len(self.prompts[p]) + len(history) - 1 for p, history in places],
        )[:, -1]
        for row, place in enumerate(places):
            self._latest.setdefault(place, (row, newest[row]))
        self._alike = [self._latest[place][0] for place in places]
        return logits

    def _continuing(self, places: Sequence[Place], newest: Sequence[int]) -> Asked:
        """What is asked of the layers, from the latest pass if that was just before."""
        prompts = [place.prompt for place in places]
        lengths = [len(place.history) for place in places]
        latest, device = self._asked, self.forward.device
        rows = [self._latest.get(place.parent, (-1,))[0] for place in places]
        if latest is None or min(rows) < 0 or latest.shortest < latest.longest:
            paths = [self._path(node) for node in newest]
            longest = max(lengths)
            padded = [[*path, *[path[-1]] * (longest - len(path))] for path in paths]
            return Asked(prompts, lengths, on_device(padded, device), newest)
        extends = rows == self._alike
        before = latest.nodes if extends else latest.nodes[on_device(rows, device)]
        nodes = torch.cat([before, on_device(newest, device)[:, None]], dim=1)
        return Asked(prompts, lengths, nodes, newest, extends)

    def _path(self, node: int) -> list[int]:
        path = []
        while node >= 0:
            path.append(node)
            node = self._before[node]
        return path[::-1]

    def _forget_all_but(self, nodes: Iterable[int]) -> None:
        """Forget what others continue from; it is made again when they are asked for."""
        kept = sorted({one for node in nodes for one in self._path(node)})
        number = {node: new for new, node in enumerate(kept)}
        self._children = {
            (number.get(before, before), token): number[node]
            for (before, token), node in self._children.items()
            if node in number
        }
        self._before = [number.get(self._before[node], self._before[node]) for node in kept]
        self._latest, self._asked = {}, None
        for layer in self._layers:
            layer.keep(torch.tensor(kept, dtype=torch.long, device=self.forward.device))


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
