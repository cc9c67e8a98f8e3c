"""Checks: runs of one judge on the same outputs, in order of time."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..judgments.columns import of_role
from ..judgments.count import NUMBER
from ..judgments.days import iso_days, refuse_either_order
from ..judgments.judge_of import differs, judge_of, version_of
from ..judgments.rows import ENDINGS
from ..judgments.table import Judgments
from ..record.replications import VOTES

if TYPE_CHECKING:
    import pandas as pd

CHECK = "check of a stream"
"""Column that numbers the check of a judgment, from 0."""

UNNAMED = "the judge"
"""A judge without a name."""

_RUN, _DRAW = "run of a check", "draw of a check"

_EXACT = (
    "These verdicts are exact distributions, which have no noise: whatever differs has changed. "
    "Compare two of the logs: inspect-reliability compare A B"
)
_NO_TIME = (
    "watch needs the time of each check: logs have it, and a file needs a column 'time'. If yours "
    "has another name, say --column YOURS=time; if each file is a check and its name has the date, "
    "--column file=time."
)
_COMPARED = " Two files can be compared without times: {}"

_DATE = re.compile(r"(?<!\d)(?:\d{4}[-_]?\d{2}(?:[-_]?\d{2})?|\d{1,2}\.\d{1,2}\.\d{4})(?!\d)")
"""A date in the name of a file, to the day or the month."""

_YEAR = re.compile(r"\d{4}")
"""What a date has, and a day without a year or a time without a day has not."""


@dataclass(frozen=True)
class Check:
    """One run of a judge.

    Attributes:
        time: When it began, as its source says.
        when: The same as a number, in the order of time.
        settings: What makes its judge, by name.
        name: What tells it from every other check, whichever these are.
        places: Its logs.
        reason: Why it is not part of the stream; None if it is.
    """

    time: str
    when: float
    settings: Mapping[str, str]
    name: str
    places: Sequence[str] = ()
    reason: str | None = None

    @property
    def judge(self) -> str:
        """The judge by name."""
        return self.settings.get("judge", UNNAMED)

    @property
    def seed(self) -> int:
        """A seed that no other check has, nor a part in."""
        return int.from_bytes(blake2b(self.name.encode(), digest_size=6).digest(), "big")


def checks_of(judgments: Judgments, compare: str = "") -> tuple[pd.DataFrame, list[Check]]:
    """The checks in the order of time, and the table with the number of each judgment's check.

    A run and its retries in one folder are one check.

    Args:
        judgments: What was read.
        compare: The call that compares two files without times; empty where these are not two.

    Raises:
        UserError: The judgments have no times, or are exact distributions.
    """
    import pandas as pd

    table = _of_judge(judgments)
    if "share" in table and table["share"].notna().any():
        raise UserError(_EXACT)
    run = table["log"] if "log" in table else pd.Series(None, table.index, dtype=object)
    time = table.get("time", pd.Series(None, table.index, dtype=object))
    key = run.where(run.notna(), time)
    if (lost := key.isna()).all():
        raise no_time(compare)
    if lost.any():
        yours = next((one.yours("time") for one in judgments.readings), "time")
        raise UserError(
            f"Judgments have no time in column {yours!r}: {int(lost.sum()):,} of {len(key):,}, as "
            f"of question {table['question'][lost].iloc[0]!r:.40}. Fill it in, or leave out these "
            "rows: which check they are of cannot be told."
        )
    who = [table[name].astype(object).where(table[name].notna(), "") for name in _WHO]
    own: dict[str, Any] = {_RUN: [*zip(key, *who, strict=True)], _DRAW: [*_draws(table)]}
    table = table.assign(**own)
    when = _numbers({one[0]: _time(judgments, one[0]) for one in table[_RUN].unique()}, compare)
    by_run: list[tuple[Any, pd.DataFrame]] = [*table.groupby(_RUN, sort=False)]
    runs = sorted(by_run, key=lambda one: _order(judgments, one[0], when))
    number_of = dict[Any, int]()
    checks, made = list[Check](), list[set[Hashable]]()
    latest: dict[Hashable, int] = {}
    for of, rows in runs:
        place, draws = of[0], {*rows[_DRAW]}
        found = _check(judgments, place, rows, when[place])
        log = judgments.logs.get(place)
        same = (str(PurePosixPath(place).parent), log.task, *found.settings.items()) if log else of
        number = latest.get(same)
        if log and number is not None and made[number].isdisjoint(draws):
            known = checks[number]
            checks[number] = replace(known, places=(*known.places, *found.places))
            made[number] |= draws
        else:
            latest[same] = number = len(checks)
            checks.append(found)
            made.append(draws)
        number_of[of] = number
    return table.assign(**{CHECK: table[_RUN].map(number_of)}), checks


_WHO = ("judge", "temperature")


def _of_judge(judgments: Judgments) -> pd.DataFrame:
    """The judgments without a panel's single votes, and without scores that were judged again."""
    table = judgments.table
    if "scorer" in table:
        table = table[[f".{VOTES}" not in str(one) for one in table["scorer"]]]
    again = {where for where, log in judgments.logs.items() if "grader" in log.settings}
    if again and "log" in table:
        table = table[table["log"].isin(again)]
    return table.reset_index(drop=True)


def _time(judgments: Judgments, place: str) -> str:
    log = judgments.logs.get(place)
    return log.created if log else str(place)


