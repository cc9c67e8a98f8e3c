"""Checks: runs of one judge on the same outputs, in order of time."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..judgments.columns import CHECK_ID, COLUMNS, numbers_of, of_role
from ..judgments.count import NUMBER
from ..judgments.days import as_months, iso_days, month_in, refuse_either_order
from ..judgments.duplicates import empty_cells, has_dates
from ..judgments.judge_of import differs, judge_of, version_of
from ..judgments.log_facts import Log
from ..judgments.rows import ENDINGS
from ..judgments.table import Judgments
from ..record.replications import VOTES
from ..shell import quote
from ..verdicts import NON_RESPONSE

if TYPE_CHECKING:
    import pandas as pd

CHECK = "check of a stream"
"""Column that numbers the check of a judgment, from 0."""

UNNAMED = "the judge"
"""A judge without a name."""

NO_JUDGMENT = "no judgment: "
"""How the reason begins why a check is left out that has none."""

_RUN, _DRAW = "run of a check", "draw of a check"

_EXACT = (
    "These verdicts are exact distributions, which have no noise: whatever differs has changed. "
    "Compare two of the logs: inspect-reliability compare A B"
)
_NO_TIME = "watch needs the time of each check: logs have it, and a file needs a column 'time'. "
_ANOTHER_NAME = (
    "If yours has another name, say --column YOURS=time; if each file is a check and its name has "
    "the date, --column file=time."
)
_COMPARED = " Two files can be compared without times: {}"
_OF_MONTHS = (
    "watch needs the time of each check, and {} a month without its year. Rename {}, with the year "
    "in place of YEAR; then --column file=time reads the times from the names."
)

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
        seeds: Base seeds of its runs, where their logs say them.
        repairs: Time, as a number and as its source says, and number of the judgments that were
            made later, for calls of it that had failed.
        lost: How many judgments its first log lacks because their calls failed.
    """

    time: str
    when: float
    settings: Mapping[str, str]
    name: str
    places: Sequence[str] = ()
    reason: str | None = None
    seeds: Collection[str] = ()
    repairs: Sequence[tuple[float, str, int]] = ()
    lost: int = 0

    @property
    def judge(self) -> str:
        """The judge by name."""
        return self.settings.get("judge", UNNAMED)

    @property
    def failed(self) -> int:
        """How many of its calls failed, as its logs say, and were not made again."""
        return max(0, self.lost - sum(number for *_, number in self.repairs))

    def made_also_by(self, run: Check) -> Check:
        """The same with the logs and the seeds of a run that repaired it."""
        places, seeds = (*self.places, *run.places), {*self.seeds, *run.seeds}
        return replace(self, places=places, seeds=seeds)

    @property
    def seed(self) -> int:
        """A seed that no other check has, nor a part in."""
        return int.from_bytes(blake2b(self.name.encode(), digest_size=6).digest(), "big")


