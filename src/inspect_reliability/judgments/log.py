"""Facts about a log beside its judgments, and notes on what was left out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """Something that entered the table in part or not at all.

    Attributes:
        what: Its name for readers of a report ("duplicate judgments").
        count: How many.
        where: Log or file.
    """

    what: str
    count: int
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.count:,} {self.what}"


@dataclass(frozen=True)
class Gap:
    """Judgments missing from a log: their name in words, and how many.

    Other logs of its run fill the gap if they have this many `replications` of each of these
    samples, from number `first` on. Nothing fills it if it names no sample.
    """

    what: str
    size: int = 1
    samples: Sequence[int | str] = ()
    first: int = 1
    replications: int = 0

    def is_filled(self, made: Collection[tuple[int | str, int]]) -> bool:
        """Whether these samples with their replication numbers fill it completely."""
        # A header may plan more than anybody could list: the first that is not there ends it.
        numbers = range(self.first, self.first + self.replications)
        planned = ((name, number) for name in self.samples for number in numbers)
        return bool(self.samples and numbers) and all(one in made for one in planned)


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
        run: Model, task and temperature: logs with equal ones fill each other's gaps.
        task: Id that retries of a run share.
        created: When it was made.
        gaps: The judgments missing from it.
        rejudged: Id of the log whose outputs it judges, if it is a rejudging.
        part: What it has of a study in shards, if it is of one.
    """

    run: tuple[str, str, float | None]
    task: str
    created: str
    gaps: Sequence[Gap] = ()
    rejudged: str | None = None
    part: Part | None = None
