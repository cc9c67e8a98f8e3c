"""One output judged again and again: the calls of its replications, and the check of seeds."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2b
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, ModelUsageData, hooks
from inspect_ai.model import ChatMessage, ModelUsage
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, collect

from ..errors.inspect_error import PrerequisiteError
from ..judging.requests import Drawn, Outcome, SeedCheck
from ..record.replications import OF, OUTPUT_UUID, Replications, replication_seed, seeds_from
from ..scoring import score_of
from ..verdicts import GIVEN, graded
from .outputs import WANTED, PlannedReplications
from .wrapped import Wrapped

MOST_TRIES = 8
"""Attempts at a call of a dead server; inspect alone would never stop. Waits double from 3 s."""

DEAD = {
    *("APIResponseValidationError", "JSONDecodeError", "OpenAIResponseError"),
    *("APITimeoutError", "AttemptTimeoutError", "APIConnectionError"),
}
"""Kinds of failures of a server that gives no answers; a limit of the rate is none of them."""


class CallRefusedError(LimitExceededError):
    """A refused model call; the only kind of error that a hook can raise."""

    def __init__(self, why: str) -> None:
        super().__init__("custom", value=0, limit=0, message=why)


@dataclass
class RunLimits:
    """The bounds of one run, and how far it is.

    Attributes:
        cost_limit: Dollars after which no further call is made; calls under way finish.
        graders: Names of models. Each replication must call one of them first; empty if any may.
        settings: Settings of each call, instead of the grader's own.
        stopped: Why no further call is made; None while calls are made.
        spent: Dollars so far, if there is a limit.
    """

    cost_limit: float | None = None
    graders: Set[str] = frozenset()
    settings: Mapping[str, float] = field(default_factory=dict)
    stopped: str | None = None
    spent: float = 0

    def stop(self, why: str) -> None:
        """Make no further call; the first reason counts."""
        self.stopped = self.stopped or why

    def admit(self) -> None:
        """Admit a call.

        Raises:
            CallRefusedError: The run was stopped.
        """
        if self.stopped:
            raise CallRefusedError(self.stopped)

    def pay(self, model: str, usage: ModelUsage) -> None:
        """Add the price of a call, if there is a limit."""
        if self.cost_limit is None:
            return
        if usage.total_cost is None:
            self.stop(f"{model} has no price in --model-cost-config")
        self.spent += usage.total_cost or 0.0
        if self.spent >= self.cost_limit:
            self.stop(f"the cost limit of ${self.cost_limit:g} was reached")


@dataclass
class Calls:
    """The model calls of one replication.

    Attributes:
        seed: Seed sent with each.
        limits: Those of the run, which admit and count them.
        models: Names of the models called.
        prompt: Digest of the first prompt.
        temperature: Sampling temperature of the last call; None if nobody set one.
        cached: Whether outputs may come from inspect's cache.
        refused: The refused call, since a scorer may take its error for an answer.
    """

    seed: int
    limits: RunLimits = field(default_factory=RunLimits)
    models: set[str] = field(default_factory=set)
    prompt: str = ""
    temperature: float | None = None
    cached: bool = False
    refused: CallRefusedError | None = None

    def admit(self) -> None:
        """Admit a call; a CallRefusedError if the run was stopped."""
        try:
            self.limits.admit()
        except CallRefusedError as refused:
            self.refused = refused
            raise

    def send(self, data: BeforeModelGenerate) -> None:
        """Give the next call its seed and settings, if it is admitted."""
        graders = self.limits.graders
        if not self.models:
            self.prompt = _digest(data.input)
            if graders and data.model_name not in graders:
                self.limits.stop(
                    f"the grader is {', '.join(sorted(graders))}, and {data.model_name} would "
                    "answer. Name a scorer that asks the grader it is given, or leave --model out"
                )
        self.admit()
        self.models.add(data.model_name)
        for key, value in self.limits.settings.items():
            setattr(data.config, key, value)
        self.temperature = data.config.temperature
        self.cached |= data.cache is not None
        data.config.seed = self.seed

    def retry(self, data: ModelRetry) -> None:
        """Admit another attempt at a call, if its server is not dead."""
        if data.exception_type in DEAD and data.attempt >= MOST_TRIES:
            self.limits.stop(f"the grader's server gives no answers ({data.exception_type})")
        self.admit()


_current: ContextVar[Calls] = ContextVar("calls")


@contextmanager
def hooked(calls: Calls) -> Iterator[None]:
    """Send every model call in this block as these calls, also from tasks that it starts."""
    _hook()
    token = _current.set(calls)
    try:
        yield
    finally:
        _current.reset(token)


class _SeedHook(Hooks):
    """Sets the seed of the next call, or refuses the call."""

    def enabled(self) -> bool:
        return _current.get(None) is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        _current.get().send(data)

    async def on_model_usage(self, data: ModelUsageData) -> None:
        _current.get().limits.pay(data.model_name, data.usage)

    async def on_model_retry(self, data: ModelRetry) -> None:
        _current.get().retry(data)


def _digest(prompt: Sequence[ChatMessage]) -> str:
    said = "".join(message.model_dump_json(exclude={"id"}) for message in prompt)
    return blake2b(said.encode(), digest_size=6).hexdigest()


@cache
def _hook() -> None:
    """Register the hook at the first replication, because inspect announces hooks."""
    hooks(name="rejudge_seed", description="Sends each replication of a grader with its own seed")(
        _SeedHook
    )


logger = logging.getLogger(__name__)

NOT_MADE = "not made"
"""Beginning of a replication's error if its calls were refused."""


