"""Exact distributions of a judge's verdict, kept in one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

KEPT = "exact"
"""Metadata key of the distributions in a score."""


@dataclass(frozen=True)
class KeptDistribution:
    """A distribution in a score's metadata.

    Attributes:
        temperature: Temperature of the judge; None where it is that of the run.
        shares: Probability of each verdict, without what is open.
        tail: Verdicts of independent draws from what is open.
        open_mass: Probability that is left open.
        replication: Number of the sampled reasoning that it follows, from 1; None where nothing
            was sampled before the verdict.
    """

    temperature: float | None
    shares: Mapping[str, float]
    tail: Sequence[str]
    open_mass: float
    replication: int | None = None

    @property
    def weights(self) -> list[tuple[str, float, bool | None]]:
        """Verdicts, what each weighs, and True where it was drawn from what is open.

        Draws share the open mass. All weights together are 1, or what is left of it where nothing
        was drawn.
        """
        each = self.open_mass / max(len(self.tail), 1)
        followed = [(verdict, share, None) for verdict, share in self.shares.items()]
        return [*followed, *((verdict, each, True) for verdict in self.tail)]


def likeliest(found: Sequence[KeptDistribution]) -> str:
    """The verdict with the largest weight in all of some distributions."""
    total: dict[str, float] = {}
    for verdict, weight, _ in (row for one in found for row in one.weights):
        total[verdict] = total.get(verdict, 0.0) + weight
    return max(total, key=total.__getitem__)


def distributions_kept(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Distributions as metadata of a score.

    `exact` has those of each temperature, or of each sampled reasoning; `rows` the histories that
    went through the model for all of them, or the number of reasonings.
    """
    keys = ("temperature", "replication", "shares", "open_mass", "tail")
    kept = [{key: one[key] for key in keys if key in one} for one in found]
    return {KEPT: kept, "rows": found[0].get("rows", len(found))}


def distributions_in(score: Score) -> list[KeptDistribution]:
    """The distributions in a score; empty if it has none that can be read."""
    kept: Any = (score.metadata or {}).get(KEPT) or ()
    try:
        return [
            KeptDistribution(
                None if (temperature := one.get("temperature")) is None else float(temperature),
                {str(verdict): float(share) for verdict, share in one["shares"].items()},
                [str(verdict) for verdict in one.get("tail", ())],
                float(one["open_mass"]),
                number if isinstance(number := one.get("replication"), int) else None,
            )
            for one in kept
        ]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []  # somebody else's metadata
