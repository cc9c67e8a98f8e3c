"""Ids that two sources share, and that start again in each: they name other questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .columns import COLUMNS, WORDS, words_of

if TYPE_CHECKING:
    import pandas as pd

_FEWEST = 5
"""Questions that show by their labels or texts that they are others."""

_MOSTLY_BY_CHANCE = 0.5
"""How far towards chance labels or texts of the same questions must lie to be those of others."""

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
        there"; None where they differ less than half as often as by chance, or too few show
        anything.
    """
    if "label" in one and "label" in other:
        found = _differ(one, other, "label")
        if found and found[1] >= _FEWEST:
            differ, known, _ = found
            what = f"of {known:,} questions that both label have another label there"
            return (differ, what) if _are_others(*found) else None
    for name in _texts(one, other):
        found = _differ(one, other, name)
        if found and found[1] >= _FEWEST and _are_others(*found):
            differ, known, _ = found
            return differ, f"of {known:,} texts in column {name!r} are others there"
    return None


def named_by_numbers(one: pd.DataFrame, other: pd.DataFrame) -> int:
    """How many questions of two tables have one id, where only a running number says which.

    0 where ids are no numbers from 0 or 1 up in both, or another column that both have, such as the
    label, says the same of the questions.
    """
    ids = [{*map(str, table["question"])} for table in (one, other)]
    if min(map(len, ids)) < _FEWEST or not all(map(_are_running, ids)):
        return 0
    for name in map(str, one):
        known = name in other and (name not in COLUMNS or name in _OF_QUESTIONS)
        if known and not _OF_JUDGES.intersection(words_of(name)) and _agree(one, other, name):
            return 0
    return len(ids[0] & ids[1])


_OF_QUESTIONS = {"benchmark", "label", "output", "sample"}
"""Columns of ours that say something of a question, and nothing of a judge."""

_SAME = 0.9
"""Share of questions with one value in both tables that shows that they are the same."""


def _are_running(ids: set[str]) -> bool:
    return any(ids == {str(start + k) for k in range(len(ids))} for start in (0, 1))


def _agree(one: pd.DataFrame, other: pd.DataFrame, name: str) -> bool:
    """Whether a column, which numbers no rows, says the same of nearly all questions."""
    first, second = (_by_question(table, name) for table in (one, other))
    both = first.index.intersection(second.index)
    values = first[both].nunique()
    says = values > 1 or name == "label"
    if len(both) < _FEWEST or not says or (values == len(both) and _is_counted(first[both])):
        return False
    return bool((first[both] == second[both]).mean() >= _SAME)


def _is_counted(values: pd.Series[str]) -> bool:
    return bool(values.str.fullmatch(r"\d+(\.0)?").all())


def _are_others(differ: int, known: int, by_chance: float) -> bool:
    return differ > _MOSTLY_BY_CHANCE * by_chance * known


def _differ(one: pd.DataFrame, other: pd.DataFrame, name: str) -> tuple[int, int, float] | None:
    """How many questions have other values in both, of how many that have one value in each.

    The last is the share that would differ if the values of one had nothing to do with the other's.
    """
    first, second = (_by_question(table, name) for table in (one, other))
    both = first.index.intersection(second.index)
    if not len(both):
        return None
    shares = (of[both].value_counts(normalize=True) for of in (first, second))
    alike = next(shares).mul(next(shares), fill_value=0).sum()
    return int((first[both] != second[both]).sum()), len(both), 1 - float(alike)


def _by_question(table: pd.DataFrame, name: str) -> pd.Series[str]:
    """The value of each question that has one."""
    known = table[["question", name]].dropna().map(str).drop_duplicates()
    return known.drop_duplicates("question", keep=False).set_index("question")[name]


def _texts(one: pd.DataFrame, other: pd.DataFrame) -> Iterator[str]:
    """Columns with a text a question in both, which no judge wrote."""
    for name in map(str, one):
        if (name in COLUMNS and name != "output") or name not in other:
            continue
        if _OF_JUDGES.intersection(words_of(name)):
            continue
        first = one[name].dropna()
        if len(first) and first.map(str).str.len().mean() >= _TEXT:
            yield name
