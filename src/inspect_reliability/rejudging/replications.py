"""Several replications of a scorer as one score, and back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from inspect_ai.scorer import Score

from ..judging.trials import Drawn
from ..record.replications import Replications
from ..scoring.explanation import explanation, label
from ..verdicts import NON_RESPONSE

NOT_MADE = "not made"
"""Beginning of a replication's error if its calls were refused."""


@dataclass(frozen=True)
class Replication:
    """The result of one replication.

    Attributes:
        seed: Seed of its model calls.
        verdict: The score's value; "non-response" without a grade, "tie" if graders differ, None if
            the replication failed.
        explanation: The grader's text, or the scorer's explanation.
        error: Why the replication failed; None if it did not.
        answer: The answer that the scorer found.
        models: Models called; empty if none.
        temperature: Sampling temperature of the calls, if anybody set it.
        cached: Whether their outputs may come from inspect's cache.
        prompt: Digest of the first prompt; empty if not known.
        votes: Grade of each grader of a panel, by name; empty for a single grader.
    """

    seed: int
    verdict: Any
    explanation: str = ""
    error: str | None = None
    answer: str | None = None
    models: frozenset[str] = frozenset()
    temperature: float | None = None
    cached: bool = False
    prompt: str = ""
    votes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def grader(self) -> str:
        """Names of the models that were called."""
        return ", ".join(sorted(self.models))

    @property
    def drawn(self) -> Drawn:
        """What two replications with one seed and one prompt should share."""
        return Drawn(f"{self.verdict}: {self.explanation}", self.prompt)


def summarise(scorer: str, replications: Sequence[Replication], first: int = 1) -> Score:
    """One score that keeps every replication.

    Args:
        scorer: The scorer that was run, as `Wrapped.identity` names it.
        replications: In their order.
        first: Number of the first.
    """
    numbered = enumerate(replications, first)
    errors = {str(number): one.error for number, one in numbered if one.error is not None}
    panel = dict.fromkeys(name for one in replications for name in one.votes)
    metadata: dict[str, Any] = {
        **Replications(
            [one.verdict for one in replications],
            replications[0].seed,
            first,
            scorer=scorer,
            grader=", ".join(sorted({name for one in replications for name in one.models})),
            votes={name: [one.votes.get(name) for one in replications] for name in panel},
        ).metadata,
        "explanations": [one.explanation for one in replications],
    }
    temperatures = (one.temperature for one in replications if one.temperature is not None)
    if (temperature := next(temperatures, None)) is not None:
        metadata["temperature"] = temperature
    if errors:
        metadata["errors"] = errors
    return Score(
        value=_value([one.verdict for one in replications]),
        answer=next((one.answer for one in replications if one.answer is not None), None),
        explanation=_explanation(scorer, replications),
        metadata=metadata,
    )


def _value(verdicts: Sequence[Any]) -> Any:
    made = [verdict for verdict in verdicts if verdict is not None]
    if made and all(verdict == NON_RESPONSE for verdict in made):
        # Unscored, the sample would be hidden from the metrics that count non-responses.
        return NON_RESPONSE
    return _central(made)


def _central(verdicts: Sequence[Any]) -> Any:
    """The most frequent verdict, or the mean of numbers; by key or place if there are several."""
    given = [verdict for verdict in verdicts if verdict is not None and verdict != NON_RESPONSE]
    if not given:
        return float("nan")
    if all(isinstance(verdict, Mapping) for verdict in given):
        keys = dict.fromkeys(key for verdict in given for key in verdict)
        return {key: _central([verdict.get(key) for verdict in given]) for key in keys}
    if all(isinstance(verdict, list) for verdict in given):
        return [_central(place) for place in zip(*given, strict=False)]
    if all(isinstance(verdict, int | float) and not isinstance(verdict, bool) for verdict in given):
        return fmean(given)
    # Labels, because 1 and true are equal keys; of those tied the one that came first is taken.
    labels = [label(verdict) for verdict in given]
    return given[labels.index(Counter(labels).most_common(1)[0][0])]


def _explanation(scorer: str, replications: Sequence[Replication]) -> str:
    said = [one.error or one.explanation for one in replications]
    text = explanation([one.verdict for one in replications], said)
    if all(one.error is None and not one.models for one in replications):
        text += f"\n\n{scorer} asked no model about this output, so nothing was replicated."
    return text