@dataclass
class Replication(Calls):
    """One replication: its calls and their result.

    Attributes:
        verdict: The score's value; "non-response" without a grade, "tie" if graders differ, None if
            the replication failed.
        explanation: The grader's text, or the scorer's explanation.
        error: Why the replication failed; None if it did not.
        votes: Grade of each grader of a panel, by name; empty for a single grader.
    """

    verdict: Any = None
    explanation: str = ""
    error: str | None = None
    votes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def grader(self) -> str:
        """Names of the models that were called."""
        return ", ".join(sorted(self.models))

    @property
    def drawn(self) -> Drawn:
        """What two replications with one seed and one prompt should share."""
        return Drawn(f"{self.verdict}: {self.explanation}", self.prompt)


class JudgeAgain:
    """The scorer that `rejudge` makes.

    A sample of a rejudging says which replications it makes; any other makes all of them.

    Attributes:
        limits: Bound its calls.
    """

    def __init__(self, wrapped: Wrapped, numbers: range, seed: int) -> None:
        self.wrapped = wrapped
        self._numbers, self._seed = numbers, seed
        self.limits, self._check = RunLimits(), SeedCheck()

    async def __call__(self, state: TaskState, target: Target) -> Score | None:
        """Judge an output; None if the run stopped before any call."""
        numbers, said = self._numbers, state.metadata.get(WANTED)
        every = PlannedReplications(state.sample_id, state.epoch, "", numbers.start, len(numbers))
        wanted = PlannedReplications(**said) if said else every
        score = await self._judge(state, target, wanted)
        if score and said:
            score.metadata = (score.metadata or {}) | {OF: [*wanted[:3]], OUTPUT_UUID: wanted.uuid}
            if wanted.answer != GIVEN:
                score.metadata |= {"answer_change": wanted.answer, "spoils": wanted.spoils}
        return score

    async def _judge(
        self, state: TaskState, target: Target, wanted: PlannedReplications
    ) -> Score | None:
        first = output_seed(self._seed, wanted.sample, wanted.epoch, wanted.answer)
        seeds = seeds_from(first + wanted.first - 1, wanted.replications)
        scorer = self.wrapped.scorer  # or an error before anything is judged
        replicate = partial(self._replicate, scorer, state, target)
        made = await collect(*map(replicate, seeds))
        if all((one.error or "").startswith(NOT_MADE) for one in made):
            return None
        result = summarise(self.wrapped.identity, made, wanted.first)
        # No earlier run has made the check.
        fresh = wanted.first == 1 and wanted.answer == GIVEN
        if fresh and made[0].error is None and made[0].models:
            outcome = await self._check_seeds(made, replicate)
            if outcome and not self.limits.stopped:
                result.metadata = (result.metadata or {}) | {"seed_check": outcome}
        return result

    async def _replicate(
        self,
        scorer: Scorer,
        state: TaskState,
        target: Target,
        seed: int,
    ) -> Replication:
        """Run the scorer once, with this seed in its model calls.

        Raises:
            PrerequisiteError: A mistake in the set-up that no repetition can mend.
        """
        one = Replication(seed, self.limits)
        with hooked(one):
            try:
                score = await scorer(state, target) or Score.unscored()
                if one.refused:
                    raise one.refused
            except PrerequisiteError:
                raise
            except LimitExceededError as limit:
                one.error = f"{NOT_MADE}: {limit.message}"
            except Exception as error:  # the other replications must not be lost with it
                one.error = f"{type(error).__name__}: {error}"
                logger.info("A replication with seed %d failed: %s", seed, one.error)
            else:
                one.verdict = graded(score.value, score.metadata)
                one.explanation = score.explanation or ""
                one.votes = _votes(score, self.wrapped.panel)
        return one

    async def _check_seeds(
        self, made: Sequence[Replication], replicate: Callable[[int], Awaitable[Replication]]
    ) -> Outcome | None:
        async def draw(seed: int) -> Drawn:
            if made[0].cached:
                raise RuntimeError("outputs come from inspect's cache")
            again = await replicate(seed)
            if again.error is not None:
                raise RuntimeError(again.error)
            return again.drawn

        other = next((one.drawn for one in made[1:2] if one.error is None), None)
        return await self._check.of(made[0].grader, draw, made[0].seed, made[0].drawn, other)


