"""Nights by their folders: those without a check, whose log cannot be read, and the next one."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import chain, count, pairwise
from pathlib import Path
from statistics import median

from ..errors import UserError
from ..judgments.reading import Code
from ..judgments.table import Judgments
from .checks import NO_JUDGMENT, Check, as_number

_DAY = re.compile(r"(?<!\d)(\d{4})[-_]?(\d\d)[-_]?(\d\d)(?!\d)")
"""A day in the name of a folder."""

_BEGAN = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)([+-]\d\d)-(\d\d)")
"""When a run began, in the name that inspect gives its log."""

_LOGS = (".eval", ".json")

_NO_LOG = "its folder {} has no log"
_UNREAD = "its log cannot be read ({})"


def lost_nights(judgments: Judgments, checks: Sequence[Check]) -> list[Check]:
    """Checks that nobody can read: each has its place among the others, and a reason.

    The name of a log has the time at which its run began. Else folders of checks have a name with
    the day, or a number, which puts one between the others.

    Raises:
        UserError: A log cannot be read, and nothing says when it was made.
    """
    if not judgments.logs or not checks:
        return []
    nights = _nights(checks)
    unread = [one for one in judgments.said if one.code is Code.UNREADABLE]
    found = []
    for note in unread:
        folder = Path(note.where).parent
        if folder in nights:
            continue  # a run made again into its folder is the check of that night
        began = _BEGAN.match(Path(note.where).name)
        time = began and "{}T{}:{}:{}{}:{}".format(*began.groups())
        when = as_number(time) if time else _when(folder, nights)
        if when is None:
            raise UserError(
                f"{note.where} cannot be read: {note.why}. Nothing says which check it is: mend "
                "it, or leave it out."
            )
        why = _UNREAD.format(note.why)
        found.append(_lost(checks[0], time or _named(folder), when, note.where, why))
    logs = {Path(place).parent for place in (*judgments.logs, *(one.where for one in unread))}
    for folder in _empty(nights, logs):
        if (when := _when(folder, nights)) is not None:
            why = _NO_LOG.format(folder.name)
            found.append(_lost(checks[0], _named(folder), when, str(folder), why))
    return found


def next_night(checks: Sequence[Check], root: str) -> tuple[str, int]:
    """The folder of the next check below another, named as those before it, and a seed of its own.

    Of days it is today, with a number where today has a check; else the number after them.
    """
    folders = [*_nights(checks)]
    days, today = [_DAY.search(one.name) for one in folders], ""
    if (last := days[-1] if days and all(days) else None) is not None:
        between = last[0][4] * (not last[0][4].isdigit())
        today = f"{date.today():%Y{between}%m{between}%d}"
        first = _DAY.sub(today, folders[-1].name)
        names: Iterable[str] = chain([first], (f"{first}-{n}" for n in count(2)))
    else:
        least = max([len(checks), *(int(_count(one) or 0) for one in folders)])
        names = map(str, count(least + 1))  # a copy that was left out has a folder, too
    name = next(one for one in names if not Path(root, one).exists())
    numbers = name[name.index(today) :]  # not those of a version before it: a seed has 31 bits
    return name, int("".join(filter(str.isdecimal, numbers)))


def _lost(like: Check, time: str, when: float, place: str, why: str) -> Check:
    return Check(time, when, like.settings, place, (place,), f"{NO_JUDGMENT}{why}")


def _nights(checks: Sequence[Check]) -> dict[Path, float]:
    """The folder of each check that has one of its own -> when it began."""
    of: dict[Path, set[float]] = {}
    for check in checks:
        for place in check.places[:1]:
            if Path(place).suffix in _LOGS:  # of a lost night it may be the folder
                of.setdefault(Path(place).parent, set()).add(check.when)
    return {folder: min(times) for folder, times in of.items() if len(times) == 1}


def _empty(nights: Mapping[Path, float], logs: Collection[Path]) -> Iterator[Path]:
    """Folders without a log beside those of two checks or more; `logs` are folders with some."""
    beside = [folder.parent for folder in nights]
    for root in dict.fromkeys(one for one in beside if beside.count(one) > 1):
        with suppress(OSError):  # logs that are no files here have no folders to look at
            for folder in sorted(one for one in {*root.iterdir()} - {*logs} if one.is_dir()):
                if not any(one.suffix in _LOGS for one in folder.rglob("*")):
                    yield folder


def _when(folder: Path, nights: Mapping[Path, float]) -> float | None:
    """When the check of a folder was to begin, as its name among the others says; else None."""
    of = _day if _day(folder) is not None else _count
    place = of(folder)
    known = {of(one): when for one, when in nights.items() if one.parent == folder.parent}
    series = sorted((at, when) for at, when in known.items() if at is not None)
    if place is None or len(series) < 2:
        return None
    if of is _day:  # at the usual hour
        return place + median(when - at for at, when in series)
    step = median(after[1] - before[1] for before, after in pairwise(series))
    before = max((when for at, when in series if at < place), default=series[0][1] - 2 * step)
    after = min((when for at, when in series if at > place), default=before + 2 * step)
    return (before + after) / 2


def _day(folder: Path) -> float | None:
    """The first second of the day in the name of a folder."""
    named = _DAY.search(folder.name)
    with suppress(ValueError):
        return as_number(date(*map(int, named.groups())).isoformat()) if named else None
    return None


def _count(folder: Path) -> float | None:
    """The number that is the name of a folder."""
    return float(folder.name) if folder.name.isdecimal() else None


def _named(folder: Path) -> str:
    """The time of a check by its folder: the day, or the folder itself."""
    named = _DAY.search(folder.name)
    return "-".join(named.groups()) if named else f"folder {folder.name}"