def no_time(compare: str) -> UserError:
    """What to say without times; `compare` is the call that needs none, if one is."""
    return UserError(f"{_NO_TIME}{compare and _COMPARED.format(compare)}")


def has_date(name: str) -> bool:
    """Whether the name of a file has a date."""
    return bool(_DATE.search(Path(name).name))


def _numbers(times: Mapping[str, str], compare: str) -> dict[str, float]:
    """Each time as a number: a number as it is, a date, or one in a file's name, in seconds."""
    import pandas as pd

    if all(map(NUMBER.fullmatch, times.values())):
        return {name: float(value) for name, value in times.items()}
    found = {}
    written = {name: _written(value) for name, value in times.items()}
    refuse_either_order(written.values())
    days = iso_days(written.values())
    for name, value in times.items():
        day = days[written[name]]
        try:
            read = pd.Timestamp(day) if _YEAR.search(day) else None
        except ValueError:
            read = None
        if read is None:
            raise UserError(
                f"The time {value!r} is no date or number. Write it as 2026-01-31 or "
                "2026-01-31T08:30; a file's name needs such a date in it, or 2026-01."
                f"{compare and _COMPARED.format(compare)}"
            )
        found[name] = (read.tz_localize("UTC") if read.tz is None else read).timestamp()
    return found


def _written(time: str) -> str:
    """A time as it is written; of a file the date in its name."""
    in_name = _DATE.search(time) if Path(time).suffix.lower() in ENDINGS else None
    return in_name[0].replace("_", "-") if in_name else time


def _order(
    judgments: Judgments, run: Any, when: Mapping[str, float]
) -> tuple[float, float, str, str]:
    """By time; within a second, by the start of the first sample.

    Runs that agree in both are alike but for their id, which is the same wherever the log is: it
    decides, so that the order is the same at each look.
    """
    log = judgments.logs.get(run[0])
    began = 0.0
    if log and log.began:
        began = datetime.fromisoformat(log.began).timestamp()
    return when[run[0]], began, log.id if log else "", str(run)


def _check(judgments: Judgments, place: str, rows: pd.DataFrame, when: float) -> Check:
    log = judgments.logs.get(place)
    settings = judge_of(rows, judgments.logs)
    if log and log.sample and (version := version_of(place, log.sample)):
        settings["version"] = version
    time = _time(judgments, place)
    return Check(time, when, settings, log.id if log else time, (place,) if log else ())


def cell_columns(table: pd.DataFrame) -> list[str]:
    """The columns that tell apart what was judged, and how: draws of one cell are alike."""
    without = ("judge", "temperature", "time", "order", "study", "prompt")
    known = of_role(table, "unit", "facet", without=without)
    return [*known, *({"responder"} & {*table} if _by_responder(table) else ())]


def _by_responder(table: pd.DataFrame) -> bool:
    """Whether a responder is whose output was judged, and not whom the judge chose."""
    chosen = "order" in table and table["order"].notna().any()
    return "responder" in table and not chosen


def _draws(rows: pd.DataFrame) -> Iterator[Hashable]:
    """What no two judgments of a check share."""
    names = [*cell_columns(rows), *of_role(rows, "part"), "replication"]
    return zip(*(rows[name].astype(str) for name in names), strict=True)


def in_stream(table: pd.DataFrame, checks: Sequence[Check], first: int) -> Iterator[Check]:
    """The checks, those that are not part of the stream with the reason.

    The stream is that of the judge of the check to begin at. A check that repeats the seeds of an
    earlier one with the same verdicts has the same draws.
    """
    seen = dict[Hashable, int]()
    of = dict([*table.groupby(CHECK)])
    for number, check in enumerate(checks):
        if number < first:
            yield replace(check, reason=f"before check {first + 1}, with which this begins")
            continue
        rows = of[number]
        reason = differs(checks[first].settings, check.settings) or _prompts(of[first], rows)
        reason = f"another judge: {reason}" if reason else ""
        if not reason and "seed" in rows and rows["seed"].notna().all():
            not_kept = "seed_check" in rows and (rows["seed_check"] == "not honoured").any()
            said = zip(rows[_DRAW], rows["seed"], rows["verdict"], strict=True)
            same = seen.setdefault(frozenset(said), number)
            if same != number and not not_kept:
                reason = f"same seeds and verdicts as check {same + 1}: the same draws"
        yield replace(check, reason=reason or None)


def _prompts(was: pd.DataFrame, now: pd.DataFrame) -> str:
    """In words, that no output has a prompt of the first check's; empty if orders make new ones.

    Prompts of other questions differ because these do, whoever judges them.
    """
    if "order" in now or not all("prompt" in rows for rows in (was, now)):
        return ""
    cell = [name for name in cell_columns(was) if name in now]
    before, after = (_prompts_of_cells(rows, cell) for rows in (was, now))
    shared = before.keys() & after.keys()
    return "other prompts" if shared and all(before[k].isdisjoint(after[k]) for k in shared) else ""


def _prompts_of_cells(rows: pd.DataFrame, cell: Sequence[str]) -> dict[Hashable, set[str]]:
    """The prompts of each output that has one."""
    found: dict[Hashable, set[str]] = {}
    known = rows[rows["prompt"].notna()]
    keys = zip(*(known[name].map(str) for name in cell), strict=True)
    for key, prompt in zip(keys, known["prompt"].map(str), strict=True):
        found.setdefault(key, set()).add(prompt)
    return found
