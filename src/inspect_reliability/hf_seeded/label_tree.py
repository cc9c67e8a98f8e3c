"""The distribution of labels, from a tree that grows by probability instead of by draws.

The likeliest continuations go through the model first. Each ends where its text has a label; the
mass elsewhere stays open. Growth stops once little enough is open, and a few draws tell what the
rest would have become.
"""

import heapq
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from itertools import count
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .batch import Place
from .draw import Draws, candidates, gumbel, probabilities, stream_keys
from .fastest import ModelRun
from .hooks import Distribution, DistributionRequest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

History = tuple[int, ...]

_AT_ONCE = 16
"""Continuations to expand together: enough for a matrix product, and so few that the likeliest
still come first."""

_NOTHING = 0.01
"""Share of `eps` below which open mass is not worth a draw."""

_REST = -1
"""Instead of a token: all tokens of a node that are too unlikely to be kept one by one."""


class Leaf(NamedTuple):
    """A continuation by one token, from a node of the tree.

    Attributes:
        rank: Minus its largest mass; the smallest is followed first.
        number: Its place among all leaves, as they came up.
        node: Which node it continues.
        token: By which token, or `_REST`.
        masses: Probability of reaching it, at each temperature, shape (T,).
    """

    rank: float
    number: int
    node: int
    token: int
    masses: Floats


@torch.inference_mode()
def distributions(
    run: ModelRun, request: DistributionRequest, wanted: Callable[[], bool] = lambda: True
) -> list[Distribution]:
    """Find the distribution of labels at each temperature of a request.

    Raises:
        CancelledError: The answer is not `wanted` any longer, which each forward pass asks.
        OutOfMemoryError: The prompt did not fit, or not even a few continuations.
        NotFiniteError: The model computes NaN or infinity.
    """
    with run.forward.alone():
        growth = _Growth(run, request, wanted)
        while (growth.open > request.eps).any() and growth.follow():
            pass
        return growth.distributions()


