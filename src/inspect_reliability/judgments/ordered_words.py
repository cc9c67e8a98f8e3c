"""Words that are steps of a usual scale, such as poor, fair and good: said to be categories."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..verdicts import NO_VERDICTS, abstentions
from .reading import Code, Note, Reading
from .table import weights

if TYPE_CHECKING:
    import pandas as pd

_FEWEST = 3
"""Steps that make a scale."""


_SCALES = Path(__file__).with_suffix(".json")
"""Usual scales, the lowest step first; words of one step have | between them."""

_WHAT = (
    "verdicts {} taken as categories, of which none is nearer than another. As grades, where the "
    "next is nearly right: {}"
)


def said_of_words(tables: Collection[pd.DataFrame], reading: Reading) -> list[Note]:
    """Say that words of a usual scale are categories, and the call that makes grades of them.

    Args:
        tables: Judgments whose verdicts have one form.
        reading: How they are read. Who says what a word means, or that outputs are options, knows.
    """
    import pandas as pd

    known = {_plain(str(one)) for each in tables for one in each["verdict"].dropna().unique()}
    if reading.read_as or not any(len(known & steps.keys()) >= _FEWEST for steps in _steps()):
        return []
    settled = {one.casefold() for one in reading.map}
    free = [one[one["categories"].isna()] if "categories" in one else one for one in tables]
    by = ["scorer", "benchmark"]
    each = [one.reindex(columns=[*by, "verdict"]).assign(n=weights(one)) for one in free]
    found = Counter[str]()
    for _, rows in pd.concat(each).groupby(by, dropna=False):
        words = {*rows["verdict"].dropna().map(str)}.difference(NO_VERDICTS)
        grades = grades_of(words.difference(abstentions(words, ())))
        if settled.isdisjoint(one.casefold() for one in grades):
            n = round(rows["n"][rows["verdict"].isin([*grades])].sum())
            call = reading.call({"map": grades})
            found[_WHAT.format(", ".join(grades), call)] += n
    where = reading.where
    return [Note(what, n, where, Code.SPELLING) for what, n in found.items() if n]


def grades_of(words: Iterable[str]) -> dict[str, str]:
    """The grade of each word from 1 up, the lowest first; empty if they are no usual scale."""
    plain = {_plain(one): one for one in words}
    if len(plain) < _FEWEST:
        return {}
    for steps in _steps():
        known = sorted((steps[one], one) for one in plain if one in steps)
        if len(known) == len(plain) == len({step for step, _ in known}):
            return {plain[one]: str(n) for n, (_, one) in enumerate(known, 1)}
    return {}


@cache
def _steps() -> list[dict[str, int]]:
    """The step of each word of each usual scale, from 0."""
    scales: list[str] = json.loads(_SCALES.read_text(encoding="utf-8"))
    return [
        {_plain(word): n for n, step in enumerate(one.split(",")) for word in step.split("|")}
        for one in scales
    ]


_UMLAUTS = str.maketrans({umlaut: f"{one}e" for umlaut, one in zip("äöü", "aou", strict=True)})


def _plain(word: str) -> str:
    one = unicodedata.normalize("NFKC", word).casefold().translate(_UMLAUTS)
    return re.sub(r"[\s_\W]+", " ", one.replace("'", "")).strip()
