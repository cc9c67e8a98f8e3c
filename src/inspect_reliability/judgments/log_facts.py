"""Facts about a log beside its judgments."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..errors import UserError
from ..record.shards import Shard, place_of
from .reading import Note

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


FAILED, IN_ERROR, NO_SCORE = (
    "replications that failed",
    "samples that ended in an error",
    "samples without a score",
)
"""Names of judgments that are missing because their calls failed."""


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
        judged: Of a log of `rejudge`, the id that retries of the run share whose outputs it judges;
            empty where it does not say.
        created: When it was made, to the second.
        last_began: When its last sample began, to the microsecond; empty if it does not say. A
            retry takes over samples with the times at which they began, and so ends later.
        gaps: The judgments missing from it.
        part: What it has of a study in shards, if it is of one.
        id: Id of this run alone.
        settings: What makes its judge, by name (see `judge_of.judge_settings`).
        sample: Id and epoch of its first sample that was scored; None without one.
        lineage: Id that this run and its own retries share (`inspect eval-retry` keeps it).
        seed: Its base seed, as JSON; empty where its task or `rejudge` was given none.
        empty: Whether it has no judgment at all.
    """

    run: tuple[str, str, float | None]
    task: str
    created: str
    gaps: Sequence[Gap] = ()
    part: Part | None = None
    id: str = ""
    last_began: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    sample: tuple[int | str, int] | None = None
    judged: str = ""
    lineage: str = ""
    seed: str = ""
    empty: bool = False

    @property
    def failed(self) -> int:
        """How many of its judgments are missing because their calls failed."""
        return sum(gap.size for gap in self.gaps if gap.what in (FAILED, IN_ERROR, NO_SCORE))

    def fills(self, where: str) -> list[tuple[object, ...]]:
        """What it has in common with logs that make again what an earlier one of them lacks.

        They are retries of one run, or run one task with one seed; `rejudge` makes what is lacking
        in one folder only. A check of every night judges the same outputs with a seed of its own,
        and without seeds in a folder of its own.

        Args:
            where: Its place.
        """
        again = "grader" in self.settings
        folder = str(PurePath(where).parent) if again or not self.seed else ""
        seeded = (self.run, self.task, "seed", self.seed, folder)
        return [(self.run, self.task, "retry", self.lineage), seeded]


# The shards of a study that several workers judged: what is missing, and what is not alike.


_IN_A_SHARD = re.compile(r"(?P<study>.*\.shards)[/\\]\d+[/\\][^/\\]+")
"""A log in the folder of its shard, as inspect merges them: `<name>.shards/<k>/*.eval`."""

_LONGEST = 40
"""Most characters of an argument that is kept as it is."""

_OLDER = "older logs in the folder of a shard left out: its newest log counts"

_UNLIKE = (
    "sets of options among the shards in one folder ({}): no parts of one study. Keep each study "
    "in a folder of its own"
)

_TWICE = "workers had shard {}: what both judged counts once. Give each worker a shard of its own"


def newest(logs: Sequence[str]) -> tuple[list[str], list[Note]]:
    """Logs, of each shard's folder the first only, and a note on the others.

    Args:
        logs: Logs of a folder, the newest first.
    """
    folders = [str(PurePath(one).parent) if _IN_A_SHARD.fullmatch(one) else one for one in logs]
    kept = {*dict(zip(reversed(folders), reversed(logs), strict=True)).values()}
    older = [one for one in logs if one not in kept]
    notes = [Note(_OLDER, len(older), _study(older[0]))] if older else []
    return [one for one in logs if one in kept], notes


def part_of(log: EvalLog, where: str, samples: Collection[object], judgments: int) -> Part | None:
    """What a log has of a study in shards; None if it is of none.

    Its samples tell which shards it has: a merged log has several.
    """
    given = (log.eval.metadata or {}).get("shard") or log.eval.task_args.get("shard")
    try:
        shard = None if given is None else Shard.of(given)
    except UserError:  # another task's argument
        return None
    if shard is None:
        return None
    found = {place_of(one, shard.number) for one in samples}
    alone = _IN_A_SHARD.fullmatch(where) or not found
    places = [shard.place] if alone else sorted(found)
    options = {name: _short(one) for name, one in log.eval.task_args.items() if name != "shard"}
    return Part(places, shard.number, options, judgments)


def _short(value: object) -> str:
    """An argument as JSON; a long one, such as the questions, by a hash."""
    text = json.dumps(value, default=str)
    if len(text) <= _LONGEST:
        return text
    return blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()


def said_of_shards(logs: Mapping[str, Log]) -> Iterator[Note]:
    """What is missing from studies in shards, and what does not fit together."""
    studies: dict[tuple[object, ...], dict[str, Part]] = defaultdict(dict)
    folders: dict[tuple[object, str], dict[tuple[object, ...], dict[str, str]]] = defaultdict(dict)
    for where, log in sorted(logs.items()):
        if part := log.part:
            study = (log.run, part.number, json.dumps(part.options, sort_keys=True))
            studies[study][where] = part
            facts = dict(zip(("judge", "task", "temperature"), map(str, log.run), strict=True))
            facts |= {"shards": str(part.number), **part.options}
            alone = _IN_A_SHARD.fullmatch(where) and len(part.places) == 1
            folders[None if alone else log.run, _study(where)][study] = facts
    for (_, folder), several in folders.items():
        names = dict.fromkeys(name for one in several.values() for name in one)
        given = {name: {one.get(name, "none") for one in several.values()} for name in names}
        if unlike := [
            f"{name}: {', '.join(sorted(of))}" for name, of in given.items() if len(of) > 1
        ]:
            yield Note(_UNLIKE.format("; ".join(unlike)), len(several), folder)
    for parts in studies.values():
        yield from _twice(parts, logs)
        yield from _missing(parts)


def _twice(parts: Mapping[str, Part], logs: Mapping[str, Log]) -> Iterator[Note]:
    """A note on each shard that several workers had; a retry is the same worker's."""
    number, tasks = next(iter(parts.values())).number, defaultdict[int, dict[str, str]](dict)
    for where, part in parts.items():
        if len(part.places) == 1:
            tasks[part.places[0]].setdefault(logs[where].task, where)
    for place, workers in tasks.items():
        if len(workers) > 1:
            what = _TWICE.format(f"{place}/{number}")
            yield Note(what, len(workers), ", ".join(workers.values()))


def _missing(parts: Mapping[str, Part]) -> Iterator[Note]:
    """A note on the shards that no log has, with about how many judgments they have."""
    number = next(iter(parts.values())).number
    there = {place for part in parts.values() for place in part.places}
    absent = [f"{place}/{number}" for place in range(number) if place not in there]
    if absent:
        sizes = [part.judgments / len(part.places) for part in parts.values() if part.judgments]
        each = sum(sizes) / max(len(sizes), 1)
        verb = "shard {} is missing" if len(absent) == 1 else "shards {} are missing"
        lacking = f"{verb.format(', '.join(absent))}. Judge with -T shard={absent[0]}"
        what = f"of about {each * number:,.0f} judgments: {lacking}"
        yield Note(what, round(each * len(absent)), _study(next(iter(parts))))


def _study(where: str) -> str:
    """The folder of a log's study."""
    found = _IN_A_SHARD.fullmatch(where)
    return found["study"] if found else str(PurePath(where).parent)
