"""The scorers that a log names, and how each graded, as its transcripts show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inspect_ai.event import ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig, ModelUsage

from ..errors import UserError
from ..judgments.replications import replications_in
from .trust import SETTINGS
from .wrapped import score_names


@dataclass(frozen=True)
class LoggedScorer:
    """A scorer that a log names.

    Attributes:
        score: Name of its scores in the log.
        name: Its own name, without its package.
        arguments: Its arguments.
        again: Whether `rejudge` ran it.
        task: The task that `rejudge` took it from, if any.
        worded: Whether it is one of several wordings.
    """

    score: str
    name: str
    arguments: Mapping[str, Any]
    again: bool = False
    task: str | None = None
    worded: bool = False

    def is_like(self, other: "LoggedScorer") -> bool:
        """Whether two are the same scorer, run once and again; a log may omit its package."""
        if self.task or other.task:
            return other.name == self.score if other.task else self.name == other.score
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
        not_asked: Outputs that it scored without a call.
        is_known: Whether the log's transcripts show the scorer at work.
        config: Settings shared by all its calls, except the seed and those that a log may not add.
    """

    models: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    unnamed: frozenset[str] = frozenset()
    calls: float = 1
    choices: int = 0
    used: ModelUsage = field(default_factory=ModelUsage)
    not_asked: int = 0
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
            name, task = str(within.get("name")), within.get("task")
            task = task if isinstance(task, str) else None
            worded = "wording" in within
            found.append(LoggedScorer(score, name, arguments, True, task=task, worded=worded))
        else:
            found.append(LoggedScorer(score, entry.name, options))
    return found


def chosen_scorers(log: EvalLog, wanted: Sequence[str]) -> list[LoggedScorer]:
    """The scorers to run again, one for each wanted name of a score or scorer.

    By default those that were run again already, else the only scorer, else the only one that asked
    a model. A scorer that the log does not name has no arguments.

    Raises:
        UserError: It is not clear which scorer is meant.
    """
    known = scorers_in(log)
    if wanted:
        return [_chosen(known, name) for name in dict.fromkeys(wanted)]
    candidates = _distinct([one for one in known if one.again]) or known
    if len(candidates) > 1:
        graders = [one for one in candidates if grading_of(log, one).models]
        candidates = graders or candidates
    if len(candidates) != 1:
        raise UserError(_ask(candidates))
    return candidates


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
    asked = not_asked = gradings = 0
    for sample in log.samples or []:
        made = _calls(sample, score)
        if made is None or sample.error:
            continue
        asked += bool(made)
        not_asked += not made
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
        not_asked=not_asked,
        is_known=asked + not_asked > 0,
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
    kept = SETTINGS - {"seed", "num_choices"}
    dumped = [config.model_dump(exclude_none=True, include=kept) for config in configs]
    first = dumped[0] if dumped else {}
    same = {key: value for key, value in first.items() if all(d.get(key) == value for d in dumped)}
    return GenerateConfig(**same)


def _chosen(known: Sequence[LoggedScorer], wanted: str) -> LoggedScorer:
    by_score = [one for one in known if one.score == wanted]
    short = wanted.rpartition("@")[2]
    by_name = [one for one in known if one.name in (short, short.partition("/")[2])]
    found = _distinct(by_score or by_name)
    if len(found) > 1:
        raise UserError(_ask(found))
    if not found:
        return LoggedScorer(short, wanted, {})
    return found[0] if by_score else replace(found[0], name=wanted)


def _distinct(scorers: Sequence[LoggedScorer]) -> list[LoggedScorer]:
    found: list[LoggedScorer] = []
    for one in sorted(scorers, key=lambda one: one.again):
        if not any(one.is_like(other) for other in found):
            found.append(one)
    return found


def _ask(candidates: Sequence[LoggedScorer]) -> str:
    if not candidates:
        return "The log names no scorer. Say which scorer to run: --scorer PACKAGE/NAME"
    listed = "; ".join(map(str, candidates))
    return (
        f"Say which scorer to run again; the log names several: {listed}. Name one by its score, "
        f"as in --scorer {candidates[0].score}, or repeat --scorer for several."
    )


def packages_of(log: EvalLog) -> Iterator[str]:
    """Packages that may have the scorers of a log, the task's own first."""
    task = log.eval.task_registry_name or log.eval.task
    if "/" in task:
        yield task.partition("/")[0]
    for name in log.eval.packages:
        yield name.replace("-", "_")
