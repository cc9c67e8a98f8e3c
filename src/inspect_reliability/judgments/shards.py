"""The shards of a study that several workers judged: what is missing, and what is not alike."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..errors import UserError
from ..record.shards import SLURM, Shard, place_of
from .log import Log, Note, Part

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

_IN_A_SHARD = re.compile(r"(?P<study>.*\.shards)[/\\]\d+[/\\][^/\\]+")
"""A log in the folder of its shard, as inspect merges them: `<name>.shards/<k>/*.eval`."""

_LONGEST = 40
"""Most characters of an argument that is kept as it is."""

_OLDER = "older logs in the folder of a shard left out: its newest log counts"
_MERGED = "logs of shards are in {}, which is merged of them: read once"
_OTHER_STUDIES = "studies have shards in one folder ({}): give each a folder of its own"
_OTHER_OPTIONS = "sets of options among the shards of one study ({}): judge these shards anew"
_TWO_WORKERS = "judgments of shard {}, which {} has too: two workers had it, leave one log out"


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
        shard = None if given in (None, SLURM) else Shard.of(given)
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


def of_merged(found: Mapping[str, tuple[Part, Collection[object]]]) -> dict[str, str]:
    """Logs of shards -> the merged log that has all their samples.

    Args:
        found: Place of each log -> its part of the study, and the ids of its samples.
    """
    merged = {where: {*ids} for where, (part, ids) in found.items() if len(part.places) > 1}
    return {
        where: other
        for where, (part, ids) in found.items()
        for other, whole in merged.items()
        if len(part.places) == 1 and whole.issuperset(ids)
    }


def read_once(logs: Mapping[str, str]) -> list[Note]:
    """Notes on logs of shards that were left out beside a merged log; see `of_merged`."""
    return [
        Note(_MERGED.format(merged), [*logs.values()].count(merged), _study(next(iter(logs))))
        for merged in dict.fromkeys(logs.values())
    ]


def said_of_shards(logs: Mapping[str, Log]) -> Iterator[Note]:
    """What is missing from studies in shards, and what does not fit together."""
    studies: dict[tuple[object, ...], dict[str, Part]] = defaultdict(dict)
    runs: dict[str, dict[str, None]] = defaultdict(dict)
    for where, log in sorted(logs.items()):
        if log.part:
            options = json.dumps(log.part.options, sort_keys=True)
            studies[log.run, log.part.number, options][where] = log.part
            if len(log.part.places) == 1 and _IN_A_SHARD.fullmatch(where):
                runs[_study(where)][f"{log.run[1]} by {log.run[0]}"] = None
    for folder, names in runs.items():
        if len(names) > 1:
            yield Note(_OTHER_STUDIES.format("; ".join(names)), len(names), folder)
    yield from _other_options(studies)
    for parts in studies.values():
        yield from _missing(parts)
        yield from _with_two_workers(parts, {where: logs[where].task for where in parts})


def _missing(parts: Mapping[str, Part]) -> Iterator[Note]:
    """A note on the shards that no log has, with about how many judgments they have."""
    number = next(iter(parts.values())).number
    there = {place for part in parts.values() for place in part.places}
    absent = [f"{place}/{number}" for place in range(number) if place not in there]
    if absent:
        sizes = [part.judgments / len(part.places) for part in parts.values() if part.judgments]
        each = sum(sizes) / max(len(sizes), 1)
        verb = "shard {} is missing" if len(absent) == 1 else "shards {} are missing"
        what = f"of about {each * number:,.0f} judgments: {verb.format(', '.join(absent))}"
        yield Note(what, round(each * len(absent)), _study(next(iter(parts))))


def _with_two_workers(parts: Mapping[str, Part], tasks: Mapping[str, str]) -> Iterator[Note]:
    """Notes on logs of one shard that are no retries of each other."""
    first: dict[int, str] = {}
    for where, part in parts.items():
        if len(part.places) == 1:
            (place,) = part.places
            if tasks[other := first.setdefault(place, where)] != tasks[where]:
                shard = f"{place}/{part.number}"
                yield Note(_TWO_WORKERS.format(shard, other), part.judgments, where)


def _other_options(studies: Mapping[tuple[object, ...], Mapping[str, Part]]) -> Iterator[Note]:
    """Notes on shards in one folder, of one task and judge, that were run with other options."""
    alike: dict[tuple[object, str], list[Part]] = defaultdict(list)
    for (run, *_), parts in studies.items():
        for folder in dict.fromkeys(map(_study, parts)):
            alike[run, folder].append(next(iter(parts.values())))
    for (_, folder), several in alike.items():
        if len(several) > 1:
            given = [dict(one.options) | {"shards": str(one.number)} for one in several]
            names = dict.fromkeys(name for one in given for name in one)
            values = {name: dict.fromkeys(one.get(name, "none") for one in given) for name in names}
            said = [
                f"{name}: {', '.join(sorted(of))}" for name, of in values.items() if len(of) > 1
            ]
            yield Note(_OTHER_OPTIONS.format("; ".join(said)), len(several), folder)


def _study(where: str) -> str:
    """The folder of a log's study."""
    found = _IN_A_SHARD.fullmatch(where)
    return found["study"] if found else str(PurePath(where).parent)
