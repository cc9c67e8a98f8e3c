"""Ids that two sources share, and that start again in each: they name other questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .column_names import words_of
from .columns import COLUMNS, WORDS

if TYPE_CHECKING:
    import pandas as pd

_FEWEST = 5
"""Questions that show by their labels or texts that they are others."""

_MOST_ALIKE = 0.5
"""Share of them that may have one label, or one text, by accident."""

_TEXT = 20
"""Characters from which a value is a text that people or systems wrote."""

_OF_JUDGES = {
    *WORDS["comment"],
    *("reason", "reasons", "reasoning", "rationale", "explanation", "justification"),
    *("begründung", "erklärung", "razón", "motivo", "motivazione"),
}
"""Words in the names of what judges wrote, which differs from one to another."""

OTHERS = "other questions, whose ids start again"


def of_other_questions(one: pd.DataFrame, other: pd.DataFrame) -> tuple[int, str] | None:
    """How many questions of one id have another label or text in two tables of judgments.

    Returns:
        How many, and what they are, as in "of 29 questions that both label have another label
        there"; None where half of them or more have the same, or too few show anything.
    """
    if "label" in one and "label" in other:
        found = _differ(one, other, "label")
        if found and found[1] >= _FEWEST:
            differ, known = found
            what = f"of {known:,} questions that both label have another label there"
            return (differ, what) if _most(found) else None
    for name in _texts(one, other):
        found = _differ(one, other, name)
        if found and found[1] >= _FEWEST and _most(found):
            differ, known = found
            return differ, f"of {known:,} texts in column {name!r} are others there"
    return None


def _most(found: tuple[int, int]) -> bool:
    differ, known = found
    return differ > _MOST_ALIKE * known


def _differ(one: pd.DataFrame, other: pd.DataFrame, name: str) -> tuple[int, int] | None:
    """How many questions have other values in both, of how many that have one value in each."""
    first, second = (_by_question(table, name) for table in (one, other))
    both = first.index.intersection(second.index)
    if not len(both):
        return None
    return int((first[both] != second[both]).sum()), len(both)


def _by_question(table: pd.DataFrame, name: str) -> pd.Series[str]:
    """The value of each question that has one."""
    known = table[["question", name]].dropna().map(str).drop_duplicates()
    return known.drop_duplicates("question", keep=False).set_index("question")[name]


def _texts(one: pd.DataFrame, other: pd.DataFrame) -> Iterator[str]:
    """Columns of the user's own with a text a question in both, which no judge wrote."""
    for name in map(str, one):
        if name in COLUMNS or name not in other or _OF_JUDGES.intersection(words_of(name)):
            continue
        first = one[name].dropna()
        if len(first) and first.map(str).str.len().mean() >= _TEXT:
            yield name