def summarise(scorer: str, made: Sequence[Replication], first: int = 1) -> Score:
    """One score that keeps every replication.

    Args:
        scorer: The scorer that was run, as `Wrapped.identity` names it.
        made: The replications in their order.
        first: Number of the first.
    """
    errors = {str(n): one.error for n, one in enumerate(made, first) if one.error is not None}
    temperatures = [one.temperature for one in made if one.temperature is not None]
    facts: dict[str, Any] = {"explanations": [one.explanation for one in made]}
    facts |= {"temperature": temperatures[0]} if temperatures else {}
    facts |= {"errors": errors} if errors else {}
    panel = dict.fromkeys(name for one in made for name in one.votes)
    kept = Replications(
        [one.verdict for one in made],
        made[0].seed,
        first,
        scorer=scorer,
        grader=", ".join(sorted({name for one in made for name in one.models})),
        votes={name: [one.votes.get(name) for one in made] for name in panel},
    )
    score = score_of(kept, [one.error or one.explanation for one in made], facts)
    if not kept.grader and not errors:
        asked = f"{scorer} asked no model about this output, so nothing was replicated."
        score.explanation = f"{score.explanation}\n\n{asked}"
    return score


def output_seed(base: int, sample: int | str, epoch: int, answer: str = GIVEN) -> int:
    """Seed of an output's first replication; different outputs have different seeds."""
    changed = f"|answer {answer}" if answer != GIVEN else ""
    return replication_seed(base, f"{sample}|{epoch}{changed}", 1)


def _votes(score: Score, panel: Sequence[str]) -> dict[str, Any]:
    """Grades of each grader of a panel; empty if inspect does not keep them."""
    kept = (score.metadata or {}).get("panel")
    votes = kept.get("votes") if isinstance(kept, Mapping) else None
    if not isinstance(votes, list) or len(votes) != len(set(panel)):
        return {}
    return {name: graded(vote) for name, vote in zip(panel, votes, strict=True)}