def checks_of(judgments: Judgments, compare: str = "") -> tuple[pd.DataFrame, list[Check]]:
    """The checks in the order of time, and the table with the number of each judgment's check.

    A run and its retries are one check of the time at which it began, wherever their logs are; so
    are runs of one task in one folder, with one seed or none, that have no draw in common, and rows
    of one `check_id`.

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
        raise no_time(compare, _dated(judgments))
    if lost.any():
        yours = next((one.yours("time") for one in judgments.readings), "time")
        raise UserError(
            f"Judgments have no time in column {yours!r}: {int(lost.sum()):,} of {len(key):,}, as "
            f"of question {table['question'][lost].iloc[0]!r:.40}. Fill it in, or leave out these "
            "rows: which check they are of cannot be told."
        )
    who = [table[name].astype(object).where(table[name].notna(), "") for name in _WHO]
    when = _numbers({one: _time(judgments, one) for one in key.unique()}, compare)
    began, ids = _began(table, key, who, when)
    own: dict[str, Any] = {_RUN: [*zip(began, *who, ids, strict=True)], _DRAW: [*_draws(table)]}
    table = table.assign(**own)
    first = _first_runs(judgments)
    by_run: list[tuple[Any, pd.DataFrame]] = [*table.groupby(_RUN, sort=False)]
    runs = sorted(by_run, key=lambda one: _order(judgments, one[0], when, first))
    number_of = dict[Any, int]()
    checks, made = list[Check](), list[set[Hashable]]()
    latest: dict[Hashable, int] = {}
    for of, rows in runs:
        place, draws = of[0], {*rows[_DRAW]}
        found = _check(judgments, place, rows, when, first)
        log = judgments.logs.get(place)
        ways = [(one, of[1:]) for one in _same_run(place, log)] if log else [of]
        joined = [latest[way] for way in ways if log and way in latest]
        alike = [one for one in joined if not differs(checks[one].settings, found.settings)]
        number = next((one for one in alike if made[one].isdisjoint(draws)), len(checks))
        if number < len(checks):
            known = checks[number].made_also_by(found)
            later = (when[place], _time(judgments, place), len(rows))
            checks[number] = replace(known, repairs=(*known.repairs, later))
            made[number] |= draws
        else:
            if of[-1] and any(one.name == found.name for one in checks):
                found = replace(found, name=f"{found.name} {of[-1]}")
            checks.append(found)
            made.append(draws)
        latest |= dict.fromkeys(ways, number)
        number_of[of] = number
    table = table.assign(**{CHECK: table[_RUN].map(number_of)})
    for of, rows in runs if CHECK_ID in table else ():
        late = rows.index[key[rows.index] != of[0]]
        for _, some in table.loc[late].groupby(key[late].map(when)):
            number, at = number_of[of], str(key[some.index[0]])
            known, made_at = checks[number], (when[at], at)
            table, checks[number] = with_repair(table, known, number, some.index, made_at)
    return table, checks


def with_empty(
    table: pd.DataFrame, checks: Sequence[Check], judgments: Judgments, lost: Sequence[Check] = ()
) -> tuple[pd.DataFrame, list[Check]]:
    """The table and the checks, those without any judgment among them, in the order of time.

    `lost` are those of which nothing can be read.
    """
    every = sorted([*checks, *_empty(table, judgments), *lost], key=lambda one: one.when)
    place = {one.name: number for number, one in enumerate(every)}
    numbers = dict(enumerate(place[one.name] for one in checks))
    return table.assign(**{CHECK: table[CHECK].map(numbers)}), every


def _empty(table: pd.DataFrame, judgments: Judgments) -> Iterator[Check]:
    """Runs of the judge that made nothing, and are no part of a run that made something.

    A retry is part of its run, and so is a run with its folder and its seed.
    """
    logs = judgments.logs
    full = {where: log for where, log in logs.items() if not log.empty}
    here = {*table["log"].dropna()} if "log" in table else set[str]()
    again = any("grader" in log.settings for log in logs.values())
    tasks = {log.run[1] for log in full.values()}
    before = {way for where, log in full.items() for way in _same_run(where, log)}
    for where, log in sorted(logs.items(), key=lambda one: (one[1].created, one[0])):
        is_check = "grader" in log.settings if again else log.run[1] in tasks
        same = {one for one, of in full.items() if not differs(of.settings, log.settings)}
        if not (log.empty and log.gaps and is_check) or (same and same.isdisjoint(here)):
            continue  # of another task, or of a judge that was left out by name
        own = {*_same_run(where, log)}
        if own & before:  # a retry of a run that made nothing is the same check
            continue
        before |= own
        lost = ", ".join(dict.fromkeys(f"{gap.size:,} {gap.what}" for gap in log.gaps))
        why = f"all {log.failed:,} calls failed" if log.failed else lost
        settings = {**log.settings, "judge": log.settings.get("grader", log.run[0])}
        yield Check(
            log.created,
            as_number(log.created),
            settings,
            f"{log.id} {where}",
            (where,),
            f"{NO_JUDGMENT}{why}",
            {log.seed} - {""},
            lost=log.failed,
        )


def _began(
    table: pd.DataFrame, key: pd.Series[Any], who: Sequence[Any], when: Mapping[str, float]
) -> tuple[pd.Series[Any], Any]:
    """The time at which the check of each judgment began, and its id where it has one."""
    if CHECK_ID not in table:
        return key, [""] * len(table)
    ids = table[CHECK_ID].astype(object)
    known = key[ids.notna()]
    first = known.map(when).groupby([ids[known.index], *(one[known.index] for one in who)])
    began = key.copy()
    began[known.index] = key[first.transform("idxmin")].to_numpy()
    return began, ids.where(ids.notna(), "")


def _same_run(place: str, log: Log) -> Iterator[Hashable]:
    """What runs share that make up for each other: a retry its lineage, one made again a folder.

    A run made again into a folder has the seed of the first, too.
    """
    if log.lineage:
        yield log.lineage
    yield str(PurePosixPath(place).parent), log.task, log.seed, *sorted(log.settings.items())


def _first_runs(judgments: Judgments) -> dict[str, str]:
    """Each log -> the first log of its lineage, which may have no judgment that is not a copy.

    Of a run that was made again because it made nothing, it is the log of that one.
    """
    logs, first = judgments.logs, dict[Hashable, str]()
    made = {place: (as_number(log.created), _last_began(log), place) for place, log in logs.items()}
    found = dict[str, str]()
    for place in sorted(logs, key=made.__getitem__):
        log = logs[place]
        ways = [*_same_run(place, log)]
        found[place] = next((first[one] for one in ways if one in first), place)
        for way in ways if logs[found[place]].empty else [log.lineage or place]:
            first.setdefault(way, found[place])
    return found


def with_repair(
    table: pd.DataFrame,
    check: Check,
    number: int,
    later: pd.Index[int],
    made: tuple[float, str],
) -> tuple[pd.DataFrame, Check]:
    """The table and a check with judgments that were made later, for calls that had failed.

    They take the place of as many failed calls of their outputs, and are numbered as draws of their
    own.

    Args:
        table: Judgments with the numbers of their checks.
        check: The check.
        number: Its number.
        later: The rows of the later judgments.
        made: When these were made, as a number and in words.
    """
    cell = [*cell_columns(table), *of_role(table, "part")]
    earlier = table.index[table[CHECK] == number].difference(later)
    of = numbers_of(*(table[name] for name in cell))
    mended = of[later].value_counts()
    failed = of[earlier][table["verdict"][earlier] == NON_RESPONSE]
    gone = failed.index[failed.groupby(failed).cumcount() < failed.map(mended).fillna(0)]
    table = table.copy()
    table.loc[later, CHECK] = number
    table.loc[later, "replication"] += int(table.loc[earlier, "replication"].max())
    repairs = (*check.repairs, (*made, len(later)))
    return table.drop(index=gone), replace(check, repairs=repairs)


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


def no_time(compare: str, dated: Mapping[str, str] | None = None) -> UserError:
    """What to say without times.

    Args:
        compare: The call that needs none, if one is.
        dated: Names of columns that have dates, as their source has them, and what to do first.
    """
    ways = " or ".join(f"--column {quote(f'{name}=time')}" for name in dated or ())
    named = f"To read it from a column with dates, say {ways}." if dated else _ANOTHER_NAME
    first = "".join((dated or {}).values())
    return UserError(f"{_NO_TIME}{named}{first}{compare and _COMPARED.format(compare)}")


def _dated(judgments: Judgments) -> dict[str, str]:
    """Columns without a use that have a date in nearly every row, and which rows to fill in."""
    table = judgments.table
    others = [str(name) for name in table.select_dtypes("object") if name not in COLUMNS]
    found = {name: empty_cells(table, name) for name in others if has_dates(table[name])}
    return {
        name: f" Column {name!r} is {empty}: fill it in first." * bool(empty)
        for name, empty in found.items()
    }


def refuse_months(files: Sequence[str], compare: str) -> None:
    """Refuse files as checks whose names have months without a year, which have no order.

    Raises:
        UserError: They are such; the message says what to rename them to.
    """
    open_ = [Path(one) for one in files if not has_date(one)]
    months = [month_in(one.stem) for one in open_]
    if not months or not all(months):
        return
    names = zip(open_, months, strict=True)
    how = ", ".join(f"{one.name} to YEAR-{n:02}{one.suffix}" for one, n in names)
    which = f"{open_[0].name!r:.40} {'names' if len(open_) < 2 else 'and others name'}"
    raise UserError(f"{_OF_MONTHS.format(which, how)}{compare and _COMPARED.format(compare)}")


def has_date(name: str) -> bool:
    """Whether the name of a file has a date."""
    return bool(_DATE.search(Path(name).name))


def _numbers(times: Mapping[str, str], compare: str) -> dict[str, float]:
    """Each time as a number: a number as it is, a date, or one in a file's name, in seconds."""
    import pandas as pd

    written = {name: _written(value) for name, value in times.items()}
    if months := as_months([*times.values()]):
        written = {name: months[value] for name, value in times.items()}
    elif all(map(NUMBER.fullmatch, times.values())):
        return {name: float(value) for name, value in times.items()}
    found = {}
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


