"""The scorers that a log names, and how each graded, as its transcripts show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.event import ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig, ModelUsage


@dataclass(frozen=True)
class LoggedScorer:
    """A scorer that a log names.

    Attributes:
        score: Name of its scores in the log.
        name: Its own name, without its package.
        arguments: Its arguments.
    """

    score: str
    name: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r:.40}" for key, value in self.arguments.items())
        return f"{self.score} ({given})" if given else self.score


@dataclass(frozen=True)
class Grading:
    """How a scorer graded the outputs of a log.

    Attributes:
        models: Names of the models it called; empty if none, or if the log does not say.
        roles: Roles by which it found them.
        calls: Mean calls of one grading.
        choices: Choices of all its calls; each choice replaces a call.
        used: Usage of these calls.
        is_known: Whether the log's transcripts show the scorer at work.
        config: Settings shared by all its calls.
    """

    models: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    calls: float = 1
    choices: int = 0
    used: ModelUsage = field(default_factory=ModelUsage)
    is_known: bool = False
    config: GenerateConfig = field(default_factory=GenerateConfig)

    @property
    def tokens(self) -> float | None:
        """Mean tokens of one call; None if not known."""
        return self.used.total_tokens / self.choices if self.used.total_tokens else None


def scorers_in(log: EvalLog) -> list[LoggedScorer]:
    """The scorers that a log names."""
    entries = log.eval.scorers or []
    names = [entry.name for entry in entries]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [  # inspect numbers equal names
        LoggedScorer(f"{entry.name}{n or ''}", entry.name, dict(entry.options or {}))
        for entry, n in zip(entries, before, strict=True)
    ]


def grading_of(log: EvalLog, score: str) -> Grading:
    """How the scorer behind a score graded the outputs of a log."""
    calls: list[ModelEvent] = []
    gradings, is_known = 0, False
    for sample in log.samples or []:
        made = calls_of(sample, score)
        if made is None or sample.error:
            continue
        is_known = True
        gradings += bool(made)
        calls += made
    # Replications can be choices of one call, which replaces as many.
    choices = sum(max(len(call.output.choices), 1) for call in calls)
    usages = (call.output.usage for call in calls if call.output.usage)
    return Grading(
        models=frozenset(call.model for call in calls),
        roles=frozenset(call.role for call in calls if call.role),
        calls=choices / gradings if gradings else 1,
        choices=choices,
        used=sum(usages, start=ModelUsage()),
        is_known=is_known,
        config=_shared([call.config for call in calls]),
    )


def calls_of(sample: EvalSample, score: str) -> list[ModelEvent] | None:
    """Successful calls while an output was scored; None if the log does not show them."""
    within: set[str] = set()
    calls = []
    for event in sample.events:
        if isinstance(event, SpanBeginEvent):
            if (event.type, event.name) == ("scorer", score) or event.parent_id in within:
                within.add(event.id)
        elif isinstance(event, ModelEvent) and event.span_id in within and not event.error:
            calls.append(event)
    return calls if within else None


def _shared(configs: Sequence[GenerateConfig]) -> GenerateConfig:
    dumped = [config.model_dump(exclude_none=True) for config in configs]
    first = dumped[0] if dumped else {}
    same = {key: value for key, value in first.items() if all(d.get(key) == value for d in dumped)}
    return GenerateConfig(**same)
