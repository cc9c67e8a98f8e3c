"""Replications of a judge on one output, kept in one score."""

from collections.abc import Iterable, Mapping, Sequence
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
"""Metadata keys of a score with replications."""


@dataclass(frozen=True)
class Replications:
    """The replications in a score's metadata.

    Attributes:
        verdicts: Value of each replication; "non-response" where the judge gave none, None where
            the replication failed.
        seeds: Seed of each replication, as sent.
        grader: Names of the models that were asked; empty where none was.
    """

    verdicts: Sequence[Any]
    seeds: Sequence[int]
    grader: str = ""


def replications_in(score: Score) -> Replications | None:
    """The replications in a score, or None (see `replications_cut`)."""
    metadata: Mapping[str, Any] = score.metadata or {}
    verdicts, seeds = metadata.get("verdicts"), metadata.get("seeds")
    if not isinstance(verdicts, list) or not isinstance(seeds, list):
        return None
    grader = str(metadata.get("grader") or "")
    return Replications(verdicts, seeds, grader) if 0 < len(verdicts) == len(seeds) else None


def nothing_replicated(scores: Iterable[Score]) -> bool:
    """Whether the replicated scorer asked no model about any output.

    Its replications are copies. A scorer that grades some outputs by itself and asks a model about
    the others is a grader like any other.
    """
    kept = [one for one in map(replications_in, scores) if one is not None]
    said = any(verdict is not None for one in kept for verdict in one.verdicts)
    return said and not any(one.grader for one in kept)


def replications_cut(score: Score) -> bool:
    """Whether the score comes from a summary, which leaves out lists of over 1 KB."""
    metadata: Mapping[str, Any] = score.metadata or {}
    named = {"replications", "verdicts", "seeds"} <= metadata.keys()
    return named and replications_in(score) is None
