"""Facts about a log beside its judgments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Gap:
    """Judgments missing from a log.

    Attributes:
        what: Their name in words.
        size: How many.
        retried: Whether a later log of the same task makes them, or lacks them itself.
    """

    what: str
    size: int = 1
    retried: bool = False


@dataclass(frozen=True)
class Part:
    """What a log has of a study whose questions are in shards, one for each worker.

    Attributes:
        places: Its shards, from 0; several if it was merged of theirs.
        number: How many shards the study has.
        options: The task's other arguments, each as JSON.
        judgments: How many judgments the log has.
    """

    places: Sequence[int]
    number: int
    options: Mapping[str, str]
    judgments: int


@dataclass(frozen=True)
class Log:
    """Facts about a log, beside its judgments, for combining it with others.

    Attributes:
        run: Model, task and temperature.
        task: Id that retries of a run share, or that of the log whose outputs it judges.
        created: When it was made.
        gaps: The judgments missing from it.
        part: What it has of a study in shards, if it is of one.
    """

    run: tuple[str, str, float | None]
    task: str
    created: str
    gaps: Sequence[Gap] = ()
    part: Part | None = None
