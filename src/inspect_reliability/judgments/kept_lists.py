"""A list of `keep`: how it is known, and what its columns are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .reading import Reading

if TYPE_CHECKING:
    import pandas as pd

CHECKED, LABELLED = "checked", "labelled"
"""Columns of a list for a person: what she fills in, and labels whose source has no name of its own
for them."""

_WHO = "whoever checked"
"""The rater of what is filled in: two verdicts of one question contradict each other."""

_ALWAYS = {"question", "verdict", "confidence", "decision", CHECKED}


def is_list(frame: pd.DataFrame) -> bool:
    """Whether rows are a list of `keep` that a person may fill in."""
    return {*map(str, frame)} >= _ALWAYS


def reading_of_list(frame: pd.DataFrame, reading: Reading) -> Reading:
    """How a list is read: its own columns are ours, and those of its source may be gone.

    What its user filled in is read as labels, whatever it is called (see `with_checked`).
    """
    if not is_list(frame):
        return reading
    names = {*map(str, frame)} - {CHECKED}
    columns = {y: o for y, o in reading.columns.items() if {*y.split("+")} <= names}
    if "label" not in columns.values() and (label := _label(frame)):
        columns[label] = "label"
    return replace(reading, columns=columns)


def _label(frame: pd.DataFrame) -> str | None:
    """The column of labels, whatever its source calls it: before the verdict, and as decisions say.

    It is filled where a label decided, and empty where nobody labelled.
    """
    names = [*map(str, frame)]
    before = names[names.index("verdict") - 1]
    given, decided = frame[before].notna(), frame["decision"]
    labelled, open_ = decided == LABELLED, ~decided.isin([LABELLED, "keep"])
    fits = labelled.any() and given[labelled].all() and open_.any() and not given[open_].any()
    return before if before == LABELLED or fits else None


def filled_in(frame: pd.DataFrame) -> pd.DataFrame:
    """What the user of a list filled in, as labels: a row each, without empty cells."""
    given = frame[CHECKED]
    known = given.notna() & (given.map(str).map(str.strip) != "")
    rows = frame.loc[known, ["question", CHECKED]].set_axis(["id", "label"], axis=1)
    return rows.drop_duplicates().assign(rater=_WHO)
