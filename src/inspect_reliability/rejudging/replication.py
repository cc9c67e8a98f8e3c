"""One replication of a scorer on one output."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from ..errors import PrerequisiteError
from ..verdicts import NON_RESPONSE

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Replication:
    """What one replication gave.

    Attributes:
        seed: Seed that its model calls were sent with.
        verdict: The score's value; "non-response" where the grader gave no grade, None where the
            replication failed.
        explanation: The grader's text, or what the scorer says.
        error: Why the replication failed; None if it did not.
        answer: The answer that the scorer found.
        models: Models that were called; none where the scorer called none.
        temperature: Sampling temperature that they were called with, if anybody set it.
        cached: Whether their outputs may come from inspect's cache.
    """

    seed: int
    verdict: Any
    explanation: str = ""
    error: str | None = None
    answer: str | None = None
    models: frozenset[str] = frozenset()
    temperature: float | None = None
    cached: bool = False

    @property
    def grader(self) -> str:
        """Names of the models that were called."""
        return ", ".join(sorted(self.models))

    @property
    def text(self) -> str:
        """All that two replications with one seed should have in common."""
        return f"{self.verdict}: {self.explanation}"


def output_id(sample: int | str, epoch: int) -> str:
    """What the seeds of an output's replications are made from, beside the base seed."""
    return f"{sample}|{epoch}"


async def replicate(scorer: Scorer, state: TaskState, target: Target, seed: int) -> Replication:
    """Run a scorer once, its model calls with this seed.

    Raises:
        PrerequisiteError: Something is set up wrongly, which no repetition would mend.
    """
    from .seeded_calls import seeded_calls

    with seeded_calls(seed) as calls:
        try:
            score = await scorer(state, target)
        except PrerequisiteError:
            raise
        except Exception as error:  # whatever went wrong, the other replications are not lost
            message = f"{type(error).__name__}: {error}"
            logger.info("A replication with seed %d failed: %s", seed, message)
            return Replication(seed, None, error=message, models=frozenset(calls.models))
    score = Score.unscored() if score is None else score
    return Replication(
        seed=seed,
        verdict=_verdict(score.value),
        explanation=score.explanation or "",
        answer=score.answer,
        models=frozenset(calls.models),
        temperature=calls.temperature,
        cached=calls.cached,
    )


def _verdict(value: Any) -> Any:
    """A score's value, where NaN (unscored) is a grade that the grader did not give."""
    if isinstance(value, Mapping):
        return {key: _verdict(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_verdict(part) for part in value]
    return NON_RESPONSE if value is None or value != value else value
