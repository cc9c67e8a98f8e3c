"""One run over outputs: earlier judgments, where to keep new ones, and when to stop."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from inspect_ai.model import ModelUsage
from inspect_ai.util import LimitExceededError

from .replications import NOT_MADE, Output, Replication

MOST_TRIES = dict.fromkeys(
    (
        *("APIResponseValidationError", "JSONDecodeError", "OpenAIResponseError"),
        *("APITimeoutError", "AttemptTimeoutError"),
    ),
    4,
) | {"APIConnectionError": 8}
"""Attempts at a call by kind of failure; inspect alone would never stop. Waits double from 3 s."""


class CallRefusedError(LimitExceededError):
    """A refused model call; the only kind of error that a hook can raise."""

    def __init__(self, why: str) -> None:
        super().__init__("custom", value=0, limit=0, message=why)


@dataclass
class Run:
    """What the replications of one run share.

    Attributes:
        keep: Called with each replication as soon as it is made.
        expected: Names of models, one of which must answer first; any may if empty.
        stopped: Why no further call is made; None while calls are made.
        stranger: The unexpected model that would have answered first.
        models: Names of the models called so far.
        settings: Settings of every call, instead of the grader's own.
        max_calls: The most model calls; a call for several choices counts as that many.
        calls: Model calls so far, including retries.
        cost_limit: Dollars after which no further call is made; calls under way finish.
        spent: Dollars so far.
        tell: Called after each call and each replication.
    """

    keep: Callable[[Output, int, Replication], None] = lambda output, number, replication: None
    expected: frozenset[str] = frozenset()
    stopped: str | None = None
    stranger: str | None = None
    models: set[str] = field(default_factory=set)
    settings: Mapping[str, float] = field(default_factory=dict)
    max_calls: int | None = None
    calls: int = 0
    cost_limit: float | None = None
    spent: float = 0
    retries: int = 0
    made: int = 0
    failed: int = 0
    tell: Callable[[], None] = lambda: None

    def has_room(self, calls: int) -> bool:
        """Whether this many further calls may be made."""
        return self.max_calls is None or self.calls + calls <= self.max_calls

    def is_over(self, calls: int = 1) -> bool:
        """Whether this many further calls may not be made; `stopped` then says why."""
        if not self.has_room(calls):
            self.stopped = self.stopped or f"{self.max_calls:,} calls were made"
        return self.stopped is not None

    def admit(self, model: str, choices: int = 1) -> None:
        """Admit a call of a model; each of its choices counts as a call.

        Raises:
            CallRefusedError: The run was stopped, has used up its calls, or begins with an
                unexpected model.
        """
        if self.expected and model not in self.expected and not self.models & self.expected:
            self.stranger = model
            self.stopped = f"{model} is not the grader"
        if self.is_over(choices):
            raise CallRefusedError(self.stopped or "")
        self.models.add(model)
        self.calls += choices
        self.tell()

    def pay(self, model: str, usage: ModelUsage) -> None:
        """Add the price of a call, if there is a limit."""
        if self.cost_limit is None:
            return
        if usage.total_cost is None:
            self.stopped = self.stopped or f"{model} has no price in --model-cost-config"
        self.spent += usage.total_cost or 0.0
        if self.spent >= self.cost_limit:
            self.stopped = self.stopped or f"the cost limit of ${self.cost_limit:g} was reached"

    def retry(self, error: str, attempt: int) -> None:
        """Count a failed call that is repeated; stop the run if its server never answers."""
        self.retries += 1
        if attempt >= MOST_TRIES.get(error, attempt + 1):
            self.stopped = self.stopped or f"the grader's server gives no answers ({error})"
        self.tell()

    def record(self, output: Output, number: int, replication: Replication) -> None:
        """Count and keep a replication; if it cannot be kept, make no more."""
        self.made += replication.error is None
        self.failed += replication.error is not None and not replication.error.startswith(NOT_MADE)
        self.tell()
        if replication.error is not None:
            return
        try:
            self.keep(output, number, replication)
        except OSError as error:
            self.stopped = self.stopped or f"judgments cannot be written ({error.strerror})"
