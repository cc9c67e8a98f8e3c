"""Replications of a judge on one and the same output, kept in one score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.scorer import Score

REPLICATION_KEYS = (
    "replications",
    "verdicts",
    "seeds",
    "explanations",
    "errors",
    "scorer",
    "grader",
)
"""Keys of the metadata of a score that holds replications."""


@dataclass(frozen=True)
class Replications:
    """What a score's metadata hold of its replications.

    Attributes:
        verdicts: Value of each replication; "non-response" where the judge gave none, None where
            the replication failed.
        seeds: Seed of each replication, as sent.
    """

    verdicts: Sequence[Any]
    seeds: Sequence[int]


def replications_in(score: Score) -> Replications | None:
    """The replications that a score holds; None if it holds none (see `replications_cut`)."""
    metadata: Mapping[str, Any] = score.metadata or {}
    verdicts, seeds = metadata.get("verdicts"), metadata.get("seeds")
    if not isinstance(verdicts, list) or not isinstance(seeds, list):
        return None
    return Replications(verdicts, seeds) if 0 < len(verdicts) == len(seeds) else None


def replications_cut(score: Score) -> bool:
    """Whether the score comes from a summary, which leaves out lists of over 1 KB."""
    metadata: Mapping[str, Any] = score.metadata or {}
    named = {"replications", "verdicts", "seeds"} <= metadata.keys()
    return named and replications_in(score) is None
