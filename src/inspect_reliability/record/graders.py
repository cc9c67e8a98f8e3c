"""The scorers that a log names, and how each graded, as its transcripts show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.event import ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig, ModelUsage

from .replications import replications_in


@dataclass(frozen=True)
class LoggedScorer:
    """A scorer that a log names.

    Attributes:
        score: Name of its scores in the log.
        name: Its own name, without its package.
        arguments: Its arguments.
        again: Whether `rejudge` ran it.
    """

    score: str
    name: str
    arguments: Mapping[str, Any]
    again: bool = False

    def is_like(self, other: "LoggedScorer") -> bool:
        """Whether two are the same scorer, run once and again; a log may omit its package."""
        names = [f"/{one.name.rpartition('@')[2]}" for one in (self, other)]
        alike = names[0].endswith(names[1]) or names[1].endswith(names[0])
        return alike and self.arguments == other.arguments

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r:.40}" for key, value in self.arguments.items())
        said = ([f"runs {self.name}"] if self.again else []) + ([given] if given else [])
        return f"{self.score} ({': '.join(said)})" if said else self.score


@dataclass(frozen=True)
class Grading:
    """How a scorer graded the outputs of a log.

    Attributes:
        models: Names of the models it called; empty if none, or if the log does not say.
        roles: Roles by which it found them.
        unnamed: Names of the models found without a role.
        calls: Mean calls of one grading.
        choices: Choices of all its calls, each of which replaces a call.
        used: Usage of these calls.
        is_known: Whether the log's transcripts show the scorer at work.
        config: Settings shared by all its calls.
    """

    models: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    unnamed: frozenset[str] = frozenset()
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
    """The scorers that a log names; for `rejudge`, the scorer that it ran."""
    entries = log.eval.scorers or []
    found = []
    for score, entry in zip(score_names(entry.name for entry in entries), entries, strict=True):
        options = dict(entry.options or {})
        within = options.get("scorer")
        if entry.name.rpartition("/")[2] == "rejudge" and isinstance(within, Mapping):
            arguments = within.get("params")
            arguments = dict(arguments) if isinstance(arguments, Mapping) else {}
            found.append(LoggedScorer(score, str(within.get("name")), arguments, again=True))
        else:
            found.append(LoggedScorer(score, entry.name, options))
    return found


def score_names(scorers: Iterable[str]) -> list[str]:
    """Names of the scores of several scorers; inspect numbers equal names."""
    names = list(scorers)
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name}{n or ''}" for name, n in zip(names, before, strict=True)]


def grading_of(log: EvalLog, scorer: LoggedScorer) -> Grading:
    """How a scorer graded the outputs of a log."""
    likes = [one for one in scorers_in(log) if one.is_like(scorer)]
    likes.sort(key=lambda one: one.again)  # its own grading says more than ours
    for like in likes:
        grading = _grading(log, like.score)
        if grading.is_known:
            return grading
    return Grading()


def _grading(log: EvalLog, score: str) -> Grading:
    calls: list[ModelEvent] = []
    gradings, is_known = 0, False
    for sample in log.samples or []:
        made = _calls(sample, score)
        if made is None or sample.error:
            continue
        is_known = True
        one = (sample.scores or {}).get(score)
        kept = replications_in(one) if one is not None else None
        graded = sum(verdict is not None for verdict in kept.verdicts) if kept else 1
        gradings += graded if made else 0
        calls += made
    # Replications can be choices of one call, which replaces as many.
    choices = sum(max(len(call.output.choices), 1) for call in calls)
    usages = (call.output.usage for call in calls if call.output.usage)
    return Grading(
        models=frozenset(call.model for call in calls),
        roles=frozenset(call.role for call in calls if call.role),
        unnamed=frozenset(call.model for call in calls if not call.role),
        calls=choices / gradings if gradings else 1,
        choices=choices,
        used=sum(usages, start=ModelUsage()),
        is_known=is_known,
        config=_shared([call.config for call in calls]),
    )


def _calls(sample: EvalSample, score: str) -> list[ModelEvent] | None:
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
