"""Whether numbers beside a tie are those of options, or grades: asked, since a grade has no tie."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from ..stats.labelled import ENOUGH
from ..verdicts import NO_VERDICTS, NON_RESPONSE, is_called_tie
from .columns import OF_SYSTEMS, label_names
from .count import NUMBER
from .pairs import GRADE, NAMES, OPTION
from .reading import Code, Note, Reading
from .table import Judgments, verdict_counts

if TYPE_CHECKING:
    import pandas as pd

_MOST = 10
"""Highest number of an option."""

_FEWEST = 3
"""Numbers of verdicts and labels from which they may be grades."""

_SHARE = 0.01
"""Share of a judge's verdicts from which a tie is no slip."""

_NO_ONE = {"both", "neither", "same", "none"}
"""What is said of several options, as a tie is. Programs write `None` where nothing was said."""

_KINDS = {"options": OPTION, "scale": GRADE}
"""What outputs are read as -> what their numbers are."""


def asked_of_options(
    judges: Iterable[Mapping[str, float]],
    tables: Collection[pd.DataFrame],
    mapped: Mapping[str, str],
    where: str,
    reading: Reading,
) -> list[Note]:
    """Ask whether few whole numbers beside a tie are the numbers of options, or grades.

    It matters where labels may be near them, and where the tie is no verdict, as `none` beside
    grades: a tie that is one makes names of all. Where many labels are all the same, none is near.

    Args:
        judges: How often each judge gave each verdict.
        tables: The judgments of all judges.
        mapped: Verdict as written -> the one that the user says it is.
        where: The first source.
        reading: How they are read. `read_as` answers.
    """
    if reading.read_as or reading.words is OF_SYSTEMS or any(map(_is_known, tables)):
        return []
    right = {one for table in tables for one in _numbers_right(table) if one not in mapped}
    numbers, ties = {*right}, set[str]()
    n = 0.0
    for counts in judges:
        own = {one for one in counts if NUMBER.fullmatch(one) and one not in mapped}
        tied = {one for one in counts if _is_tie(one) and mapped.get(one, NON_RESPONSE) in _NONE}
        numbers |= own
        said, open_ = (sum(counts[one] for one in some) for some in (own, tied))
        total = sum(counts.values())
        if (
            own
            and len(own | right) >= _FEWEST
            and 2 * said >= total - open_
            and open_ >= _SHARE * total
        ):
            ties |= tied
            n += said
    matters = any(map(_may_be_near, tables)) or ties <= {*mapped, "none"}
    if not (ties and matters) or not all(one.isdecimal() and int(one) <= _MOST for one in numbers):
        return []
    known, words = sorted(numbers, key=int), sorted(ties)
    low, high = known[0], known[-1]
    kept = [one for one in words if one not in mapped]
    tie = " and ".join(f"{one!r:.40}" for one in words)
    what = f"verdicts {', '.join(known)} beside {tie} are the numbers of options, or grades"
    ways = (
        reading.choice(
            "options: a verdict is right if it is the label, and the next number is another option",
            {"read_as": f"options:{','.join([*known, *kept])}"},
        ),
        reading.choice(
            f"grades from {low} to {high}: the next one is nearly right, and {tie} is no grade",
            {"read_as": f"scale:{low}-{high}"},
        ),
    )
    return [Note(what, round(n), where, Code.NUMBERS_OPEN, ways)]


_NONE = {*NO_VERDICTS, "none"}


def _is_tie(verdict: str) -> bool:
    return is_called_tie(verdict) or verdict in _NO_ONE


def asked_of_labelled(judgments: Judgments) -> list[Note]:
    """The same of judgments of files that got labels from elsewhere."""
    if not judgments.readings:
        return []
    reading, table = judgments.readings[0], judgments.table
    judges = (
        {str(of): n for of, n in verdict_counts(rows).items()}
        for _, rows in table.groupby("judge", dropna=False)
    )
    return asked_of_options(judges, [table], {}, reading.where, reading)


def _numbers_right(table: pd.DataFrame) -> set[str]:
    """The numbers among labels."""
    return {one for one in label_names(table) if NUMBER.fullmatch(one)}


def _may_be_near(table: pd.DataFrame) -> bool:
    """Whether labels vary, or are too few to show that the right option has one name everywhere."""
    if "label" not in table:
        return False
    if table["label"].nunique() > 1:
        return True
    return 0 < table["question"][table["label"].notna()].nunique() < ENOUGH


def _is_known(table: pd.DataFrame) -> bool:
    """Whether a table says what its numbers are: by the options shown, by a log, or as read."""
    names = ("best", "categories", "log", NAMES)
    shown = "order" in table and table["order"].map(lambda one: isinstance(one, tuple)).any()
    return bool(shown) or any(name in table and table[name].notna().any() for name in names)


def with_kind_of_numbers(table: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """The judgments with what their numbers are, if the reading says so."""
    kind = _KINDS.get((reading.read_as or "").partition(":")[0])
    if kind is None:
        return table
    numbers = table["verdict"].map(lambda one: bool(one) and bool(NUMBER.fullmatch(one)))
    if not numbers.any():
        return table
    said = numbers.map({True: kind, False: None})
    return table.assign(**{NAMES: table[NAMES].fillna(said) if NAMES in table else said})
