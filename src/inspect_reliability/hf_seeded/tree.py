"""Requests, their results, and the trees of continuations that grow from their prompts.

A hundred replications of a prompt are not a hundred sequences: where two have drawn the same tokens
so far, the model computes the same for both. Each node of the tree is one distinct history and
costs one row of a forward pass; its replications each draw for themselves. Logits do not depend on
the temperature, so one tree serves all temperatures.

Judges mostly agree, so a tree has few nodes of equal depth, and a forward pass of few rows costs
almost as much as one of many. The trees of several prompts therefore grow side by side, one token
at a time, and their rows go through the model together.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .batch import Place
from .cache import OutOfMemoryError, memory_errors, on_device
from .draw import Draws, candidates, probabilities, replication_stream, stream_keys
from .fastest import ModelRun

Finish = Literal["stop", "max_tokens", "model_length"]


@dataclass(frozen=True, eq=False)
class Request:
    """One replication: a prompt, a seed, and how to draw.

    Its continuation is a pure function of the model and of these fields, whatever else is generated
    at the same time.

    Attributes:
        prompt: Token ids of the prompt, not empty.
        seed: Seed of this replication.
        max_tokens: The most tokens to generate, at least 1.
        temperature: Below 1e-6 the likeliest token is taken.
        top_k: Draw among the k likeliest tokens (and those tied with the last of them); None draws
            among all.
        top_p: Draw among the likeliest tokens that together have this much probability.
        stop: Told the text so far after each token; true ends the replication.
        alternatives: Number of the likeliest tokens to name at each step.
    """

    prompt: tuple[int, ...]
    seed: int
    max_tokens: int
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    stop: Callable[[str], bool] | None = None
    alternatives: int = 0

    @property
    def group(self) -> tuple[Hashable, Hashable]:
        """Requests of one group grow one tree; trees with one `top_k` grow side by side."""
        return self.top_k, self.prompt


@dataclass(frozen=True)
class Continuation:
    """What was generated for one request.

    Attributes:
        text: The generated text, without special tokens.
        tokens: The generated token ids, the end-of-sequence token included.
        finish: "stop" at the end of the sequence or where `Request.stop` said so, "max_tokens",
            or "model_length" where the model's context was full.
        steps: Where `Request.alternatives` asked for them: of each step, the probability with
            which the token was drawn, and the likeliest tokens with theirs. These are what the
            draw used, after temperature, `top_k` and `top_p`.
    """

    text: str
    tokens: tuple[int, ...]
    finish: Finish
    steps: tuple["Step", ...] = ()


@dataclass(frozen=True)
class Step:
    """What could have been drawn at one step.

    Attributes:
        drawn: Probability of the token that was drawn.
        likeliest: Probability of the likeliest tokens by id, the likeliest first.
    """

    drawn: float
    likeliest: dict[int, float]


Prompt = tuple[int, ...]

Deliver = Callable[[int, Continuation | Exception], None]
"""Takes the number of a request, and its result as soon as there is one."""

Wanted = Callable[[int], bool]
"""Tells whether the result of a request is still waited for."""


@dataclass(frozen=True)
class Node:
    """A distinct history after a prompt, and the requests that share it."""

    place: Place
    members: list[int]


@torch.inference_mode()
def grow(run: ModelRun, requests: Sequence[Request], deliver: Deliver, wanted: Wanted) -> None:
    """Generate the continuations of requests that share a `top_k`, as long as they are wanted."""
    with run.forward.alone():
        # Sorted, so that prompts that begin alike follow one another.
        waiting: dict[Prompt, list[int]] = {}
        for member in sorted(range(len(requests)), key=lambda one: requests[one].prompt):
            waiting.setdefault(requests[member].prompt, []).append(member)
        while waiting := {
            prompt: members for prompt, members in waiting.items() if any(map(wanted, members))
        }:
            trees = _Trees(run, requests, waiting, deliver, wanted)
            _grow(trees, [Node(Place(n, ()), waiting.pop(p)) for n, p in enumerate(trees.prompts)])


def _grow(trees: "_Trees", root: list[Node]) -> None:
    """Grow blocks of nodes of equal depth, those of a prompt side by side, until all have ended."""
    blocks = [root]
    while blocks:
        block = blocks.pop()
        if len(block) > trees.run.most(trees.rows, trees.longest):
            middle = len(block) // 2
            blocks += [block[:middle], block[middle:]]
            continue
        try:
            living = trees.step(block)
        except OutOfMemoryError as error:
            if trees.run.spare_memory(len(block)):
                blocks.append(block)
            else:
                for node in block:
                    for member in node.members:
                        trees.deliver(member, error)
        else:
            blocks += [living] if living else []


class _Trees:
    def __init__(
        self,
        run: ModelRun,
        requests: Sequence[Request],
        waiting: dict[Prompt, list[int]],
        deliver: Deliver,
        wanted: Wanted,
    ):
        self.run = run
        self.requests = requests
        self.deliver = deliver
        self.wanted = wanted
        rooms = [run.context - len(request.prompt) for request in requests]
        self.most = [min(one.max_tokens, room) for one, room in zip(requests, rooms, strict=True)]
        self.longest = max(self.most)
        self.logits, self.rows = run.prefill(
            list(waiting), self.longest, lambda prompt: any(map(wanted, waiting[prompt]))
        )
        self.prompts = list(waiting)[: len(self.logits)]
        keys = torch.zeros(len(requests), dtype=torch.int64)
        for prompt in self.prompts:
            members = waiting[prompt]
            streams = [replication_stream(requests[member].seed) for member in members]
            keys[members] = stream_keys(prompt, streams)
        self.draws = Draws(
            keys.to(self.logits.device),
            [request.temperature for request in requests],
            [request.top_p for request in requests],
            requests[0].top_k,
        )
        self.steps: dict[int, list[Step]] = {member: [] for member in range(len(requests))}

    def step(self, block: list[Node]) -> list[Node]:
        """Let each member draw; those with the same history and token share the next node."""
        places = [node.place for node in block]
        depth = len(places[0].history)
        logits = (
            self.rows.after(places)
            if depth
            else self.logits[on_device([one.prompt for one in places], self.logits.device)]
        )
        standing = [
            (index, member)
            for index, node in enumerate(block)
            for member in node.members
            if self.wanted(member)
        ]
        if not standing:
            return []
        at, members = on_device([*zip(*standing, strict=True)], logits.device)
        with memory_errors(f"the draws of {len(standing)} replications"):
            steps = torch.full_like(members, depth)
            tokens = self.draws.tokens(logits, at, members, steps)
            children: dict[tuple[int, int], list[int]] = {}
            for (index, member), token in zip(standing, tokens, strict=True):
                children.setdefault((index, token), []).append(member)
            self._note(logits, children, depth)
        living = []
        for (index, token), drawn in children.items():
            prompt, history = places[index]
            if members_left := self._leave((*history, token), drawn):
                living.append(Node(Place(prompt, (*history, token)), members_left))
        return living

    def _note(self, logits: Tensor, children: dict[tuple[int, int], list[int]], depth: int) -> None:
        asking: dict[tuple[int, int, float, float, int], list[int]] = {}
        for (index, token), drawn in children.items():
            for member in drawn:
                one = self.requests[member]
                if one.alternatives:
                    asked = index, token, one.temperature, one.top_p, one.alternatives
                    asking.setdefault(asked, []).append(member)
        if not asking:
            return
        scores, ids = candidates(logits, self.requests[0].top_k)
        for (index, token, temperature, top_p, most), members in asking.items():
            row = slice(index, index + 1)
            spread = probabilities(scores[row], ids[row], [temperature], top_p)[0, 0]
            best = spread.topk(min(most, len(spread)))
            tokens = ids[index, best.indices].tolist()
            likeliest = dict(zip(tokens, best.values.tolist(), strict=True))
            step = Step(
                float(spread[ids[index] == token].sum()),
                {token: share for token, share in likeliest.items() if share > 0},
            )
            for member in members:
                self.steps[member][depth:] = [step]

    def _leave(self, history: tuple[int, ...], members: list[int]) -> list[int]:
        """Deliver the members whose continuation ends here; return the others."""
        text: str | None = None
        stopped: dict[Callable[[str], bool], bool] = {}
        staying = []
        for member in members:
            request = self.requests[member]
            finish: Finish | None = None
            if history[-1] in self.run.end_tokens:
                finish = "stop"
            elif request.stop is not None:
                if request.stop not in stopped:
                    text = self.run.decode(history) if text is None else text
                    stopped[request.stop] = request.stop(text)
                finish = "stop" if stopped[request.stop] else None
            if finish is None and len(history) >= self.most[member]:
                ends = len(history) >= request.max_tokens
                finish = "max_tokens" if ends else "model_length"
            if finish is None:
                staying.append(member)
            else:
                text = self.run.decode(history) if text is None else text
                steps = tuple(self.steps[member])
                self.deliver(member, Continuation(text, history, finish, steps))
        return staying