class _Growth:
    def __init__(
        self, run: ModelRun, request: DistributionRequest, wanted: Callable[[], bool]
    ) -> None:
        self.run = run
        self.request = request
        self.wanted = wanted
        self.longest = min(run.context - len(request.prompt), request.max_tokens)
        # Tokens this unlikely could not close a tenth of eps with all the rows there are.
        self.least = request.eps / (10 * request.max_rows)
        self.shares: dict[str, Floats] = {}
        self.histories: list[History] = []
        self.masses: list[Floats] = []
        self.logits, self.rows = run.prefill([request.prompt], self.longest)
        room = run.memory // self.rows.node_bytes if self.rows.node_bytes else request.max_rows
        self.most = min(request.max_rows, room)
        self.leaves: list[Leaf] = []  # a heap of those that can be followed
        self.passed: list[Leaf] = []  # open, and not to be followed
        self.numbers = count()
        self.open = np.ones(len(request.temperatures))
        self.expand([()], [self.open])

    def follow(self) -> bool:
        """Close the likeliest leaves that have a label, expand the others; false if none is left.

        How many go at once does not depend on `eps`, so the tree of a smaller one contains the tree
        of a larger one.
        """
        left = self.most - (len(self.histories) - 1)
        expanded: dict[History, Floats] = {}
        # Without rows left, labels are all that can still be found; not every leaf is worth it.
        most = len(self.leaves) if left else self.request.max_rows
        for _ in range(min(most, len(self.leaves))):
            leaf = heapq.heappop(self.leaves)
            history = self.history(leaf)
            label = self.label(history)
            if label is not None:
                self.shares[label] = self.shares.get(label, 0) + leaf.masses
                self.open = self.open - leaf.masses
            elif left:
                expanded[history] = leaf.masses
            else:
                self.passed.append(leaf)
            if len(expanded) == min(_AT_ONCE, left) > 0:
                break
        if expanded:
            self.expand(list(expanded), list(expanded.values()))
        return bool(expanded)

    def history(self, leaf: Leaf) -> History:
        return (*self.histories[leaf.node], leaf.token)

    def label(self, history: History) -> str | None:
        """The label of a continuation; None if it goes on."""
        text = self.run.decode(history)
        if history[-1] in self.run.end_tokens:
            return self.request.parse(text)
        label = self.request.read(text)
        return self.request.parse(text) if label is None and len(history) >= self.longest else label

    def expand(self, histories: Sequence[History], masses: Sequence[Floats]) -> None:
        """Make nodes of continuations; their next tokens become leaves."""
        ids, spread = self.spread(histories)
        reached = np.stack(masses)[:, :, None] * spread  # (N, T, K)
        kept = self.kept(reached)
        rows, places = kept.nonzero()
        found = reached[rows, :, places]
        columns = -found.max(axis=1), rows + len(self.histories), ids[rows, places]
        for rank, node, token, mass in zip(*(one.tolist() for one in columns), found, strict=True):
            heapq.heappush(self.leaves, Leaf(rank, next(self.numbers), node, token, mass))
        rest = np.where(kept[:, None], 0, reached).sum(axis=2)
        for node, mass in enumerate(rest, len(self.histories)):
            self.passed.append(Leaf(0, next(self.numbers), node, _REST, mass))
        self.histories += histories
        self.masses += masses

    def kept(self, reached: Floats) -> npt.NDArray[np.bool_]:
        """Which tokens are likely enough at some temperature to be leaves of their own, (N, K)."""
        ranks: Floats = reached.max(axis=1)
        return np.logical_and(ranks >= self.least, ranks > 0)

    def spread(self, histories: Sequence[History]) -> tuple[Ints, Floats]:
        """Tokens that may come next, shape (N, K), and their probabilities, shape (N, T, K)."""
        logits = self.logits if histories == [()] else self.after(histories)
        scores, ids = candidates(logits, self.request.top_k)
        request = self.request
        spread = probabilities(scores, ids, request.temperatures, request.top_p)
        return ids.cpu().numpy(), spread.cpu().numpy()

    def after(self, histories: Sequence[History]) -> Tensor:
        """Logits after continuations, as many at once as there is room for."""
        logits: list[Tensor] = []
        done = 0
        while done < len(histories):
            if not self.wanted():
                raise CancelledError
            part = histories[done : done + self.run.most(self.rows, max(map(len, histories)))]
            logits.append(self.rows.after([Place(0, history) for history in part]))
            done += len(part)
        return torch.cat(logits)

    def distributions(self) -> list[Distribution]:
        """The answer, including draws from the open mass."""
        request = self.request
        leaves = sorted([*self.leaves, *self.passed], key=attrgetter("number"))
        open_masses = np.stack([leaf.masses for leaf in leaves]).sum(axis=0)
        at = [t for t, mass in enumerate(open_masses) if mass > request.eps * _NOTHING]
        drawn = self.tails(leaves, [t for t in at for _ in range(request.tail_draws)])
        return [
            Distribution(
                temperature,
                {label: float(mass[t]) for label, mass in self.shares.items() if mass[t] > 0},
                float(open_masses[t]),
                len(self.histories) - 1,
                tuple(label for at, label in drawn if at == t),
                bool(open_masses[t] > request.eps),
            )
            for t, temperature in enumerate(request.temperatures)
        ]

    def tails(self, leaves: Sequence[Leaf], at: Sequence[int]) -> list[tuple[int, str]]:
        """Draw continuations that leave the tree, one for each temperature named; their labels."""
        request = self.request
        streams = [
            f"{request.seed}|tail|{number % request.tail_draws}" for number in range(len(at))
        ]
        keys = stream_keys(request.prompt, streams).to(self.logits.device)
        temperatures = [request.temperatures[t] for t in at]
        draws = Draws(keys, temperatures, [request.top_p] * len(at), request.top_k)
        starts = stream_keys(request.prompt, [f"{stream}|start" for stream in streams])
        histories = [
            self.leave(leaves, t, start, key)
            for t, start, key in zip(at, starts, keys.cpu(), strict=True)
        ]
        labels = [self.label(history) for history in histories]
        while going_on := [number for number, label in enumerate(labels) if label is None]:
            distinct = list(dict.fromkeys(histories[number] for number in going_on))
            nodes = [distinct.index(histories[number]) for number in going_on]
            steps = [len(histories[number]) for number in going_on]
            tokens = draws.tokens(
                self.after(distinct),
                *(torch.tensor(one, device=keys.device) for one in (nodes, going_on, steps)),
            )
            for number, token in zip(going_on, tokens, strict=True):
                histories[number] = (*histories[number], token)
                labels[number] = self.label(histories[number])
        return [(t, label) for t, label in zip(at, labels, strict=True) if label is not None]

    def leave(self, leaves: Sequence[Leaf], t: int, start: Tensor, key: Tensor) -> History:
        """Draw where a continuation at the t-th temperature leaves the tree."""
        leaf = leaves[_choose(np.array([leaf.masses[t] for leaf in leaves]), start, 0)]
        if leaf.token != _REST:
            return self.history(leaf)
        history = self.histories[leaf.node]
        ids, spread = self.spread([history])
        reached = self.masses[leaf.node][None, :, None] * spread
        rest = np.where(self.kept(reached), 0, reached[:, t])[0]
        return (*history, int(ids[0, _choose(rest, key, len(history))]))


def _choose(masses: Floats, key: Tensor, step: int) -> int:
    noise = gumbel(key[None], torch.tensor(step), torch.arange(len(masses))[None])[0]
    return int((torch.from_numpy(masses).log() + noise).argmax())
