"""What bounds the calls of a run: dollars, the grader that may answer, a dead server."""

from dataclasses import dataclass

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
        cost_limit: Dollars after which no further call is made; calls under way finish.
        stopped: Why no further call is made; None while calls are made.
        spent: Dollars so far, if there is a limit.
    """

    cost_limit: float | None = None
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

    def retry(self, error: str, attempt: int) -> None:
        """Admit another attempt at a call; stop the run if a server never answers.

        Raises:
            CallRefusedError: The run was stopped; the wait before a retry doubles each time.
        """
        if attempt >= MOST_TRIES.get(error, attempt + 1):
            self.stop(f"the grader's server gives no answers ({error})")
        self.admit()
