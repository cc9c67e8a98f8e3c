"""One verdict however it is written, in all sources that are read together."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..verdicts import INVALID, NO_VERDICTS, abstentions
from .columns import each_once
from .table import Judgments, Note, n_judgments, weights
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
_Judge = tuple[str, ...]


def alike(parts: Sequence[Judgments]) -> list[Judgments]:
    """The same judgments with one spelling of each verdict, and notes on those that had another.

    Verdicts that differ in case only are one, in the spelling that `categories` has,
    else the most frequent one; they stay apart where it has both. "7/10", "Score: 7" and "7,5"
    are numbers where nine in ten verdicts of a judge are, of three values or more; its other words
    are invalid then, but for "tie" and the like. What logs record stays as it is.
    """
    times: dict[_Judge, Counter[str]] = defaultdict(Counter)
    declared: set[str] = set()
    for table in (one.table for one in parts if not _from_logs(one.table)):
        by = [table[name] for name in (*_judge(table), "verdict")]
        sizes = weights(table).groupby(by, dropna=False, sort=False).sum().astype(int)
        for (*judge, text), n in zip(sizes.index, sizes, strict=True):
            times[tuple(map(str, judge))][text] += n
        # Names of responses in `order` are no spellings: "A" is a label, "a" perhaps a response.
        if "categories" in table:
            declared.update(chain.from_iterable(table["categories"].dropna().drop_duplicates()))
    case = _by_case(sum(times.values(), Counter[str]()), declared)
    scales = {judge: _scale(counts, case, declared) for judge, counts in times.items()}
    if not case and not any(scales.values()):
        return list(parts)
    return [one if _from_logs(one.table) else _spelled(one, case, scales) for one in parts]


def _from_logs(table: pd.DataFrame) -> bool:
    return "log" in table and bool(table["log"].notna().any())


def _judge(table: pd.DataFrame) -> list[str]:
    return [name for name in ("judge", "benchmark", "scorer") if name in table]


def _by_case(times: Mapping[str, int], declared: Collection[str]) -> _Names:
    """Each verdict that has another spelling -> the one that is taken."""
    fixed = {*NO_VERDICTS, *declared}
    spellings: dict[str, set[str]] = defaultdict(set)
    for text in (*times, *fixed):
        plain = unicodedata.normalize("NFKC", text).casefold()
        spellings[" ".join(plain.split())].add(text)
    found: dict[str, str] = {}
    for one in spellings.values():
        if len(one) > 1 and len(one & fixed) < 2:
            best = min(one & fixed or one, key=lambda text: (-times.get(text, 0), text))
            found |= dict.fromkeys(one - {best}, best)
    return found


def _scale(counts: Mapping[str, int], case: _Names, declared: Collection[str]) -> _Names:
    given = {text: n for text, n in counts.items() if case.get(text, text) not in NO_VERDICTS}
    scores = {text: score for text in given if (score := _SCORE.fullmatch(text))}
    values = {text: _value(score["number"]) for text, score in scores.items()}
    # "1,2" and "1,3" are two labels each; "1,5" and "2,5" are halves.
    sets = [text for text in values if re.fullmatch(r"\d,\d", text)]
    halves = all(text[2] == "5" for text in sets)
    if (
        sum(given[text] for text in values) < _MOST * sum(given.values())
        or len({*values.values()}) < _SCALE
        or len({score["most"] for score in scores.values()} - {None}) > 1
        or (not halves and all(text[0] < text[2] for text in sets))
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


def _spelled(one: Judgments, case: _Names, scales: Mapping[_Judge, _Names]) -> Judgments:
    table = one.table.copy()
    notes = _renamed(table, slice(None), case, _CASE)
    judges = table.groupby(_judge(table), dropna=False, sort=False) if any(scales.values()) else ()
    for judge, rows in judges:
        names = scales[tuple(map(str, judge))]
        words = {text: value for text, value in names.items() if value == INVALID}
        scores = {text: value for text, value in names.items() if value != INVALID}
        notes += _renamed(table, rows.index, words, _WORDS)
        notes += _renamed(table, rows.index, scores, _SCORED)
        if names and "label" in table:
            table.loc[rows.index, "label"] = each_once(rows["label"], scored)
    counted = Counter[str]()
    for what, count in notes:
        counted[what] += count
    made = [Note(what, count, one.source or "data frame") for what, count in counted.items()]
    return replace(one, table=table, said=(*one.said, *made))


def _renamed(table: pd.DataFrame, rows: Any, names: _Names, what: str) -> list[tuple[str, int]]:
    """Rename verdicts of these rows; what is said of it, and of how many."""
    given = table.loc[rows, "verdict"]
    changed = given[given.isin([*names])]
    if changed.empty:
        return []
    number = n_judgments(table.loc[changed.index])
    table.loc[changed.index, "verdict"] = changed.map(names)
    return [(f"{what}, as {min(changed)!r:.40} for {names[min(changed)]!r:.40}", number)]


def scored(value: Any) -> Any:
    """The number that a text says, or each text of several; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(scored, value))
    score = None if value is None else _SCORE.fullmatch(value)
    return _value(score["number"]) if score else value
