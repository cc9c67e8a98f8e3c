"""What a caller asks of texts: where they may end, which label they have, and how labels spread.

The engine knows no verdicts. The caller of a generation passes functions that read its text.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

Done = Callable[[str], bool]
"""Tells of a text that is still being written whether the rest of it can be left out."""

_done: ContextVar[Done | None] = ContextVar("hf_seeded_done", default=None)


def current_done() -> Done | None:
    """The function of the innermost `stopping` block, if any."""
    return _done.get()


@contextmanager
def stopping(done: Done) -> Iterator[None]:
    """Let `-M stop_at_verdict=true` end the generations in this block where `done` says so.

    Pass the same function each time: it is called once for all replications that have written the
    same text.
    """
    token = _done.set(done)
    try:
        yield
    finally:
        _done.reset(token)


Read = Callable[[str], str | None]
"""The label of a text that is still being written, or None while it has none."""

Parse = Callable[[str], str]
"""The label of a text that has ended."""


@dataclass(frozen=True)
class Labels:
    """How a caller of inspect's `generate` labels texts.

    Attributes:
        read: See `DistributionRequest`.
        parse: See `DistributionRequest`.
        temperatures: Temperatures of the distributions; by default that of the request.
    """

    read: Read
    parse: Parse
    temperatures: Sequence[float] = ()


_labels: ContextVar[Labels | None] = ContextVar("hf_seeded_labels", default=None)


def current_labels() -> Labels | None:
    """The labels of the innermost `distributing` block, if any."""
    return _labels.get()


@contextmanager
def distributing(read: Read, parse: Parse, temperatures: Sequence[float] = ()) -> Iterator[None]:
    """Let a generation in this block find the distribution of labels instead of drawing a text.

    The output's metadata has it as `distributions`: per temperature, a mapping with the fields of a
    `Distribution`. The arguments are those of `Labels`.
    """
    token = _labels.set(Labels(read, parse, temperatures))
    try:
        yield
    finally:
        _labels.reset(token)


@dataclass(frozen=True, eq=False)
class DistributionRequest:
    """How a prompt is continued, and how continuations are labelled.

    Attributes:
        prompt: Token ids of the prompt, not empty.
        temperatures: Temperatures of the sampler, each with a distribution of its own.
        max_tokens: The most tokens of a continuation, at least 1.
        read: Label of a text that is still being written, once it has one. Text after that is
            ignored.
        parse: Label of a text that has ended, at an end token or at the limit.
        top_k: As in `Request`.
        top_p: As in `Request`.
        eps: Open mass at which growth stops, at every temperature.
        max_rows: The most histories to send through the model.
        tail_draws: Draws from the open mass, at each temperature.
        seed: Seed of these draws.
    """

    prompt: tuple[int, ...]
    temperatures: tuple[float, ...]
    max_tokens: int
    read: Read
    parse: Parse
    top_k: int | None = None
    top_p: float = 1.0
    eps: float = 0.01
    max_rows: int = 1000
    tail_draws: int = 2
    seed: int = 0

    @property
    def group(self) -> tuple[Hashable, Hashable]:
        """Unique: each request is worked on alone."""
        return self, None


@dataclass(frozen=True)
class Distribution:
    """The distribution of labels at one temperature.

    Attributes:
        temperature: Temperature of the sampler.
        shares: Probability of each label reached, a lower bound; adding `open_mass` gives an upper
            bound.
        open_mass: Probability of continuations not followed to a label.
        rows: Histories that went through the model, for all temperatures together.
        tail: Labels of independent draws from the open continuations; empty where less than a
            hundredth of `eps` is open. With h the share of a label among them, `shares + open_mass
            * h` is unbiased.
        truncated: Whether growth ended at the bound on rows, with more than `eps` open.
    """

    temperature: float
    shares: dict[str, float]
    open_mass: float
    rows: int
    tail: tuple[str, ...]
    truncated: bool

    def __str__(self) -> str:
        shares = sorted(self.shares.items(), key=lambda item: -item[1])
        named = [f"{label}: {share:.2%}" for label, share in [*shares, ("open", self.open_mass)]]
        return f"temperature {self.temperature:g}: {', '.join(named)} ({self.rows:,} rows)"
