"""What columns look like by their values, for the call that an error proposes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from .columns import COLUMNS
from .reading import Reading

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 5_000
"""Rows that are looked at."""

_MOST_VALUES = 101
"""Most different verdicts that come back, as grades from 0 to 100 do."""

_MOST_GRADES = 11
"""Different numbers up to which a column that repeats them has grades, and no questions."""

_MOST_JUDGES = 20
"""Most different names of judges."""


def proposal(frame: pd.DataFrame, reading: Reading, several: str = "") -> str:
    """A sentence with one complete call that names the columns.

    Args:
        frame: Rows of the source, under the names of its user.
        reading: What is known of its columns.
        several: What to say if several columns may be verdicts: where nothing is likely, and
            where questions have one row each, so that a label looks like another verdict.
    """
    taken = looks_like(frame, reading)
    if "verdict" not in taken.values() and "verdict" not in frame:
        return several
    known = {ours: yours for yours, ours in {**reading.columns, **taken}.items()}
    question = known.get("question", "question")
    first = several if question in frame and not frame[question].duplicated().any() else ""
    said = reading.call({"columns": {**reading.columns, **taken}})
    if reading.in_python:
        return f"{first} By their values: {said}."
    read = f"inspect-reliability read {shlex.quote(reading.where)} {said} --save reading.yaml"
    return f"{first} By their values:\n  {read}"


def looks_like(frame: pd.DataFrame, reading: Reading) -> dict[str, str]:
    """Name in the source -> ours, as far as values show it.

    A question repeats, once for each try and judge. Tries are numbered within it from 0 or 1, and
    judges have few names. Of columns with few values, a label is the same in all rows of a
    question, and a verdict is not. Nothing is likely where several columns could be the verdict.
    """
    rows = frame.head(_ROWS).map(lambda one: None if _blank(one) else str(one).strip())
    rows = rows.set_axis([*map(str, rows)], axis="columns")
    found = {yours: ours for yours, ours in reading.columns.items() if yours in rows}
    known = {*found.values()} | ({*rows} & {*COLUMNS})
    free = [name for name in map(str, rows) if name not in found and name not in COLUMNS]
    taken: dict[str, str] = {}

    def take(ours: str, name: str | None) -> None:
        if name is not None and ours not in known:
            taken[name] = ours
            free.remove(name)

    question: str | None = "question"
    if "question" in known:
        question = next((yours for yours, ours in found.items() if ours == "question"), question)
    else:
        question = _question(rows, free)
        if question is None:
            return {}
        take("question", question)
    each: Any = rows.groupby(question, dropna=False)
    once = not rows[question].duplicated().any()
    take(
        "replication", next((name for name in free if not once and _tries(rows, each, name)), None)
    )
    take("judge", next((name for name in free if not once and _judges(rows, each, name)), None))
    few = [name for name in free if _few(rows[name])]
    fixed = [name for name in few if each[name].nunique().max() < 2]
    varied = [name for name in few if name not in fixed]
    numbers = [name for name in (varied or few) if _numbers(rows[name])]
    verdict = next(iter(numbers or varied or few), None)
    said = {*rows[verdict].dropna()} if verdict else set()
    same = [one for one in few if one != verdict and _alike(said, {*rows[one].dropna()})]
    if any(one in varied for one in same) or (once and len(same) > 1):
        return {}
    take("verdict", verdict)
    alike = [name for name in fixed if name in free and _alike(said, {*rows[name].dropna()})]
    take("label", next(iter(alike), None))
    return taken


def _blank(one: object) -> bool:
    return one is None or one != one or not str(one).strip()


def _question(rows: pd.DataFrame, free: list[str]) -> str | None:
    """The column with most values of equally many rows each, of two or more if any has."""
    best: tuple[tuple[bool, bool, int], str] | None = None
    for name in free:
        sizes = rows[name].value_counts(dropna=False)
        if len(sizes) < 3 or rows[name].isna().any():
            continue
        even = bool(sizes.max() <= 2 * sizes.min())
        repeats = bool(sizes.min() > 1)
        if repeats and len(sizes) <= _MOST_GRADES and _numbers(rows[name]):
            continue
        if even and (best is None or (repeats, not _numbers(rows[name]), len(sizes)) > best[0]):
            best = (repeats, not _numbers(rows[name]), len(sizes)), name
    return best and best[1]


def _tries(rows: pd.DataFrame, each: Any, name: str) -> bool:
    """Whether a column counts from 0 or 1 within each question."""
    values = rows[name].dropna()
    if not len(values) or not values.map(str.isdecimal).all():
        return False
    numbers = sorted(values.astype(int).unique().tolist())
    counted = numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
    return (
        counted and len(numbers) > 1 and bool((each[name].nunique() == len(numbers)).mean() > 0.9)
    )


def _judges(rows: pd.DataFrame, each: Any, name: str) -> bool:
    """Whether a column has few names, all of them in nearly every question, equally often."""
    sizes = rows[name].value_counts()
    if not 1 < len(sizes) <= _MOST_JUDGES or _numbers(rows[name]) or rows[name].isna().any():
        return False
    every = (each[name].nunique() == len(sizes)).mean() > 0.9
    return bool(every and sizes.max() <= 1.1 * sizes.min())


def _few(values: pd.Series[str]) -> bool:
    """Whether a column has two or more values that come back, as verdicts do."""
    known = values.dropna()
    n = known.nunique()
    return 1 < n <= _MOST_VALUES and 2 * n <= max(len(known), 3)


def _numbers(values: pd.Series[str]) -> bool:
    """Whether every value is a number."""
    import pandas as pd

    return bool(pd.to_numeric(values.dropna(), errors="coerce").notna().all())


def _alike(verdicts: set[str], labels: set[str]) -> bool:
    """Whether labels could be those of these verdicts: the same values, or numbers as well."""
    both = len(verdicts & labels) * 2 >= min(len(verdicts), len(labels))
    return both or all(one.replace(".", "", 1).isdecimal() for one in verdicts | labels)