def as_number(created: str) -> float:
    """The time of a log as a number."""
    return _numbers({created: created}, "")[created]


def _written(time: str) -> str:
    """A time as it is written; of a file the date in its name."""
    in_name = _DATE.search(time) if Path(time).suffix.lower() in ENDINGS else None
    return in_name[0].replace("_", "-") if in_name else time


def _order(
    judgments: Judgments, run: Any, when: Mapping[str, float], first: Mapping[str, str]
) -> tuple[float, float, str, float, float, str]:
    """By the time of the first run of its lineage; within a second, by the start of its samples.

    Runs that agree in both are alike but for their id, which is the same wherever the log is: it
    decides, so that the order is the same at each look. The first run is before its retries.
    """
    place = run[0]
    log, own = judgments.logs.get(first.get(place, place)), judgments.logs.get(place)
    at = as_number(log.created) if log else when[place]
    id = log.id if log else ""
    return at, _last_began(log), id, when[place], _last_began(own), str(run)


def _last_began(log: Log | None) -> float:
    """When the last sample of a log began, as a number; 0 where nothing says."""
    return datetime.fromisoformat(log.last_began).timestamp() if log and log.last_began else 0.0


def _check(
    judgments: Judgments,
    place: str,
    rows: pd.DataFrame,
    when: Mapping[str, float],
    first: Mapping[str, str],
) -> Check:
    log = judgments.logs.get(place)
    settings = judge_of(rows, judgments.logs)
    if not log:
        time = _time(judgments, place)
        return Check(time, when[place], settings, time)
    if log.sample and (version := version_of(place, log.sample)):
        settings["version"] = version
    began = judgments.logs[first[place]]
    seeds = {log.seed} - {""}
    late = [(when[place], log.created, len(rows))] if first[place] != place else []
    at = as_number(began.created)
    known: dict[str, Any] = {"seeds": seeds, "repairs": late, "lost": began.failed}
    return Check(began.created, at, settings, began.id, (place,), **known)


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
    begin = min((number for number in of if number >= first), default=None)
    if begin is None:
        raise UserError(
            f"No check from check {first + 1} ({checks[first].time}) on has a judgment. Begin at "
            "an earlier one, or find out why its calls failed, and check again."
        )
    for number, check in enumerate(checks):
        if number < first:
            yield replace(check, reason=f"before check {first + 1}, with which this begins")
            continue
        if check.reason:
            yield check
            continue
        rows = of[number]
        reason = differs(checks[begin].settings, check.settings) or _prompts(of[begin], rows)
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
