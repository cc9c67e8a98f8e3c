"""One verdict however it is written, in all sources that are read together."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..verdicts import INVALID, NO_VERDICTS, abstentions
from .columns import each_once
from .table import Judgments, Note
from .values import said

if TYPE_CHECKING:
    import pandas as pd

_SCORE = re.compile(
    r"(?:(?:final |overall |total )?(?:score|rating|grade|points?|stars?)(?:\s*(?:is|of|[:=-]))?)?"
    r"[\s*\[(]*(?P<number>[+-]?\d+(?:[.,]\d{1,2})?)[\s*\])]*"
    r"(?:(?:/|out of|of)\s*(?P<most>\d+))?[\s*\])]*"
    r"(?:points?|stars?|%)?\.?",
    re.IGNORECASE,
)
"""A number and what people write around it where it is a score."""

_MOST = 0.9
"""Share of a judge's verdicts that are numbers where its other verdicts are none."""

_SCALE = 3
"""Fewest different numbers of a scale: two could be the numbers of two responses."""

_CASE = "verdicts in other letters taken as one"
_SCORED = "verdicts taken as the numbers that they say"
_WORDS = "verdicts that are words beside numbers taken as invalid"

_Names = Mapping[str, str]


def alike(parts: Sequence[Judgments]) -> list[Judgments]:
    """The same judgments with one spelling of each verdict, and notes on those that had another.

    Verdicts that differ in case only are one, in the spelling that `categories` has,
    else the most frequent one; they stay apart where it has both. "7/10", "Score: 7" and "7,5"
    are numbers where nine in ten verdicts of a judge are, of three values or more; its other words
    are invalid then, but for "tie" and the like. What logs record stays as it is.
    """
    known = [_from_logs(one.table) for one in parts]
    tables = [one.table for one, as_is in zip(parts, known, strict=True) if not as_is]
    given = {text for table in tables for text in table["verdict"].unique()}
    case = _by_case(tables, given)
    scores = {text for text in given if _SCORE.fullmatch(text)}
    plain = {text for text in scores if _label(text) == text}
    numbers = _numbers(tables, case) if scores and given - plain - {*NO_VERDICTS} else {}
    if not case and not numbers:
        return list(parts)
    return [
        one if as_is else _spelled(one, case, numbers)
        for one, as_is in zip(parts, known, strict=True)
    ]


def _from_logs(table: pd.DataFrame) -> bool:
    return "log" in table and bool(table["log"].notna().any())


def _by_case(tables: Sequence[pd.DataFrame], given: Collection[str]) -> _Names:
    """Each verdict that has another spelling -> the one that is taken."""
    declared = {*NO_VERDICTS, *_declared(tables)}
    spellings: dict[str, set[str]] = defaultdict(set)
    for text in (*given, *declared):
        plain = unicodedata.normalize("NFKC", text).casefold()
        spellings[" ".join(plain.split())].add(text)
    several = [one for one in spellings.values() if len(one) > 1]
    if not several:
        return {}
    times = Counter[str]()
    for table in tables:
        times.update(_counted(table))
    found: dict[str, str] = {}
    for one in several:
        fixed = one & declared
        if len(fixed) < 2:
            best = min(fixed or one, key=lambda text: (-times[text], text))
            found |= dict.fromkeys(one - {best}, best)
    return found


def _counted(table: pd.DataFrame) -> Mapping[str, int]:
    return {str(text): n for text, n in table["verdict"].value_counts().items()}


def _declared(tables: Sequence[pd.DataFrame]) -> Iterable[str]:
    # Names of responses in `order` are no spellings: "A" is a label, "a" perhaps a response.
    for table in tables:
        for names in (
            table["categories"].dropna().drop_duplicates() if "categories" in table else ()
        ):
            yield from names


def _numbers(tables: Sequence[pd.DataFrame], case: _Names) -> dict[tuple[Any, ...], _Names]:
    """For judges whose verdicts are numbers: each verdict that is not written as one -> it."""
    times: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    declared = {*_declared(tables)}
    for table in tables:
        for key, rows in _judges(table):
            times[key].update(_counted(rows))
    found = {key: _scale(counts, case, declared) for key, counts in times.items()}
    return {key: names for key, names in found.items() if names}


def _judges(table: pd.DataFrame) -> Iterable[tuple[tuple[Any, ...], pd.DataFrame]]:
    names = [name for name in ("judge", "benchmark", "scorer") if name in table]
    yield from table.groupby([table[name].astype(str) for name in names], sort=False)


def _scale(counts: Mapping[str, int], case: _Names, declared: Collection[str]) -> _Names:
    given = {text: n for text, n in counts.items() if case.get(text, text) not in NO_VERDICTS}
    scores = {text: score for text in given if (score := _SCORE.fullmatch(text))}
    values = {text: _value(score["number"]) for text, score in scores.items()}
    sets = [text for text in values if re.fullmatch(r"\d,\d", text)]
    if (
        sum(given[text] for text in values) < _MOST * sum(given.values())
        or len({*values.values()}) < _SCALE
        or len({score["most"] for score in scores.values()} - {None}) > 1
        or (sets and all(text[0] < text[2] for text in sets))  # "1,2" are two labels
    ):
        return {}
    words = [text for text in given if text not in values and text not in declared]
    kept = {*abstentions(words, ()), *(one for one in words if one.casefold() in _DECIDED)}
    invalid = dict.fromkeys((one for one in words if one not in kept), INVALID)
    return {text: value for text, value in values.items() if text != value} | invalid


_DECIDED = {"both", "neither", "none", "same"}
"""Verdicts beside the numbers of responses."""


def _value(number: str) -> str:
    return str(said(number.replace(",", ".")))


def _spelled(one: Judgments, case: _Names, numbers: Mapping[tuple[Any, ...], _Names]) -> Judgments:
    table = one.table.copy()
    notes = _renamed(table, slice(None), case, _CASE)
    for key, rows in _judges(table) if numbers else ():
        names = numbers.get(key, {})
        words = {text for text, value in names.items() if value == INVALID}
        notes += _renamed(table, rows.index, {text: names[text] for text in words}, _WORDS)
        scores = {text: value for text, value in names.items() if text not in words}
        notes += _renamed(table, rows.index, scores, _SCORED)
        if names and "label" in table:
            table.loc[rows.index, "label"] = each_once(rows["label"], _label)
    where = one.source or "data frame"
    counted = Counter[str]()
    for what, count in notes:
        counted[what] += count
    made = [Note(what, count, where) for what, count in counted.items()]
    return replace(one, table=table, said=(*one.said, *made))


def _renamed(table: pd.DataFrame, rows: Any, names: _Names, what: str) -> list[tuple[str, int]]:
    """Rename verdicts of these rows; what is said of it, and of how many."""
    given = table.loc[rows, "verdict"]
    changed = given[given.isin([*names])]
    if changed.empty:
        return []
    table.loc[changed.index, "verdict"] = changed.map(names)
    return [(f"{what}, as {min(changed)!r:.40} for {names[min(changed)]!r:.40}", len(changed))]


def _label(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_label, value))
    score = None if value is None else _SCORE.fullmatch(value)
    return _value(score["number"]) if score else value
