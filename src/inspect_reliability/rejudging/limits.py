"""What bounds the calls of a run: dollars, calls, the grader that may answer, a dead server."""

from collections.abc import Set
from dataclasses import dataclass, field

from inspect_ai.model import ModelUsage
from inspect_ai.util import LimitExceededError

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
class Limits:
    """The bounds of one run, and how far it is.

    Attributes:
        max_calls: The most model calls; a call for several choices counts as that many.
        cost_limit: Dollars after which no further call is made; calls under way finish.
        stopped: Why no further call is made; None while calls are made.
    """

    max_calls: int | None = None
    cost_limit: float | None = None
    stopped: str | None = None
    calls: int = 0
    spent: float = 0
    _asked: set[str] = field(default_factory=set)

    def stop(self, why: str) -> None:
        """Make no further call; the first reason counts."""
        self.stopped = self.stopped or why

    def admit(self, model: str, choices: int = 1, graders: Set[str] = frozenset()) -> None:
        """Admit a call of a model; each of its choices counts as a call.

        One of `graders`, if there are any, must be called before other models.

        Raises:
            CallRefusedError: The run was stopped, has used up its calls, or begins with another
                grader than the one that was announced.
        """
        if graders and model not in graders and not self._asked & graders:
            expected = ", ".join(sorted(graders))
            self.stop(
                f"the grader is {expected}, and {model} would answer. Name a scorer that asks the "
                "grader it is given, or leave --model out"
            )
        if self.max_calls is not None and self.calls + choices > self.max_calls:
            self.stop(f"{self.max_calls:,} calls were made")
        if self.stopped:
            raise CallRefusedError(self.stopped)
        self._asked.add(model)
        self.calls += choices

    def pay(self, model: str, usage: ModelUsage) -> None:
        """Add the price of a call, if there is a limit."""
        if self.cost_limit is None:
            return
        if usage.total_cost is None:
            self.stop(f"{model} has no price in --model-cost-config")
        self.spent += usage.total_cost or 0.0
        if self.spent >= self.cost_limit:
            self.stop(f"the cost limit of ${self.cost_limit:g} was reached")

    def retry(self, error: str, attempt: int) -> None:
        """Stop the run if a server never answers.

        Raises:
            CallRefusedError: The run was stopped; the wait before a retry doubles each time.
        """
        if attempt >= MOST_TRIES.get(error, attempt + 1):
            self.stop(f"the grader's server gives no answers ({error})")
        if self.stopped:
            raise CallRefusedError(self.stopped)
